package figures

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// SyncText describes when written data were made durable.
func (r *Run) SyncText() string {
	switch r.Parameters.Conditions.Sync {
	case option.SyncClose:
		return "synced before each file is closed"
	case option.SyncPhase:
		return kindTraitsOf(r.Parameters).syncPhaseText
	case option.SyncEach:
		return "synced after each transfer"
	}
	if r.hasSyncSteps() {
		return "synced by the workload"
	}
	return NotSynced.Keyword
}

// hasSyncSteps reports whether steps of the workload of the run make written data durable. It looks for such steps in
// the samples or, if there are none yet, in the workload.
func (r *Run) hasSyncSteps() bool {
	switch measured := func(c result.Case) bool { return len(c.Samples) > 0 }; {
	case !r.IsWorkload():
		return false
	case !slices.ContainsFunc(r.Cases, measured):
		return r.Parameters.Workload.Flushes
	}
	return slices.ContainsFunc(r.Cases,
		func(c result.Case) bool { return slices.ContainsFunc(c.Samples, sampleHasSync) })
}

// Access describes how the data were accessed: pattern, file driver, layout, hints. With --sweep, it returns what all
// cases have in common.
func (r *Run) Access() string { return strings.Join(r.commonTexts((*Run).accessTexts), ", ") }

// commonTexts returns those texts of the run that all its parts have, see Parts.
func (r *Run) commonTexts(texts func(*Run) []string) []string {
	var all [][]string
	for _, part := range r.Parts() {
		all = append(all, texts(part))
	}
	return commonElements(all)
}

// commonElements returns the elements of the first list that all lists have.
func commonElements[T comparable](lists [][]T) []T {
	return slices.DeleteFunc(slices.Clone(lists[0]), func(one T) bool {
		return slices.ContainsFunc(lists, func(list []T) bool { return !slices.Contains(list, one) })
	})
}

func (r *Run) accessTexts() []string {
	p, kind := r.Parameters, kindTraitsOf(r.Parameters)
	words := kind.access(p)
	if kind.parallel && p.Driver != "" && p.Driver != kind.driver {
		words = append(words, "HDF5 file driver "+string(p.Driver))
	}
	if p.FilesPerProcess {
		words = append(words, "a file for each process")
	}
	if p.Create == option.CreateFirst {
		words = append(words, "files created by the first process")
	}
	switch p.Selection {
	case option.SelectionOr:
		words = append(words, "blocks united by HDF5")
	case option.SelectionPoints:
		words = append(words, "bytes selected by HDF5 as points")
	}
	if layout := r.LayoutLabel(); layout != "" {
		words = append(words, layout+" layout")
	}
	if len(p.Hints) > 0 {
		words = append(words, "asked for MPI-IO hints "+KeyValuesText(p.Hints))
	}
	return words
}

// WindowMeaning describes the time by which bytes are divided to get the throughput.
const WindowMeaning = "the window from the start of the first process to the end of the last process"

// ThroughputMeaning says how throughput is computed in this run.
func (r *Run) ThroughputMeaning() string {
	return "throughput is bytes divided by " + WindowMeaning + kindTraitsOf(r.Parameters).rateMeaning
}

// Conditions describes the conditions of the run, each in a few words, in the order in which they apply during a run.
// It leaves out conditions that do not apply and, with --sweep, those that not all cases have.
func (r *Run) Conditions() []string { return r.commonTexts((*Run).conditionTexts) }

func (r *Run) conditionTexts() []string {
	c := r.Parameters.Conditions
	var words []string
	if c.ReadOnly == "" {
		words = append(words, r.SyncText())
	}
	if c.Direct {
		words = append(words, r.directAPIs()+" with O_DIRECT")
	}
	switch {
	case c.Cold && r.Target.IsInMemory():
		words = append(words, "page cache not dropped before reads, because the target is memory ("+r.Target.Type+")")
	case c.Cold:
		words = append(words, "page cache dropped before reads")
	default:
		words = append(words, "page cache kept before reads")
	}
	if option.ValueOrZero(c.Shift) != 0 {
		words = append(words, fmt.Sprintf("rank r reads the data of rank r%+d", option.ValueOrZero(c.Shift)))
	}
	if c.Spread == option.SpreadNodes {
		words = append(words, "steps with fewer processes use all nodes")
	}
	switch data := cmp.Or(c.Data, option.DataPosition); {
	case r.IsWorkload(): // its data are numbers of the types of its datasets
	case c.ReadOnly != "" && !r.Parameters.Verify:
		words = append(words, "data of another run, not verified")
	case data == option.DataCompress:
		words = append(words, fmt.Sprintf("data compressible %g : 1", c.CompressRatio))
	default:
		words = append(words, string(data)+" data")
	}
	if c.ReadOnly != "" {
		words = append(words, r.readOnlyText())
	}
	if option.ValueOrZero(c.MemoryFactor) > 0 {
		words = append(words, fmt.Sprintf("files %g times as large as the memory of the nodes",
			option.ValueOrZero(c.MemoryFactor)))
	}
	if c.Order == option.OrderRandom {
		words = append(words, "cases in random order")
	}
	if option.ValueOrZero(c.Warmup) > 0 {
		words = append(words, units.Count(option.ValueOrZero(c.Warmup), "warm-up iteration", "warm-up iterations"))
	}
	words = append(words, r.stopCriteria()...)
	if option.ValueOrZero(c.TimeLimit) > 0 {
		words = append(words,
			kindTraitsOf(r.Parameters).limitedText+" limited to "+units.FormatSeconds(option.ValueOrZero(c.TimeLimit)))
	}
	for f := range taggedConditions(c) {
		if f.text != "" {
			words = append(words, strings.ReplaceAll(f.Tag.Get("words"), "VALUE", f.text))
		}
	}
	if c.Preset != "" {
		words = append(words, "preset "+string(c.Preset))
	}
	if r.Parameters.Verify {
		words = append(words, r.verifiedText())
	}
	return words
}

// readOnlyText says which file of another run was read. It is for runs that only read.
func (r *Run) readOnlyText() string { return "reads only " + r.Parameters.Conditions.ReadOnly }

// verifiedText says how many bytes were compared with the written data.
func (r *Run) verifiedText() string {
	if compared := r.comparedText(); compared != "" {
		return "verified: " + compared + " of read data were compared with the written data"
	}
	return r.verifiedWords()
}

// verifiedWords returns "verified", or "nothing verified" if no case read data to compare.
func (r *Run) verifiedWords() string {
	if len(r.Cases) > 0 && !slices.ContainsFunc(r.Cases, func(c result.Case) bool { return c.Verified }) {
		return "nothing verified"
	}
	return "verified"
}

// comparedText formats the number of bytes that were read and compared with the written data, in all verified cases and
// with their warm-up iterations. It returns "" if there are none.
func (r *Run) comparedText() string {
	var bytes uint64
	for _, c := range r.Cases {
		if c.Verified {
			bytes += ComparedBytes(c.Samples) + ComparedBytes(c.Warmup)
		}
	}
	if bytes == 0 {
		return ""
	}
	return units.FormatBytes(float64(bytes))
}

// ComparedBytes returns how many bytes of the samples are compared with the written data in runs that verify: the bytes
// of reads, and those that writes read back.
func ComparedBytes(samples []result.Sample) (bytes uint64) {
	for _, s := range samples {
		if s.Operation == result.OperationRead {
			bytes += s.Bytes
		}
		bytes += s.ReadBackBytes
	}
	return bytes
}

// directAPIs returns the labels of the APIs of the run that can open files with O_DIRECT.
func (r *Run) directAPIs() string {
	var labels []string
	for _, name := range r.Parameters.APIs {
		if api := result.APIOf(name); api.Direct || api.PenIndex == result.NoPen {
			labels = append(labels, api.Label)
		}
	}
	return strings.Join(labels, ", ")
}

// stopCriteria describes the criteria that end the iterations of a case. It returns nil if the number of iterations is
// fixed.
func (r *Run) stopCriteria() []string {
	c := r.Parameters.Conditions
	var words []string
	if option.ValueOrZero(c.RepeatUntil) > 0 {
		words = append(words, fmt.Sprintf("repeated until the interval is %.3g %% wide",
			100*option.ValueOrZero(c.RepeatUntil)))
	}
	if option.ValueOrZero(c.MinSeconds) > 0 {
		words = append(words, "at least "+units.FormatSeconds(option.ValueOrZero(c.MinSeconds))+" per case")
	}
	return words
}

// TargetText says which file system was measured, and on which host.
func (r *Run) TargetText() string {
	host := cmp.Or(r.Machine.Host, "an unknown host")
	return fmt.Sprintf("%s at %s on %s", cmp.Or(r.Target.Type, "unknown file system"),
		cmp.Or(r.Target.MountPoint, r.Target.Directory), host)
}

// Title identifies the run in one line: start time, what was measured, and file system.
func (r *Run) Title() string {
	words := r.StartAndArm()
	if subject := r.Subject(); subject != "" {
		words = joinWithComma(words, subject)
	}
	return joinWithComma(words, r.TargetText())
}

// StartAndArm returns the start time of the run in UTC, which distinguishes it from other runs. If the run is one of
// several configurations that were measured alternately, the letter of its arm (A, B, ...) follows.
func (r *Run) StartAndArm() string {
	words := r.startText()
	if r.Pair != nil {
		words += " " + string(r.Pair.Arm)
	}
	return words
}

func (r *Run) startText() string { return r.Started.UTC().Format("2006-01-02 15:04:05 UTC") }

// taggedCondition is a field of option.Conditions whose struct tag "words" holds a text for people. text is its
// formatted value, or "" if it is not set.
type taggedCondition struct {
	reflect.StructField
	text string
}

// taggedConditions returns the conditions with the struct tag "words".
func taggedConditions(c option.Conditions) iter.Seq[taggedCondition] {
	return func(yield func(taggedCondition) bool) {
		for f := range result.JSONFields(reflect.TypeFor[option.Conditions]()) {
			if _, told := f.Tag.Lookup("words"); !told {
				continue
			}
			text := ""
			if v := reflect.Indirect(reflect.ValueOf(c).FieldByIndex(f.Index)); v.IsValid() && !v.IsZero() {
				text = fmt.Sprint(v)
				if f.Tag.Get("type") == "seconds" {
					text = units.FormatSeconds(v.Float())
				}
			}
			if !yield(taggedCondition{f, text}) {
				return
			}
		}
	}
}
