package option

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"h5perf/pkg/usage"
)

// completeParallel fills in the file driver of the parallel tool and its settings, and checks them.
func (s *HDF5) completeParallel(r HDF5RunFacts) error {
	given := s.Driver
	byDefault := DriverMPIO
	if r.MPIPosix {
		byDefault = DriverMPIPosix
	}
	s.Driver = lowerCase(cmp.Or(given, byDefault))
	switch {
	case !slices.Contains(ParallelDrivers(), s.Driver):
		return unknownDriver("--driver", s.Driver, ParallelDrivers(), "-v of the serial tool")
	case r.MPIPosix && s.Driver != DriverMPIPosix:
		return usage.Errorf("-m with --driver %s: -m is --driver %s; leave one of them out", s.Driver, DriverMPIPosix)
	case s.Driver == DriverMPIPosix && r.Collective:
		return usage.Errorf("-m with %s: the MPI-POSIX driver has no collective mode; %s", r.collectiveText(),
			r.remedyText())
	case s.Driver == DriverMPIPosix && s.UsesCaches():
		return usage.Errorf("-m with --sieve-buffer or --chunk-cache: each process would overwrite data of other " +
			"processes with old copies; leave them out, or give 0")
	}
	own := s.givenSettings()
	subfiling := &own.SubfilingSettings
	s.DriverSettings = nil
	if s.Driver == Subfiling {
		s.DriverSettings = &own
		return subfiling.completeSubfiling(r)
	}
	return subfiling.checkMatchesDriver(s.Driver)
}

// UsesCaches reports whether the user set a sieve buffer or a chunk cache of more than 0 bytes.
func (s HDF5) UsesCaches() bool {
	positive := func(bytes *uint64) bool { return bytes != nil && *bytes > 0 }
	return positive(s.SieveBufferBytes) || positive(s.ChunkCacheBytes)
}

// checkMatchesDriver returns an error if settings of subfiling are given with another file driver.
func (d *SubfilingSettings) checkMatchesDriver(driver Driver) error {
	for _, setting := range []struct {
		option string
		given  bool
	}{
		{"--subfiling-stripe", d.SubfilingStripeBytes != nil},
		{"--subfiling-files", d.SubfilingFiles != nil},
		{"--subfiling-per-node", d.SubfilingPerNode != nil},
		{"--subfiling-threads", d.SubfilingThreads != nil},
	} {
		if setting.given {
			return usage.Errorf("%s needs --driver %s: the file driver %s has no such setting",
				setting.option, Subfiling, driver)
		}
	}
	return nil
}

// Defaults of HDF5 (H5FDsubfiling.h, H5FDioc.h): stripe size in bytes, threads per concentrator.
const (
	defaultStripeBytes = 32 << 20
	defaultThreads     = 4
)

// completeSubfiling fills in the defaults of subfiling. It returns an error for settings that the driver does not
// support.
func (d *SubfilingSettings) completeSubfiling(r HDF5RunFacts) error {
	if !r.UsesHDF5 {
		return usage.Errorf("--driver %s needs -A phdf5: it is a file driver of HDF5", Subfiling)
	}
	if r.Collective {
		return usage.Errorf("--driver %s with %s: the driver has no collective transfers; %s", Subfiling,
			r.collectiveText(), r.remedyText())
	}
	if err := completeSize("--subfiling-stripe", &d.SubfilingStripeBytes, defaultStripeBytes); err != nil {
		return err
	}
	for _, n := range []struct {
		option, what string
		given        *int
	}{
		{"--subfiling-files", "subfiles", d.SubfilingFiles},
		{"--subfiling-per-node", "concentrators of a node", d.SubfilingPerNode},
		{"--subfiling-threads", "threads of a concentrator", d.SubfilingThreads},
	} {
		if n.given == nil {
			continue
		}
		if err := usage.CheckPositive(n.option, n.what, *n.given); err != nil {
			return err
		}
		if *n.given > math.MaxInt32 {
			return usage.Errorf("%s %d: the number of %s must be at most %d", n.option, *n.given, n.what, math.MaxInt32)
		}
	}
	d.SubfilingPerNode = cmp.Or(d.SubfilingPerNode, new(1))
	d.SubfilingThreads = cmp.Or(d.SubfilingThreads, new(defaultThreads))
	return nil
}

// overridingVariables lists environment variables that override the settings of subfiling in HDF5, or move parts of a
// file to other directories. Each has the option to use instead.
var overridingVariables = []struct{ name, option string }{
	{"H5FD_SUBFILING_STRIPE_SIZE", "--subfiling-stripe"},
	{"H5FD_SUBFILING_IOC_PER_NODE", "--subfiling-per-node"},
	{"H5FD_SUBFILING_IOC_SELECTION_CRITERIA", "--subfiling-per-node or --subfiling-files"},
	{"H5FD_SUBFILING_SUBFILE_PREFIX", "HDF5_PARAPREFIX"},
	{"H5FD_SUBFILING_CONFIG_FILE_PREFIX", "HDF5_PARAPREFIX"},
	{"H5FD_IOC_THREAD_POOL_SIZE", "--subfiling-threads"},
}

// CheckEnvironment returns an error if an environment variable would override the settings. lookup works like
// os.LookupEnv.
func (s HDF5) CheckEnvironment(lookup func(string) (string, bool)) error {
	if value, set := lookup("HDF5_USE_FILE_LOCKING"); set && s.FileLocking != "" {
		return fmt.Errorf("HDF5_USE_FILE_LOCKING=%s would override --with file-locking=%s: unset it", value,
			s.FileLocking)
	}
	if s.Driver != Subfiling {
		return nil
	}
	for _, v := range overridingVariables {
		if value, set := lookup(v.name); set {
			return fmt.Errorf("%s=%s would override the settings of the run: unset it, and use "+
				"%s", v.name, value, v.option)
		}
	}
	return nil
}
