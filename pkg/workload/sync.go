package workload

import "slices"

// SyncDumps returns a program in which each file that is open for writing at the end of a dump is synced there.
func (p Program) SyncDumps() Program {
	p.Parts[Write] = p.Parts[Write].syncDumps()
	return p
}

func (p Part) syncDumps() Part {
	open := []Batch{}
	for i := range p.Begin {
		open = follow(open, p.Begin[i].Steps)
	}
	dumps := slices.Clone(p.Dumps)
	for i, d := range dumps {
		epochs := slices.Clone(d.Epochs)
		for j := range epochs {
			open = follow(open, epochs[j].Steps)
		}
		if n := len(epochs); n > 0 {
			last := slices.Clone(epochs[n-1].Steps)
			for _, f := range open {
				last = append(last, syncOf(f))
			}
			epochs[n-1].Steps = last
		}
		dumps[i].Epochs = epochs
	}
	p.Dumps = dumps
	return p
}

// follow returns the batches that have opened the files which are open after steps.
func follow(open []Batch, steps []Step) []Batch {
	for i := range steps {
		b := &steps[i].Batch
		same := func(o Batch) bool { return o.File == b.File }
		switch b.Class {
		case FileOpen:
			open = append(slices.DeleteFunc(slices.Clone(open), same), *b)
		case FileClose:
			open = slices.DeleteFunc(slices.Clone(open), same)
		}
	}
	return open
}

// SyncFiles returns a program in which each file that was open for writing is synced before it is closed.
func (p Program) SyncFiles() Program {
	p.Parts[Write] = p.Parts[Write].replaced(syncedBeforeClose)
	return p
}

func syncedBeforeClose(epochs []Epoch) []Epoch {
	epochs = slices.Clone(epochs)
	for i, e := range epochs {
		var steps []Step
		for _, s := range e.Steps {
			if s.Class == FileClose {
				steps = append(steps, syncOf(s.Batch))
			}
			steps = append(steps, s)
		}
		epochs[i].Steps = steps
	}
	return epochs
}

// syncOf returns the step that syncs the file of a batch.
func syncOf(b Batch) Step {
	return Step{Batch: Batch{Class: Sync, Op: b.Op, File: b.File, Number: b.Number, Move: NoMove}}
}
