package workload

// randomNumber returns a random number for a key. It is the output function of SplitMix64 (G. L. Steele, D. Lea, C. H.
// Flood, Fast splittable pseudorandom number generators, OOPSLA 2014), applied after each number of the key.
func randomNumber(key ...uint64) uint64 {
	var z uint64
	for _, k := range key {
		z += k + 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
	}
	return z
}

// Purposes of the random numbers of a seed: the second number of a key, so that one seed can serve for all.
const (
	seedForCounts = iota
	seedForCuts
	seedForRounds
)

// maxDeviate is the largest absolute value of normalDeviate.
const maxDeviate = 6

// normalDeviate returns a normally distributed number, of mean 0 and standard deviation 1, for a key. It is the sum of
// 12 uniform numbers minus 6 (the Irwin-Hall distribution). Its arithmetic is exact, so that the result is the same on
// all machines.
func normalDeviate(seed, first, n uint64) float64 {
	var sum uint64 // in units of 2^-32
	for i := range uint64(6) {
		two := randomNumber(seed, seedForCounts, first, n, i)
		sum += two>>32 + two&(1<<32-1)
	}
	return (float64(sum) - 6*(1<<32-1)) / (1 << 32)
}
