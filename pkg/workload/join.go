package workload

import "h5perf/pkg/pattern"

// JoinTransfers returns a copy of the program in which consecutive transfers of hyperslabs in the same dataset are one
// batch (see Batch.SeriesMoves), so that an engine does them in one call. The steps that built their selections are
// left out: the engine selects each hyperslab before its transfer. A program for plain files has no such steps.
// Transfers of different lines of a workload file are not joined. The calls for the data are the same, in the same
// order.
func (p Program) JoinTransfers() Program {
	for op := range p.Parts {
		p.Parts[op] = p.Parts[op].withSteps(func(steps []Step) []Step {
			var all []Step
			for i := range steps {
				all = p.joinStep(all, steps[i])
			}
			return all
		})
	}
	return p
}

// joinStep appends a step to steps, or joins its transfer to that of the last ones.
func (p *Program) joinStep(all []Step, next Step) []Step {
	last := len(all) - 1
	if last >= 0 && selectsFor(&all[last], &next) {
		last--
	}
	if last < 0 || !p.isJoinable(&next) || !p.isJoinable(&all[last]) {
		return append(all, next)
	}
	joined := &all[last]
	if joined.Move+joined.NumMoves() != next.Move || joined.Op != next.Op || joined.Line != next.Line ||
		joined.File != next.File || joined.Object != next.Object || joined.First != next.First {
		return append(all, next)
	}
	if joined.SeriesMoves == 0 && last > 0 && selectsFor(&all[last-1], joined) {
		all[last-1] = *joined
		last--
	}
	all[last].SeriesMoves = all[last].NumMoves() + 1
	return all[:last+1]
}

// isJoinable reports whether a step transfers one hyperslab in one dataset, or is a series of such transfers.
func (p *Program) isJoinable(s *Step) bool {
	if s.Class != Transfer || !s.BeginsAndEnds || s.MultiMoves > 0 || s.Count != 1 || s.NumTransfers != 1 {
		return false
	}
	m := &p.Moves[s.Move]
	kind := m.Selection.Kind()
	return m.Listed && (kind == pattern.Singular || kind == pattern.Regular)
}

// selectsFor reports whether a step builds the selection of the next step.
func selectsFor(s, next *Step) bool {
	return s.Class == Select && s.Move == next.Move && s.File == next.File
}
