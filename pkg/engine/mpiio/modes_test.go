//go:build cgo && !nompi

package mpiio

import (
	"testing"

	"h5perf/pkg/workload"
)

// The engine resets views only if a process mixes modes, because it costs a call for each collective transfer.
func TestAProcessMixesModesInAFile(t *testing.T) {
	const independent, collective = 0, 1
	step := func(class workload.StepClass, file, move int) workload.Step {
		return workload.Step{Batch: workload.Batch{Class: class, File: file, Move: move}}
	}
	open := func(file int) workload.Step { return step(workload.FileOpen, file, workload.NoMove) }
	transfer := func(file, move int) workload.Step { return step(workload.Transfer, file, move) }
	several := transfer(0, independent)
	several.MultiMoves = 2
	for _, c := range []struct {
		name  string
		steps []workload.Step
		want  bool
	}{
		{"nothing", nil, false},
		{"collective only", []workload.Step{open(0), transfer(0, collective), transfer(0, collective)}, false},
		{"independent before", []workload.Step{open(0), transfer(0, independent), transfer(0, collective)}, false},
		{"independent after", []workload.Step{open(0), transfer(0, collective), transfer(0, independent)}, true},
		{"in another file", []workload.Step{open(0), transfer(0, collective), transfer(1, independent)}, false},
		{"opened again", []workload.Step{open(0), transfer(0, collective), open(0), transfer(0, independent)}, false},
		{"several datasets in one call", []workload.Step{open(0), transfer(0, collective), several}, true},
	} {
		for op := range 2 {
			p := workload.Program{
				Files: make([]workload.File, 2),
				Moves: []workload.Move{{Listed: true}, {Listed: true, Collective: true}},
			}
			p.Parts[op].Dumps = []workload.Dump{{Epochs: []workload.Epoch{{Steps: c.steps}}}}
			if got := mixesTransferModes(&p); got != c.want {
				t.Errorf("%s, %s: %v, want %v", c.name, workload.Op(op), got, c.want)
			}
		}
	}
}
