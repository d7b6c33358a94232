//go:build cgo

package hdf5

import (
	"errors"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
)

// createShared makes a file to which all processes can then write without changing its metadata: rank 0 creates all
// datasets with all their storage. It returns when the file is complete. If rank 0 fails, all processes return an
// error. Collective.
func (s *session) createShared(path string) error {
	var err error
	outcome := ""
	if s.env.Comm.Rank() == 0 {
		if err = s.createComplete(path); err != nil {
			outcome = err.Error()
		}
	}
	outcome = string(s.env.Comm.Bcast([]byte(outcome), 0))
	if err == nil && outcome != "" {
		err = &h5.Error{Call: "H5Fcreate", Stack: "on rank 0: " + outcome}
	}
	return err
}

// createComplete creates the file with all its datasets, and closes it.
func (s *session) createComplete(path string) (err error) {
	f, err := h5.CreateFile(path, s.fapl)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h5.CloseFile(f)) }()
	for i := range s.program.Objects {
		o, family := &s.program.Objects[i], &s.objects[i]
		for k := range o.Count {
			set, err := h5.CreateDataset(f, o.NameOf(k), hdf5.T_STD_U8LE, family.space, family.dcpl)
			if err != nil {
				return err
			}
			if err := set.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}
