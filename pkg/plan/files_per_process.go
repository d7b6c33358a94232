package plan

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// chosenCreateMode returns which processes create files; "" means all processes.
func chosenCreateMode(o Options) (option.CreateMode, error) {
	used, err := chosenValue("--create", o.Create)
	if err != nil || used == option.CreateAll {
		return "", err
	}
	for _, other := range []struct {
		option, why string
		given       bool
	}{
		{"--files-per-process", "each file has one process only", o.FilesPerProcess},
		{"--read-only", "no file is created", o.ReadOnly != ""},
		{
			"--driver " + string(o.HDF5.Driver), "its files cannot be created with the serial driver sec2",
			o.HDF5.Driver == option.Subfiling,
		},
	} {
		if other.given {
			return "", usage.Errorf("--create first with %s: %s; leave one of them out", other.option, other.why)
		}
	}
	return used, nil
}

// noOtherProcess is why collective metadata have no meaning for files of one process.
const noOtherProcess = "a file of one process has no other process to transfer metadata with"

// checkOwnFiles refuses collective metadata for a workload with files of one process only, unless it is a setting of
// the workload itself, which may be for other choices.
func checkOwnFiles(p Plan) error {
	s := p.Parameters
	isIt := func(x result.KeyValue) bool { return x.Key == "collective-metadata" }
	if s.CollectiveMetadata == "" || slices.ContainsFunc(s.Workload.Settings, isIt) || !p.hasOnlyOwnFiles() {
		return nil
	}
	return usage.Errorf("--collective-metadata %s: in this workload, one process alone opens each file, and %s; leave "+
		"it out", s.CollectiveMetadata, noOtherProcess)
}

// checkFilesPerProcess refuses options that have no meaning with --files-per-process.
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
			s.Driver != "" && s.Driver != option.DriverMPIO,
		},
		{"--collective-metadata " + string(s.CollectiveMetadata), noOtherProcess, s.CollectiveMetadata != ""},
		{"--read-only", "it names one file", s.Conditions.ReadOnly != ""},
	} {
		if o.given {
			return usage.Errorf("--files-per-process with %s: %s; leave one of them out", o.option, o.why)
		}
	}
	return nil
}
