package figures

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// kindTraits holds what outputs say differently of runs of different kinds.
type kindTraits struct {
	access      func(result.Parameters) []string             // how the data were accessed, in words
	addMeasured func(*settings, result.Document, kindTraits) // adds what is measured to the settings
	// adds the sizes of datasets to them; nil: measure does
	addDatasetSizes func(*settings, result.Document)
	// what comes after "throughput is bytes divided by " and Window
	rateMeaning    string
	syncPhaseText  string        // when data are durable with --sync phase
	limitedText    string        // what --time-limit limits
	largerDataHelp string        // what makes the data larger
	driver         option.Driver // the usual file driver of HDF5
	prefix         string        // name of the variable that places the data files
	// Its steps are those of an application: they may make data durable, and have data and sizes of their own.
	application bool
	// Its cases differ in transfer sizes, and its datasets have one layout.
	sized bool
	// It may have several processes; else its file driver is told in place of their number.
	parallel bool
}

const parallelPrefix = "HDF5_PARAPREFIX"

var traitsByKind = map[result.Kind]kindTraits{
	result.KindParallel: {
		access: func(p result.Parameters) []string {
			return []string{
				string(result.KindParallel), string(p.Geometry), string(p.Pattern) + " pattern",
				string(p.Mode) + " access",
			}
		},
		addMeasured: (*settings).addSweep, addDatasetSizes: (*settings).addParallelSizes,
		syncPhaseText: "synced after the transfers of each dataset", limitedText: "transfers",
		largerDataHelp: largerData,
		driver:         option.MPIO, prefix: parallelPrefix, sized: true, parallel: true,
	},
	result.KindSerial: {
		access: func(p result.Parameters) []string {
			return []string{
				string(result.KindSerial), units.Count(len(p.DatasetExtent), "dimension", "dimensions"),
				"file driver " + string(p.Driver),
			}
		},
		addMeasured: (*settings).addSweep, addDatasetSizes: (*settings).addSerialSizes,
		syncPhaseText: "synced after the transfers of each dataset", limitedText: "transfers",
		largerDataHelp: largerData,
		driver:         option.Sec2, prefix: "HDF5_PREFIX", sized: true,
	},
	result.KindWorkload: {
		access:        func(p result.Parameters) []string { return []string{WorkloadText(*p.Workload)} },
		addMeasured:   (*settings).addWorkload,
		rateMeaning:   ", without the time of computing",
		syncPhaseText: "synced after each dump", limitedText: "dumps", largerDataHelp: largerWorkload,
		driver: option.MPIO, prefix: parallelPrefix, application: true, parallel: true,
	},
}

func kindTraitsOf(p result.Parameters) kindTraits { return traitsByKind[p.Kind()] }

// Sized reports whether cases of the run have transfer sizes, and its datasets one layout. Those of a workload differ.
func (r *Run) Sized() bool { return kindTraitsOf(r.Parameters).sized }

// IsParallel reports whether the number of processes tells anything of a case: a serial run has one.
func (r *Run) IsParallel() bool { return kindTraitsOf(r.Parameters).parallel }

// IsWorkload reports whether the steps of the run are those of an application.
func (r *Run) IsWorkload() bool { return kindTraitsOf(r.Parameters).application }

// Workload returns name and SHA-256 of the workload of the run; "" if it has none.
func (r *Run) Workload() (name, hash string) {
	if w := r.Parameters.Workload; w != nil {
		return w.Name, w.Hash
	}
	return "", ""
}
