package workload

import (
	"slices"
	"testing"
)

func TestGridsAreThoseOfMPI(t *testing.T) {
	type list = []uint64
	for _, c := range []struct {
		ranks       uint64
		given, want list
	}{
		{6, list{0, 0}, list{3, 2}}, // the table of MPI-3.1, section 7.5.2
		{7, list{0, 0}, list{7, 1}},
		{6, list{0, 3, 0}, list{2, 3, 1}},
		{1, list{0, 0, 0}, list{1, 1, 1}},
		{12, list{0, 0}, list{4, 3}},
		{16, list{0, 0, 0}, list{4, 2, 2}},
		{100, list{0, 0}, list{10, 10}},
		{100_000, list{0, 0, 0}, list{50, 50, 40}},
		{1_000_000, list{0, 0, 0}, list{100, 100, 100}},
		{24, list{2, 0, 0}, list{2, 4, 3}},
		{999_983, list{0, 0}, list{999_983, 1}}, // a prime number
	} {
		if got, err := dimsCreate(c.ranks, len(c.given), c.given); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d processes, %v: %v, %v, want %v", c.ranks, c.given, got, err, c.want)
		}
	}
	if grid, err := dimsCreate(7, 3, list{0, 3, 0}); err == nil {
		t.Errorf("7 processes, 3 of them in a dimension: %v", grid)
	}
}

func TestSharesAreEven(t *testing.T) {
	for n := range uint64(40) {
		for ranks := uint64(1); ranks < 12; ranks++ {
			next := uint64(0)
			for rank := range ranks {
				from, to := EvenShare(n, rank, ranks)
				if from != next || to-from < n/ranks || to-from > (n+ranks-1)/ranks {
					t.Fatalf("%d things for %d processes: process %d has %d to %d", n, ranks, rank, from, to)
				}
				for i := from; i < to; i++ {
					if OwnerRank(i, n, ranks) != rank {
						t.Fatalf("thing %d of %d: process %d of %d, want %d", i, n, OwnerRank(i, n, ranks), ranks,
							rank)
					}
				}
				next = to
			}
			if next != n {
				t.Fatalf("%d of %d things belong to %d processes", next, n, ranks)
			}
		}
	}
}
