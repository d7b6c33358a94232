package history

import (
	"strconv"
	"time"
	"unique"

	"h5perf/pkg/stats"
)

// DescribeFindings describes what was found in a series or group of a tree of runs. conditions are those of each run.
func DescribeFindings(runs []SeriesRun, conditions [][]Condition, b stats.Branch) Findings {
	var of seriesTree
	for i, r := range runs {
		r.reported = unique.Make(conditionsText(conditions[i]))
		of.runs = append(of.runs, r)
	}
	return of.describeFindings(b)
}

// NewestRunOf returns a trend that says where the last run lies, and nothing else. values holds the values of each
// series, one for each run.
func NewestRunOf(places []Place, values [][]float64, nightly bool) Trend {
	t := Trend{Nightly: nightly, Series: make([]Series, len(places))}
	of := seriesTree{indexOfRun: map[string]int{}}
	id := of.groupID(nil)
	for k := range values[0] {
		r := SeriesRun{RunID: strconv.Itoa(k), Started: time.Unix(int64(k)*86400, 0)}
		of.indexOfRun[r.RunID] = k
		of.runs = append(of.runs, r)
		for i := range places {
			r.Median = values[i][k]
			t.Series[i].Runs = append(t.Series[i].Runs, r)
		}
	}
	for i, p := range places {
		t.Series[i].Place, t.Series[i].Group = p, id
		of.seriesIndices = append(of.seriesIndices, i)
	}
	f := forest{trees: []seriesTree{of}}
	f.findPositions(&t, [][]Condition{nil}, nil)
	return t
}
