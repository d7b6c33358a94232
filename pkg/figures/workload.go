package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// Classes of steps that are shown together. All visible time outside of transferClasses is structure: what HDF5, or an
// application that writes plain files, does besides transfers.
var (
	transferClasses = []workload.StepClass{workload.Select, workload.Transfer, workload.ReadBack}
	metadataClasses = []workload.StepClass{
		workload.FileOpen, workload.FileClose, workload.Create, workload.Open, workload.Extend, workload.ObjectClose,
		workload.Unlink, workload.Attribute, workload.CreateLink, workload.Stat, workload.List, workload.Rename,
	}
)

// minClassShare is the share of the visible time below which outputs do not show a time or a difference separately.
const minClassShare = 0.01

// classSeconds returns the sum of the times of some classes in a sample. The time of a class of steps is the time of
// the slowest process.
func classSeconds(s result.Sample, classes ...workload.StepClass) (seconds float64) {
	for _, t := range s.Classes {
		if isOneOfClasses(t.Class, classes) {
			seconds += t.Max
		}
	}
	return seconds
}

// isOneOfClasses reports whether the class is in the list of classes.
func isOneOfClasses(class result.Class, of []workload.StepClass) bool {
	return slices.ContainsFunc(of, func(c workload.StepClass) bool { return result.ClassOf(c) == class })
}

// estimateOverSamples estimates the median over the samples of a value, which the function of returns for a sample.
func (p Point) estimateOverSamples(level float64, of func(result.Sample) float64) MedianEstimate {
	return estimateMedian(p.valuesOfSamples(of), level)
}

// medianOverSamples returns the median over the samples of a value, which the function of returns for a sample.
func (p Point) medianOverSamples(of func(result.Sample) float64) float64 {
	return stats.SampleMedian(p.valuesOfSamples(of))
}

// valuesOfSamples returns the values of all samples of a function.
func (p Point) valuesOfSamples(of func(result.Sample) float64) []float64 {
	all := make([]float64, len(p.Samples))
	for i, s := range p.Samples {
		all[i] = of(s)
	}
	return all
}

// MedianClassTime is the time of a class of steps, as the median over the samples. The time in a sample is the window
// of the class, from the first start to the last end on any process. If it has no window, it is the time of the slowest
// process.
type MedianClassTime struct {
	Class   result.Class
	Seconds float64
}

// ClassTimes returns the times of the classes that took any time, in the order of the classes.
func (p Point) ClassTimes() []MedianClassTime {
	var all []MedianClassTime
	for _, r := range Rows {
		if r.Class == "" {
			continue
		}
		if seconds, ok := r.PointMedian(p); ok && seconds > 0 {
			all = append(all, MedianClassTime{r.Class, seconds})
		}
	}
	return all
}

// CountsInThroughput reports whether the throughput of the point rests on the time of a class of steps, among others:
// of a workload on all classes but computing, otherwise on all classes but opening and closing files.
func (p Point) CountsInThroughput(class result.Class) bool {
	if p.Run.IsWorkload() {
		return class != result.ClassOf(workload.Compute)
	}
	return !isOneOfClasses(class, []workload.StepClass{workload.FileOpen, workload.FileClose})
}

// nonComputeSeconds returns the time of all steps of a sample except computing.
func nonComputeSeconds(s result.Sample) float64 {
	seconds := s.OpenClose.Seconds() - s.ClassInterval(workload.Compute).Min
	if s.AccessAndSync != nil {
		seconds += s.AccessAndSync.Seconds() - s.Access.Seconds()
	}
	return seconds
}

// metadataSeconds returns the metadata time of a sample: the sum over the metadata classes of the time of the slowest
// process, but at most
//
//	nonComputeSeconds - transfers of the slowest process - the least that any process took for each other class
//
// A process that has finished waits in a collective close or open for processes that still transfer. That wait is part
// of the time of the close or open, but the slowest process transfers during it.
func metadataSeconds(s result.Sample) float64 {
	left := nonComputeSeconds(s)
	for _, t := range s.Classes {
		switch {
		case t.Class == result.ClassOf(workload.Transfer):
			left -= t.Max
		case t.Class != result.ClassOf(workload.Compute) && !isOneOfClasses(t.Class, metadataClasses):
			left -= t.Min
		}
	}
	return max(0, min(left, classSeconds(s, metadataClasses...)))
}

// UnclassifiedSeconds returns the time of all steps except computing, minus the times of all classes of steps. In this
// remaining time, processes that had finished their part of an epoch waited for slower processes. It returns 0 if the
// remaining time is below 1 % of the whole.
func (p Point) UnclassifiedSeconds() float64 {
	whole := p.medianOverSamples(nonComputeSeconds)
	rest := whole
	for _, t := range p.ClassTimes() {
		if t.Class != result.ClassOf(workload.Compute) {
			rest -= t.Seconds
		}
	}
	if rest < minClassShare*whole {
		return 0
	}
	return rest
}

// ComputeTimes returns how long each process was planned to compute, and how long the slowest process computed. Both
// are medians over the samples, in seconds.
func (p Point) ComputeTimes() (planned, done float64) {
	planned = p.medianOverSamples(func(s result.Sample) float64 { return s.PlannedCompute })
	return planned, p.medianOverSamples(func(s result.Sample) float64 { return classSeconds(s, workload.Compute) })
}

// SlowestRank returns the rank that was the slowest in most samples, and the number of these samples.
func (p Point) SlowestRank() (rank, samples int) {
	times := map[int]int{}
	for _, s := range p.Samples {
		r := s.ThroughputInterval().MaxRank
		if times[r]++; times[r] > samples {
			rank, samples = r, times[r]
		}
	}
	return rank, samples
}

// StatisticText formats the statistic with a name (Row.Name) for the point, or returns "-" if the point does not have
// it.
func (p Point) StatisticText(name string) string { return findStatistic(name).PointText(p, "-") }

// ReadBackRate returns the rate at which a workload reads data while it writes. is is false if it reads none.
func (p Point) ReadBackRate() (rate MedianEstimate, is bool) {
	return findStatistic("read_back_throughput").PointValue(p)
}

// SlowestHeading is the heading of the column that SlowestRankText fills.
const SlowestHeading = "slowest rank, over mean"

// SlowestRankText returns the rank that was the slowest in most samples, the number of these samples unless it is all,
// and how much longer that rank took than the mean: "3 (6 of 8), +12 %".
func (p Point) SlowestRankText() string {
	rank, n := p.SlowestRank()
	text := fmt.Sprint(rank)
	if n < len(p.Samples) {
		text = fmt.Sprintf("%d (%d of %d)", rank, n, len(p.Samples))
	}
	excess, ok := Row{betweenRanks: true, valueOfSample: slowestExcess}.PointMedian(p)
	if !ok {
		return text
	}
	return text + ", +" + Fraction.Format(excess)
}

// BytesPerSample returns the number of bytes that a sample of the point read or wrote, as the median over the samples.
// The samples need not have a throughput. It returns 0 without samples.
func (p Point) BytesPerSample() uint64 {
	var all []float64
	for _, s := range p.Case.Samples {
		if s.Operation == p.Operation {
			all = append(all, float64(s.Bytes))
		}
	}
	if all == nil {
		return 0
	}
	return uint64(stats.SampleMedian(all))
}

// FileBytes returns the total size and the number of the files that rank 0 made in the last iteration. Both are 0 if
// they are unknown.
func FileBytes(c result.Case) (bytes uint64, files int) {
	if c.Effective == nil {
		return 0, 0
	}
	for _, f := range c.Effective.Files {
		bytes += f.Bytes
	}
	return bytes, len(c.Effective.Files)
}

// WrittenFileBytes returns the total size in bytes of the files that rank 0 made in the last iteration of a case, for
// its writes. known is false for reads, and if the size is unknown.
func WrittenFileBytes(c result.Case, operation result.Operation) (bytes uint64, known bool) {
	bytes, files := FileBytes(c)
	return bytes, files > 0 && operation == result.OperationWrite
}

// FilterText says how much data went through HDF5 filters that compress, and how large the files of rank 0 are. It
// returns "" if there are no such filters.
func FilterText(c result.Case) string {
	f := c.Filtered
	bytes, files := FileBytes(c)
	if f == nil || files == 0 {
		return ""
	}
	text := fmt.Sprintf("%s wrote %s through filters that make data smaller", APILabel(c.API),
		units.FormatBytes(float64(f.Bytes)))
	if f.RequestedBytes > f.NoRatioBytes {
		text += ", to " + units.FormatBytes(float64(f.RequestedBytes)) + " by the ratios of the workload"
	}
	text += "; the files that rank 0 made have " + units.FormatBytes(float64(bytes))
	if stored, known := FilteredBytes(c); known {
		text += fmt.Sprintf(", and the filtered data %s: a ratio of %.3g", units.FormatBytes(stored),
			float64(f.Bytes)/stored)
	}
	return text + "."
}

// FilterTimeTexts returns a sentence for each kind of dataset with filters, with their processor time in memory.
func FilterTimeTexts(c result.Case) (all []string) {
	for _, f := range c.FilterTimes {
		write, read := FilterTimeText(f.Bytes, f.Write-f.WriteWithout), FilterTimeText(f.Bytes, f.Read-f.ReadWithout)
		all = append(all, fmt.Sprintf("In memory, the filters of %s (%s) take this processor time of one process for "+
			"%s: %s to write; %s to read.", f.Dataset, strings.Join(f.Filters, ", "),
			units.FormatBytes(float64(f.Bytes)), write, read))
	}
	return all
}

// FilterTimeText returns a time that filters take for some bytes, with the rate.
func FilterTimeText(bytes uint64, seconds float64) string {
	if seconds <= 0 {
		return "no measurable time"
	}
	return fmt.Sprintf("%s, %s", units.FormatSeconds(seconds), units.FormatRate(float64(bytes)/seconds))
}

// FileSizeText compares the size of the files that rank 0 made with the data of an iteration: "1.02 GiB, 1.02 times the
// data", or "120 KiB, 1/8.53 of the data" if filters made them smaller. It returns only the size if no data were moved.
// It does so, too, if other ranks made files as well. It returns "" if the size is unknown.
func (p Point) FileSizeText() string {
	bytes, files := FileBytes(p.Case)
	data := p.BytesPerSample()
	switch text := units.FormatBytes(float64(bytes)); {
	case files == 0:
		return ""
	case data > bytes && bytes > 0 && p.Case.Filtered != nil && uint64(files) == p.Case.Filtered.Files:
		return fmt.Sprintf("%s, 1/%.3g of the data", text, float64(data)/float64(bytes))
	case data == 0 || bytes < data:
		return text
	default:
		return fmt.Sprintf("%s, %.4g times the data", text, float64(bytes)/float64(data))
	}
}

// sampleHasSync reports whether steps of the workload made written data durable within the measured time.
func sampleHasSync(s result.Sample) bool { return classSeconds(s, workload.Sync) > 0 }

// HasSyncSteps reports whether the point is of a workload that has steps which make written data durable.
func (p Point) HasSyncSteps() bool {
	return p.Run.IsWorkload() && slices.ContainsFunc(p.Samples, sampleHasSync)
}

// HDF5ExtraTime is the extra time that HDF5 took, compared to a lower layer (MPI-IO or POSIX), for the same workload:
// in total, for transfers, and for structure. Times are medians, in seconds.
type HDF5ExtraTime struct {
	Upper, Lower Point
	Visible      TimeDifference
	Transfers    TimeDifference // building selections and moving data, of the slowest process
	// The rest: files, objects, attributes, syncing, waiting.
	Structure TimeDifference

	lacks string // a sentence that says why there is no comparison
}

// TimeDifference is a difference of two medians, in seconds.
type TimeDifference struct {
	Upper, Lower MedianEstimate
	Seconds      float64
}

// ExceedsVariation reports whether the difference is larger than the variation between samples: the intervals of the
// two medians do not overlap. Without intervals, it compares the ranges of the samples. The confidence level of the
// intervals is such that both contain their medians with probability stats.Level (Bonferroni).
func (d TimeDifference) ExceedsVariation() bool {
	return d.Upper.N > 1 && d.Lower.N > 1 && (d.Upper.Low > d.Lower.High || d.Upper.High < d.Lower.Low)
}

// timeDifference returns by how much a time differs between two points. The function of returns this time for a sample.
func timeDifference(upper, lower Point, of func(result.Sample) float64) TimeDifference {
	d := TimeDifference{
		Upper: upper.estimateOverSamples(ratioLevel, of),
		Lower: lower.estimateOverSamples(ratioLevel, of),
	}
	d.Seconds = d.Upper.Median - d.Lower.Median
	return d
}

// transferSeconds returns the time in which the slowest process transferred data and built selections, but at most the
// visible time.
func transferSeconds(s result.Sample) float64 {
	return min(s.Seconds(), classSeconds(s, transferClasses...))
}

// newHDF5ExtraTime compares a point of HDF5 with that of a lower layer.
func newHDF5ExtraTime(upper, lower Point) HDF5ExtraTime {
	c := HDF5ExtraTime{Upper: upper, Lower: lower}
	c.Visible = timeDifference(upper, lower, result.Sample.Seconds)
	c.Transfers = timeDifference(upper, lower, transferSeconds)
	c.Structure = timeDifference(upper, lower,
		func(s result.Sample) float64 { return s.Seconds() - transferSeconds(s) })
	c.Structure.Seconds = c.Visible.Seconds - c.Transfers.Seconds
	return c
}

// HDF5ExtraTimes returns the extra time of HDF5 for each direction of each case, compared to each lower layer that has
// results and moved the same number of bytes.
func (r *Run) HDF5ExtraTimes() []HDF5ExtraTime {
	return slices.DeleteFunc(r.extraTimes(), func(c HDF5ExtraTime) bool { return c.lacks != "" })
}

// ExtraTimeSentences returns a sentence for each element of HDF5ExtraTimes. If a comparison with a lower layer is not
// possible, a sentence says why.
func (r *Run) ExtraTimeSentences() (all []string) {
	for _, c := range r.extraTimes() {
		all = append(all, c.extraTimeText())
	}
	return all
}

// extraTimes returns the extra time of HDF5 for each direction of each HDF5 case and each requested lower layer, or
// what is missing to compute it.
func (r *Run) extraTimes() (all []HDF5ExtraTime) {
	if !r.IsWorkload() {
		return nil
	}
	points := r.Points()
	for _, upper := range points {
		api := result.APIOf(upper.Case.API)
		if !api.Datasets {
			continue
		}
		if len(upper.Samples) == 0 {
			all = append(all, HDF5ExtraTime{lacks: fmt.Sprintf("%s: no cost of %s, because it has no figure (%s).",
				r.caseText(upper.Case), api.Label, upper.Case.State)})
			continue
		}
		alone := true
		for below := api.LowerAPI; below != ""; below = result.APIOf(below).LowerAPI {
			if slices.Contains(r.Parameters.APIs, below) {
				all, alone = append(all, upper.extraTimeOver(points, below)), false
			}
		}
		if alone {
			all = append(all, HDF5ExtraTime{lacks: fmt.Sprintf("%s: the time of %s cannot be divided into transfers "+
				"and structure, because no layer below it was measured.", upper.operationText(), api.Label)})
		}
	}
	return all
}

// extraTimeOver compares an HDF5 point with the point of a lower layer among points that corresponds to it.
func (p Point) extraTimeOver(points []Point, api string) HDF5ExtraTime {
	lacks := fmt.Sprintf("%s: no cost against %s, because it ", p.operationText(), APILabel(api))
	for _, lower := range points {
		if lower.Case.API != api || lower.Case.Processes != p.Case.Processes ||
			!slices.Equal(lower.Case.Values, p.Case.Values) {
			continue
		}
		switch {
		case len(lower.Samples) == 0 && (lower.Operation == "" || lower.Operation == p.Operation):
			return HDF5ExtraTime{lacks: fmt.Sprintf("%shas no figure (%s).", lacks, lower.Case.State)}
		case lower.Operation != p.Operation:
			continue
		case lower.BytesPerSample() != p.BytesPerSample():
			return HDF5ExtraTime{lacks: fmt.Sprintf("%smoved %s, and %s %s.", lacks,
				units.FormatBytes(float64(lower.BytesPerSample())), APILabel(p.Case.API),
				units.FormatBytes(float64(p.BytesPerSample())))}
		}
		return newHDF5ExtraTime(p, lower)
	}
	return HDF5ExtraTime{lacks: lacks + "has no figure."}
}

// operationText returns the operation, the number of processes, the transfer size, unless a workload has many, and the
// values of --sweep: "write, 4 processes".
func (p Point) operationText() string {
	words := string(p.Operation) + ", " + units.Count(p.Case.Processes, "process", "processes")
	if p.Run.HasTransferSize() {
		words = joinWithComma(words, p.TransferText())
	}
	if len(p.Case.Values) > 0 {
		words = joinWithComma(words, result.ValuesText(p.Case.Values))
	}
	return words
}

// extraTimeText returns sentences that say whether HDF5 took longer, and how the difference divides into transfers and
// structure. Each of the two parts is shown only if it exceeds the variation between samples, and 1 % of the visible
// time.
func (c HDF5ExtraTime) extraTimeText() string {
	if c.lacks != "" {
		return c.lacks
	}
	upper, lower := APILabel(c.Upper.Case.API), APILabel(c.Lower.Case.API)
	times := fmt.Sprintf("%s against %s", units.FormatSeconds(c.Visible.Upper.Median),
		units.FormatSeconds(c.Visible.Lower.Median))
	one := c.Visible.Upper.N == 1 || c.Visible.Lower.N == 1
	if !one && !c.Visible.ExceedsVariation() {
		return fmt.Sprintf("%s: no difference between %s and %s shown (%s).", c.Upper.operationText(), upper, lower,
			times)
	}
	text := fmt.Sprintf("%s: %s took %s than %s (%s): %s, %s.", c.Upper.operationText(), upper,
		formatLonger(c.Visible.Seconds), lower,
		times, c.componentText("transfers", c.Transfers, one, formatLonger),
		c.componentText("structure", c.Structure, one, formatLonger))
	switch n := min(c.Visible.Upper.N, c.Visible.Lower.N); {
	case one:
		text += " One sample does not show how much of that is chance."
	case n < minRangeSamples:
		text += fmt.Sprintf(" %d samples do not show how much of that is chance.", n)
	}
	return text
}

// minRangeSamples is the smallest number of samples of two points whose ranges are apart by chance in less than 5 % of
// cases: of 4 and 4, in 2 of 70 orders.
const minRangeSamples = 4

// ShortText returns the extra time of HDF5 in one short line.
func (c HDF5ExtraTime) ShortText() string {
	one := c.Visible.Upper.N == 1 || c.Visible.Lower.N == 1
	head := fmt.Sprintf("%s, %s against %s: ", c.Upper.Operation, APILabel(c.Upper.Case.API),
		APILabel(c.Lower.Case.API))
	if !one && !c.Visible.ExceedsVariation() {
		return head + "no difference shown"
	}
	return fmt.Sprintf("%s%s: %s, %s", head, formatSigned(c.Visible.Seconds),
		c.componentText("transfers", c.Transfers, one, formatSigned),
		c.componentText("structure", c.Structure, one, formatSigned))
}

// componentText describes one part of the difference, transfers or structure. The function format formats a time
// difference.
func (c HDF5ExtraTime) componentText(name string, d TimeDifference, one bool, format func(float64) string) string {
	switch seconds := max(d.Seconds, -d.Seconds); {
	case seconds < minClassShare*max(c.Visible.Upper.Median, c.Visible.Lower.Median):
		return name + " within 1 % of the time"
	case !one && !d.ExceedsVariation():
		return "no difference of " + name + " shown"
	}
	text := name + " " + format(d.Seconds)
	if share := d.Seconds / c.Visible.Seconds; share >= 0 && share <= 1 {
		text += fmt.Sprintf(" (%.0f %%)", 100*share)
	}
	return text
}

// formatLonger formats a difference of times: "3 s longer" or "3 s less".
func formatLonger(seconds float64) string {
	if seconds < 0 {
		return units.FormatSeconds(-seconds) + " less"
	}
	return units.FormatSeconds(seconds) + " longer"
}

// formatSigned formats a difference of times with its sign.
func formatSigned(seconds float64) string {
	if seconds < 0 {
		return "-" + units.FormatSeconds(-seconds)
	}
	return "+" + units.FormatSeconds(seconds)
}

// WorkloadText describes a workload by its name, sizes and choices.
func WorkloadText(w result.Workload) string {
	words := []string{w.Title()}
	for _, part := range []string{KeyValuesText(w.Sizes), KeyValuesText(w.Chosen)} {
		if part != "" {
			words = append(words, part)
		}
	}
	return strings.Join(words, ", ")
}

// shortHash is the number of hexadecimal digits with which people can distinguish hashes.
const shortHash = 12

// ShortWorkloadHash returns the first digits of the hash of the workload, or "not known".
func ShortWorkloadHash(w result.Workload) string {
	return cmp.Or(w.Hash[:min(shortHash, len(w.Hash))], "not known")
}
