package option

import (
	"cmp"
	"slices"

	"h5perf/pkg/pattern"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// MPIIO holds the MPI-IO settings that do not belong to the access pattern. Nil or "" means not given; Complete fills
// in the settings that the document always shows. The tags of a field name it in the document (json) and on the command
// line (tags of kong).
type MPIIO struct {
	// auto or transfer
	View  ViewChoice       `json:"view,omitempty" type:"word" group:"api" help:"File views with collective mpiio. auto (default): one view for each dataset, where the order of the data allows it. transfer: a new view before each transfer, as the C tool does."`
	Hints []units.KeyValue `json:"hints_asked,omitempty" name:"hint" type:"hint" group:"api" help:"Pass a hint to MPI-IO. May be repeated. Takes precedence over HDF5_MPI_INFO."`
	// an MPI_Info is passed, possibly without keys
	HintsSet bool `json:"hints_set" kong:"-"`
	// implementation of MPI-IO that Open MPI is told to use
	IOComponent Component `json:"io_component,omitempty" name:"io-component" type:"word" group:"api" help:"The implementation of MPI-IO that Open MPI uses."`
}

// Complete returns the settings with their defaults and with the hints in info. info is the value of the environment
// variable InfoVariable, or nil if the variable is not set. The notes are about items in info that are ignored. It
// returns a *usage.Error if a setting is not valid.
func (s MPIIO) Complete(info *string) (MPIIO, []string, error) {
	given := s.Hints
	s.Hints, s.HintsSet = nil, info != nil || len(given) > 0
	var notes []string
	if info != nil {
		var err error
		if notes, err = s.addEnvironmentHints(*info); err != nil {
			return MPIIO{}, nil, err
		}
	}
	for _, hint := range given {
		s.setHint(hint)
	}
	s.View = cmp.Or(s.View, ViewAuto)
	if !slices.Contains(allViews(), s.View) {
		return MPIIO{}, nil, usage.InvalidWordError("--view", string(s.View), s.View.Values())
	}
	if s.IOComponent != "" && !slices.Contains(allComponents(), s.IOComponent) {
		return MPIIO{}, nil, usage.InvalidWordError("--io-component", string(s.IOComponent), s.IOComponent.Values())
	}
	return s, notes, nil
}

// ViewChoice is the choice of file views for collective transfers.
type ViewChoice string

// The choices. With ViewAuto, the program sets as few views as possible. With ViewTransfer, it sets a view for each
// transfer, as the C tool does.
const (
	ViewAuto     ViewChoice = "auto"
	ViewTransfer ViewChoice = "transfer"
)

// Values returns the valid values.
func (ViewChoice) Values() []string { return usage.Strings(allViews()) }

func allViews() []ViewChoice { return []ViewChoice{ViewAuto, ViewTransfer} }

// Component is an implementation of MPI-IO: OMPIO or ROMIO.
type Component string

// The implementations that a user can choose.
const (
	OMPIO Component = "ompio"
	ROMIO Component = "romio"
)

// Values returns the names of all implementations.
func (Component) Values() []string { return usage.Strings(allComponents()) }

func allComponents() []Component { return []Component{OMPIO, ROMIO} }

// FileView states how often collective transfers set a file view.
type FileView int

// NoView: explicit offsets in the default view. PerDataset: one view for each dataset, which requires a monotonic nest.
// PerTransfer: one view for each transfer.
const (
	NoView FileView = iota
	PerDataset
	PerTransfer
)

// String returns none, dataset or transfer.
func (v FileView) String() string {
	return [...]string{"none", "dataset", "transfer"}[v]
}

// FileView returns the view for the collective transfers of a process. region states that the part of the dataset of
// this process is contiguous in the file. The C tool sets no view if region is true; otherwise it sets a view even if
// each transfer is contiguous.
func (s MPIIO) FileView(nest pattern.LoopNest, region bool) FileView {
	switch {
	case s.View == ViewTransfer && !region:
		return PerTransfer
	case s.View == ViewTransfer || nest.RunsPerTransfer() == 1:
		return NoView
	case nest.IsMonotonic():
		return PerDataset
	}
	return PerTransfer
}
