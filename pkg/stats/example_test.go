package stats_test

import (
	"fmt"

	"h5perf/pkg/stats"
)

// The interval says how accurately the samples determine the median. The slow outlier has little influence.
func ExampleMedian() {
	e := stats.Median([]float64{103, 98, 101, 99, 104, 100, 52, 102, 97, 105}, 0.95)
	fmt.Printf("median %.1f, interval %.0f to %.0f\n", e.Median, e.Low, e.High)

	e = stats.Median([]float64{103, 98, 101}, 0.95)
	fmt.Printf("median %.1f, interval: %v, samples needed: %d\n", e.Median, e.HasInterval(), stats.MinSamples(0.95))
	// Output:
	// median 100.5, interval 97 to 104
	// median 101.0, interval: false, samples needed: 6
}

// Two sets of independent samples, for example from two file systems. The second one is faster.
func ExampleIndependentTest() {
	a := []float64{103, 98, 101, 99, 104, 100, 102, 97}
	b := []float64{113, 108, 112, 109, 114, 110, 111, 107}
	d := stats.IndependentTest(a, b, 0.95)
	fmt.Printf("b : a is %.2f, interval %.2f to %.2f, p %.4f\n", d.Ratio, d.Low, d.High, d.P)
	// Output: b : a is 1.10, interval 1.07 to 1.13, p 0.0002
}

// The file system becomes slower during both measurements. The samples are pairs, so this does not hide that b is
// slower by 3 %.
func ExamplePairedTest() {
	a := []float64{100, 96, 90, 83, 79, 75, 70, 66}
	b := []float64{97, 93, 88, 80, 77, 72, 68, 64}
	paired, independent := stats.PairedTest(a, b, 0.95), stats.IndependentTest(a, b, 0.95)
	fmt.Printf("b : a is %.2f\n", paired.Ratio)
	fmt.Printf("p %.3f as pairs, %.3f as independent samples\n", paired.P, independent.P)
	// Output:
	// b : a is 0.97
	// p 0.008 as pairs, 0.721 as independent samples
}

// One value per day. From index 20 on, values are lower by about 10 %.
func ExampleSearch() {
	var series []float64
	for day := range 40 {
		value := 100 + float64(day*7%10)
		if day >= 20 {
			value *= 0.9
		}
		series = append(series, value)
	}
	for _, c := range stats.Search([]stats.Leaf{{Values: series}}, stats.NewBudget(0.05), 1, 0.95).Leaves[0].Changes {
		fmt.Printf("from index %d on, values are %.2f times those before\n", c.At, c.Ratio)
	}
	// Output: from index 20 on, values are 0.90 times those before
}

// All four p-values are below 0.05. After the correction for four tests, only two of them are.
func ExampleHolm() {
	for _, p := range stats.Holm([]float64{0.04, 0.001, 0.03, 0.005}) {
		fmt.Printf("%.3f ", p)
	}
	// Output: 0.060 0.004 0.060 0.015
}
