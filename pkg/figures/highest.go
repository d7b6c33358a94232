package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Highest returns the point with the highest median of those that count. Points without a figure never do. found
// reports whether any counts.
func Highest(points []Point, counts func(Point) bool) (highest Point, found bool) {
	for _, p := range points {
		if p.Missing == "" && counts(p) && (!found || p.Rate.Median > highest.Rate.Median) {
			highest, found = p, true
		}
	}
	return highest, found
}

// Peak is the highest throughput of an API in one direction.
type Peak struct {
	Point
	Cost *Ratio // to the next lower layer in the same case; nil if there is none, or if its data came from elsewhere
}

// Peaks returns the highest throughput of each API in each direction. Points with a caution (see Point.Caution)
// count only where all have one.
func (r *Run) Peaks() []Peak {
	points := r.Points()
	costs := map[measurement]*Ratio{}
	for _, ratio := range r.Layers() {
		if ratio.Alike() {
			costs[ratio.Upper.at(ratio.Upper.Case.API)] = &ratio
		}
	}
	var peaks []Peak
	for _, api := range APIs([]Run{*r}) {
		for _, operation := range result.All[result.Operation]() {
			is := func(p Point) bool { return p.Case.API == api.Name && p.Operation == operation }
			peak, found := Highest(points, func(p Point) bool { return is(p) && p.Caution() == "" })
			if !found {
				peak, found = Highest(points, is)
			}
			if found {
				peaks = append(peaks, Peak{peak, costs[peak.at(api.Name)]})
			}
		}
	}
	return peaks
}

// Essence returns, in a few words, the conditions of the run without which its figures say nothing: whether written
// data were made durable or which file was read in place of writing, where the data came from that points read, and
// how much was compared.
func (r *Run) Essence(points []Point) []string {
	var words []string
	if r.Job.Nodes > 1 {
		words = append(words, units.Count(r.Job.Nodes, "node", "nodes"))
	}
	if !r.Numbered() {
		words = append(words, "file driver "+string(r.Parameters.Driver))
	}
	if r.Parameters.Conditions.ReadOnly == "" {
		words = append(words, r.Sync())
	} else {
		words = append(words, r.readsOnly())
	}
	switch reads := cached(points); reads {
	case "":
	case CacheMixed:
		words = append(words, "warm and cold reads")
	case CacheUnknown:
		words = append(words, "reads may be warm")
	default:
		words = append(words, reads+" reads")
	}
	if r.Parameters.Verify {
		words = append(words, strings.TrimSpace(r.compared()+" verified"))
	}
	return words
}

// cached returns where the data of reads came from, as Point.Cache says it. It returns "" without reads.
func cached(points []Point) string {
	all := ""
	for _, p := range points {
		switch {
		case p.Cache == "" || p.Cache == all:
		case all == "":
			all = p.Cache
		default:
			return CacheMixed
		}
	}
	return all
}

// Shortfall returns why the run or some of its cases are not complete: what is not, which is the state, the number of
// cases and one of them, and its cause, each in one line. That case is the first with an error, or else the first. It
// returns "" if all are complete.
func (r *Run) Shortfall() (what, cause string) {
	lacking := slices.DeleteFunc(slices.Clone(r.Cases), func(c result.Case) bool { return c.State == result.Complete })
	state, all := r.State, len(r.Cases)+r.notBegun()
	count := fmt.Sprintf("%d of %d cases", len(lacking)+r.notBegun(), all)
	switch {
	case len(lacking) > 0:
		is, which := max(0, slices.IndexFunc(lacking, func(c result.Case) bool { return c.Error != nil })), "first"
		if is > 0 {
			which = "at"
		}
		one := lacking[is]
		if !slices.ContainsFunc(lacking, func(c result.Case) bool { return c.State == state }) {
			state = one.State
		}
		what, cause = r.caseWords(one), cmp.Or(message(one.Error), one.Reason, string(one.State))
		if one.State == result.Running {
			cause = goesOn
		}
		if all > 1 {
			what = count + ", " + which + " " + what
		}
	case state == result.Complete:
		return "", ""
	case state == result.Running:
		return "Running", goesOn
	default:
		what, cause = "the run", "no cause is known"
		if r.notBegun() > 0 {
			what = count
		}
		if len(r.Errors) > 0 {
			cause = message(&r.Errors[0])
		}
	}
	word := string(state)
	return strings.ToUpper(word[:1]) + word[1:] + ": " + what, cause
}

// notBegun returns how many cases of the run did not begin, as far as the document says how many were planned.
func (r *Run) notBegun() int { return max(0, r.PlannedCases-len(r.Cases)) }

// message returns the message of an error in one line, or "" without an error.
func message(e *result.Error) string {
	if e == nil {
		return ""
	}
	return plain.Line(e.Message)
}

// caseWords returns which case of the run it is, in words.
func (r *Run) caseWords(c result.Case) string {
	return r.Parameters.CaseLabel(c.API, c.Processes, Size(c))
}
