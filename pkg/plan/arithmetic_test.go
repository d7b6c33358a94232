package plan

import (
	"math"
	"slices"
	"testing"
)

func TestProductsAndSumsStayWithin64Bits(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct{ got, want uint64 }{
		{saturatingProduct(1<<32, 1<<31), 1 << 63},
		{saturatingProduct(1<<32, 1<<32), most},
		{saturatingProduct(most, 0), 0},
		{saturatingSum(most-1, 1), most},
		{saturatingSum(most, 2), most},
		{saturatingSum(2, 3), 5},
	} {
		if c.got != c.want {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
	for _, c := range []struct {
		limit   uint64
		factors []uint64
		want    bool
	}{
		{12, []uint64{3, 4}, true},
		{11, []uint64{3, 4}, false},
		{11, []uint64{3, 4, 0}, false},
		{11, nil, true},
		{most, []uint64{1 << 32, 1 << 32}, false},
		{most, []uint64{most, 1}, true},
	} {
		if got := fitsLimit(c.limit, c.factors...); got != c.want {
			t.Errorf("fits(%d, %d): %t", c.limit, c.factors, got)
		}
	}
}

func TestDoublingAndHalvingStayWithinTheirEnds(t *testing.T) {
	for _, c := range []struct {
		low, high uint64
		want      []uint64
	}{
		{3, 12, []uint64{3, 6, 12}},
		{3, 11, []uint64{3, 6}},
		{5, 5, []uint64{5}},
		{0, 7, []uint64{0}},
		{1 << 62, math.MaxUint64, []uint64{1 << 62, 1 << 63}},
	} {
		if got := doubledSizes(c.low, c.high); !slices.Equal(got, c.want) {
			t.Errorf("doubling from %d to %d: %d", c.low, c.high, got)
		}
	}
	for _, c := range []struct {
		high, low int
		want      []int
	}{{13, 1, []int{13, 6, 3, 1}}, {13, 4, []int{13, 6}}, {4, 4, []int{4}}, {3, 4, nil}} {
		if got := halvedCounts(c.high, c.low); !slices.Equal(got, c.want) {
			t.Errorf("halving from %d to %d: %d", c.high, c.low, got)
		}
	}
}

func TestDivisors(t *testing.T) {
	for n := uint64(1); n < 3000; n++ {
		var want []uint64
		for d := uint64(1); d <= n; d++ {
			if n%d == 0 {
				want = append(want, d)
			}
		}
		if got := divisors(n); !slices.Equal(got, want) {
			t.Fatalf("divisors of %d: %d, want %d", n, got, want)
		}
	}
	for _, n := range []uint64{1 << 63, math.MaxInt64, math.MaxUint64, 4294967291 * 4294967279} {
		all := divisors(n)
		if slices.ContainsFunc(all, func(d uint64) bool { return n%d != 0 }) || all[len(all)-1] != n {
			t.Errorf("divisors of %d: %d", n, all)
		}
	}
}
