package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// API is the name of an API for people.
func API(api string) string {
	switch api {
	case "posix":
		return "POSIX"
	case "mpiio":
		return "MPI-IO"
	case "phdf5":
		return "HDF5"
	case "hdf5":
		return "serial HDF5"
	}
	return api
}

// Name is what the ratio relates: MPI-IO : POSIX.
func (r Ratio) Name() string { return API(r.Upper) + " : " + API(r.Lower) }

// Marks are the marks of the point's samples, each with the number of samples that have it unless all have: "warm, short 2 of 8".
func (p Point) Marks() string {
	var words []string
	for _, m := range (result.Point{Samples: p.Samples}).Marks() {
		n := 0
		for _, s := range p.Samples {
			if s.Has(m) {
				n++
			}
		}
		word := string(m)
		if n < len(p.Samples) {
			word += fmt.Sprintf(" %d of %d", n, len(p.Samples))
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// MarkMeaning says what a mark means.
func MarkMeaning(m result.Mark) string {
	switch m {
	case result.Warm:
		return "the data were in this client's memory, so the figure is not that of the storage"
	case result.Short:
		return "it took less than a second, so caches and chance weigh heavily"
	case result.Implausible:
		return "it is faster than the memory of the nodes can copy, so it cannot be that of a file system"
	}
	return ""
}

// Range prints the interval of a throughput, or the range of its samples where they are too few for an interval.
func (v Value) Range(format func(float64) string) string {
	switch {
	case v.N == 1:
		return "one sample"
	case v.Interval:
		return span(format(v.Low), format(v.High))
	}
	return "range " + span(format(v.Low), format(v.High))
}

// span names a unit that both ends have once.
func span(low, high string) string {
	number, unit, _ := strings.Cut(low, " ")
	if _, other, _ := strings.Cut(high, " "); other == unit {
		low = number
	}
	return low + " to " + high
}

// FormatRatio prints a ratio.
func FormatRatio(r float64) string {
	if r >= 100 {
		return strconv.FormatFloat(r, 'f', 0, 64)
	}
	return strconv.FormatFloat(r, 'f', 2, 64)
}

// Sync says when written data were made durable.
func (r *Run) Sync() string {
	switch r.Parameters.Conditions.Sync {
	case "close":
		return "synced before each file is closed"
	case "phase":
		return "synced after the transfers of each dataset"
	case "each":
		return "synced after each transfer"
	}
	return "not synced"
}

// Access says how the data were accessed.
func (r *Run) Access() string {
	p := r.Parameters
	words := []string{r.Kind}
	if p.Serial() {
		words = append(words, plural(len(p.DatasetExtent), "dimension", "dimensions"), "file driver "+p.Driver)
	} else {
		words = append(words, p.Geometry, p.Pattern+" pattern", p.Mode+" access")
	}
	words = append(words, p.Layout+" layout")
	if len(p.Hints) > 0 {
		words = append(words, "MPI-IO hints "+pairs(p.Hints))
	}
	return strings.Join(words, ", ")
}

// Conditions says under which conditions it was measured, in the order of a run.
func (r *Run) Conditions() []string {
	c := r.Parameters.Conditions
	words := []string{r.Sync()}
	if c.Direct {
		words = append(words, "POSIX with O_DIRECT")
	}
	if c.Cold {
		words = append(words, "page cache dropped before reads")
	} else {
		words = append(words, "page cache kept before reads")
	}
	if c.Shift != 0 {
		words = append(words, fmt.Sprintf("rank r reads what rank r%+d wrote", c.Shift))
	}
	switch data := cmp.Or(c.Data, "position"); data {
	case "compress":
		words = append(words, fmt.Sprintf("data that shrink %g : 1", c.CompressRatio))
	default:
		words = append(words, data+" data")
	}
	if c.ReadOnly != "" {
		words = append(words, "reads "+c.ReadOnly+" alone")
	}
	if c.MemoryFactor > 0 {
		words = append(words, fmt.Sprintf("files to be %g times the memory of the nodes", c.MemoryFactor))
	}
	if c.Order == "random" {
		words = append(words, "cases in random order")
	}
	if c.Warmup > 0 {
		words = append(words, plural(c.Warmup, "iteration", "iterations")+" for warming up")
	}
	if c.RepeatUntil > 0 {
		words = append(words, fmt.Sprintf("repeated until the interval is %.3g %% wide", 100*c.RepeatUntil))
	}
	if c.MinSeconds > 0 {
		words = append(words, "at least "+units.FormatSeconds(c.MinSeconds)+" per case")
	}
	if c.TimeLimit > 0 {
		words = append(words, "transfers limited to "+units.FormatSeconds(c.TimeLimit))
	}
	if c.Profile != "" {
		words = append(words, "profile "+c.Profile)
	}
	if r.Parameters.Verify {
		words = append(words, "verified")
	}
	return words
}

// Place says on what file system and where it was measured.
func (r *Run) Place() string {
	host := cmp.Or(r.Machine.Host, "an unknown host")
	return fmt.Sprintf("%s at %s on %s", cmp.Or(r.Target.Type, "unknown file system"), cmp.Or(r.Target.MountPoint, r.Target.Directory), host)
}

// Title is the run in a line: when and on what.
func (r *Run) Title() string { return r.Moment() + ", " + r.Place() }

// Moment is the start of the run, by which it is told from others, and of two that were measured in turns the letter.
func (r *Run) Moment() string {
	words := r.Started.UTC().Format("2006-01-02 15:04:05 UTC")
	if r.Pair != nil {
		words += " " + r.Pair.Arm
	}
	return words
}

// Warnings are what to know before believing the figures of the run.
func (r *Run) Warnings() []string {
	var words []string
	if r.State != result.Complete {
		text := "The run is " + string(r.State)
		if r.State == result.Running {
			text += ", or was ended without being able to say so"
		}
		words = append(words, text+".")
	}
	without, counts, all, unsynced := 0, map[result.Mark]int{}, 0, 0
	for _, p := range r.Points() {
		if p.Missing != "" {
			without++
		}
		for _, s := range p.Samples {
			all++
			for _, m := range s.Marks {
				counts[m]++
			}
			if s.Operation == "write" && s.Sync == nil {
				unsynced++
			}
		}
	}
	if without > 0 {
		words = append(words, plural(without, "result has no figure", "results have no figure")+"; the reason stands in its place.")
	}
	for _, m := range []result.Mark{result.Warm, result.Short, result.Implausible} {
		if n := counts[m]; n > 0 {
			words = append(words, fmt.Sprintf("%d of %d samples are marked %s: %s.", n, all, m, MarkMeaning(m)))
		}
	}
	if unsynced > 0 {
		words = append(words, "Nothing was synced: written data may have been in memory when the clock stopped.")
	}
	return words
}

// APIs are those of the runs in the order of the stack, lowest first.
func APIs(runs []Run) []string {
	var apis []string
	for _, api := range []string{"posix", "mpiio", "phdf5", "hdf5"} {
		if slices.ContainsFunc(runs, func(r Run) bool { return slices.Contains(r.Parameters.APIs, api) }) {
			apis = append(apis, api)
		}
	}
	return apis
}

func pairs(all []result.KeyValue) string {
	words := make([]string, len(all))
	for i, kv := range all {
		words[i] = kv.Key + "=" + kv.Value
	}
	return strings.Join(words, " ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func digits(n int) string { return strconv.Itoa(n) }

func numbered(word string, n int) string {
	if n == 0 {
		return ""
	}
	return word + " " + digits(n)
}
