// Package mpiioconf is the settings of MPI-IO: the rows from which command line, document and schema are made, their
// checks and their defaults. The engines apply them; what lies between the command line and an engine passes them on
// unopened.
package mpiioconf

import (
	"cmp"
	"slices"

	"h5perf/pkg/kv"
	"h5perf/pkg/pattern"
	"h5perf/pkg/usage"
)

// Settings are what MPI-IO is told besides the data and how they are accessed. Nil and "" are what was not given;
// Complete fills in what the document always shows. A field is a row: its tags name it in the document (json, since)
// and on the command line (those of kong).
type Settings struct {
	// auto or transfer
	View  View          `json:"view,omitempty" type:"word" group:"api" help:"File views of collective mpiio: auto (default) sets one per dataset where the order of the data allows it, transfer one before every transfer, as the C tool does."`
	Hints []kv.KeyValue `json:"hints_asked,omitempty" name:"hint" type:"hint" group:"api" help:"Pass a hint to MPI-IO; may be repeated, and wins over HDF5_MPI_INFO."`
	// an MPI info object is passed, though perhaps without keys
	HintsSet bool `json:"hints_set" kong:"-"`
	// asked of Open MPI
	IOComponent Component `json:"io_component,omitempty" name:"io-component" type:"word" group:"api" help:"MPI-IO implementation of Open MPI."`
}

// Complete returns the settings with their defaults and with the hints of the environment, and notes on what of these
// is ignored. info is the value of InfoVariable; nil: it is not set. What cannot be done is refused with a
// *usage.Error.
func (s Settings) Complete(info *string) (Settings, []string, error) {
	given := s.Hints
	s.Hints, s.HintsSet = nil, info != nil || len(given) > 0
	var notes []string
	if info != nil {
		var err error
		if notes, err = s.addInfo(*info); err != nil {
			return Settings{}, nil, err
		}
	}
	for _, hint := range given {
		s.setHint(hint)
	}
	s.View = cmp.Or(s.View, ViewAuto)
	if !slices.Contains(views(), s.View) {
		return Settings{}, nil, usage.Errorf("--view %q: not a view; the views are %s", s.View, usage.List(views()))
	}
	if s.IOComponent != "" && !slices.Contains(components(), s.IOComponent) {
		return Settings{}, nil, usage.Errorf("--io-component %q: not an MPI-IO component; they are %s",
			s.IOComponent, usage.List(components()))
	}
	return s, notes, nil
}

// View is which views of the file are asked for, in collective mode.
type View string

// ViewAuto sets as few views as possible, ViewTransfer one for each transfer, as the C tool does.
const (
	ViewAuto     View = "auto"
	ViewTransfer View = "transfer"
)

// Values lists what can be asked for.
func (View) Values() []string { return words(views()) }

func views() []View { return []View{ViewAuto, ViewTransfer} }

// Component is an implementation of MPI-IO.
type Component string

// The implementations that can be asked for.
const (
	OMPIO Component = "ompio"
	ROMIO Component = "romio"
)

// Values lists all implementations.
func (Component) Values() []string { return words(components()) }

func components() []Component { return []Component{OMPIO, ROMIO} }

func words[W ~string](values []W) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

// FileView is how collective transfers are described to MPI-IO.
type FileView int

// NoView is explicit offsets in the default view; PerDataset is one view of each dataset, which needs a monotonic nest;
// PerTransfer is one of each transfer.
const (
	NoView FileView = iota
	PerDataset
	PerTransfer
)

func (v FileView) String() string {
	return [...]string{"none", "dataset", "transfer"}[v]
}

// FileView is the view that the collective transfers of a process need. region: its part of a dataset is one run of the
// file, the pattern for which alone the C tool sets no view; it does also where a transfer is a single run.
func (s Settings) FileView(nest pattern.Nest, region bool) FileView {
	switch {
	case s.View == ViewTransfer && !region:
		return PerTransfer
	case s.View == ViewTransfer || nest.RunsPerTransfer() == 1:
		return NoView
	case nest.Monotonic():
		return PerDataset
	}
	return PerTransfer
}
