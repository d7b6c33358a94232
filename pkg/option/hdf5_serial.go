package option

import (
	"cmp"
	"slices"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// completeSerial fills in the file driver of the serial tool and its settings, and checks them. The defaults are those
// of the C tool h5perf_serial.
func (s *HDF5) completeSerial(r HDF5RunFacts) error {
	s.Driver = lowerCase(cmp.Or(s.Driver, DriverSec2))
	if !slices.Contains(SerialDrivers(), s.Driver) {
		return unknownDriver("-v", s.Driver, SerialDrivers(), "--driver of the parallel tool")
	}
	own := s.givenSettings()
	if err := own.SerialSettings.checkMatchesDriver(s.Driver); err != nil {
		return err
	}
	s.DriverSettings = &own
	switch s.Driver {
	case DriverCore:
		return own.completeCore(r.WriteOnly)
	case DriverMulti:
		return own.completeMulti()
	case DriverFamily:
		return completeSize("--family-member", &own.FamilyMemberBytes, 1<<20)
	case DriverDirect:
		return own.completeDirect()
	}
	s.DriverSettings = nil
	return nil
}

// givenSettings returns a copy of the file driver's settings, or the zero value if none is given.
func (s *HDF5) givenSettings() DriverSettings {
	if s.DriverSettings == nil {
		return DriverSettings{}
	}
	return *s.DriverSettings
}

// checkMatchesDriver returns an error if a setting belongs to another file driver than driver.
func (d *SerialSettings) checkMatchesDriver(driver Driver) error {
	for _, setting := range []struct {
		option string
		driver Driver
		given  bool
	}{
		{"--core-increment", DriverCore, d.CoreIncrementBytes != nil},
		{"--core-backing-store", DriverCore, d.CoreBackingStore != nil},
		{"--multi-map", DriverMulti, d.MultiMap != ""},
		{"--family-member", DriverFamily, d.FamilyMemberBytes != nil},
		{"--direct-alignment", DriverDirect, d.DirectAlignmentBytes != nil},
		{"--direct-block", DriverDirect, d.DirectBlockBytes != nil},
		{"--direct-buffer", DriverDirect, d.DirectBufferBytes != nil},
	} {
		if setting.given && setting.driver != driver {
			return usage.Errorf("%s needs -v %s: the file driver %s has no such setting",
				setting.option, setting.driver, driver)
		}
	}
	return nil
}

func (d *SerialSettings) completeCore(writeOnly bool) error {
	d.CoreBackingStore = cmp.Or(d.CoreBackingStore, new(true))
	if err := completeSize("--core-increment", &d.CoreIncrementBytes, 1<<20); err != nil {
		return err
	}
	if !*d.CoreBackingStore && !writeOnly {
		return usage.Errorf("--core-backing-store off needs -w: without a file there is nothing to read")
	}
	return nil
}

func (d *SerialSettings) completeMulti() (err error) {
	d.MultiMap, err = usage.ValidOrDefault("--multi-map", d.MultiMap, allMultiMaps()...)
	return err
}

func (d *SerialSettings) completeDirect() error {
	for _, size := range []struct {
		option   string
		value    **uint64
		fallback uint64
	}{
		{"--direct-alignment", &d.DirectAlignmentBytes, 1024},
		{"--direct-block", &d.DirectBlockBytes, 4096},
		{"--direct-buffer", &d.DirectBufferBytes, 8 * 4096},
	} {
		if err := completeSize(size.option, size.value, size.fallback); err != nil {
			return err
		}
	}
	if a := *d.DirectAlignmentBytes; a < 8 || a&(a-1) != 0 { // posix_memalign
		return usage.Errorf("--direct-alignment %s: must be a power of 2, at least 8", units.FormatSize(a))
	}
	if *d.DirectBufferBytes%*d.DirectBlockBytes != 0 { // H5Pset_fapl_direct
		return usage.Errorf("--direct-buffer %s: must be a multiple of --direct-block %s",
			units.FormatSize(*d.DirectBufferBytes), units.FormatSize(*d.DirectBlockBytes))
	}
	return nil
}

// completeSize sets a size that is not given to fallback, in bytes. It returns an error for 0: HDF5 would use its own
// default, which the document would not show.
func completeSize(option string, size **uint64, fallback uint64) error {
	if *size = cmp.Or(*size, &fallback); **size == 0 {
		return usage.Errorf("%s 0: must be at least 1; the default is %s", option, units.FormatSize(fallback))
	}
	return nil
}

func lowerCase(d Driver) Driver { return Driver(strings.ToLower(string(d))) }
