package fill

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBucketsFollowOneAnother(t *testing.T) {
	next := uint64(0)
	for i := range Buckets {
		b := bucketAt(i)
		last := b.From + b.Width - 1
		if b.From != next || bucketIndex(b.From) != i || bucketIndex(last) != i {
			t.Fatalf("bucket %d is %d to %d, of indexes %d to %d; the one before ends at %d", i, b.From, last,
				bucketIndex(b.From), bucketIndex(last), next)
		}
		if b.Width > 1 && float64(b.Width) > float64(b.From)/128 {
			t.Fatalf("bucket %d from %d is %d wide", i, b.From, b.Width)
		}
		next = last + 1
	}
	if next != 0 {
		t.Errorf("the buckets end at %d", next)
	}
}

var probabilities = []float64{0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1}

// check compares the results of a histogram with results computed from its samples.
func check(t *testing.T, h *Histogram, samples []uint64) {
	t.Helper()
	slices.Sort(samples)
	n, sum := uint64(len(samples)), uint64(0)
	for _, s := range samples {
		sum += s
	}
	if h.Count() != n || h.Sum != sum {
		t.Fatalf("count %d and sum %d, want %d and %d", h.Count(), h.Sum, n, sum)
	}
	if n == 0 {
		if h.Min != math.MaxUint64 || h.Max != 0 || h.Quantile(0.5) != 0 {
			t.Fatalf("an empty histogram: min %d, max %d, median %d", h.Min, h.Max, h.Quantile(0.5))
		}
		return
	}
	if h.Min != samples[0] || h.Max != samples[n-1] || h.Quantile(0) < h.Min || h.Quantile(1) != h.Max {
		t.Fatalf("min %d, max %d, quantiles %d to %d, want %d and %d", h.Min, h.Max, h.Quantile(0), h.Quantile(1),
			samples[0], samples[n-1])
	}
	for _, p := range probabilities {
		exact := samples[max(1, int(math.Ceil(p*float64(n))))-1]
		if got := h.Quantile(p); math.Abs(float64(got)-float64(exact)) > 0.004*float64(exact) {
			t.Fatalf("quantile %g of %d samples is %d, exactly %d", p, n, got, exact)
		}
	}
	all := uint64(0)
	for b := range h.All() {
		all += b.Count
		if inside := uint64(len(between(samples, b))); b.Count == 0 || inside != b.Count {
			t.Fatalf("%+v, %d samples are inside", b, inside)
		}
	}
	if all != n {
		t.Fatalf("the buckets hold %d of %d samples", all, n)
	}
}

// between returns the samples that belong to a bucket.
func between(sorted []uint64, b Bucket) []uint64 {
	from, _ := slices.BinarySearch(sorted, b.From)
	to, _ := slices.BinarySearch(sorted, b.From+b.Width)
	return sorted[from:to]
}

// draw returns n samples of one of several distributions.
func draw(r *rand.Rand, n int) []uint64 {
	samples := make([]uint64, n)
	kind := r.IntN(4)
	for i := range samples {
		switch kind {
		case 0:
			samples[i] = r.Uint64N(300)
		case 1:
			samples[i] = uint64(1000 * math.Exp(2*r.NormFloat64()))
		case 2:
			samples[i] = r.Uint64() >> (20 + r.IntN(44))
		default:
			samples[i] = 50_000 + 10_000_000*(r.Uint64N(10)/9)
		}
	}
	return samples
}

func TestTellsOfSamplesWhatSortingTells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		samples := draw(r, r.IntN(3000))
		h := NewHistogram()
		for _, s := range samples {
			h.Record(s)
		}
		check(t, h, samples)
		h.Reset()
		check(t, h, nil)
	}
}

func FuzzQuantiles(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		h, samples := NewHistogram(), []uint64(nil)
		for ; len(data) >= 8; data = data[8:] {
			s := binary.LittleEndian.Uint64(data) >> 1 // clocks return no more than 63 bits
			samples = append(samples, s)
			h.Record(s)
		}
		check(t, h, samples)
	})
}

func TestMergingIsExactAndItsOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		var parts [3]*Histogram
		var samples []uint64
		for i := range parts {
			parts[i] = NewHistogram()
			for _, s := range draw(r, r.IntN(1000)) {
				parts[i].Record(s)
				samples = append(samples, s)
			}
		}
		merged := func(order ...int) *Histogram {
			h := NewHistogram()
			for _, i := range order {
				h.Merge(parts[i])
			}
			return h
		}
		nested, rest := merged(1, 2), NewHistogram()
		rest.Merge(parts[0])
		rest.Merge(nested)
		one := merged(0, 1, 2)
		if *one != *merged(2, 0, 1) || *one != *rest {
			t.Fatal("another order gives another histogram")
		}
		check(t, one, samples)
	}
}

func BenchmarkRecord(b *testing.B) {
	h, times := NewHistogram(), draw(rand.New(rand.NewPCG(3, 3)), 1024)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		h.Record(times[i%1024])
	}
}
