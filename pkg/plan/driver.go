package plan

import (
	"cmp"
	"slices"
	"strings"

	"h5perf/pkg/engine"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// The HDF5 file drivers of the serial tool that have settings.
const (
	driverCore   = "core"
	driverSplit  = "split"
	driverMulti  = "multi"
	driverFamily = "family"
	driverDirect = "direct"
)

// Drivers lists the HDF5 file drivers of the serial tool.
func Drivers() []string {
	return []string{"sec2", "stdio", driverCore, driverSplit, driverMulti, driverFamily, driverDirect}
}

// DriverOptions are the HDF5 file driver and its settings as parsed; nil and empty mean not given.
type DriverOptions struct {
	Name             string // of Drivers, in any case
	CoreIncrement    *uint64
	CoreBackingStore string // on or off
	FamilyMember     *uint64
	DirectAlignment  *uint64
	DirectBlock      *uint64
	DirectBuffer     *uint64
	MultiMap         string // default or metadata
}

// driver fills in the file driver. The settings that are not given are those of the C tool.
func (p *Plan) driver(o DriverOptions) error {
	s := &p.Parameters
	s.Driver = strings.ToLower(cmp.Or(o.Name, "sec2"))
	if !slices.Contains(Drivers(), s.Driver) {
		return usage.Errorf("-v %q: not a file driver; the drivers are %s", o.Name, strings.Join(Drivers(), ", "))
	}
	for _, setting := range []struct {
		option, driver string
		given          bool
	}{
		{"--core-increment", driverCore, o.CoreIncrement != nil},
		{"--core-backing-store", driverCore, o.CoreBackingStore != ""},
		{"--multi-map", driverMulti, o.MultiMap != ""},
		{"--family-member", driverFamily, o.FamilyMember != nil},
		{"--direct-alignment", driverDirect, o.DirectAlignment != nil},
		{"--direct-block", driverDirect, o.DirectBlock != nil},
		{"--direct-buffer", driverDirect, o.DirectBuffer != nil},
	} {
		if setting.given && setting.driver != s.Driver {
			return usage.Errorf("%s needs -v %s: the file driver %s has no such setting", setting.option, setting.driver, s.Driver)
		}
	}
	var err error
	switch s.Driver {
	case driverCore:
		s.DriverSettings, err = core(o, s.WriteOnly)
	case driverMulti:
		s.DriverSettings, err = multi(o)
	case driverFamily:
		s.DriverSettings, err = family(o)
	case driverDirect:
		s.DriverSettings, err = direct(o)
	}
	return err
}

func core(o DriverOptions, writeOnly bool) (*result.DriverSettings, error) {
	increment, err := setting("--core-increment", o.CoreIncrement, 1<<20)
	if err != nil {
		return nil, err
	}
	store, err := usage.OneOf("--core-backing-store", o.CoreBackingStore, "on", "off")
	if store == "off" && !writeOnly {
		return nil, usage.Errorf("--core-backing-store off needs -w: without a file there is nothing to read")
	}
	return &result.DriverSettings{CoreIncrementBytes: increment, CoreBackingStore: new(store == "on")}, err
}

func multi(o DriverOptions) (*result.DriverSettings, error) {
	used, err := usage.OneOf("--multi-map", o.MultiMap, "default", "metadata")
	return &result.DriverSettings{MultiMap: used}, err
}

func family(o DriverOptions) (*result.DriverSettings, error) {
	member, err := setting("--family-member", o.FamilyMember, 1<<20)
	return &result.DriverSettings{FamilyMemberBytes: member}, err
}

func direct(o DriverOptions) (*result.DriverSettings, error) {
	d := &result.DriverSettings{}
	for _, size := range []struct {
		option   string
		given    *uint64
		fallback uint64
		value    *uint64
	}{
		{"--direct-alignment", o.DirectAlignment, 1024, &d.DirectAlignmentBytes},
		{"--direct-block", o.DirectBlock, 4096, &d.DirectBlockBytes},
		{"--direct-buffer", o.DirectBuffer, 8 * 4096, &d.DirectBufferBytes},
	} {
		var err error
		if *size.value, err = setting(size.option, size.given, size.fallback); err != nil {
			return nil, err
		}
	}
	if a := d.DirectAlignmentBytes; a < 8 || a&(a-1) != 0 { // posix_memalign
		return nil, usage.Errorf("--direct-alignment %s: must be a power of 2, at least 8", units.FormatSize(a))
	}
	if d.DirectBufferBytes%d.DirectBlockBytes != 0 { // H5Pset_fapl_direct
		return nil, usage.Errorf("--direct-buffer %s: must be a multiple of --direct-block %s",
			units.FormatSize(d.DirectBufferBytes), units.FormatSize(d.DirectBlockBytes))
	}
	return d, nil
}

// setting is the given size, or fallback. HDF5 takes 0 for a default of its own, which nobody would see.
func setting(option string, given *uint64, fallback uint64) (uint64, error) {
	if given == nil {
		return fallback, nil
	}
	if *given == 0 {
		return 0, usage.Errorf("%s 0: must be at least 1; the default is %s", option, units.FormatSize(fallback))
	}
	return *given, nil
}

// Driver is the HDF5 file driver for an engine; "" is MPI-IO.
func (c Case) Driver() string {
	if driver := c.Parameters.Driver; c.API == HDF5 || c.API == PHDF5 && driver == driverSubfiling {
		return driver
	}
	return ""
}

// DriverSettings are those of the file driver.
func (c Case) DriverSettings() engine.DriverSettings {
	s := c.Parameters.DriverSettings
	if s == nil {
		return engine.DriverSettings{}
	}
	return engine.DriverSettings{
		CoreIncrement: s.CoreIncrementBytes, CoreBackingStore: s.CoreBackingStore != nil && *s.CoreBackingStore,
		FamilyMember: s.FamilyMemberBytes, DirectAlignment: s.DirectAlignmentBytes, DirectBlock: s.DirectBlockBytes,
		DirectBuffer: s.DirectBufferBytes, MultiMap: s.MultiMap,
		SubfilingStripe: s.SubfilingStripeBytes, SubfilingFiles: s.SubfilingFiles,
		SubfilingPerNode: s.SubfilingPerNode, SubfilingThreads: s.SubfilingThreads,
	}
}
