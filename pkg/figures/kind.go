package figures

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// kind holds what outputs say differently of runs of different kinds.
type kind struct {
	access  func(result.Parameters) []string       // how the data were accessed, in words
	measure func(*settings, result.Document, kind) // adds what is measured to the settings
	sizes   func(*settings, result.Document)       // adds the sizes of datasets to them; nil: measure does
	meaning string                                 // what comes after "throughput is bytes divided by " and Window
	phase   string                                 // when data are durable with --sync phase
	limited string                                 // what --time-limit limits
	larger  string                                 // what makes the data larger
	driver  option.Driver                          // the usual file driver of HDF5
	prefix  string                                 // name of the variable that places the data files
	// Its steps are those of an application: they may make data durable, and have data and sizes of their own.
	application bool
	// Its cases differ in transfer sizes, and its datasets have one layout.
	sized bool
	// It may have several processes; else its file driver is told in place of their number.
	parallel bool
}

const parallelPrefix = "HDF5_PARAPREFIX"

var kinds = map[result.Kind]kind{
	result.KindParallel: {
		access: func(p result.Parameters) []string {
			return []string{
				string(result.KindParallel), string(p.Geometry), string(p.Pattern) + " pattern",
				string(p.Mode) + " access",
			}
		},
		measure: (*settings).ofSweep, sizes: (*settings).ofParallelSizes,
		phase: "synced after the transfers of each dataset", limited: "transfers", larger: largerData,
		driver: option.MPIO, prefix: parallelPrefix, sized: true, parallel: true,
	},
	result.KindSerial: {
		access: func(p result.Parameters) []string {
			return []string{
				string(result.KindSerial), units.Count(len(p.DatasetExtent), "dimension", "dimensions"),
				"file driver " + string(p.Driver),
			}
		},
		measure: (*settings).ofSweep, sizes: (*settings).ofSerialSizes,
		phase: "synced after the transfers of each dataset", limited: "transfers", larger: largerData,
		driver: option.Sec2, prefix: "HDF5_PREFIX", sized: true,
	},
	result.KindWorkload: {
		access:  func(p result.Parameters) []string { return []string{Described(*p.Workload)} },
		measure: (*settings).ofWorkload,
		meaning: ", without the time of computing",
		phase:   "synced after each dump", limited: "dumps", larger: largerWorkload,
		driver: option.MPIO, prefix: parallelPrefix, application: true, parallel: true,
	},
}

func kindOf(p result.Parameters) kind { return kinds[p.Kind()] }

// Sized reports whether cases of the run have transfer sizes, and its datasets one layout. Those of a workload differ.
func (r *Run) Sized() bool { return kindOf(r.Parameters).sized }

// Numbered reports whether the number of processes tells anything of a case: a serial run has one.
func (r *Run) Numbered() bool { return kindOf(r.Parameters).parallel }

// OfApplication reports whether the steps of the run are those of an application.
func (r *Run) OfApplication() bool { return kindOf(r.Parameters).application }

// Workload returns name and SHA-256 of the workload of the run; "" if it has none.
func (r *Run) Workload() (name, hash string) {
	if w := r.Parameters.Workload; w != nil {
		return w.Name, w.Hash
	}
	return "", ""
}
