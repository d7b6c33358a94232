package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// Limits of what ObjectSentences tells.
const (
	minGrowthRange    = 4     // the larger number of objects, divided by the smaller one
	minGrowth         = 1.5   // the time of an object, divided by that with fewer objects
	minGrowthSeconds  = 0.001 // of all objects
	maxStepRange      = 2     // numbers of objects between which a step is sought, one divided by the other
	minStepOfTime     = 1.5
	minStepOfFileSize = 1.25
)

// perFileClasses are classes of steps for files, whose time may grow with the objects in them.
var perFileClasses = []workload.StepClass{workload.FileOpen, workload.Sync, workload.FileClose}

// ObjectsTitle is the title of ObjectSentences.
const ObjectsTitle = "What objects cost"

// ObjectSentences returns sentences about workloads that handle many objects: how many files of POSIX an object of HDF5
// is worth and, of --sweep, where the time of an object grows with their number, and where there is a step.
func (r *Run) ObjectSentences() []string {
	if r.Parameters.Workload == nil {
		return nil
	}
	points := r.Points()
	all := r.filesPerObjectSentences(points)
	for _, pair := range sweptPairs(points) {
		if text := pair.text(); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// filesPerObjectSentences compares HDF5 with POSIX, for workloads whose objects are files with POSIX. Each ratio has
// its interval.
func (r *Run) filesPerObjectSentences(points []Point) (all []string) {
	for _, p := range points {
		if !result.APIOf(p.Case.API).Datasets {
			continue
		}
		for _, q := range points {
			if q.Case.API != result.POSIX || q.operationText() != p.operationText() {
				continue
			}
			var words []string
			for _, row := range Rows {
				if row.RatedClass == "" && row.Name != "created_to_close" {
					continue
				}
				if files, _ := r.ratioOfPoints(row, q, p); files.N > 0 {
					words = append(words, strings.TrimSuffix(row.Heading, "/s")+" "+files.textWithRange(
						func(x float64) string { return fmt.Sprintf("%.3g", x) }))
				}
			}
			if words != nil {
				all = append(all, fmt.Sprintf("%s: an object of %s takes the time of so many files with POSIX "+
					"(%s): %s.", p.operationText(), APILabel(p.Case.API), stats.Interval, strings.Join(words, "; ")))
			}
		}
	}
	return all
}

// sweptPoint is a point of a sweep over a number.
type sweptPoint struct {
	Point
	name, value string // of --sweep
	number      float64
}

// valueText names the value: "objects=1000".
func (s sweptPoint) valueText() string {
	return fmt.Sprintf("%s=%s", s.name, units.FormatSize(uint64(s.number)))
}

// sweptSeries returns, for each name of --sweep whose values have a number, the points that differ in it alone, sorted
// by the number.
func sweptSeries(points []Point, numberOf func(value string) (float64, error)) (all [][]sweptPoint) {
	place := map[string]int{}
	for _, p := range points {
		for i, kv := range p.Case.Values {
			number, err := numberOf(kv.Value)
			if err != nil || len(p.Samples) == 0 {
				continue
			}
			others := slices.Delete(slices.Clone(p.Case.Values), i, i+1)
			key := fmt.Sprint(kv.Key, p.Case.API, p.Operation, p.Case.Processes, TransferBytes(p.Case), others)
			if _, is := place[key]; !is {
				place[key] = len(all)
				all = append(all, nil)
			}
			all[place[key]] = append(all[place[key]], sweptPoint{p, kv.Key, kv.Value, number})
		}
	}
	for _, series := range all {
		slices.SortStableFunc(series, func(a, b sweptPoint) int { return int(a.number - b.number) })
	}
	return all
}

// sizeNumber returns the number of a size. It returns an error for the value of a choice.
func sizeNumber(value string) (float64, error) {
	number, err := units.ParseSize(value)
	return float64(number), err
}

// objectTimes returns the time that an object takes in a class of steps, in each sample. Of a class for files, these
// are the objects that the sample uses most often. It returns nil if there are few, or if some samples have none.
func (p Point) objectTimes(class workload.StepClass) (seconds []float64) {
	for _, s := range p.Samples {
		n := classObjects(s, class)
		if slices.Contains(perFileClasses, class) {
			n = mostObjects(s)
		}
		time := s.ClassInterval(class).Seconds()
		if n < workload.MinRatedObjects || time < minGrowthSeconds {
			return nil
		}
		seconds = append(seconds, time/float64(n))
	}
	return seconds
}

// mostObjects returns the largest number of objects that the steps of a class were for.
func mostObjects(s result.Sample) (n uint64) {
	for _, t := range s.Classes {
		n = max(n, t.Objects)
	}
	return n
}

// objectRatio returns how many times as many objects the point many has as the point few; 0 if one has none.
func objectRatio(few, many sweptPoint) float64 {
	a, b := mostObjects(few.Samples[0]), mostObjects(many.Samples[0])
	if a == 0 {
		return 0
	}
	return float64(b) / float64(a)
}

// sweptPair is two points of a sweep, the second of which has more objects: an early and the last point, or two
// neighbours whose numbers differ little, between which there may be a step.
type sweptPair struct {
	few, many sweptPoint
	isStep    bool
	classes   []classGrowth
}

// classGrowth compares the times that an object takes in a class of steps at two points.
type classGrowth struct {
	class     workload.StepClass
	few, many float64 // medians in seconds
	p         float64 // of the hypothesis that they do not differ
}

// sweptPairs returns the pairs of points to compare, with those classes whose time for an object is shown to grow by
// the factor that counts. If nothing grows, the probability that any class of any pair is shown to grow is at most
// 1 - stats.Level.
func sweptPairs(points []Point) (all []sweptPair) {
	for _, series := range sweptSeries(points, sizeNumber) {
		all = append(all, growthPairs(series)...)
		for i := range series[1:] {
			few, many := series[i], series[i+1]
			if more := objectRatio(few, many); more > 1 && more <= maxStepRange &&
				result.APIOf(many.Case.API).Datasets {
				pair := sweptPair{few: few, many: many, isStep: true}
				pair.addClasses(ratedClasses)
				all = append(all, pair)
			}
		}
	}
	var p []float64
	for _, pair := range all {
		for _, c := range pair.classes {
			p = append(p, c.p)
		}
	}
	corrected := stats.Holm(p)
	for i := range all {
		factor := minGrowth
		if all[i].isStep {
			factor = minStepOfTime
		}
		n := len(all[i].classes)
		of := corrected[:n]
		corrected = corrected[n:]
		var shown []classGrowth
		for k, c := range all[i].classes {
			if of[k] <= 1-stats.Level && c.many >= factor*c.few {
				shown = append(shown, c)
			}
		}
		all[i].classes = shown
	}
	return all
}

// growthPairs compares the last point of a series with the first point at which a class of steps takes time enough, for
// each class.
func growthPairs(series []sweptPoint) (all []sweptPair) {
	last, left := series[len(series)-1], slices.Concat(ratedClasses, perFileClasses)
	for _, few := range series[:len(series)-1] {
		if objectRatio(few, last) < minGrowthRange {
			continue
		}
		pair := sweptPair{few: few, many: last}
		pair.addClasses(left)
		left = slices.DeleteFunc(left, func(class workload.StepClass) bool { return few.objectTimes(class) != nil })
		all = append(all, pair)
	}
	return all
}

// addClasses compares the two points in those classes of steps that take time enough at both.
func (pair *sweptPair) addClasses(classes []workload.StepClass) {
	for _, class := range classes {
		a, b := pair.few.objectTimes(class), pair.many.objectTimes(class)
		if a != nil && b != nil {
			pair.classes = append(pair.classes, classGrowth{
				class, stats.SampleMedian(a), stats.SampleMedian(b), stats.IndependentTest(a, b, stats.Level).P,
			})
		}
	}
}

// text says what grows between the points. It returns "" if nothing is shown to do so.
func (pair sweptPair) text() string {
	if pair.isStep {
		return pair.stepText()
	}
	return pair.growthText()
}

// growthText says which classes of steps take more time for an object if there are more of them.
func (pair sweptPair) growthText() string {
	if pair.classes == nil {
		return ""
	}
	few, many, growsMost := pair.few, pair.many, 0.0
	var words []string
	for _, c := range pair.classes {
		words = append(words, fmt.Sprintf("%s from %s to %s", c.class, units.FormatSeconds(c.few),
			units.FormatSeconds(c.many)))
		growsMost = max(growsMost, math.Log(c.many/c.few)/math.Log(objectRatio(few, many)))
	}
	text := fmt.Sprintf("%s, %s: the time of an object grows from %s to %s: %s. So the time of all grows faster than "+
		"their number, up to about as its power %.2g.", APILabel(many.Case.API), many.placeText(), few.valueText(),
		many.valueText(), strings.Join(words, "; "), 1+growsMost)
	if slices.ContainsFunc(pair.classes, func(c classGrowth) bool { return c.class == workload.Attribute }) &&
		!many.hasNewFormat() {
		text += " In the old format, HDF5 looks through the attributes of an object one by one: --libver v18 or " +
			"later indexes many."
	}
	return text
}

// stepText says what becomes much more between the points.
func (pair sweptPair) stepText() string {
	few, many := pair.few, pair.many
	var words []string
	a, is := findStatistic("object_size").PointMedian(few.Point)
	b, both := findStatistic("object_size").PointMedian(many.Point)
	if is && both && b >= minStepOfFileSize*a {
		words = append(words, fmt.Sprintf("the file for an object from %s to %s", units.FormatBytes(a),
			units.FormatBytes(b)))
	}
	for _, c := range pair.classes {
		words = append(words, fmt.Sprintf("%s of an object from %s to %s", c.class, units.FormatSeconds(c.few),
			units.FormatSeconds(c.many)))
	}
	if words == nil {
		return ""
	}
	text := fmt.Sprintf("%s, %s: a step from %s to %s: %s.", APILabel(many.Case.API), many.placeText(),
		few.valueText(), many.valueText(), strings.Join(words, "; "))
	return text + many.denseText(few)
}

// denseText names the limit of object headers that may be the reason of a step between two points, if the format of the
// files has one. There is none for the size of a header as a whole.
func (s sweptPoint) denseText(few sweptPoint) string {
	if !s.hasNewFormat() {
		return ""
	}
	for _, of := range []struct {
		class         workload.StepClass
		setting, call string
	}{
		{workload.Attribute, "compact-attributes", "H5Pset_attr_phase_change"},
		{workload.CreateLink, "compact-links", "H5Pset_link_phase_change"},
		{workload.Create, "compact-links", "H5Pset_link_phase_change"},
	} {
		limit, err := strconv.ParseUint(cmp.Or(s.settingText(of.setting), defaultCompact), 10, 64)
		if err == nil && classObjects(s.Samples[0], of.class) > 0 && few.number <= float64(limit) &&
			float64(limit) < s.number {
			return fmt.Sprintf(" Between them is the limit of object headers, %s=%d (%s): more are in dense storage.",
				of.setting, limit, of.call)
		}
	}
	return " In new formats, HDF5 moves the links of a group, or the attributes of an object, from its header to " +
		"dense storage when there are more than compact-links or compact-attributes, by default " + defaultCompact + "."
}

// defaultCompact is the largest number of links or attributes in an object header, by default.
const defaultCompact = "8"

// placeText names a point of a series without the value that differs: "write, 2 processes, kind=group".
func (s sweptPoint) placeText() string {
	p := s.Point
	p.Case.Values = slices.DeleteFunc(slices.Clone(p.Case.Values),
		func(kv result.KeyValue) bool { return kv.Key == s.name })
	return p.operationText()
}

// hasNewFormat reports whether the run has asked for a format of files that stores links and attributes densely.
func (p Point) hasNewFormat() bool {
	version := p.settingText("libver")
	return version != "" && version != string(option.LibverEarliest)
}

// settingText returns the value of a setting of HDF5 that the run, or its workload, has asked for, or "".
func (p Point) settingText(name string) string {
	rows := option.AllHDF5Settings()
	i := slices.IndexFunc(rows, func(r option.HDF5Setting) bool { return r.Name == name })
	value := rows[i].ValueText(p.Run.Parameters.HDF5Settings)
	if w := p.Run.Parameters.Workload; value == "" && w != nil {
		for _, kv := range w.Settings {
			if kv.Key == name {
				value = kv.Value
			}
		}
	}
	return value
}
