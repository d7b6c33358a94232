package bench

import (
	"math"
	"os"
	"path/filepath"

	"h5perf/pkg/workload"
)

// dirHandle returns the directory of the data files, held open; nil for a file that another run wrote.
func (c *caseRun) dirHandle() *os.File {
	if !c.writesFiles() {
		return nil
	}
	return c.arm.Dir.Handle()
}

// dataDirPath returns the directory of the data files.
func (c *caseRun) dataDirPath() string {
	if c.writesFiles() {
		return c.arm.Dir.Path
	}
	return filepath.Dir(c.conditions().ReadOnly)
}

// checkDirectory returns an error if the path of the directory no longer leads to the one that this run made. The first
// process of each node looks.
func (c *caseRun) checkDirectory() error {
	if !c.leader || !c.writesFiles() {
		return nil
	}
	return c.arm.Dir.CheckPath()
}

// makeSectionFiles makes the files with which the data files of a section begin, in the directory that is held and
// before any library opens them: so none can be made to create or to overwrite another file. Rank 0 makes those that
// all processes open. Its time is part of the opening.
//
// The first process of each node also checks that it can create files, as each process did before the first case. That
// must be found before MPI_File_open: if the creation fails on some processes only, that function never returns in Open
// MPI 4, on any process (they wait for each other in different barriers).
func (c *caseRun) makeSectionFiles(s *role, section []workload.Epoch, m *measurement) error {
	if err := c.checkDirectory(); err != nil {
		return err
	}
	if c.leader {
		if err := c.arm.Dir.CheckWritable(); err != nil {
			return err
		}
	}
	made := epoch{start: math.MaxInt64, end: math.MinInt64, class: workload.FileOpen, alone: true, bucket: m.bucket}
	var files []plannedFile
	for _, e := range section {
		for i := range e.Steps {
			b := &e.Steps[i].Batch
			if b.Class != workload.FileOpen || b.Existing {
				continue
			}
			if f := c.fileOfBatch(s, b); f.mine {
				files = append(files, plannedFile{s.session.FileNames(f.path), b.Empty})
			}
		}
	}
	var err error
	if files != nil {
		start := c.Clock()
		err = c.createFiles(files)
		end := c.Clock()
		made.start, made.end = start-c.origin, end-c.origin
		m.own[workload.FileOpen] += end - start
		m.made += end - start
	}
	m.epochs = append(m.epochs, made)
	return err
}

// plannedFile is a data file that is to be made.
type plannedFile struct {
	names []string // of what it consists of
	empty bool     // it is emptied if it is there already, since it is kept or made once more
}

// createFiles makes empty files in the directory.
func (c *caseRun) createFiles(files []plannedFile) error {
	for _, f := range files {
		do := c.arm.Dir.Create
		if f.empty {
			do = c.arm.Dir.CreateOrEmpty
		}
		for _, name := range f.names {
			if err := do(name); err != nil {
				return err
			}
		}
	}
	return nil
}
