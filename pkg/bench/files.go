package bench

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// dataFile is a file that the program of this process opens.
type dataFile struct {
	path    string
	family  int  // index in the program
	isOwner bool // only this process creates it, checks its size, and removes it
	shared  bool // all processes of the case open it, or process 0 for all of them

	parts      []engine.FileSize // if mine: the files that it consisted of after it was written
	isExtended bool              // a time limit made it too short, and it was extended for the read
}

// filesOpenedBy returns the files that a program opens in an operation, each once, in order. If a time limit ended the
// writes early, it returns only the files of the dumps that were written.
func (c *caseRun) filesOpenedBy(s *ioRole, op workload.Op) []dataFile {
	var all []dataFile
	part := s.program.Parts[op]
	if c.dumpsWritten > 0 && c.dumpsWritten < len(part.Dumps) {
		part.Dumps = part.Dumps[:c.dumpsWritten]
	}
	for step := range part.Steps() {
		if step.Class != workload.FileOpen {
			continue
		}
		f := c.fileOfBatch(s, &step.Batch)
		if !slices.ContainsFunc(all, func(other dataFile) bool { return other.path == f.path }) {
			all = append(all, f)
		}
	}
	return all
}

// fileOfBatch returns the data file that a batch works on.
func (c *caseRun) fileOfBatch(s *ioRole, b *workload.Batch) dataFile {
	family := &s.program.Files[b.File]
	f := dataFile{family: b.File, shared: family.Group == workload.All || family.Group == workload.Root}
	f.isOwner = !f.shared && !b.Existing || f.shared && c.work.Rank() == 0
	switch {
	case !c.writesFiles():
		f.path = c.conditions().ReadOnly
	case family.Name == "" && !f.shared:
		f.path = c.arm.Dir.DataPath(fmt.Sprintf("%d_%d", c.file, s.rank), c.plan.API)
	case family.Name == "":
		f.path = c.arm.Dir.DataPath(strconv.Itoa(c.file), c.plan.API)
	default:
		f.path = c.arm.Dir.DataPath(family.Name, c.plan.API)
	}
	return f
}

// checkSizes checks that the files of this process have the planned sizes: MPI-IO can report success for a write that
// failed. If a plain file is shorter because a time limit ended its writes, checkSizes extends it to the planned size,
// which engines require for reads.
func (c *caseRun) checkSizes() error {
	if c.dumpsWritten > 0 {
		c.files = c.filesOpenedBy(c.firstRole(), workload.Write)
	}
	for i := range c.files {
		if f := &c.files[i]; f.isOwner {
			if err := c.checkSize(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *caseRun) checkSize(f *dataFile) error {
	s := c.firstRole()
	names := s.session.FileNames(f.path)
	var err error
	if f.parts, err = s.env.FileSizes(f.path, names); err != nil {
		return err
	}
	if c.writesFiles() {
		c.arm.Dir.MarkCreated(names) // such as members of a family
	}
	var size uint64
	for _, part := range f.parts {
		size += part.Bytes
	}
	planned, exact := s.session.FileBytes(f.family)
	if end, all := s.data.endOfWrittenBytes(f.family); !all {
		// HDF5 decides when to allocate space.
		if planned = 0; exact && c.writesFiles() && c.dumpsWritten == 0 {
			planned = end
		}
		exact = false
	}
	want := min(planned, c.minFileBytes(exact))
	switch {
	case size >= want && (!exact || size == want):
	case !c.writesFiles():
		return fmt.Errorf("%s has %d bytes, but these parameters read %d: give the parameters with which it was "+
			"written",
			f.path, size, want)
	default:
		return fmt.Errorf("%s has %d bytes, not %d as planned, although all writes reported success: data are missing",
			f.path, size, want)
	}
	if f.isExtended = exact && want < planned && c.readsFiles(); f.isExtended {
		return c.arm.Dir.Truncate(filepath.Base(f.path), planned)
	}
	return nil
}

// removeAllFiles removes the files that only this process opens and, on rank 0, all data files in the directory. It
// ignores errors.
func (c *caseRun) removeAllFiles() {
	for _, f := range c.files {
		if f.isOwner && !f.shared {
			for _, name := range c.firstRole().session.FileNames(f.path) {
				_ = c.arm.Dir.Remove(name)
			}
		}
	}
	if c.work.Rank() == 0 {
		_ = c.arm.Dir.RemoveDataFiles()
	}
}

// removeFiles removes the files of this process. If files are kept, it truncates those that checkSizes extended to the
// size with which they were written.
func (c *caseRun) removeFiles() error {
	var err error
	for _, f := range c.files {
		switch {
		case !f.isOwner || !c.writesFiles():
		case !c.plan.Parameters.KeepFiles:
			for _, part := range f.parts {
				err = errors.Join(err, c.arm.Dir.Remove(part.Name))
			}
		case f.isExtended:
			err = errors.Join(err, c.arm.Dir.Truncate(filepath.Base(f.path), f.parts[0].Bytes))
		}
	}
	return err
}
