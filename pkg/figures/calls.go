package figures

import (
	"fmt"
	"strconv"

	"h5perf/pkg/result"
)

// CountedAPIs lists the APIs whose calls a run with Conditions.CountCalls counts.
var CountedAPIs = []string{result.MPIIO, result.POSIX}

// formatCalls formats a number of calls, which may be the mean of two.
func formatCalls(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// callStatistics returns the numbers of calls to each of CountedAPIs, and the bytes that they moved.
func callStatistics() (all []Row) {
	calls := func(f result.FunctionCalls) uint64 { return f.Calls }
	bytes := func(f result.FunctionCalls) uint64 { return f.Bytes }
	for _, api := range CountedAPIs {
		all = append(all,
			callRow(api, result.CallWrite, "writes", Calls, calls),
			callRow(api, result.CallWrite, "written", Bytes, bytes),
			callRow(api, result.CallRead, "reads", Calls, calls), callRow(api, result.CallRead, "read", Bytes, bytes),
			callRow(api, result.CallOther, "other", Calls, calls))
	}
	return all
}

// callRow returns the sum of a number over the functions of an API of one kind. A sample without any calls to the API
// does not have it.
func callRow(
	api string, kind result.CallKind, heading string, unit Unit, number func(result.FunctionCalls) uint64,
) Row {
	return Row{
		Name: api + "_" + string(kind), Heading: result.APIOf(api).Label + " " + heading, Unit: unit, Counted: api,
		Help: "Calls of MPI-IO and POSIX, and the bytes that they moved, by all processes in an iteration of a " +
			"run with --count-calls. The calls named other open, close, lock and sync files, set views, and so on.",
		valueOfSample: func(s result.Sample) (x float64, ok bool) {
			for _, f := range s.Calls {
				ok = ok || f.API == api
				if f.API == api && f.Kind == kind {
					x += float64(number(f))
				}
			}
			return x, ok
		},
	}
}

// CallsText returns the number of calls to an API in an iteration, with writes and reads. It is the sum of the medians
// of the points of the run. It returns "" if no calls were counted.
func (r *Run) CallsText(api string) string {
	points := r.Points()
	sum, counted := 0.0, false
	for _, row := range Rows {
		if n, ok := countedInIteration(row, points); ok && row.Counted == api && row.Unit.Suffix == Calls.Suffix {
			sum, counted = sum+n, true
		}
	}
	if !counted {
		return ""
	}
	return formatCalls(sum)
}

// countedInIteration returns the sum over all points of a run of the medians of a row of counted calls or bytes.
// counted is false if no point has them.
func countedInIteration(row Row, points []Point) (sum float64, counted bool) {
	if row.Counted == "" {
		return 0, false
	}
	for _, p := range points {
		if median, ok := row.PointMedian(p); ok {
			sum, counted = sum+median, true
		}
	}
	return sum, counted
}

// CallDifferences returns a text for each kind of calls, and for the bytes that they moved, that the runs a and b made
// in different numbers in an iteration: "MPI-IO writes: 128 in A, 2 in B". both is false unless both counted calls.
func CallDifferences(a, b *Run, names [2]string) (texts []string, both bool) {
	pointsOfA, pointsOfB := a.Points(), b.Points()
	for _, row := range Rows {
		inA, countedA := countedInIteration(row, pointsOfA)
		inB, countedB := countedInIteration(row, pointsOfB)
		both = both || countedA && countedB
		if countedA && countedB && inA != inB {
			texts = append(texts, fmt.Sprintf("%s: %s in %s, %s in %s", row.Heading, row.Unit.Format(inA), names[0],
				row.Unit.Format(inB), names[1]))
		}
	}
	return texts, both
}
