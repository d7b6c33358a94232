package bench

import (
	"math"
	"os"
	"path/filepath"

	"h5perf/pkg/workload"
)

// dirHandle returns the open directory of the data files; nil if another run wrote the file.
func (c *caseRun) dirHandle() *os.File {
	if !c.writesFiles() {
		return nil
	}
	return c.arm.Dir.Handle()
}

// dataDirPath returns the path of the directory of the data files.
func (c *caseRun) dataDirPath() string {
	if c.writesFiles() {
		return c.arm.Dir.Path
	}
	return filepath.Dir(c.conditions().ReadOnly)
}

// checkDirectory returns an error if the path of the directory no longer leads to the directory that this run made.
// Only the first process of each node checks.
func (c *caseRun) checkDirectory() error {
	if !c.leader || !c.writesFiles() {
		return nil
	}
	return c.arm.Dir.CheckPath()
}

// makeSectionFiles creates the files that a section opens for the first time. It creates them relative to the open
// directory, before any library opens them by their paths: so another user who changes the path cannot make the run
// create or overwrite files elsewhere. Rank 0 creates the files that all processes open. The time that this takes
// counts as time for opening files.
//
// The first process of each node also checks that it can create files, as each process did before the first case. This
// must be checked before MPI_File_open: if the creation fails on some processes only, in Open MPI 4 that function
// returns on no process (they wait for each other in different barriers).
func (c *caseRun) makeSectionFiles(s *ioRole, section []workload.Epoch, m *measurement) error {
	if err := c.checkDirectory(); err != nil {
		return err
	}
	if c.leader {
		if err := c.arm.Dir.CheckWritable(); err != nil {
			return err
		}
	}
	made := epoch{
		start: math.MaxInt64, end: math.MinInt64, class: workload.FileOpen, onOneProcess: true,
		bucket: m.bucket,
	}
	var files []plannedFile
	for _, e := range section {
		for i := range e.Steps {
			b := &e.Steps[i].Batch
			if b.Class != workload.FileOpen || b.Existing {
				continue
			}
			if f := c.fileOfBatch(s, b); f.isOwner {
				files = append(files, plannedFile{s.session.FileNames(f.path), b.InitiallyEmpty})
			}
		}
	}
	var err error
	if files != nil {
		start := c.Clock()
		err = c.createFiles(files)
		end := c.Clock()
		made.start, made.end = start-c.origin, end-c.origin
		m.ownTimes[workload.FileOpen] += end - start
		m.creationTime += end - start
	}
	m.epochs = append(m.epochs, made)
	return err
}

// plannedFile is a data file that is to be created.
type plannedFile struct {
	names []string // names of the files that it consists of
	empty bool     // an existing file is emptied, since it is kept or created again
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
