package figures

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/result"
)

// Marks returns the marks of the samples, in words. A mark that not all samples have is followed by their number:
// "warm, short 2 of 8".
func (p Point) Marks() string {
	var words []string
	for _, m := range result.All[result.Mark]() {
		n := Marked(p.Samples, m)
		if n == 0 {
			continue
		}
		word := string(m)
		if n < len(p.Samples) {
			word += fmt.Sprintf(" %d of %d", n, len(p.Samples))
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// Marked returns the number of samples that have a mark.
func Marked(samples []result.Sample, m result.Mark) int {
	n := 0
	for _, s := range samples {
		if s.Has(m) {
			n++
		}
	}
	return n
}

// MarkMeaning returns, in words, what a mark means.
func MarkMeaning(m result.Mark) string {
	switch m {
	case result.Warm:
		return "the data were in this client's memory, so the figure is not that of the storage"
	case result.Short:
		return "it took less than a second, so caches and chance weigh heavily"
	case result.Implausible:
		return "it is faster than the processors of the job can copy memory, so it cannot be that of a file system"
	case result.Staggered:
		return fmt.Sprintf("its processes were not at work all at once, each on average for less than %g %% of the "+
			"window, so the figure is not what all of them together can reach", 100*result.StaggeredRatio)
	case result.Skewed:
		return fmt.Sprintf("the nodes left barriers so far apart in time that its window may be wrong by more than "+
			"%g %%", 100*result.SkewRatio)
	}
	return ""
}

// Remarks returns the notes of the run, without those that Warnings tells.
func (r *Run) Remarks() []string {
	crowded := Crowded(r.Job)
	return slices.DeleteFunc(slices.Clone(r.Notes), func(note string) bool { return note == crowded })
}

// Warnings returns what readers must know before they believe the figures of the run, one sentence each.
func (r *Run) Warnings() []string {
	var words []string
	if r.State != result.Complete {
		text := "The run is " + string(r.State)
		if r.State == result.Running {
			text += ", or was ended without being able to say so"
		}
		words = append(words, text+".")
	}
	if r.inMemory() {
		words = append(words, "The target is memory ("+r.Target.Type+"): no figure is that of storage.")
	}
	if r.Basis == result.BasisSlowest && r.Job.Processes > 1 {
		words = append(words, "Throughput is bytes by "+Basis(r.Basis)+", for the "+
			"document has no windows: too high where processes worked one after another, and not comparable with "+
			"bytes by the window.")
	}
	if text := Crowded(r.Job); text != "" {
		words = append(words, strings.ToUpper(text[:1])+text[1:]+".")
	}
	without, unsynced := 0, 0
	var samples []result.Sample
	for _, p := range r.Points() {
		if p.Missing != "" {
			without++
		}
		samples = append(samples, p.Samples...)
		for _, s := range p.Samples {
			if s.Operation == result.OperationWrite && s.Sync == nil {
				unsynced++
			}
		}
	}
	if without > 0 {
		words = append(words,
			plural(without, "result has no figure", "results have no figure")+"; the reason stands in its place.")
	}
	for _, m := range result.All[result.Mark]() {
		if n := Marked(samples, m); n > 0 {
			words = append(words,
				fmt.Sprintf("%d of %d samples are marked %s: %s.", n, len(samples), m, MarkMeaning(m)))
		}
	}
	capped := 0
	for _, c := range r.Cases {
		if c.State == result.Complete && c.EndedBy == result.EndedByCap {
			capped++
		}
	}
	if capped > 0 {
		words = append(words, fmt.Sprintf("%s by the cap of %d iterations before what was asked for: %s.",
			plural(capped, "case was ended", "cases were ended"), r.Parameters.Conditions.MaxIterations,
			strings.Join(r.enough(), ", ")))
	}
	if unsynced > 0 {
		words = append(words, "Nothing was synced: written data may have been in memory when the clock stopped.")
	}
	return words
}
