//go:build cgo

package hdf5

import (
	"fmt"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
)

// multiMapLetters holds the file letters for each map of the driver multi (see h5.SetMulti).
var multiMapLetters = map[option.MultiMap]string{option.MapDefault: h5.EachKind, option.MapMetadata: h5.MetadataAndRaw}

func (s *session) setDriver() error {
	d := s.conf.DriverSettings
	switch s.conf.Driver {
	case option.DriverMPIO:
		return h5.SetMPIO(s.fapl, s.env.Comm.Handle(), s.env.MPIIO.Info())
	case option.DriverMPIPosix:
		return h5.SetSharedSec2(s.fapl)
	case option.Subfiling:
		return s.setSubfiling()
	case option.DriverSec2:
		return h5.SetSec2(s.fapl)
	case option.DriverStdio:
		return h5.SetStdio(s.fapl)
	case option.DriverCore:
		return h5.SetCore(s.fapl, *d.CoreIncrementBytes, *d.CoreBackingStore)
	case option.DriverDirect:
		if err := h5.SetDirect(s.fapl, *d.DirectAlignmentBytes, *d.DirectBlockBytes, *d.DirectBufferBytes); err != nil {
			return fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
		}
		return nil
	case option.DriverSplit, option.DriverMulti, option.DriverFamily:
		return s.setMultiFileDriver()
	default:
		return fmt.Errorf("file driver %s: %w", s.conf.Driver, engine.ErrUnsupported)
	}
}

// setMultiFileDriver sets the driver split, multi or family. These drivers divide the data of an HDF5 file among
// several files on disk, and access each of them through the driver sec2.
func (s *session) setMultiFileDriver() error {
	member, err := s.newAccessList()
	if err != nil {
		return err
	}
	if err := h5.SetSec2(member); err != nil {
		return err
	}
	if s.conf.SplitsRawData() {
		if err := s.applySettings(member, isAlignment); err != nil {
			return err
		}
	}
	switch d := s.conf.DriverSettings; s.conf.Driver {
	case option.DriverSplit:
		return h5.SetSplit(s.fapl, member)
	case option.DriverMulti:
		letters, ok := multiMapLetters[d.MultiMap]
		if !ok {
			return fmt.Errorf("multi map %q: %w", d.MultiMap, engine.ErrUnsupported)
		}
		return h5.SetMulti(s.fapl, member, letters)
	default:
		return h5.SetFamily(s.fapl, member, *d.FamilyMemberBytes)
	}
}
