package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Cautions returns what readers must know before they trust the results of points of the run.
func (r *Run) Cautions(points []Point) []plain.Caution {
	return slices.Concat(r.runCautions(), SharingCautions(r.Document), r.Document.Cautions, r.hintCautions(),
		CollectiveCautions(r.Cases...), missingResultCautions(points), r.markCautions(points), r.earlyStopCautions(),
		r.syncCautions(points), r.readBackCautions(points), filterCautions(points), r.intervalCautions(points))
}

// runCautions returns the cautions that concern the whole run.
func (r *Run) runCautions() []plain.Caution {
	var all []plain.Caution
	if r.State != result.Complete {
		all = append(all, plain.Caution{Text: r.endedText()})
	}
	if r.Target.IsInMemory() {
		all = append(all, plain.Caution{
			Keyword: "target in memory",
			Text:    "The target is memory (" + r.Target.Type + "): no result shows the speed of storage.",
			Help:    "a directory on storage (" + kindTraitsOf(r.Parameters).prefix + ")",
		})
	}
	return all
}

// unfinishedText describes a run whose document does not say that it ended.
const unfinishedText = "the run goes on, or it ended without completing its document"

// endedText says in sentences how an incomplete run ended, and what the user can do.
func (r *Run) endedText() string {
	text := "The run failed"
	switch r.State {
	case result.Running:
		return plain.Sentence(unfinishedText)
	case result.Interrupted:
		text = "The run was interrupted"
	}
	if n := r.numUnstartedCases(); n > 0 {
		text += fmt.Sprintf("; %d of its %s did not begin", n, units.Count(r.PlannedCases, "case", "cases"))
	}
	return text + ". Use h5perf rerun to repeat it."
}

// SharingCautions returns cautions if the processes of a run share processors with one another or with other jobs.
func SharingCautions(d result.Document) (all []plain.Caution) {
	if text := OversubscribedText(d.Job); text != "" {
		all = append(all, plain.Caution{
			Keyword: "oversubscribed", Text: plain.Sentence(text), Help: "fewer processes per node",
		})
	}
	if text := PartOfNodeText(d.Job, d.Machine); text != "" {
		all = append(all,
			plain.Caution{Keyword: "other jobs on the node", Text: plain.Sentence(text), Help: wholeNodes})
	}
	return all
}

// hintCautions returns a caution if MPI-IO uses other values of hints than the user requested. About hints that MPI-IO
// does not report, the run has notes instead.
func (r *Run) hintCautions() []plain.Caution {
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
	return []plain.Caution{{
		Keyword: "hints not as asked for",
		Text:    "MPI-IO uses other hints than were asked for: " + strings.Join(words, "; ") + ".",
	}}
}

// CollectiveCautions returns a caution if transfers of the cases were requested as collective, but some were not. It
// leaves out those of compact datasets, which are never collective.
func CollectiveCautions(cases ...result.Case) []plain.Caution {
	var all result.Collective
	var causes []string
	for _, c := range cases {
		for _, operation := range result.ValuesOf[result.Operation]() {
			one := c.CollectiveTransfers(operation)
			if one == nil || one.Mixed == 0 && slices.Equal(one.GlobalCauses, []string{compactCause}) {
				continue
			}
			all.Collective, all.Mixed = all.Collective+one.Collective, all.Mixed+one.Mixed
			all.Independent += one.Independent
			causes = slices.Concat(causes, one.GlobalCauses, one.LocalCauses)
		}
	}
	if all.Mixed+all.Independent == 0 {
		return nil
	}
	text := fmt.Sprintf("%d transfers were requested as collective, but %d were mixed and %d independent",
		all.Collective+all.Mixed+all.Independent, all.Mixed, all.Independent)
	if slices.Sort(causes); len(causes) > 0 { // there are none if few processes have data in a chunk
		text += ": " + causesText(slices.Compact(causes))
	}
	return []plain.Caution{{Keyword: "not collective", Text: text + "."}}
}

// wholeNodes is the remedy against other jobs on the nodes.
const wholeNodes = "whole nodes"

// missingResultCautions returns cautions about points that have no throughput or are partial.
func missingResultCautions(points []Point) []plain.Caution {
	without, untimed, partial := 0, 0, 0
	for _, p := range points {
		if p.Missing != "" {
			without++
		}
		if p.Missing != "" && p.Operation != "" && len(p.Samples) == 0 { // the case did not fail
			untimed++
		}
		if p.Partial != "" {
			partial++
		}
	}
	var all []plain.Caution
	if without > 0 {
		word := ""
		if untimed > 0 {
			word = units.Count(untimed, "result without throughput", "results without throughput")
		}
		all = append(all, plain.Caution{
			Keyword: word,
			Text: units.Count(without, "result has no throughput", "results have no throughput") + "; the tables " +
				"show the reason instead.",
		})
	}
	if partial > 0 {
		all = append(all, plain.Caution{
			Keyword: "partial",
			Text: units.Count(partial, "result is partial", "results are partial") +
				": there are fewer iterations than requested. Only complete iterations count.",
		})
	}
	return all
}

// markCautions returns a caution for each mark that samples of the points have.
func (r *Run) markCautions(points []Point) []plain.Caution {
	var samples []result.Sample
	for _, p := range points {
		samples = append(samples, p.Samples...)
	}
	var all []plain.Caution
	usual := findUsualMarks(points)
	for _, m := range result.ValuesOf[result.Mark]() {
		text := MarkedText(samples, m)
		if text == "" {
			continue
		}
		c := plain.Caution{
			Keyword: string(m), Text: text + " " + MarkMeaning(m),
			Help: r.suitableRemedy(cautionOfMark[m].Help),
		}
		if NumMarked(samples, m) < numMarkable(samples, m) {
			c.Keyword = "some " + c.Keyword
		}
		if slices.Contains(usual, m) {
			c.Text += " The tables show this mark only where some samples do not have it."
		}
		all = append(all, c)
	}
	return all
}

// earlyStopCautions returns cautions if cases were stopped before they had the requested iterations, precision or time.
func (r *Run) earlyStopCautions() []plain.Caution {
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
	var all []plain.Caution
	if late > 0 {
		all = append(all, plain.Caution{
			Keyword: "stopped at the deadline", Help: "a later --deadline",
			Text: units.Count(late, "case was stopped", "cases were stopped") +
				" at the deadline of the run, with fewer iterations than requested.",
		})
	}
	if capped > 0 {
		all = append(all, plain.Caution{
			Keyword: "stopped at the limit of iterations", Help: largerLimit,
			Text: fmt.Sprintf("%s at the limit of %d iterations, before reaching the requested precision or time: %s.",
				units.Count(capped, "case was stopped", "cases were stopped"),
				option.ValueOrZero(r.Parameters.Conditions.MaxIterations),
				strings.Join(r.stopCriteria(), ", ")),
		})
	}
	return all
}

// syncCautions returns a caution if written data may still have been in memory when the time ended.
func (r *Run) syncCautions(points []Point) []plain.Caution {
	if slices.ContainsFunc(points, Point.isUnsynced) {
		return []plain.Caution{NotSynced}
	}
	return nil
}

// isUnsynced reports whether the point is a write whose data nothing made durable: neither the --sync option nor a step
// of the workload.
func (p Point) isUnsynced() bool {
	sync := cmp.Or(p.Run.Parameters.Conditions.Sync, option.SyncNone)
	return sync == option.SyncNone && p.Operation == result.OperationWrite &&
		slices.ContainsFunc(p.Samples, func(s result.Sample) bool { return !sampleHasSync(s) })
}

// NotSynced is the caution about written data that nothing made durable.
var NotSynced = plain.Caution{
	Keyword: "not synced", Help: syncClose,
	Text: "Writes are not synced: written data may still be in memory when the clock stops.",
}

// intervalCautions returns cautions if points, or ratios of layers, have too few samples for a confidence interval, or
// if their intervals may be too narrow.
func (r *Run) intervalCautions(points []Point) []plain.Caution {
	few, needed := plain.Caution{Help: intervalRemedy}, stats.MinSamples(stats.Level)
	ratios := r.LayerRatios()
	if slices.ContainsFunc(ratios, func(r Ratio) bool { return !r.Paired && !r.Value.Interval }) {
		needed = stats.MinSamples(ratioLevel)
		few = plain.Caution{
			Keyword: "few samples for ratios", Help: ratioIntervalRemedy,
			Text: fmt.Sprintf("There are too few samples for an interval of each ratio of layers: it needs %d of both "+
				"layers. A range is that of the samples.", needed),
		}
	}
	if slices.ContainsFunc(points, func(p Point) bool { return p.Missing == "" && !p.Rate.Interval }) {
		few.Keyword, few.Text = "few samples", "There are too few samples for an interval."
	}
	all := r.dependenceCautions(points, ratios)
	if few.Text == "" {
		return all
	}
	if r.Parameters.Iterations >= needed {
		few.Help = ""
		few.Text += " More iterations were requested, but cases ended before they had them."
	}
	if slices.ContainsFunc(all, func(c plain.Caution) bool { return c.Help == independenceRemedy }) {
		few.Help = ""
	}
	return append([]plain.Caution{few}, all...)
}

// dependenceCautions returns cautions if intervals may be too narrow: because samples depend on one another, or because
// the layers of a ratio were measured one after another.
func (r *Run) dependenceCautions(points []Point, ratios []Ratio) (all []plain.Caution) {
	dependent := 0
	for _, p := range points {
		if p.Rate.TooDependent {
			dependent++
		}
	}
	if dependent > 0 {
		all = append(all, plain.Caution{
			Keyword: "dependent samples", Help: independenceRemedy,
			Text: units.Count(dependent, "result is", "results are") + " marked " + dependentMark + ": samples " +
				"depend on the samples before them, so the interval may be too narrow.",
		})
	}
	if slices.ContainsFunc(ratios, func(r Ratio) bool { return !r.Paired && r.Value.Interval }) {
		all = append(all, plain.Caution{
			Keyword: "unpaired ratios", Help: randomOrder,
			Text: "The layers were measured one after another. If the speed of the system changed between them, " +
				"the interval of a ratio of layers may be too narrow.",
		})
	}
	return all
}

// IndependenceNote returns a note if intervals rest on samples that are too few to show whether they depend on one
// another. It returns "" if there are none.
func (r *Run) IndependenceNote(points []Point) string {
	if !slices.ContainsFunc(points, func(p Point) bool {
		return p.Rate.Interval && p.Rate.N < stats.MinIndependenceSamples
	}) {
		return ""
	}
	return fmt.Sprintf("An interval of fewer than %d samples assumes that a sample does not depend on the samples "+
		"before it. If it does, the interval is too narrow; more iterations show it.", stats.MinIndependenceSamples)
}

// readBackCautions returns a caution if processes read data while others wrote: such reads may come from memory, also
// with --cold and --shift.
func (r *Run) readBackCautions(points []Point) []plain.Caution {
	c := r.Parameters.Conditions
	for _, p := range points {
		if !slices.ContainsFunc(p.Samples, func(s result.Sample) bool { return s.ReadBackBytes > 0 }) {
			continue
		}
		text := "Data that processes read while others wrote may come from memory"
		if c.Cold || option.ValueOrZero(c.Shift) != 0 {
			text += ": --cold and --shift apply only to reads after the writes"
		}
		return []plain.Caution{{Keyword: "read back perhaps from memory", Text: text + "."}}
	}
	return nil
}

// filterCautions returns a caution if HDF5 filters compressed the data more or less than requested, or hardly at all
// because the workload gives no compression ratio.
func filterCautions(points []Point) []plain.Caution {
	for _, p := range points {
		f := p.Case.Filtered
		if f == nil || p.Operation != result.OperationWrite || p.Missing != "" {
			continue
		}
		if f.NoRatioBytes > 0 {
			return []plain.Caution{{
				Keyword: "filters on data that hardly compress", Help: giveRatio,
				Text: "Filters work on data that hardly compress: " + units.FormatBytes(float64(f.NoRatioBytes)) +
					" of datasets with filters have no ratio of compression. The command h5perf workload from FILE " +
					"finds it in a file.",
			}}
		}
		stored, known := FilteredBytes(p.Case)
		if off := stored / float64(max(f.RequestedBytes, 1)); known && f.RequestedBytes > 0 &&
			(off > maxCompressionError || off < 1/maxCompressionError) {
			return []plain.Caution{{
				Keyword: "other compression than asked for", Help: giveRatio,
				Text: "Filters made datasets of " + units.FormatBytes(float64(f.Bytes)) + " as small as " +
					units.FormatBytes(stored) + ", but by the ratios in the workload they would have " +
					units.FormatBytes(float64(f.RequestedBytes)) + ".",
			}}
		}
	}
	return nil
}

// maxCompressionError is the largest factor between the requested and the actual size of filtered data. Below
// minFilteredBytes the sizes are not compared, because metadata would hide the difference.
const (
	maxCompressionError = 1.3
	minFilteredBytes    = 1 << 20
)

// FilteredBytes returns the size in bytes, in the files, of data that HDF5 filters compressed. known is true only if
// the files consist mostly of such data, and if rank 0 made all files, because the sizes of other files are not known.
func FilteredBytes(c result.Case) (bytes float64, known bool) {
	f := c.Filtered
	size, files := FileBytes(c)
	if f == nil || uint64(files) != f.Files || size <= f.OtherBytes {
		return 0, false
	}
	stored := size - f.OtherBytes
	expected := cmp.Or(f.RequestedBytes, stored) // no size is requested of smooth and repeated data
	return float64(stored), expected >= max(minFilteredBytes, f.OtherBytes)
}

// Remedies that the preset standard sets.
const (
	syncClose   = "--sync close"
	coldOption  = "--cold"
	minSeconds  = "--min-seconds 1s"
	randomOrder = "--order random"
)

// largerLimit is the remedy if the limit of iterations stopped a case.
const largerLimit = "a larger --max-iterations"

// Remedies if transfers end too soon, or if the data fit in memory.
const (
	largerData     = "a larger -e"
	largerWorkload = "larger sizes of the workload (--set)"
)

// giveRatio is the remedy if filters work on other data than those of the application.
const giveRatio = "create_dataset(.., ratio = N) in the workload"

// intervalRemedy is the remedy if medians lack intervals, ratioIntervalRemedy if ratios of layers lack them, too, and
// independenceRemedy if samples depend on one another or may do so.
var (
	intervalRemedy      = fmt.Sprintf("-i %d", stats.MinSamples(stats.Level))
	ratioIntervalRemedy = fmt.Sprintf("-i %d", stats.MinSamples(ratioLevel))
	independenceRemedy  = fmt.Sprintf("-i %d", stats.MinIndependenceSamples)
)
