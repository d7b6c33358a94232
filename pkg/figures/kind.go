package figures

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// kindTraits holds the properties of a kind of runs (parallel, serial, workload) on which outputs depend.
type kindTraits struct {
	access      func(result.Parameters) []string                // describes how the data were accessed
	addMeasured func(*settingList, result.Document, kindTraits) // adds what is measured to the settings
	// adds the sizes of datasets to the settings; nil: addMeasured does that
	addDatasetSizes func(*settingList, result.Document)
	// text after "throughput is bytes divided by " and Window
	rateMeaning      string
	syncPhaseText    string        // says when data are durable with --sync phase
	limitedText      string        // what --time-limit limits
	largerDataRemedy string        // remedy that makes the data larger
	driver           option.Driver // the usual file driver of HDF5
	prefix           string        // name of the environment variable that places the data files
	// The steps are those of an application: they may make data durable, and define their own data and sizes.
	application bool
	// Cases differ in their transfer sizes, and all datasets have the same layout.
	hasTransferSize bool
	// The run may have several processes. Otherwise outputs show the file driver instead of the number of processes.
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
		addMeasured: (*settingList).addSweep, addDatasetSizes: (*settingList).addParallelSizes,
		syncPhaseText: "synced after the transfers of each dataset", limitedText: "transfers",
		largerDataRemedy: largerData,
		driver:           option.DriverMPIO, prefix: parallelPrefix, hasTransferSize: true, parallel: true,
	},
	result.KindSerial: {
		access: func(p result.Parameters) []string {
			return []string{
				string(result.KindSerial), units.Count(len(p.DatasetExtent), "dimension", "dimensions"),
				"file driver " + string(p.Driver),
			}
		},
		addMeasured: (*settingList).addSweep, addDatasetSizes: (*settingList).addSerialSizes,
		syncPhaseText: "synced after the transfers of each dataset", limitedText: "transfers",
		largerDataRemedy: largerData,
		driver:           option.DriverSec2, prefix: "HDF5_PREFIX", hasTransferSize: true,
	},
	result.KindWorkload: {
		access:        func(p result.Parameters) []string { return []string{WorkloadText(*p.Workload)} },
		addMeasured:   (*settingList).addWorkload,
		rateMeaning:   ", without the time of computing",
		syncPhaseText: "synced after each dump", limitedText: "dumps", largerDataRemedy: largerWorkload,
		driver: option.DriverMPIO, prefix: parallelPrefix, application: true, parallel: true,
	},
}

func kindTraitsOf(p result.Parameters) kindTraits { return traitsByKind[p.Kind()] }

// HasTransferSize reports whether each case has one transfer size, and all datasets have the same layout. It is false
// for workloads, in which both vary.
func (r *Run) HasTransferSize() bool { return kindTraitsOf(r.Parameters).hasTransferSize }

// IsParallel reports whether the number of processes characterizes a case: a serial run always has one process.
func (r *Run) IsParallel() bool { return kindTraitsOf(r.Parameters).parallel }

// IsWorkload reports whether the run is of a workload, whose steps are those of an application.
func (r *Run) IsWorkload() bool { return kindTraitsOf(r.Parameters).application }

// Workload returns the name and the SHA-256 hash of the workload of the run, or "" if it has none.
func (r *Run) Workload() (name, hash string) {
	if w := r.Parameters.Workload; w != nil {
		return w.Name, w.Hash
	}
	return "", ""
}
