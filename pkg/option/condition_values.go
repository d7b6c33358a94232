package option

import "h5perf/pkg/usage"

// Sync says when written data are made durable.
type Sync string

// SyncNone: never. SyncClose: before a file is closed. SyncPhase: after the transfers of a dataset. SyncEach: after
// each transfer.
const (
	SyncNone  Sync = "none"
	SyncClose Sync = "close"
	SyncPhase Sync = "phase"
	SyncEach  Sync = "each"
)

// Values returns the valid values.
func (Sync) Values() []string { return usage.Strings([]Sync{SyncNone, SyncClose, SyncPhase, SyncEach}) }

// Order is the order in which cases are measured.
type Order string

// OrderGiven is the order of the sweep. OrderRandom is a new random order in every iteration.
const (
	OrderGiven  Order = "given"
	OrderRandom Order = "random"
)

// Values returns the valid values.
func (Order) Values() []string { return usage.Strings([]Order{OrderGiven, OrderRandom}) }

// Create says which processes create a file and the datasets in it.
type Create string

// CreateAll: all processes together. CreateFirst: the first process alone; then all processes open the file.
const (
	CreateAll   Create = "all"
	CreateFirst Create = "first"
)

// Values returns the valid values.
func (Create) Values() []string { return usage.Strings([]Create{CreateAll, CreateFirst}) }

// Spread says which processes take part in a case with fewer processes than the job has.
type Spread string

// SpreadRanks: those with the lowest ranks. SpreadNodes: the same number on every node, as far as possible.
const (
	SpreadRanks Spread = "ranks"
	SpreadNodes Spread = "nodes"
)

// Values returns the valid values.
func (Spread) Values() []string { return usage.Strings([]Spread{SpreadRanks, SpreadNodes}) }

// Data is the kind of data that is written.
type Data string

// DataPosition: words that hold their own offset. DataRandom: pseudo-random bytes. DataZero: zeros. DataCompress: data
// that can be compressed by a given ratio.
const (
	DataPosition Data = "position"
	DataRandom   Data = "random"
	DataZero     Data = "zero"
	DataCompress Data = "compress"
)

// Values returns the valid values.
func (Data) Values() []string {
	return usage.Strings([]Data{DataPosition, DataRandom, DataZero, DataCompress})
}

// Preset is a set of conditions and sizes that go together.
type Preset string

// The presets. Package plan defines what each of them sets.
const (
	PresetQuick    Preset = "quick"
	PresetStandard Preset = "standard"
	PresetStrict   Preset = "strict"
)

// Values returns the valid values.
func (Preset) Values() []string {
	return usage.Strings([]Preset{PresetQuick, PresetStandard, PresetStrict})
}
