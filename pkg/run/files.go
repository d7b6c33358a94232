package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// checkFiles returns an error if files of the command line cannot be made in their directory, or cannot be read. Rank 0
// checks them, since it alone writes reports and documents. The arm must be planned. Collective.
func (a *arm) checkFiles() error {
	defer a.job.enter(bench.Where{})
	return mpi.OnFirst(a.job.world, func() error {
		files := []struct{ option, path string }{
			{"-o", a.request.Output}, {"--json", a.request.JSON}, {"--textfile", a.request.Textfile},
		}
		for _, file := range files {
			if file.path == "" || file.path == "-" {
				continue
			}
			if err := a.checkDirectory(filepath.Dir(file.path)); err != nil {
				return fmt.Errorf("%s %s: %w; make its directory or name another", file.option, file.path, err)
			}
		}
		return a.checkReadOnly()
	})
}

// checkDirectory returns an error for a path that is no directory.
func (a *arm) checkDirectory(dir string) error {
	a.job.enter(bench.Where{Phase: result.PhaseStart, Path: dir})
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no directory", dir)
	}
	return err
}

// checkReadOnly returns an error if the file of --read-only is no regular file.
func (a *arm) checkReadOnly() error {
	path := a.plan.Parameters.Conditions.ReadOnly
	if path == "" || a.plan.Parameters.OtherNames() {
		return nil
	}
	a.job.enter(bench.Where{Phase: result.PhaseStart, Path: path})
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is no regular file")
	}
	if err != nil {
		return fmt.Errorf("--read-only %s: %w; name a data file that a run with --keep left", path, err)
	}
	return nil
}
