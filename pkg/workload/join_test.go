package workload_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// joinedSteps returns the steps of a program as text, such as "select 0, transfer 0", after their transfers have been
// joined. A step of a series has its number of moves in brackets. Each dataset has 6 moves; the last one is of points.
func joinedSteps(t *testing.T, steps ...workload.Step) string {
	t.Helper()
	p := workload.Program{Objects: make([]workload.Object, 2)}
	for i := range 12 {
		one, err := pattern.SelectHyperslab([]uint64{24}, 1, pattern.Hyperslab{
			Start: []uint64{uint64(i)}, Stride: []uint64{1}, Count: []uint64{1}, Block: []uint64{1},
		})
		if i%6 == 5 {
			one, err = pattern.SelectPoints([]uint64{24}, 1, []uint64{7, 3})
		}
		if err != nil {
			t.Fatal(err)
		}
		p.Moves = append(p.Moves, workload.Move{Object: i / 6, Listed: true, Selection: one})
	}
	p.Parts[workload.Write].Dumps = []workload.Dump{{Epochs: []workload.Epoch{{Steps: steps}}}}
	p = p.JoinTransfers()
	var all []string
	for s := range p.Parts[workload.Write].Steps() {
		text := fmt.Sprint(s.Class, " ", s.Move)
		if s.SeriesMoves > 0 {
			text += fmt.Sprintf(" (%d)", s.SeriesMoves)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// transferSteps returns the steps of the transfers of moves, on a line.
func transferSteps(line int, moves ...int) (all []workload.Step) {
	for _, move := range moves {
		b := workload.Batch{Object: move / 6, Count: 1, Move: move, NumTransfers: 1, BeginsAndEnds: true}
		b.Class = workload.Select
		all = append(all, workload.Step{Batch: b, Line: line})
		b.Class = workload.Transfer
		all = append(all, workload.Step{Batch: b, Line: line})
	}
	return all
}

// withoutSelections returns the steps of a program for plain files.
func withoutSelections(steps []workload.Step) []workload.Step {
	return slices.DeleteFunc(steps, func(s workload.Step) bool { return s.Class == workload.Select })
}

func TestConsecutiveTransfersOfADatasetAreJoined(t *testing.T) {
	with := func(steps []workload.Step, change func(*workload.Step)) []workload.Step {
		change(&steps[len(steps)-1])
		return steps
	}
	other := workload.Step{Batch: workload.Batch{Class: workload.Sync, Move: workload.NoMove}}
	for _, c := range []struct {
		name, want string
		steps      []workload.Step
	}{
		{"one", "select 0, transfer 0", transferSteps(1, 0)},
		{"three", "transfer 0 (3)", transferSteps(1, 0, 1, 2)},
		{"two lines", "transfer 0 (2), transfer 2 (2)", append(transferSteps(1, 0, 1), transferSteps(2, 2, 3)...)},
		{"two datasets", "transfer 3 (2), select 6, transfer 6", transferSteps(1, 3, 4, 6)},
		{"points", "transfer 3 (2), select 5, transfer 5", transferSteps(1, 3, 4, 5)},
		{"in a plain file", "transfer 0 (3)", withoutSelections(transferSteps(1, 0, 1, 2))},
		{"points in a plain file", "transfer 4, transfer 5", withoutSelections(transferSteps(1, 4, 5))},
		{"not consecutive", "select 0, transfer 0, select 2, transfer 2", transferSteps(1, 0, 2)},
		{
			"a step between", "select 0, transfer 0, sync -1, select 1, transfer 1",
			append(append(transferSteps(1, 0), other), transferSteps(1, 1)...),
		},
		{
			"another direction", "select 0, transfer 0, select 1, transfer 1",
			with(transferSteps(1, 0, 1), func(s *workload.Step) { s.Op = workload.Read }),
		},
		{
			"several datasets of a family", "select 0, transfer 0, select 1, transfer 1",
			with(transferSteps(1, 0, 1), func(s *workload.Step) { s.Count = 2 }),
		},
		{
			"in one call", "select 0, transfer 0, select 1, transfer 1",
			with(transferSteps(1, 0, 1), func(s *workload.Step) { s.MultiMoves = 1 }),
		},
	} {
		if got := joinedSteps(t, c.steps...); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
