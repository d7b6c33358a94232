package run

import (
	"errors"
	"fmt"
	"os"

	"h5perf/pkg/bench"
	"h5perf/pkg/metrics"
	"h5perf/pkg/mpi"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
)

// checkFiles returns an error if an output file of the command line cannot be created or replaced, or an input file
// cannot be read. Only rank 0 checks them, since it alone writes reports and documents. The arm must be planned.
// Collective.
func (a *arm) checkFiles() error {
	defer a.job.reportActivity(bench.Activity{})
	return mpi.CheckOnRoot(a.job.world, func() error {
		files := []struct {
			option, path string
			check        func(path string, force bool) error
		}{
			{"-o", a.request.Output, report.Output.Check},
			{"--json", a.request.JSON, result.Output.Check},
			{"--textfile", a.request.Textfile, metrics.Textfile.Check},
		}
		for _, file := range files {
			if file.path == "" || file.path == "-" && file.option == "--json" {
				continue
			}
			a.job.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: file.path})
			if err := file.check(file.path, a.request.Force); err != nil {
				return fmt.Errorf("%s: %w", file.option, err)
			}
		}
		return a.checkReadOnly()
	})
}

// checkReadOnly returns an error if the file of --read-only is not a regular file, or if --stripe is also given.
func (a *arm) checkReadOnly() error {
	path := a.plan.Parameters.Conditions.ReadOnly
	switch {
	case path != "" && a.request.Stripe != "":
		return fmt.Errorf("--stripe %s with --read-only %s: the run makes no file that it could spread; leave one of "+
			"them out", a.request.Stripe, path)
	case path == "" || a.plan.Parameters.HasOtherFileNames():
		return nil
	}
	a.job.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: path})
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a regular file")
	}
	if err != nil {
		return fmt.Errorf("--read-only %s: %w; name a data file that a run with --keep has left", path, err)
	}
	return nil
}
