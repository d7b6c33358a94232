package figures

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Caution is something that readers must know before they believe figures.
type Caution struct {
	Word string // it in a few words; "" if a summary says it elsewhere
	Help string // what makes the next run free of it, an option where there is one; "" if nothing is known to
	Text string // it in a sentence; "" if tables show it by themselves
}

// Warnings returns what readers must know before they believe the figures of the run, one sentence each.
func (r *Run) Warnings() []string {
	var words []string
	for _, c := range r.Cautions(r.Points()) {
		if c.Text != "" {
			words = append(words, c.Text)
		}
	}
	return words
}

// Cautions returns what readers must know before they believe some points of the run.
func (r *Run) Cautions(points []Point) []Caution {
	return slices.Concat(r.aboutRun(), r.aboutHints(), aboutLacks(points), r.aboutMarks(points), r.aboutEnds(),
		r.aboutSync(points), aboutFilters(points), aboutIntervals(points))
}

// aboutRun returns what is to be known of the whole run.
func (r *Run) aboutRun() []Caution {
	var all []Caution
	if r.State != result.Complete {
		text := "The run is " + string(r.State)
		if r.State == result.Running {
			text += ", or it ended without completing its document"
		} else if n := r.notBegun(); n > 0 {
			text += fmt.Sprintf("; %d of its %s did not begin", n, units.Count(r.PlannedCases, "case", "cases"))
		}
		all = append(all, Caution{Text: text + "."})
	}
	if r.Target.InMemory() {
		all = append(all, Caution{
			"target in memory", "a directory on storage (" + kindOf(r.Parameters).prefix + ")",
			"The target is memory (" + r.Target.Type + "): no result shows the speed of storage.",
		})
	}
	if text := Crowded(r.Job); text != "" {
		all = append(all, Caution{"oversubscribed", "fewer processes per node", sentence(text)})
	}
	if text := PartOfNode(r.Job, r.Machine); text != "" {
		all = append(all, Caution{"other jobs on the node", wholeNodes, sentence(text)})
	}
	return all
}

// aboutHints returns which hints have other values than were asked for. Hints that are not told back are in notes.
func (r *Run) aboutHints() []Caution {
	var words []string
	for _, asked := range r.Parameters.Hints {
		for _, c := range r.Cases {
			if c.Effective == nil {
				continue
			}
			for _, h := range c.Effective.Hints {
				text := fmt.Sprintf("%s=%s, not %s", h.Key, h.Value, asked.Value)
				if h.Key == asked.Key && h.Value != asked.Value && !slices.Contains(words, text) {
					words = append(words, text)
				}
			}
		}
	}
	if words == nil {
		return nil
	}
	return []Caution{{
		Word: "hints not as asked for",
		Text: "MPI-IO uses other hints than were asked for: " + strings.Join(words, "; ") + ".",
	}}
}

// wholeNodes is what keeps other jobs away.
const wholeNodes = "whole nodes"

// sentence returns a text as a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// aboutLacks returns which figures the points lack.
func aboutLacks(points []Point) []Caution {
	without, partial := 0, 0
	for _, p := range points {
		if p.Missing != "" {
			without++
		}
		if p.Partial != "" {
			partial++
		}
	}
	var all []Caution
	if without > 0 {
		all = append(all, Caution{
			Text: units.Count(without, "result has no throughput", "results have no throughput") + "; the tables " +
				"show the reason instead.",
		})
	}
	if partial > 0 {
		all = append(all, Caution{
			"partial", "",
			units.Count(partial, "result is partial", "results are partial") +
				": there are fewer iterations than requested. Only complete iterations count.",
		})
	}
	return all
}

// aboutMarks returns the marks of the samples of points.
func (r *Run) aboutMarks(points []Point) []Caution {
	var samples []result.Sample
	for _, p := range points {
		samples = append(samples, p.Samples...)
	}
	var all []Caution
	for _, m := range result.All[result.Mark]() {
		n, of := Marked(samples, m), could(samples, m)
		if n == 0 {
			continue
		}
		what := units.Count(of, "sample", "samples")
		if m == result.Warm {
			what = units.Count(of, "read sample", "read samples")
		}
		text := fmt.Sprintf("%s marked %s: %s.", units.Count(n, "of "+what+" is", "of "+what+" are"), m, MarkMeaning(m))
		if slices.Contains(usual(points), m) {
			text += " The tables show this mark only where some samples do not have it."
		}
		word := string(m)
		if n < of {
			word = "some " + word
		}
		all = append(all, Caution{word, r.helpAgainst(m), text})
	}
	return all
}

// helpAgainst returns what keeps a mark away in a run like this one.
func (r *Run) helpAgainst(m result.Mark) string {
	larger := kindOf(r.Parameters).larger
	switch m {
	case result.Warm, result.Implausible:
		given := func(g result.Given) bool { return g.Name == "num-bytes" }
		switch {
		case !r.Parameters.Conditions.Cold:
			return cold
		case r.Target.InMemory():
			return "" // nothing on this target does
		case r.OfApplication(), slices.ContainsFunc(r.Given, given): // and --memory-factor chooses it
			return larger
		}
		return "--memory-factor 2"
	case result.Short:
		return minSeconds
	case result.Staggered, result.Skewed:
		return larger
	case result.Shared:
		return wholeNodes
	}
	return ""
}

// aboutEnds returns which cases ended before they had what was asked for.
func (r *Run) aboutEnds() []Caution {
	capped, late := 0, 0
	for _, c := range r.Cases {
		switch {
		case c.State != result.Complete:
		case c.EndedBy == result.EndedByCap:
			capped++
		case c.EndedBy == result.EndedByDeadline:
			late++
		}
	}
	var all []Caution
	if late > 0 {
		all = append(all, Caution{
			"stopped at the deadline", "a later --deadline",
			units.Count(late, "case was stopped", "cases were stopped") +
				" at the deadline of the run, with fewer iterations than requested.",
		})
	}
	if capped > 0 {
		all = append(all, Caution{
			"stopped at the limit of iterations", "a larger --max-iterations",
			fmt.Sprintf("%s at the limit of %d iterations, before reaching the requested precision or time: %s.",
				units.Count(capped, "case was stopped", "cases were stopped"),
				option.Value(r.Parameters.Conditions.MaxIterations),
				strings.Join(r.enough(), ", ")),
		})
	}
	return all
}

// aboutSync returns whether written data may have been in memory.
func (r *Run) aboutSync(points []Point) []Caution {
	for _, p := range points {
		unsynced := func(s result.Sample) bool { return s.Operation == result.OperationWrite && !synced(s) }
		if slices.ContainsFunc(p.Samples, unsynced) {
			return []Caution{{
				"not synced", syncClose,
				"Writes were not synced: written data may still have been in memory when the clock stopped.",
			}}
		}
	}
	return nil
}

// aboutIntervals returns whether points have too few samples for an interval.
func aboutIntervals(points []Point) []Caution {
	if slices.ContainsFunc(points, func(p Point) bool { return p.Missing == "" && !p.Rate.Interval }) {
		return []Caution{{Word: "few samples", Help: fewestSamples}}
	}
	return nil
}

// aboutFilters returns whether filters worked on data that compress in another way than was asked for, or that hardly
// compress, since nothing was asked for.
func aboutFilters(points []Point) []Caution {
	for _, p := range points {
		f := p.Case.Filtered
		if f == nil || p.Operation != result.OperationWrite || p.Missing != "" {
			continue
		}
		if f.NoRatioBytes > 0 {
			return []Caution{{
				"filters on data that hardly compress", giveRatio,
				"Filters work on data that hardly compress: " + units.FormatBytes(float64(f.NoRatioBytes)) +
					" of datasets with filters have no ratio of compression. Give them one in the workload, such as " +
					"data: {ratio: 3}, or take that of a file: h5perf workload from FILE.",
			}}
		}
		stored, known := Stored(p.Case)
		if off := stored / float64(max(f.AskedBytes, 1)); known && (off > farOff || off < 1/farOff) {
			return []Caution{{
				"other compression than asked for", giveRatio, "Filters made datasets of " +
					units.FormatBytes(float64(f.Bytes)) + " as small as " + units.FormatBytes(stored) +
					", but by the ratios in the workload they would have " + units.FormatBytes(float64(f.AskedBytes)) +
					": give other ratios (data: {ratio: ..}).",
			}}
		}
	}
	return nil
}

// farOff is how many times smaller or larger than asked for filtered data may be, and leastFiltered is the size below
// which metadata hide that.
const (
	farOff        = 1.3
	leastFiltered = 1 << 20
)

// Stored returns how many bytes of the files are filtered data, and whether that is known: the files must consist
// mostly of these data, and all be made by rank 0, whose files have known sizes.
func Stored(c result.Case) (bytes float64, known bool) {
	f := c.Filtered
	size, files := FileBytes(c)
	if f == nil || uint64(files) != f.Files || f.AskedBytes < leastFiltered || f.OtherBytes > f.AskedBytes ||
		size <= f.OtherBytes {
		return 0, false
	}
	return float64(size - f.OtherBytes), true
}

// Options that help, which the preset standard sets all.
const (
	syncClose  = "--sync close"
	cold       = "--cold"
	minSeconds = "--min-seconds 1s"
)

// largerData is the option that helps where transfers end too soon, or fit in memory, and largerWorkload what helps
// where a workload does.
const (
	largerData     = "a larger -e"
	largerWorkload = "larger sizes of the workload (--set)"
)

// giveRatio is what helps where filters work on other data than those of the application.
const giveRatio = "data: {ratio: ..} in the workload"

var fewestSamples = fmt.Sprintf("-i %d", stats.MinSamples(stats.Level))

// Brief returns cautions and what helps against them as one text of at most so many characters. If they do not fit,
// the last helps are left out. If the cautions alone do not fit, the last of them are only counted.
func (r *Run) Brief(cautions []Caution, most int) string {
	var words []string
	for _, c := range cautions {
		if c.Word != "" {
			words = append(words, c.Word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	fits := func(text string) bool { return utf8.RuneCountInString(text) <= most }
	text := strings.Join(words, ", ") + "."
	for n := len(words) - 1; n > 0 && !fits(text); n-- {
		text = fmt.Sprintf("%s, and %d more.", strings.Join(words[:n], ", "), len(words)-n)
	}
	helps := r.Helps(cautions)
	for n := len(helps); n > 0; n-- {
		if longer := text + " Use " + strings.Join(helps[:n], ", ") + "."; fits(longer) {
			return longer
		}
	}
	return text
}

// Helps returns what helps against cautions, each once. Where most of what the preset standard sets helps, it returns
// the preset in place of that, which a workload does not have.
func (r *Run) Helps(cautions []Caution) []string {
	var helps, standard []string
	for _, c := range cautions {
		switch {
		case c.Help == "" || slices.Contains(helps, c.Help) || slices.Contains(standard, c.Help):
		case slices.Contains([]string{syncClose, cold, minSeconds, fewestSamples}, c.Help):
			standard = append(standard, c.Help)
		default:
			helps = append(helps, c.Help)
		}
	}
	if len(standard) > 2 && !r.OfApplication() {
		standard = []string{"--preset " + string(option.PresetStandard)}
	}
	return append(standard, helps...)
}
