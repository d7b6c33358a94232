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

// Peak is the highest throughput of an API in one direction.
type Peak struct {
	Point
	NumPoints int // it is the highest of so many points
	// The median of the ratios to the next lower layer over all cases of the API, not only that of the peak: a case is
	// also the fastest by chance, which says nothing about the lower layer. nil if there are none.
	LowerLayerRatio *Ratio
}

// Peaks returns the highest throughput of each API in each direction. Points with a caution (see Point.Caution) are
// used only if all points of that API and direction have a caution.
func (r *Run) Peaks() []Peak {
	points, ratios := r.Points(), r.LayerRatios()
	var peaks []Peak
	for _, api := range APIs(r) {
		for _, operation := range result.ValuesOf[result.Operation]() {
			trusted := true
			isCandidate := func(p Point) bool {
				return p.Missing == "" && p.Case.API == api.Name && p.Operation == operation &&
					(!trusted || p.Caution() == "")
			}
			trusted = slices.ContainsFunc(points, isCandidate)
			if peak := highestPoint(points, isCandidate); peak.NumPoints > 0 {
				peak.LowerLayerRatio = medianOfRatios(ratios, isCandidate)
				peaks = append(peaks, peak)
			}
		}
	}
	return peaks
}

// highestPoint returns the point with the highest median throughput among the points for which the function counts
// returns true.
func highestPoint(points []Point, counts func(Point) bool) (highest Peak) {
	for _, p := range points {
		if !counts(p) {
			continue
		}
		if highest.NumPoints == 0 || p.Rate.Median > highest.Rate.Median {
			highest.Point = p
		}
		highest.NumPoints++
	}
	return highest
}

// KeyConditions describes the conditions that readers need to interpret the results of the run, each in a few words:
// whether written data were made durable, or which file was read instead; whether reads came from a page cache; and how
// many bytes were verified.
func (r *Run) KeyConditions(points []Point) []string {
	var words []string
	if r.Job.Nodes > 1 {
		words = append(words, units.Count(r.Job.Nodes, "node", "nodes"))
	}
	if !r.IsParallel() {
		words = append(words, "file driver "+string(r.Parameters.Driver))
	}
	if r.Parameters.Conditions.ReadOnly == "" {
		words = append(words, r.SyncText())
	} else {
		words = append(words, r.readOnlyText())
	}
	switch reads := cacheOfPoints(points); reads {
	case "":
	case CacheMixed:
		words = append(words, "warm and cold reads")
	case CacheUnknown:
		words = append(words, "reads may be warm")
	default:
		words = append(words, reads+" reads")
	}
	if r.Parameters.Verify {
		words = append(words, strings.TrimSpace(r.comparedText()+" "+r.verifiedWords()))
	}
	return words
}

// cacheOfPoints summarizes Point.Cache of the points that read. It returns "" if there are no reads.
func cacheOfPoints(points []Point) string {
	all := ""
	for _, p := range points {
		switch {
		case p.Cache == "" || p.Cache == all:
		case all == "":
			all = p.Cache
		case all != CacheMixed && p.Cache != CacheMixed && (all == CacheUnknown || p.Cache == CacheUnknown):
			all = CacheUnknown // and, so far, only warm or only cold ones
		default:
			return CacheMixed
		}
	}
	return all
}

// IncompleteReason says why the run or some of its cases are incomplete. what holds the state, the number of incomplete
// cases and the label of one incomplete case: the first with an error or, if none has an error, the first. cause is the
// reason why that case is incomplete. Each is one line. Both are "" if the run and all its cases are complete.
func (r *Run) IncompleteReason() (what, cause string) {
	lacking := slices.DeleteFunc(slices.Clone(r.Cases), func(c result.Case) bool { return c.State == result.Complete })
	state, all := r.State, len(r.Cases)+r.numUnstartedCases()
	count := fmt.Sprintf("%d of %d cases", len(lacking)+r.numUnstartedCases(), all)
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
		what, cause = r.caseText(one), cmp.Or(errorMessage(one.Error), one.Reason, string(one.State))
		if one.State == result.Running {
			cause = unfinishedText
		}
		if all > 1 {
			what = count + ", " + which + " " + what
		}
	case state == result.Complete:
		return "", ""
	case state == result.Running:
		return "Running", unfinishedText
	default:
		what, cause = "the run", "no cause is known"
		if r.numUnstartedCases() > 0 {
			what = count
		}
		if len(r.Errors) > 0 {
			cause = errorMessage(&r.Errors[0])
		}
	}
	word := string(state)
	return strings.ToUpper(word[:1]) + word[1:] + ": " + what, cause
}

// numUnstartedCases returns the number of planned cases that did not begin. It returns 0 if the document does not say
// how many were planned.
func (r *Run) numUnstartedCases() int { return max(0, r.PlannedCases-len(r.Cases)) }

// errorMessage returns the message of an error in one line, or "" if e is nil.
func errorMessage(e *result.Error) string {
	if e == nil {
		return ""
	}
	return plain.VisibleLine(FoldCalls(e.Message))
}

// caseText returns the label of a case: API, number of processes (not in serial runs), transfer size or workload, and
// the values of --sweep.
func (r *Run) caseText(c result.Case) string {
	return r.Parameters.CaseLabel(c.API, c.Processes, TransferBytes(c), c.Values)
}
