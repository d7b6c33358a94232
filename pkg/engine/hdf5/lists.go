//go:build cgo

package hdf5

import (
	"fmt"
	"slices"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// makeAccessList makes the file access lists.
func (s *session) makeAccessList() (err error) {
	if s.fapl, err = s.newAccessList(); err != nil {
		return err
	}
	if err := s.setDriver(); err != nil {
		return err
	}
	if !s.conf.SplitsRawData() {
		if err := s.setAlignment(s.fapl); err != nil {
			return err
		}
	}
	if err := s.setCommonProperties(s.fapl); err != nil {
		return err
	}
	if c := s.conf.CollectiveMetadata; c != "" && s.conf.Driver.IsParallel() {
		if err := h5.SetCollectiveMetadata(s.fapl, c.Writes(), c.Reads()); err != nil {
			return err
		}
	}
	return s.makeSerialAccessList()
}

// makeFileCreationLists makes the creation lists of files. It is nil for a file with the library's defaults.
func (s *session) makeFileCreationLists() error {
	s.fcpls = make([]*hdf5.PropList, len(s.program.Files))
	for i := range s.fcpls {
		tracking := s.program.Files[i].Tracking
		if s.conf.PageBytes == nil && tracking == (workload.Tracking{}) {
			continue
		}
		list, err := h5.NewFileCreationList()
		if err != nil {
			return err
		}
		s.fcpls[i], s.closers = list, append(s.closers, list)
		if err := h5.SetGroupTracking(list, tracking); err != nil {
			return err
		}
		if s.conf.PageBytes == nil {
			continue
		}
		if err := h5.SetPageAllocation(list, *s.conf.PageBytes); err != nil {
			return err
		}
	}
	return nil
}

// makeGroupList makes the creation list of a family of groups, if the library keeps more or less about them than by
// default.
func (s *session) makeGroupList(f *objectFamily, t workload.Tracking) (err error) {
	if t == (workload.Tracking{}) {
		return nil
	}
	if f.creationShape.List, err = h5.NewGroupCreationList(t); err != nil {
		return err
	}
	s.closers = append(s.closers, f.creationShape.List)
	return nil
}

// setCommonProperties sets the properties of an access list that do not depend on the file driver.
func (s *session) setCommonProperties(fapl *hdf5.PropList) error {
	if s.conf.DeferMetadata != nil && *s.conf.DeferMetadata {
		if err := h5.DeferMetadata(fapl); err != nil {
			return err
		}
	}
	if s.conf.Libver != "" {
		if err := h5.SetLibver(fapl, string(s.conf.Libver)); err != nil {
			return fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
		}
	}
	return s.setBufferSizes(fapl)
}

func (s *session) setBufferSizes(fapl *hdf5.PropList) error {
	if bytes := s.conf.SieveBufferBytes; bytes != nil {
		if err := h5.SetSieveBuffer(fapl, *bytes); err != nil {
			return err
		}
	}
	if bytes := s.conf.MetaBlockBytes; bytes != nil {
		if err := h5.SetMetaBlock(fapl, *bytes); err != nil {
			return err
		}
	}
	if s.conf.EvictOnClose != nil {
		if err := h5.SetEvictOnClose(fapl); err != nil {
			return fmt.Errorf("%w: --evict-on-close: %w", engine.ErrUnsupported, err)
		}
	}
	return s.setChunkCache(fapl)
}

// makeSerialAccessList makes the access list for files that one process opens alone, if the driver is parallel and
// there are such files. It uses the driver sec2. Metadata operations are not collective: no other process takes part.
func (s *session) makeSerialAccessList() (err error) {
	if !s.conf.Driver.IsParallel() ||
		!slices.ContainsFunc(s.program.Files, func(f workload.File) bool { return f.Group != workload.All }) {
		return nil
	}
	if s.serialFapl, err = s.newAccessList(); err != nil {
		return err
	}
	if err := h5.SetSec2(s.serialFapl); err != nil {
		return err
	}
	if err := s.setAlignment(s.serialFapl); err != nil {
		return err
	}
	return s.setCommonProperties(s.serialFapl)
}

// isOpenedAlone reports whether one process alone opens a file of a family, with the driver sec2 instead of the
// parallel driver.
func (s *session) isOpenedAlone(family int) bool {
	return s.conf.Driver.IsParallel() && s.program.Files[family].Group != workload.All
}

// accessListOf returns the access list of the files of a family.
func (s *session) accessListOf(family int) *hdf5.PropList {
	if s.isOpenedAlone(family) {
		return s.serialFapl
	}
	return s.fapl
}

// newAccessList makes a file access list, which Close closes.
func (s *session) newAccessList() (*hdf5.PropList, error) {
	fapl, err := h5.NewAccessList()
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, fapl)
	return fapl, nil
}

func (s *session) setAlignment(fapl *hdf5.PropList) error {
	if s.conf.AlignmentBytes == nil {
		return nil
	}
	return h5.SetAlignment(fapl, *s.conf.ThresholdBytes, *s.conf.AlignmentBytes)
}

// setChunkCache sets the size of the chunk cache. The cache is a hash table. It should have ten times as many slots as
// it holds chunks (HDF5's reference manual, H5Pset_chunk_cache).
func (s *session) setChunkCache(fapl *hdf5.PropList) error {
	if s.conf.ChunkCacheBytes == nil {
		return nil
	}
	bytes, slots, chunked := *s.conf.ChunkCacheBytes, uint64(0), false
	for i := range s.program.Objects {
		if o := &s.program.Objects[i]; o.Chunk != nil {
			slots, chunked = max(slots, 10*min(o.NumChunks(), bytes/o.ChunkBytes())), true
		}
	}
	if !chunked {
		return nil
	}
	return h5.SetChunkCache(fapl, slots, bytes)
}

// newCreationList makes the dataset creation list for a family, which Close closes.
func (s *session) newCreationList(o *workload.Object) (*hdf5.PropList, error) {
	dcpl, err := h5.NewCreationList(o)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, dcpl)
	if s.conf.Driver == option.DriverMPIPosix {
		return dcpl, h5.SetEarlyAllocationNoFill(dcpl)
	}
	// HDF5 always fills what has a variable length
	if s.conf.FillTime == "" || o.Fill.Time != "" || s.conf.FillTime == option.FillNever && o.Type.IsVariable() {
		return dcpl, nil
	}
	return dcpl, h5.SetFillTime(dcpl, string(s.conf.FillTime))
}

// makeTransferList makes the transfer list of collective transfers, if there are any. Independent transfers use
// H5P_DEFAULT instead, because the library looks up the values of any other list in each call, which takes longer than
// the rest of a small transfer. Independent calls for several datasets have a list of their own.
func (s *session) makeTransferList() (err error) {
	if len(s.program.Moves) > 1 {
		if s.independentMultiList, err = s.newTransferList(); err != nil {
			return err
		}
	}
	for i := range s.program.Moves {
		if s.isCollective(&s.program.Moves[i]) {
			if s.collectiveList, err = s.newTransferList(); err != nil {
				return err
			}
			return h5.SetCollective(s.collectiveList)
		}
	}
	return nil
}

// newTransferList makes a transfer list, which Close closes.
func (s *session) newTransferList() (*hdf5.PropList, error) {
	list, err := h5.NewTransferList()
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, list)
	return list, nil
}

// isCollective reports whether transfers of a move are collective. In a file that one process opens alone they are
// independent, even if collective transfers are requested, because its driver (sec2) has no collective calls. So are
// those of compact datasets: HDF5 does not transfer object headers collectively.
func (s *session) isCollective(m *workload.Move) bool {
	o := &s.program.Objects[m.Object]
	return m.Collective && !o.Compact && !s.isOpenedAlone(o.File)
}
