package hdf5conf

import (
	"cmp"
	"fmt"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// Run describes the parts of a run on which defaults and checks of the settings depend.
type Run struct {
	Serial     bool // the serial tool: one process, without MPI
	MPIPosix   bool // -m is given
	Measured   bool // parallel HDF5 is one of the APIs
	Hints      bool // MPI-IO hints are given
	Collective bool
	Chunked    bool
	WriteOnly  bool
}

// Complete returns the settings with the defaults that the document always shows, and notes on settings without effect.
// It returns a *usage.Error if HDF5 cannot do what is asked for.
func (s Settings) Complete(r Run) (Settings, []string, error) {
	s.AlignmentBytes = cmp.Or(s.AlignmentBytes, new(uint64(1)))
	s.ThresholdBytes = cmp.Or(s.ThresholdBytes, new(uint64(1)))
	driver := s.completeParallel
	if r.Serial {
		driver = s.completeSerial
	}
	for _, step := range []func(Run) error{driver, s.completeFillTime, s.check} {
		if err := step(r); err != nil {
			return Settings{}, nil, err
		}
	}
	return s, s.notes(r), nil
}

// completeFillTime checks the fill time. It replaces the name of HDF5's default by "", so that runs that give this name
// can be compared with runs that give none.
func (s *Settings) completeFillTime(Run) error {
	if s.Driver == MPIPosix && s.FillTime != "" {
		return usage.Errorf("-m with --fill-time: the MPI-POSIX driver does not fill datasets; leave --fill-time out")
	}
	used, err := usage.OneOf("--fill-time", cmp.Or(s.FillTime, FillIfSet), fillTimes()...)
	if used == FillIfSet {
		used = ""
	}
	s.FillTime = used
	return err
}

// check returns an error for sizes that HDF5 refuses, and for a chunk cache without chunks.
func (s *Settings) check(r Run) error {
	if *s.AlignmentBytes == 0 {
		return usage.Errorf("-a 0: the alignment must be at least 1; for no alignment, give -a 1")
	}
	if s.ChunkCacheBytes != nil && !r.Chunked {
		return usage.Errorf("--chunk-cache needs -c: datasets of contiguous layout have no chunks")
	}
	return nil
}

// notes returns notes on settings without effect, and on what the file driver means for a run.
func (s *Settings) notes(r Run) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if s.Driver == Subfiling {
		note("--driver %s: if a write fails, for example on a full file system, HDF5 never returns from the "+
			"transfer; --timeout then ends the run", s.Driver)
		if r.Hints {
			note("the hints have no effect on HDF5: the file driver subfiling does not use MPI-IO")
		}
	}
	if !r.Serial && s.SieveBufferBytes != nil && s.Driver != MPIPosix {
		note("--sieve-buffer %s has no effect: HDF5 has no sieve buffer with the file driver %s",
			units.FormatSize(*s.SieveBufferBytes), s.Driver)
	}
	return all
}
