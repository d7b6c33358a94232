package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// checkReading returns an error for conditions of reads that the run cannot satisfy.
func checkReading(p Plan) error {
	s := p.Parameters
	c := s.Conditions
	for _, o := range []struct {
		option string
		given  bool
	}{{"--cold", c.Cold}, {"--shift", *c.Shift != 0}, {"--read-only", c.ReadOnly != ""}} {
		if o.given && s.WriteOnly {
			remedy := "-w"
			if s.Workload != nil {
				remedy += ", or give a workload with the function read (reads in its function write do not count)"
			}
			return usage.Errorf("%s needs reads, but this run only writes; leave out %s or %s", o.option, o.option,
				remedy)
		}
	}
	if c.TimeLimit != nil && s.SplitsRawData() && s.Layout == result.LayoutChunked && !s.WriteOnly {
		return usage.Errorf("--time-limit with -c and -v %s: "+
			"HDF5 cannot read a file of raw data that is shorter than planned; "+
			"give -w, another driver, or no -c", s.Driver)
	}
	if s.Verify && c.Data == option.DataZero {
		return usage.Errorf("--data zero with -D v: a hole in a file reads as zeros, so lost data would look like " +
			"written data; leave one of them out, or give --data compress=RATIO")
	}
	if err := checkShift(p); err != nil || c.ReadOnly == "" {
		return err
	}
	return checkReadOnly(p)
}

// checkShift refuses a shift with which a rank would read the data that it wrote itself.
func checkShift(p Plan) error {
	shift := option.ValueOrZero(p.Parameters.Conditions.Shift)
	if shift == 0 {
		return nil
	}
	for _, step := range p.ProcessSteps {
		if step.SkipReason == "" && step.Processes == 1 {
			return usage.Errorf("--shift %d: one process reads what it wrote itself; leave it out, or measure with "+
				"more processes", shift)
		}
		if step.SkipReason == "" && shift%step.Processes == 0 {
			return usage.Errorf("--shift %d: with %s, each process would read its own data; "+
				"give another shift, or measure with more processes", shift, processesText(step.Processes))
		}
	}
	return nil
}

// dataContainWriterRank reports whether the data name the process that wrote them in all cases, so that reads of
// another run can verify them.
func dataContainWriterRank(p Plan) bool {
	for c := range p.Cases() {
		if !c.stampsInTransferLoop() {
			return false
		}
	}
	return true
}

// checkReadOnly refuses options for --read-only that need a file written by the run itself.
func checkReadOnly(p Plan) error {
	s := p.Parameters
	file, cases := s.Conditions.ReadOnly, p.NumCases()
	switch {
	case s.KeepFiles:
		return usage.Errorf("--read-only %s with --keep or HDF5_NOCLEANUP: "+
			"the run makes no file that it could keep; leave one of them out", file)
	case s.Conditions.Sync != option.SyncNone:
		return usage.Errorf("--read-only %s with --sync %s: the run writes nothing that it could sync; "+
			"leave one of them out", file, s.Conditions.Sync)
	case s.Files > 1:
		return usage.Errorf("--read-only %s with -F %d: the run reads one file; leave one of them out", file, s.Files)
	case s.Verify && !dataContainWriterRank(p):
		return usage.Errorf("--read-only %s with -D v: data that another run wrote can be checked only with "+
			"--data position and blocks of 16 bytes or more; leave -D v out", file)
	case cases > 1:
		return usage.Errorf("--read-only %s: the file holds one case, and this run has %d cases; "+
			"give one API (-A), one transfer size (-x and -X) and one number of processes (-p and -P)", file, cases)
	}
	return nil
}
