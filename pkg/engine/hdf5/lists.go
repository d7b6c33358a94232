//go:build cgo

package hdf5

import (
	"slices"

	"gonum.org/v1/hdf5"

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
	if err := s.applySettings(s.fapl, s.isForFiles(false)); err != nil {
		return err
	}
	if err := s.setChunkCache(s.fapl); err != nil {
		return err
	}
	return s.makeSerialAccessList()
}

// makeFileCreationLists makes the creation lists of files. It is nil for a file with the library's defaults.
func (s *session) makeFileCreationLists() error {
	s.fcpls = make([]*hdf5.PropList, len(s.program.Files))
	for i := range s.fcpls {
		tracking := s.program.Files[i].Tracking
		if !s.requestsAny(isForFileCreation) && tracking == (workload.Tracking{}) {
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
		if err := s.applySettings(list, isForFileCreation); err != nil {
			return err
		}
	}
	return nil
}

// makeGroupList makes the creation list of a family of groups. There is none with the library's defaults.
func (s *session) makeGroupList(f *objectFamily, t workload.Tracking) (err error) {
	if !s.requestsAny(isForGroup) && t == (workload.Tracking{}) {
		return nil
	}
	if f.creationShape.List, err = h5.NewGroupCreationList(t); err != nil {
		return err
	}
	s.closers = append(s.closers, f.creationShape.List)
	return s.applySettings(f.creationShape.List, isForGroup)
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
	if err := s.applySettings(s.serialFapl, s.isForFiles(true)); err != nil {
		return err
	}
	return s.setChunkCache(s.serialFapl)
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

// setChunkCache sets the size of the chunk cache together with its number of slots. The cache is a hash table. It
// should have ten times as many slots as it holds chunks (HDF5's reference manual, H5Pset_chunk_cache).
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
	return dcpl, s.applySettings(dcpl, func(r *requestedSetting) bool { return isForDataset(r, o) })
}

// makeTransferLists makes the transfer lists of collective and of independent transfers, if there are any. Independent
// transfers of one dataset have a list only if it has settings: the library looks up the values of any list but
// H5P_DEFAULT in each call, which takes longer than the rest of a small transfer.
func (s *session) makeTransferLists() (err error) {
	if len(s.program.Moves) > 1 || s.requestsAny(isForTransfer) {
		if s.independentList, err = s.newTransferList(); err != nil {
			return err
		}
	}
	for i := range s.program.Moves {
		if s.isCollective(&s.program.Moves[i]) {
			if s.collectiveList, err = s.newTransferList(); err != nil {
				return err
			}
			if err := s.applySettings(s.collectiveList, isForCollectiveTransfer); err != nil {
				return err
			}
			return h5.SetCollective(s.collectiveList)
		}
	}
	return nil
}

// newTransferList makes a list of independent transfers, which Close closes.
func (s *session) newTransferList() (*hdf5.PropList, error) {
	list, err := h5.NewTransferList()
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, list)
	return list, s.applySettings(list, isForTransfer)
}

// isCollective reports whether transfers of a move are collective. In a file that one process opens alone they are
// independent, even if collective transfers are requested, because its driver (sec2) has no collective calls.
func (s *session) isCollective(m *workload.Move) bool {
	return m.Collective && !s.isOpenedAlone(s.program.Objects[m.Object].File)
}
