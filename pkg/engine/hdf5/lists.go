//go:build cgo

package hdf5

// #include "loop.h"
import "C"

import (
	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
)

// access makes the list that files are opened with.
func (s *session) access() error {
	fapl, err := h5.NewAccessList()
	if err != nil {
		return err
	}
	s.made = append(s.made, fapl)
	s.fapl = fapl
	if s.spec.MPIPosix {
		err = h5.ShareSec2(fapl)
	} else {
		err = h5.SetMPIO(fapl, s.spec.Comm.Handle(), s.askedHints())
	}
	if err != nil {
		return err
	}
	return h5.SetAlignment(fapl, s.spec.Threshold, s.spec.Align)
}

// askedHints are the hints of the case; nil is MPI_INFO_NULL.
func (s *session) askedHints() []h5.KeyValue {
	if !s.spec.HaveHints {
		return nil
	}
	hints := make([]h5.KeyValue, len(s.spec.Hints))
	for i, h := range s.spec.Hints {
		hints[i] = h5.KeyValue(h)
	}
	return hints
}

// creation makes the lists that datasets are created and opened with.
func (s *session) creation() (err error) {
	if s.dcpl, err = s.newList(hdf5.P_DATASET_CREATE); err != nil {
		return err
	}
	if s.dapl, err = s.newList(hdf5.P_DATASET_ACCESS); err != nil {
		return err
	}
	if s.spec.Chunk != nil {
		if err := s.dcpl.SetChunk(uints(s.spec.Chunk)); err != nil {
			return h5.Failed("H5Pset_chunk")
		}
	}
	if !s.spec.MPIPosix {
		return nil
	}
	// A chunk in the cache of a process would be written back over what others have written since.
	const slots, bytes, preemption = 521, 0, 0.75
	if err := s.dapl.SetChunkCache(slots, bytes, preemption); err != nil {
		return h5.Failed("H5Pset_chunk_cache")
	}
	return h5.AllocateUnfilled(s.dcpl)
}

func (s *session) newList(class hdf5.PropType) (*hdf5.PropList, error) {
	list, err := hdf5.NewPropList(class)
	if err != nil {
		return nil, h5.Failed("H5Pcreate")
	}
	s.made = append(s.made, list)
	return list, nil
}

// transfer makes the transfer list.
func (s *session) transfer() error {
	dxpl, err := h5.NewTransferList()
	if err != nil {
		return err
	}
	s.made = append(s.made, dxpl)
	s.loop.list = C.hid_t(dxpl.ID())
	if !s.spec.Collective {
		return nil
	}
	s.loop.collective = 1
	return h5.SetCollective(dxpl)
}
