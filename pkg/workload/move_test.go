package workload_test

import (
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

func TestTheLongestStretchJoinsAdjacentRuns(t *testing.T) {
	regular := func(runs ...pattern.NestLevel) workload.Move {
		return workload.Move{Nest: pattern.LoopNest{RunBytes: 4, Runs: runs}}
	}
	listed := func(s pattern.Selection, err error) workload.Move {
		if err != nil {
			t.Fatal(err)
		}
		return workload.Move{Listed: true, PlainSelection: s}
	}
	dims := []uint64{6, 10}
	for _, c := range []struct {
		name string
		move workload.Move
		want uint64
	}{
		{"one run", regular(), 4},
		{"runs apart", regular(pattern.NestLevel{Count: 5, Stride: 8}), 4},
		{
			"adjacent runs", regular(pattern.NestLevel{Count: 3, Stride: 100}, pattern.NestLevel{Count: 5, Stride: 4}),
			20,
		},
		{"adjacent rows", regular(pattern.NestLevel{Count: 3, Stride: 20}, pattern.NestLevel{Count: 5, Stride: 4}), 60},
		{
			"adjacent rows alone",
			regular(pattern.NestLevel{Count: 3, Stride: 4}, pattern.NestLevel{Count: 5, Stride: 100}), 4,
		},
		{"everything", listed(pattern.SelectEverything(dims, 8)), 480},
		{"nothing", listed(pattern.SelectNothing(dims, 8)), 0},
		{"boxes", listed(pattern.SelectBoxes(dims, 8, []uint64{0, 2, 3, 0}, []uint64{1, 3, 2, 10})), 160},
		{"points", listed(pattern.SelectPoints(dims, 8, []uint64{5, 0, 0, 4, 0, 5, 2, 2})), 16},
	} {
		if got := c.move.MaxContiguousBytes(); got != c.want {
			t.Errorf("%s: a stretch of %d bytes, want %d", c.name, got, c.want)
		}
	}
}

func TestAProgramWithAListedMoveIsNotRegular(t *testing.T) {
	p := workload.Sweep{Datasets: 1}.Program()
	if !p.HasOnlyRegularMoves() {
		t.Error("a sweep is not regular")
	}
	p.Moves = append(p.Moves, workload.Move{Listed: true})
	if p.HasOnlyRegularMoves() {
		t.Error("a program with a listed move is regular")
	}
}
