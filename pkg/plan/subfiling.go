package plan

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// Subfiling are the settings of the HDF5 file driver subfiling as parsed; nil means not given.
type Subfiling struct {
	Stripe  *uint64
	Files   *int
	PerNode *int
	Threads *int
}

// The settings that HDF5 has by default (H5FDsubfiling.h, H5FDioc.h).
const (
	defaultStripe  = 32 << 20
	defaultThreads = 4
)

// ParallelDrivers lists the HDF5 file drivers of the parallel tool.
func ParallelDrivers() []string { return []string{driverMPIO, driverMPIPosix, driverSubfiling} }

// parallelDriver fills in the file driver.
func (p *Plan) parallelDriver(o Options) error {
	s := &p.Parameters
	s.Driver = strings.ToLower(cmp.Or(o.Driver, either(o.MPIPosix, driverMPIPosix, driverMPIO)))
	switch {
	case !slices.Contains(ParallelDrivers(), s.Driver):
		return usage.Errorf("--driver %q: not a file driver for several processes; the drivers are %s", o.Driver, strings.Join(ParallelDrivers(), ", "))
	case o.MPIPosix && s.Driver != driverMPIPosix:
		return usage.Errorf("-m with --driver %s: -m is --driver %s; leave one of them out", s.Driver, driverMPIPosix)
	case s.Driver == driverMPIPosix && o.Collective:
		return usage.Errorf("-m with -C: the MPI-POSIX driver has no collective mode; leave one of them out")
	case s.Driver == driverMPIPosix && (positive(o.SieveBuffer) || positive(o.ChunkCache)):
		return usage.Errorf("-m with --sieve-buffer or --chunk-cache: each process would write old copies of what others wrote; leave them out, or give 0")
	case s.Driver == driverSubfiling:
		return p.subfiling(o)
	}
	for _, setting := range []struct {
		option string
		given  bool
	}{
		{"--subfiling-stripe", o.Subfiling.Stripe != nil},
		{"--subfiling-files", o.Subfiling.Files != nil},
		{"--subfiling-per-node", o.Subfiling.PerNode != nil},
		{"--subfiling-threads", o.Subfiling.Threads != nil},
	} {
		if setting.given {
			return usage.Errorf("%s needs --driver %s: the file driver %s has no such setting", setting.option, driverSubfiling, s.Driver)
		}
	}
	return nil
}

// subfiling fills in the settings of the driver, and refuses what it cannot do.
func (p *Plan) subfiling(o Options) error {
	if !p.Parameters.UsesHDF5() {
		return usage.Errorf("--driver %s needs the API %s: it is a file driver of HDF5", driverSubfiling, PHDF5)
	}
	if o.Collective {
		return usage.Errorf("--driver %s with -C: the driver has no collective transfers; leave one of them out", driverSubfiling)
	}
	d := &result.DriverSettings{}
	p.Parameters.DriverSettings = d
	var err error
	if d.SubfilingStripeBytes, err = setting("--subfiling-stripe", o.Subfiling.Stripe, defaultStripe); err != nil {
		return err
	}
	for _, n := range []struct {
		option, what string
		given, value *int
		fallback     int
	}{
		{"--subfiling-files", "subfiles", o.Subfiling.Files, &d.SubfilingFiles, 0},
		{"--subfiling-per-node", "concentrators of a node", o.Subfiling.PerNode, &d.SubfilingPerNode, 1},
		{"--subfiling-threads", "threads of a concentrator", o.Subfiling.Threads, &d.SubfilingThreads, defaultThreads},
	} {
		if n.given == nil {
			*n.value = n.fallback
			continue
		}
		if err := count(n.option, n.what, n.given, n.value, n.fallback); err != nil {
			return err
		}
		if *n.value > math.MaxInt32 {
			return usage.Errorf("%s %d: the number of %s must be at most %d", n.option, *n.value, n.what, math.MaxInt32)
		}
	}
	p.note("--driver %s: HDF5 never returns from a transfer whose write fails, as on a full file system; the run then ends by --timeout", driverSubfiling)
	if p.Parameters.HintsSet {
		p.note("the hints are without effect on %s: the file driver subfiling does without MPI-IO", PHDF5)
	}
	return nil
}

// Subfiling tells whether HDF5 uses the file driver subfiling, which calls MPI in threads of its own.
func (p Plan) Subfiling() bool { return p.Parameters.Driver == driverSubfiling }
