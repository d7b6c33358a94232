package report

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// notes writes what readers must know before they believe the figures of a direction of a case, one line each. Without
// figures it writes nothing.
func (b blocks) notes(name string, c result.Case) {
	if b.reason != "" || len(b.samples) == 0 {
		return
	}
	note := func(format string, args ...any) {
		b.line("            Note: %s: %s", name, fmt.Sprintf(format, args...))
	}
	run := figures.Run{Document: b.doc}
	if partial := run.Partial(c, len(b.samples)); partial != "" {
		note("%s iterations; %s", partial, b.Text.reason(c))
	}
	warm := b.marked(result.Warm)
	if b.samples[0].Operation == result.OperationRead {
		if warm != "" {
			warm = "; " + warm
		}
		note("%s%s", cached(b.samples), warm)
	}
	if created := b.created(); created != "" {
		note("%s", created)
	}
	if capped := figures.Capped(b.doc.Parameters, c.EndedBy, b.samples); capped != "" {
		note("%s", capped)
	}
	if b.samples[0].Has(result.Short) {
		var seconds float64
		for _, s := range b.samples {
			seconds += s.Seconds()
		}
		note("short: %s in total%s", units.FormatSeconds(seconds),
			b.once(fmt.Sprintf("; below %g s, caches and chance have a large effect", result.ShortSeconds)))
	}
	if implausible := b.marked(result.Implausible); implausible != "" {
		note("%s", implausible)
	}
	b.limits(note)
	for _, l := range c.Latencies {
		if l.Operation == b.samples[0].Operation {
			note("%s", calls(l))
		}
	}
}

// created returns which part of the time HDF5 needed to create datasets, in words.
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
	return fmt.Sprintf("HDF5 used %s of %s to create the datasets, which includes filling them",
		units.FormatSeconds(seconds), units.FormatSeconds(all))
}

// marked returns how many iterations have a mark and, the first time, what it means. It returns "" if none has it.
func (b blocks) marked(m result.Mark) string {
	n := figures.Marked(b.samples, m)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s in %d of %d iteration(s)%s", m, n, len(b.samples), b.once(": "+figures.MarkMeaning(m)))
}

// once returns an explanation, but "" if the report has it already.
func (t *Text) once(explanation string) string {
	if slices.Contains(t.explained, explanation) {
		return ""
	}
	t.explained = append(t.explained, explanation)
	return explanation
}

// cached returns how much of the files was in the page cache before they were read, over all iterations, in words.
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
		return "before reading, the part of the files in the page cache of the clients " + unknown
	}
	text := fmt.Sprintf("before reading, the page cache of the clients held %.3g %% of the files", 100*mean)
	if most.Highest > mean || most.Uncertainty > 0 {
		text += fmt.Sprintf(", at most %s on one node", figures.Residency(most))
	}
	return text + fmt.Sprintf(" (%s)", most.Method) // the conditions say that caches of servers are not measured
}

// limits writes a note on the iterations that reached the time limit.
func (b blocks) limits(note func(format string, args ...any)) {
	n := 0
	var moved, seconds float64
	for _, s := range b.samples {
		if s.Limit != nil {
			n++
			moved, seconds = moved+float64(s.Limit.LimitBytes), seconds+s.Limit.AtLimit.Max
		}
	}
	if n > 0 {
		note("reached the time limit in %d of %d iteration(s), with %s MB/s of raw data on average until then%s",
			n, len(b.samples), throughput(moved, seconds),
			b.once("; all processes then continued to the same number of transfers"))
	}
}

// calls returns the latencies of data calls, in words.
func calls(l result.Latency) string {
	texts := []string{fmt.Sprintf("%d %s calls", l.Count, l.Call)}
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
	return strings.Join(texts, ", ")
}

// slower returns the first of the ranks, in words.
func slower(ranks []result.SlowerRank) string {
	if len(ranks) == 0 {
		return ""
	}
	return fmt.Sprintf(" (rank %d on %s)", ranks[0].Rank, ranks[0].Host)
}
