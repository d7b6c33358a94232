package stats

// SignFlip returns P of Paired without the interval, which takes most of the time.
func SignFlip(a, b []float64) float64 {
	p, _ := flip(logs(a), logs(b), 0)
	return p
}
