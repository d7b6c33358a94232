package stats

// SignedRank returns P of Paired. It does not compute the interval, which takes most of the time.
func SignedRank(a, b []float64) float64 {
	from, steps := logarithms(a), logarithms(b)
	for i := range steps {
		steps[i] -= from[i]
	}
	return signedRankP(steps)
}

// SuddenChange returns a change point that is not gradual, still without ratio and p-value.
func SuddenChange(at int) ChangePoint { return ChangePoint{At: at, last: at} }
