package stats

// SignedRank returns P of Paired. It does not compute the interval, which takes most of the time.
func SignedRank(a, b []float64) float64 {
	from, steps := logarithms(a), logarithms(b)
	for i := range steps {
		steps[i] -= from[i]
	}
	return signedRankP(steps)
}
