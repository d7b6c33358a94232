package workload

import "slices"

// SyncDumps returns a program in which each file that is open for writing at the end of a dump is synced there.
func (p Program) SyncDumps() Program {
	p.Parts[Write] = p.Parts[Write].syncDumps()
	return p
}

func (p ProgramPart) syncDumps() ProgramPart {
	var open []Batch // FileOpen batches of the open files
	dumps := slices.Clone(p.Dumps)
	for i, epochs := range p.Sections()[:len(dumps)+1] {
		for s := range (&ProgramPart{Begin: epochs}).Steps() {
			if s.Class == FileOpen || s.Class == FileClose {
				open = slices.DeleteFunc(open, func(b Batch) bool { return b.File == s.File })
			}
			if s.Class == FileOpen && s.Op == Write {
				open = append(open, s.Batch)
			}
		}
		last := len(epochs) - 1
		if i == 0 || last < 0 {
			continue
		}
		epochs = slices.Clone(epochs)
		epochs[last].Steps = slices.Clone(epochs[last].Steps)
		for _, b := range open {
			epochs[last].Steps = append(epochs[last].Steps, newSyncStep(b))
		}
		dumps[i-1].Epochs = epochs
	}
	p.Dumps = dumps
	return p
}

// SyncFiles returns a program in which each file that was open for writing is synced before it is closed.
func (p Program) SyncFiles() Program {
	p.Parts[Write] = p.Parts[Write].withSteps(func(steps []Step) (all []Step) {
		for _, s := range steps {
			if s.Class == FileClose && s.Op == Write {
				all = append(all, newSyncStep(s.Batch))
			}
			all = append(all, s)
		}
		return all
	})
	return p
}

// newSyncStep returns the step that syncs the file of a batch.
func newSyncStep(b Batch) Step {
	return Step{Batch: Batch{Class: Sync, Op: b.Op, File: b.File, Move: NoMove}}
}
