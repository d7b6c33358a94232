package figures

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// ratedClasses are the classes of steps that use objects.
var ratedClasses = []workload.StepClass{
	workload.Create, workload.CreateLink, workload.Attribute, workload.Open, workload.Stat, workload.List,
	workload.Rename, workload.Extend, workload.ObjectClose, workload.Unlink,
}

// creatingClasses are those that create objects, in writes.
var creatingClasses = []workload.StepClass{workload.Create, workload.CreateLink, workload.Attribute}

// toCloseClasses are those whose time createdToClose counts.
var toCloseClasses = append(slices.Clone(creatingClasses), workload.ObjectClose, workload.Sync, workload.FileClose)

// objectRates returns a statistic for each class of steps that use objects: how many of them per second.
func objectRates() (all []Row) {
	for _, class := range ratedClasses {
		word := result.ClassOf(class)
		all = append(all, Row{
			Name: "rate_" + strings.ReplaceAll(string(word), " ", "_"), Heading: string(word) + "/s", Unit: ObjectsRate,
			RatedClass: word,
			Help: "Objects that a class of steps was for, divided by its time: the window or, where the class has " +
				"none, that of the slowest process. What all ranks do together with a file counts once. Absent if " +
				fmt.Sprintf("there are less than %d.", workload.MinRatedObjects),
			valueOfSample: func(s result.Sample) (float64, bool) {
				n, seconds := classObjects(s, class), s.ClassInterval(class).Seconds()
				return float64(n) / seconds, n >= workload.MinRatedObjects && seconds > 0
			},
		})
	}
	return all
}

// classObjects returns the number of objects that the steps of some classes were for.
func classObjects(s result.Sample, classes ...workload.StepClass) (n uint64) {
	for _, t := range s.Classes {
		if isOneOfClasses(t.Class, classes) {
			n += t.Objects
		}
	}
	return n
}

// createdToClose returns the rate of objects that were created, flushed and closed with their files, in those dumps
// that create. It returns false if such a dump renames or unlinks objects, too: its flushes and closes also write that.
func createdToClose(s result.Sample) (float64, bool) {
	var seconds float64
	for _, d := range dumpsOf(s) {
		has := func(of ...workload.StepClass) bool {
			return slices.ContainsFunc(d.Classes, func(t result.DumpClass) bool { return isOneOfClasses(t.Class, of) })
		}
		if !has(creatingClasses...) {
			continue
		}
		if has(workload.Rename, workload.Unlink) {
			return 0, false
		}
		seconds += dumpClassSeconds(d, func(c result.Class) bool { return isOneOfClasses(c, toCloseClasses) })
	}
	n := classObjects(s, creatingClasses...)
	return float64(n) / seconds, s.Operation == result.OperationWrite && n >= workload.MinRatedObjects && seconds > 0
}

// dumpsOf returns the times of the dumps of a sample. A sample without them is one dump.
func dumpsOf(s result.Sample) []result.DumpTime {
	if len(s.Dumps) > 0 {
		return s.Dumps
	}
	var whole result.DumpTime
	for _, t := range s.Classes {
		whole.Classes = append(whole.Classes, result.DumpClass{Class: t.Class, Max: t.Max})
	}
	return []result.DumpTime{whole}
}

// fileBytesPerObject returns the size of the files of rank 0 per object that it created in them, without files from
// which it unlinked objects. It returns false if the document does not say which these are.
func fileBytesPerObject(c result.Case, s result.Sample) (float64, bool) {
	if c.Effective == nil || s.Operation != result.OperationWrite || !result.APIOf(c.API).Datasets {
		return 0, false
	}
	var bytes, objects, unlinked uint64
	for _, f := range c.Effective.Files {
		unlinked += f.Unlinked
		if f.Objects > 0 && f.Unlinked == 0 {
			bytes, objects = bytes+f.Bytes, objects+f.Objects
		}
	}
	isKnown := unlinked > 0 || classObjects(s, workload.Unlink) == 0
	return float64(bytes) / float64(objects), objects >= workload.MinRatedObjects && isKnown
}

// formatCountRate formats a number of things per second, with three digits below 100.
func formatCountRate(rate float64) string {
	if rate >= minWholeRate {
		return fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("%.3g", rate)
}
