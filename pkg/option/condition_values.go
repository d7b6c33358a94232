package option

import "h5perf/pkg/usage"

// SyncMode says when written data are made durable.
type SyncMode string

// SyncNone: never. SyncClose: before a file is closed. SyncPhase: after the transfers of a dataset. SyncEach: after
// each transfer.
const (
	SyncNone  SyncMode = "none"
	SyncClose SyncMode = "close"
	SyncPhase SyncMode = "phase"
	SyncEach  SyncMode = "each"
)

// Values returns the valid values.
func (SyncMode) Values() []string {
	return usage.Strings([]SyncMode{SyncNone, SyncClose, SyncPhase, SyncEach})
}

// CaseOrder is the order in which cases are measured.
type CaseOrder string

// OrderGiven is the order of the sweep. OrderRandom is a new random order in every iteration.
const (
	OrderGiven  CaseOrder = "given"
	OrderRandom CaseOrder = "random"
)

// Values returns the valid values.
func (CaseOrder) Values() []string { return usage.Strings([]CaseOrder{OrderGiven, OrderRandom}) }

// CreateMode says which processes create a file and the datasets in it.
type CreateMode string

// CreateAll: all processes together. CreateFirst: the first process alone; then all processes open the file.
const (
	CreateAll   CreateMode = "all"
	CreateFirst CreateMode = "first"
)

// Values returns the valid values.
func (CreateMode) Values() []string { return usage.Strings([]CreateMode{CreateAll, CreateFirst}) }

// SelectionMethod says how HDF5 selects the blocks of a transfer.
type SelectionMethod string

// SelectionHyperslab: as one regular hyperslab. SelectionOr: block by block, as a union. SelectionPoints: element by
// element.
const (
	SelectionHyperslab SelectionMethod = "hyperslab"
	SelectionOr        SelectionMethod = "or"
	SelectionPoints    SelectionMethod = "points"
)

// Values returns the valid values.
func (SelectionMethod) Values() []string {
	return usage.Strings([]SelectionMethod{SelectionHyperslab, SelectionOr, SelectionPoints})
}

// ProcessSpread says which processes take part in a case with fewer processes than the job has.
type ProcessSpread string

// SpreadRanks: those with the lowest ranks. SpreadNodes: the same number on every node, as far as possible.
const (
	SpreadRanks ProcessSpread = "ranks"
	SpreadNodes ProcessSpread = "nodes"
)

// Values returns the valid values.
func (ProcessSpread) Values() []string {
	return usage.Strings([]ProcessSpread{SpreadRanks, SpreadNodes})
}

// DataKind is the kind of data that is written.
type DataKind string

// DataPosition: words that hold their own offset. DataRandom: pseudo-random bytes. DataZero: zeros. DataCompress: data
// that can be compressed by a given ratio.
const (
	DataPosition DataKind = "position"
	DataRandom   DataKind = "random"
	DataZero     DataKind = "zero"
	DataCompress DataKind = "compress"
)

// Values returns the valid values.
func (DataKind) Values() []string {
	return usage.Strings([]DataKind{DataPosition, DataRandom, DataZero, DataCompress})
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
