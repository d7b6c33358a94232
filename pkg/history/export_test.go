package history

import (
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
