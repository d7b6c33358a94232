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

// told writes the cautions and notes of a direction of a case, one line each. Without figures it writes nothing.
func (b blocks) told(name string, c result.Case) {
	if b.reason != "" || len(b.samples) == 0 {
		return
	}
	const indent = "            "
	caution := func(text string) { b.tell(indent + plain.Caution{Text: text}.Line(name)) }
	note := func(text string) { b.tell(indent + plain.Note(name, text)) }
	if c.Partial() {
		caution(fmt.Sprintf("Only %d of %s iterations count: %s.", len(b.samples),
			figures.Wanted(b.doc.Parameters), b.Text.reason(c)))
	}
	if capped := figures.Capped(b.doc.Parameters, c.EndedBy, b.samples); capped != "" {
		caution(capped)
	}
	for _, m := range result.All[result.Mark]() {
		if marked := figures.CountMarked(b.samples, m); marked != "" {
			caution(marked + b.once(" "+figures.Meaning(m)))
		}
	}
	if b.samples[0].Operation == result.OperationRead {
		note(cached(b.samples))
	}
	if created := b.created(); created != "" {
		note(created)
	}
	if limited := b.limited(); limited != "" {
		note(limited)
	}
	for _, l := range c.Latencies {
		if l.Operation == b.samples[0].Operation {
			note(calls(l))
		}
	}
}

// created returns which part of the time HDF5 needed to create datasets, in a sentence.
func (b blocks) created() string {
	p := b.doc.Parameters
	fills := p.Fills(p.Layout == result.LayoutChunked)
	var seconds, all float64
	for _, s := range b.samples {
		create := s.Time(workload.Create).Max
		if create == 0 || !fills {
			return ""
		}
		seconds += create
		all += s.Access.Max
	}
	return fmt.Sprintf("HDF5 used %s of %s to create the datasets, which includes filling them.",
		units.FormatSeconds(seconds), units.FormatSeconds(all))
}

// once returns an explanation, but "" if the report has it already.
func (t *Text) once(explanation string) string {
	if slices.Contains(t.explained, explanation) {
		return ""
	}
	t.explained = append(t.explained, explanation)
	return explanation
}

// cached returns how much of the files was in the page cache before they were read, over all iterations, in a sentence.
func cached(samples []result.Sample) string {
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
			mean += c.Mean / float64(len(samples))
			if most.Method == "" || c.Highest+c.Uncertainty > most.Highest+most.Uncertainty {
				most = *c
			}
		}
	}
	if unknown != "" {
		return "Before reading, the part of the files in the page cache of the clients " + unknown + "."
	}
	text := fmt.Sprintf("Before reading, the page cache of the clients held %.3g %% of the files", 100*mean)
	if most.Highest > mean || most.Uncertainty > 0 {
		text += fmt.Sprintf(", at most %s on one node", figures.Residency(most))
	}
	return text + fmt.Sprintf(" (%s).", most.Method) // the conditions say that caches of servers are not measured
}

// limited returns how many iterations reached the time limit, in a sentence; "" if none did.
func (b blocks) limited() string {
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
		n, units.Count(len(b.samples), "iteration", "iterations"), throughput(moved, seconds),
		b.once(" All processes then continued to the same number of transfers."))
}

// calls returns the latencies of data calls, in a sentence.
func calls(l result.Latency) string {
	var texts []string
	for _, q := range l.Quantiles {
		switch q.Probability {
		case 0.5:
			texts = append(texts, "median "+units.FormatSeconds(q.Seconds))
		case 0.99:
			texts = append(texts, "99 % within "+units.FormatSeconds(q.Seconds))
		}
	}
	texts = append(texts, "longest "+units.FormatSeconds(l.Max)+slower(l.SlowestMax))
	if len(l.Slowest) > 0 {
		texts = append(texts, "slowest on average "+units.FormatSeconds(l.Slowest[0].Mean)+slower(l.Slowest))
	}
	return fmt.Sprintf("%d calls of %s took: %s.", l.Count, l.Call, strings.Join(texts, ", "))
}

// slower returns the first of the ranks, in words.
func slower(ranks []result.SlowerRank) string {
	if len(ranks) == 0 {
		return ""
	}
	return fmt.Sprintf(" (rank %d on %s)", ranks[0].Rank, ranks[0].Host)
}
