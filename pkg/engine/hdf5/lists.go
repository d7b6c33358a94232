//go:build cgo

package hdf5

// #include "loop.h"
import "C"

import (
	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/h5"
)

// access makes the file access list.
func (s *session) access() (err error) {
	if s.fapl, err = s.newAccessList(); err != nil {
		return err
	}
	if err := s.setDriver(); err != nil {
		return err
	}
	if !s.conf.RawApart() {
		if err := s.align(s.fapl); err != nil {
			return err
		}
	}
	if bytes := s.conf.SieveBufferBytes; bytes != nil {
		if err := h5.SetSieveBuffer(s.fapl, *bytes); err != nil {
			return err
		}
	}
	if bytes := s.conf.MetaBlockBytes; bytes != nil {
		if err := h5.SetMetaBlock(s.fapl, *bytes); err != nil {
			return err
		}
	}
	return s.setChunkCache()
}

// newAccessList makes a file access list, which Close closes.
func (s *session) newAccessList() (*hdf5.PropList, error) {
	fapl, err := h5.NewAccessList()
	if err != nil {
		return nil, err
	}
	s.made = append(s.made, fapl)
	return fapl, nil
}

// align sets the alignment of objects in an access list.
func (s *session) align(fapl *hdf5.PropList) error {
	if s.conf.AlignmentBytes == nil {
		return nil
	}
	return h5.SetAlignment(fapl, *s.conf.ThresholdBytes, *s.conf.AlignmentBytes)
}

// setChunkCache sets the size of the chunk cache. The cache is a hash table: it should have ten times as many slots as
// chunks (HDF5's reference manual, H5Pset_chunk_cache).
func (s *session) setChunkCache() error {
	if s.conf.ChunkCacheBytes == nil || s.spec.Chunk == nil {
		return nil
	}
	bytes := *s.conf.ChunkCacheBytes
	return h5.SetChunkCache(s.fapl, 10*min(s.chunks(), bytes/chunkBytes(s.spec)), bytes)
}

// creation makes the dataset creation list.
func (s *session) creation() error {
	dcpl, err := hdf5.NewPropList(hdf5.P_DATASET_CREATE)
	if err != nil {
		return h5.Failed("H5Pcreate")
	}
	s.made = append(s.made, dcpl)
	s.dcpl = dcpl
	if s.spec.Chunk != nil {
		if err := s.dcpl.SetChunk(uints(s.spec.Chunk)); err != nil {
			return h5.Failed("H5Pset_chunk")
		}
	}
	if s.conf.Driver == hdf5conf.MPIPosix {
		return h5.AllocateUnfilled(s.dcpl)
	}
	if s.conf.FillTime == "" {
		return nil
	}
	return h5.SetFillTime(s.dcpl, string(s.conf.FillTime))
}

// transfer sets the transfer list. Independent transfers use H5P_DEFAULT, whose values the library knows: it looks up
// those of any other list in each call, which takes longer than the rest of a small transfer.
func (s *session) transfer() error {
	if !s.spec.Collective {
		s.loop.list = C.H5P_DEFAULT
		return nil
	}
	dxpl, err := h5.NewTransferList()
	if err != nil {
		return err
	}
	s.made = append(s.made, dxpl)
	s.loop.list, s.loop.collective = C.hid_t(dxpl.ID()), 1
	return h5.SetCollective(dxpl)
}
