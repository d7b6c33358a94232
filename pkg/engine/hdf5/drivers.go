//go:build cgo

package hdf5

import (
	"fmt"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
)

// The file drivers whose files are several, or none.
const (
	driverCore      = "core"
	driverSplit     = "split"
	driverMulti     = "multi"
	driverFamily    = "family"
	driverSubfiling = "subfiling"
)

// multiMaps are those of Spec.DriverSettings.MultiMap.
var multiMaps = map[string]string{"default": h5.EachKind, "metadata": h5.MetadataAndRaw}

// mpio tells whether files are opened through MPI-IO.
func (s *session) mpio() bool { return s.spec.Driver == "" && !s.spec.MPIPosix }

// parallel tells whether the file driver is one for several processes.
func parallel(driver string) bool { return driver == "" || driver == driverSubfiling }

// inMemory tells whether there are no files at all.
func (s *session) inMemory() bool {
	return s.spec.Driver == driverCore && !s.spec.DriverSettings.CoreBackingStore
}

// inFiles tells whether each kind of data has a file of its own, with addresses of its own.
func (s *session) inFiles() bool { return s.spec.Driver == driverSplit || s.spec.Driver == driverMulti }

// setDriver chooses the file driver of the case.
func (s *session) setDriver() error {
	d := s.spec.DriverSettings
	switch s.spec.Driver {
	case "":
		if s.spec.MPIPosix {
			return h5.ShareSec2(s.fapl)
		}
		return h5.SetMPIO(s.fapl, s.spec.Comm.Handle(), s.askedHints())
	case driverSubfiling:
		return s.setSubfiling()
	case "sec2":
		return h5.SetSec2(s.fapl)
	case "stdio":
		return h5.SetStdio(s.fapl)
	case driverCore:
		return h5.SetCore(s.fapl, d.CoreIncrement, d.CoreBackingStore)
	case "direct":
		if err := h5.SetDirect(s.fapl, d.DirectAlignment, d.DirectBlock, d.DirectBuffer); err != nil {
			return fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
		}
		return nil
	case driverSplit, driverMulti, driverFamily:
		return s.setMembers()
	default:
		return fmt.Errorf("file driver %s: %w", s.spec.Driver, engine.ErrUnsupported)
	}
}

// setMembers chooses a driver that keeps its data in several files, and sec2 for those.
func (s *session) setMembers() error {
	member, err := s.newAccessList()
	if err != nil {
		return err
	}
	if err := h5.SetSec2(member); err != nil {
		return err
	}
	if s.inFiles() {
		if err := s.align(member); err != nil {
			return err
		}
	}
	switch d := s.spec.DriverSettings; s.spec.Driver {
	case driverSplit:
		return h5.SetSplit(s.fapl, member)
	case driverMulti:
		letters, ok := multiMaps[d.MultiMap]
		if !ok {
			return fmt.Errorf("multi map %q: %w", d.MultiMap, engine.ErrUnsupported)
		}
		return h5.SetMulti(s.fapl, member, letters)
	default:
		return h5.SetFamily(s.fapl, member, d.FamilyMember)
	}
}
