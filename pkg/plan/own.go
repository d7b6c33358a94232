package plan

import (
	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// checkFilesPerProcess refuses what has no meaning in files of one process.
func checkFilesPerProcess(p Plan) error {
	s := p.Parameters
	if !s.FilesPerProcess {
		return nil
	}
	for _, o := range []struct {
		option, why string
		given       bool
	}{
		{
			"-g", "the square of a 2D dataset is divided among processes, but here each has datasets of its own",
			s.Geometry == result.Geometry2D,
		},
		{
			"-I", "blocks of processes cannot be interleaved in files that one process has",
			s.Pattern == result.PatternInterleaved,
		},
		{"-C", "a collective call of one process is an independent one", s.Mode == result.ModeCollective},
		{
			"--driver " + string(s.Driver), "HDF5 opens a file of one process with its serial driver sec2",
			s.Driver != "" && s.Driver != hdf5conf.MPIO,
		},
		{"--read-only", "it names one file", s.Conditions.ReadOnly != ""},
	} {
		if o.given {
			return usage.Errorf("--files-per-process with %s: %s; leave one of them out", o.option, o.why)
		}
	}
	return nil
}
