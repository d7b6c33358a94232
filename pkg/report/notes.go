package report

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// writeNotes writes the cautions and notes about a direction of a case, one per line. If the direction has no results,
// it writes nothing.
func (b resultBlocks) writeNotes(name string, c result.Case) {
	if len(b.samples) == 0 {
		return
	}
	const indent = "            "
	caution := func(text string) { b.addWrappedText(indent + plain.Caution{Text: text}.Line(name)) }
	note := func(text string) { b.addWrappedText(indent + plain.NoteLine(name, text)) }
	if c.IsPartial() {
		caution(fmt.Sprintf("Only %d of %s iterations count: %s.", len(b.samples),
			figures.RequestedIterations(b.doc.Parameters), incompleteCaseReason(&figures.Run{Document: b.doc}, c)))
	}
	if capped := figures.StoppedEarlyText(b.doc.Parameters, c.EndedBy, b.samples); capped != "" {
		caution(capped)
	}
	for _, m := range result.ValuesOf[result.Mark]() {
		if marked := figures.MarkedText(b.samples, m); marked != "" {
			caution(marked + b.explainOnce(" "+figures.MarkMeaning(m)))
		}
	}
	if b.samples[0].Operation == result.OperationRead {
		note(pageCacheText(b.samples))
	}
	if created := b.creationText(); created != "" {
		note(created)
	}
	if limited := b.timeLimitText(); limited != "" {
		note(limited)
	}
	for _, l := range c.Latencies {
		if l.Operation == b.samples[0].Operation {
			note(latencyText(l))
		}
	}
}

// creationText returns a sentence about how long HDF5 took to create datasets. It returns "" if HDF5 does not write
// fill values into new datasets.
func (b resultBlocks) creationText() string {
	p := b.doc.Parameters
	fills := p.WritesFillValues(p.Layout == result.LayoutChunked)
	var seconds, all float64
	for _, s := range b.samples {
		create := s.ClassInterval(workload.Create).Max
		if create == 0 || !fills {
			return ""
		}
		seconds += create
		all += s.Access.Max
	}
	return fmt.Sprintf("HDF5 used %s of %s to create the datasets, which includes filling them.",
		units.FormatSeconds(seconds), units.FormatSeconds(all))
}

// explainOnce returns the explanation when it is called the first time with this text, and "" if the text is already in
// the report.
func (t *CReport) explainOnce(explanation string) string {
	if slices.Contains(t.explained, explanation) {
		return ""
	}
	t.explained = append(t.explained, explanation)
	return explanation
}

// pageCacheText returns a sentence about how much of the files was in the page cache before they were read, over all
// iterations.
func pageCacheText(samples []result.Sample) string {
	var mean float64
	var most result.Cache
	var unknown string
	for _, s := range samples {
		switch c := s.Cache; {
		case c == nil:
			unknown = "was not measured"
		case c.Method == result.CacheNone:
			unknown = "is unknown: " + c.Reason
		default:
			mean += c.MeanResident / float64(len(samples))
			if most.Method == "" || c.MaxResident+c.Uncertainty > most.MaxResident+most.Uncertainty {
				most = *c
			}
		}
	}
	if unknown != "" {
		return "Before reading, the part of the files in the page cache of the clients " + unknown + "."
	}
	text := fmt.Sprintf("Before reading, the page cache of the clients held %.3g %% of the files", 100*mean)
	if most.MaxResident > mean || most.Uncertainty > 0 {
		text += fmt.Sprintf(", at most %s on one node", figures.ResidencyText(most))
	}
	return text + fmt.Sprintf(" (%s).", most.Method) // writeConditions adds that caches of servers are not measured
}

// timeLimitText returns a sentence about how many iterations reached the time limit, or "" if none did.
func (b resultBlocks) timeLimitText() string {
	n := 0
	var moved, seconds float64
	for _, s := range b.samples {
		if s.Limit != nil {
			n++
			moved, seconds = moved+float64(s.Limit.LimitBytes), seconds+s.Limit.AtLimit.Max
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s reached the time limit, with %s MB/s of raw data on average until then.%s",
		n, units.Count(len(b.samples), "iteration", "iterations"), formatThroughput(moved, seconds),
		b.explainOnce(" All processes then continued to the same number of transfers."))
}

// latencyText returns a sentence about the latencies of data calls.
func latencyText(l result.Latency) string {
	var texts []string
	for _, q := range l.Quantiles {
		switch q.Probability {
		case 0.5:
			texts = append(texts, "median "+units.FormatSeconds(q.Seconds))
		case 0.99:
			texts = append(texts, "99 % within "+units.FormatSeconds(q.Seconds))
		}
	}
	texts = append(texts, "longest "+units.FormatSeconds(l.Max)+firstRankText(l.LongestCalls))
	if len(l.SlowestRanks) > 0 {
		texts = append(texts,
			"slowest on average "+units.FormatSeconds(l.SlowestRanks[0].Mean)+firstRankText(l.SlowestRanks))
	}
	return fmt.Sprintf("%d calls of %s took: %s.", l.Count, l.Call, strings.Join(texts, ", "))
}

// firstRankText names the first of the ranks and its host. It returns "" if there are no ranks.
func firstRankText(ranks []result.SlowRank) string {
	if len(ranks) == 0 {
		return ""
	}
	return fmt.Sprintf(" (rank %d on %s)", ranks[0].Rank, ranks[0].Host)
}
