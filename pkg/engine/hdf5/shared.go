//go:build cgo

package hdf5

import (
	"errors"

	"h5perf/pkg/h5"
)

// createSharedFile creates a file to which all processes can write without changing its metadata: rank 0 creates all
// datasets with all their storage. It returns after the file is complete. If rank 0 fails, all processes return an
// error. Collective.
func (s *session) createSharedFile(file int, path string) error {
	var err error
	outcome := ""
	if s.env.Comm.Rank() == 0 {
		if err = s.createCompleteFile(file, path); err != nil {
			outcome = err.Error()
		}
	}
	outcome = string(s.env.Comm.Bcast([]byte(outcome), 0))
	if err == nil && outcome != "" {
		err = &h5.CallError{Call: "H5Fcreate", Stack: "on rank 0: " + outcome}
	}
	return err
}

func (s *session) createCompleteFile(file int, path string) (err error) {
	f, err := h5.CreateFile(path, s.fcpls[file], s.fapl)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h5.CloseFile(f)) }()
	for i := range s.program.Objects {
		o, family := &s.program.Objects[i], s.objects[i]
		for k := range o.Count {
			family.members.Parents, family.members.First, family.members.Count = []int64{f.ID()}, k, 1
			handle := []int64{0}
			if _, err := h5.CreateDatasets(family.members, family.creationShape, handle); err != nil {
				return err
			}
			if _, err := h5.CloseObjects(o.Kind, handle, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
