package figures

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// Row is a statistic of samples, such as throughput, with its name and unit for all outputs. For a point, outputs show
// the median over the samples. Tables, HTML page, CSV, exports and metrics loop over Rows.
type Row struct {
	Name       string // for programs, without the unit
	Heading    string // for people
	Unit       Unit
	Help       string       // explanation, for the help text of metrics
	Counted    string       // API whose calls the row shows; "" for other statistics
	Class      result.Class // class whose time the row shows; "" for other statistics
	RatedClass result.Class // class whose objects per second the row shows; "" for other statistics
	ShowsRange bool         // shown with its interval, and with the smallest and largest sample

	betweenRanks bool // compares processes, so a single process has no value
	// valueOfSample returns the value of a sample. ok reports whether the sample has a value, which may be 0.
	valueOfSample func(result.Sample) (x float64, ok bool)
	valueOfCase   func(result.Case, result.Sample) (x float64, ok bool) // instead, if the value needs the case
	// textOfPoint formats the statistic of a point; nil: the formatted median.
	textOfPoint func(Point) string
}

// Unit is the unit of a statistic: a suffix for exported names, and a function that formats values for people.
type Unit struct {
	Suffix string // of exported names
	Format func(float64) string
}

// The units of rows.
var (
	BytesPerSecond = Unit{"bytes_per_second", units.FormatRate}
	Seconds        = Unit{"seconds", units.FormatSeconds}
	Fraction       = Unit{"ratio", func(r float64) string { return fmt.Sprintf("%.3g %%", 100*r) }}
	Calls          = Unit{"calls", formatCalls}
	Bytes          = Unit{"bytes", units.FormatBytes}
	ObjectsRate    = Unit{"objects_per_second", formatCountRate}
)

// Rows lists the statistics in the order in which they are shown: throughput first, times of classes last.
var Rows = slices.Concat([]Row{
	{
		Name: "throughput", Heading: "throughput", Unit: BytesPerSecond, ShowsRange: true,
		Help: "Throughput of the samples of a point. The time starts when the first dataset is created or opened and " +
			"ends when the last dataset is closed. It includes the sync of the data if the run syncs. Of a workload, " +
			"it is that of all steps but computing.",
		valueOfSample: func(s result.Sample) (float64, bool) { return positiveValue(s.Throughput()) },
	},
	{
		Name: "visible", Heading: "visible", Unit: Seconds,
		Help:          "Time on which the throughput rests. Of a workload, it is the time of all steps but computing.",
		valueOfSample: func(s result.Sample) (float64, bool) { return positiveValue(s.Seconds()) },
	},
	{
		Name: "transfer_throughput", Heading: "transfer rate", Unit: BytesPerSecond,
		Help: "Bytes divided by the time of the transfers of the slowest process.",
		valueOfSample: func(s result.Sample) (float64, bool) {
			seconds := classSeconds(s, workload.Transfer)
			return float64(s.Bytes) / seconds, seconds > 0 && s.Bytes > 0
		},
	},
	{
		Name: "read_back_throughput", Heading: "read back rate", Unit: BytesPerSecond,
		Help: "Bytes that a workload reads while it writes, divided by the time of these reads of the slowest " +
			"process. They may come from memory.",
		valueOfSample: func(s result.Sample) (float64, bool) {
			seconds := classSeconds(s, workload.ReadBack)
			return float64(s.ReadBackBytes) / seconds, seconds > 0 && s.ReadBackBytes > 0
		},
	},
	{
		Name: "metadata", Heading: "metadata", Unit: Fraction,
		Help: "Part of the time of all steps but computing that is files, objects and attributes: opening, creating, " +
			"extending, closing and unlinking them. It is at most what the transfers of the slowest process leave, " +
			"so a process that waits in a close for others that transfer does not count.",
		valueOfSample: func(s result.Sample) (float64, bool) {
			whole := nonComputeSeconds(s)
			return metadataSeconds(s) / whole, whole > 0 && len(s.Classes) > 0
		},
	},
	{
		Name: "slowest_rank_excess", Heading: SlowestHeading, Unit: Fraction,
		Help:         "How much longer the slowest rank took than the ranks took on average, as a part of that.",
		betweenRanks: true, valueOfSample: slowestExcess, textOfPoint: Point.SlowestRankText,
	},
	{
		Name: "transfer_variation", Heading: "transfers, variation", Unit: Fraction,
		Help: "Coefficient of variation of the time of the transfers between ranks: its standard deviation divided " +
			"by its mean.",
		betweenRanks: true,
		valueOfSample: func(s result.Sample) (float64, bool) {
			time := s.ClassInterval(workload.Transfer)
			return time.Deviation / time.Mean, time.Mean > 0
		},
	},
	{
		Name: "planned_compute", Heading: "compute, planned", Unit: Seconds,
		Help:          "How long a process of a workload was to compute.",
		valueOfSample: func(s result.Sample) (float64, bool) { return positiveValue(s.PlannedCompute) },
	},
	{
		Name: "utilisation", Heading: "utilisation", Unit: Fraction,
		Help: "Part of the time in which the slowest process of a workload computed: computing, divided by computing " +
			"and the visible time. Benchmarks of training call it accelerator utilisation.",
		valueOfSample: func(s result.Sample) (float64, bool) {
			computed := classSeconds(s, workload.Compute)
			return computed / (computed + s.Seconds()), computed > 0
		},
	},
	{
		Name: "object_size", Heading: "file per object", Unit: Bytes,
		Help: "Size of the files that rank 0 made and from which it unlinked no object, divided by the number of " +
			"objects that it created in them. Of writes with HDF5.",
		valueOfCase: fileBytesPerObject,
	},
}, callStatistics(), []Row{
	{
		Name: "created_to_close", Heading: "created, to the close", Unit: ObjectsRate,
		Help: "Objects that were created, divided by the time to create, flush and close them and their files: HDF5 " +
			"creates in memory, and writes when it flushes and closes. Of dumps that create. Absent if such a dump " +
			"renames or unlinks, too.",
		valueOfSample: createdToClose,
	},
}, objectRates(), classStatistics())

// MetadataMeaning explains the row "metadata".
const MetadataMeaning = "Metadata is the part of files, objects and attributes in all steps but computing, at " +
	"most what the slowest transfers leave."

// OwnMedians explains why the rows of a point cannot be computed from one another.
const OwnMedians = "Each column is a median by itself, and may not be the quotient of others."

// classStatistics returns a statistic for each class of steps: the time that these steps took.
func classStatistics() []Row {
	all := make([]Row, workload.NumClasses)
	for class := range workload.NumClasses {
		word := result.ClassOf(class)
		all[class] = Row{
			Name: "class_" + strings.ReplaceAll(string(word), " ", "_"), Heading: string(word), Unit: Seconds,
			Class: word,
			Help: "Time of a class of steps: the window or, where the class has none, that of the slowest " +
				"process.",
			valueOfSample: func(s result.Sample) (float64, bool) {
				return s.ClassInterval(class).Seconds(),
					s.HasClass(class)
			},
		}
	}
	return all
}

// slowestExcess returns how much longer the slowest process took than the mean of all processes, relative to that mean.
func slowestExcess(s result.Sample) (float64, bool) {
	of := s.ThroughputInterval()
	return max(0, of.Max/of.Mean-1), of.Mean > 0
}

// positiveValue returns x, and whether it is positive.
func positiveValue(x float64) (float64, bool) { return x, x > 0 }

// IsCompared reports whether runs are compared by the statistic: throughput, and the objects per second of classes.
func (r Row) IsCompared() bool { return r.Name == "throughput" || r.RatedClass != "" }

// ExportName returns the name of the statistic in exports and metrics, with its unit.
func (r Row) ExportName() string { return r.Name + "_" + r.Unit.Suffix }

// SampleValue returns the value of the statistic for a sample of a case. ok is false if the sample does not have the
// statistic.
func (r Row) SampleValue(c result.Case, s result.Sample) (x float64, ok bool) {
	if r.betweenRanks && c.Processes == 1 {
		return 0, false
	}
	if r.valueOfCase != nil {
		return r.valueOfCase(c, s)
	}
	return r.valueOfSample(s)
}

// sampleValues returns the values of the statistic of those samples of a point that have it.
func (r Row) sampleValues(p Point) (all []float64) {
	for _, s := range p.Samples {
		if x, ok := r.SampleValue(p.Case, s); ok {
			all = append(all, x)
		}
	}
	return all
}

// PointValue returns the median of the statistic over the samples of a point that have a value, with its interval. ok
// is false if no sample has a value.
func (r Row) PointValue(p Point) (v MedianEstimate, ok bool) {
	all := r.sampleValues(p)
	return estimateMedian(all, stats.Level), all != nil
}

// PointMedian returns the same median without an interval, which takes much longer.
func (r Row) PointMedian(p Point) (median float64, ok bool) {
	all := r.sampleValues(p)
	return stats.SampleMedian(all), all != nil
}

// isIn reports whether a sample of the point has a value.
func (r Row) isIn(p Point) bool {
	return slices.ContainsFunc(p.Samples, func(s result.Sample) bool { _, ok := r.SampleValue(p.Case, s); return ok })
}

// PointText formats the statistic of a point; objects per second with their interval. If the samples have no
// value, it returns the text none.
func (r Row) PointText(p Point, none string) string {
	switch {
	case !r.isIn(p):
		return none
	case r.textOfPoint != nil:
		return r.textOfPoint(p)
	case r.Unit.Suffix == ObjectsRate.Suffix:
		v, _ := r.PointValue(p)
		return v.textWithRange(r.format(p))
	}
	median, _ := r.PointMedian(p)
	return r.format(p)(median)
}

// format returns the function that formats the statistic of the run of a point. All rates of a run have one unit.
func (r Row) format(p Point) func(float64) string {
	if r.Unit.Suffix == BytesPerSecond.Suffix {
		return p.Unit.Format
	}
	return r.Unit.Format
}

// RangeText formats the interval of the statistic of a point, or the range of its samples.
func (r Row) RangeText(p Point) string {
	v, _ := r.PointValue(p)
	return v.RangeText(r.format(p))
}

// RowsOf returns the statistics that at least one of the points has, except throughput.
func RowsOf(points []Point) []Row {
	return slices.DeleteFunc(slices.Clone(Rows[1:]), func(r Row) bool {
		return !slices.ContainsFunc(points, r.isIn)
	})
}

// findStatistic returns the statistic with this Row.Name. It must exist.
func findStatistic(name string) Row {
	return Rows[slices.IndexFunc(Rows, func(r Row) bool { return r.Name == name })]
}
