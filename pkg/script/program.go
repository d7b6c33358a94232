package script

import (
	"fmt"
	"slices"
	"sync"

	"go.starlark.net/starlark"

	"h5perf/pkg/workload"
)

// programKey is the key of a known program. A known program is valid for rank 0, which also does the steps of job.root,
// or for all other ranks, if the script does not use the number of its rank.
type programKey struct {
	JobSize
	isFirstRank bool // the program is that of rank 0
}

// knownProgram is the program of a rank, from which programOfRank makes the programs of other ranks.
type knownProgram struct {
	workload.Program
	rank         int64
	recipes      []selectionRecipe // recipes[i] is for Moves[i]
	checkedMoves workload.CheckedMoves
}

// Program returns the program of one rank of a job: the steps of write and then those of read. Programs of several
// ranks may share the memory of their steps, objects and files: do not change them.
func (s *Script) Program(rank int64, job JobSize) (workload.Program, error) {
	if rank < 0 || rank >= job.Ranks {
		return workload.Program{}, fmt.Errorf("rank %d of %d: there is no such rank", rank, job.Ranks)
	}
	if k, is := s.knownPrograms.Load(programKey{job, rank == 0}); is {
		if p, err := k.(*knownProgram).programOfRank(rank); err == nil { // else the error has its place below
			return p, s.LocateFault(p.CheckNext(k.(*knownProgram).checkedMoves))
		}
	}
	if err := s.failures.lastError(); err != nil {
		return workload.Program{}, err
	}
	r, err := s.recordRank(rank, job)
	if err != nil {
		return workload.Program{}, err
	}
	passed, err := r.rankProgram.CheckFirst()
	if err != nil {
		return r.rankProgram, s.LocateFault(err)
	}
	k := &knownProgram{r.rankProgram, rank, r.recipes, passed}
	for _, first := range []bool{true, false} {
		if same := first == (rank == 0); same && (first || !r.dependsOnRank) || !r.dependsOnRank && !r.rootDiffers {
			s.knownPrograms.Store(programKey{job, first}, k)
		}
	}
	return r.rankProgram, nil
}

// failedRuns counts the resources of the runs of a script that ended with an error. A search for a number of ranks that
// fits a script runs it many times. If a script works long before it fails, it is not run again as soon as all failed
// runs together have used one and a half times the limits of one run.
type failedRuns struct {
	sync.Mutex
	used float64 // in units of the limits of one run
	last error
}

// lastError returns the error of the last failed run if the script must not run again, otherwise nil.
func (f *failedRuns) lastError() error {
	f.Lock()
	defer f.Unlock()
	if f.used < 1.5 {
		return nil
	}
	return f.last
}

// addRun adds the resources and the error of a run that failed.
func (f *failedRuns) addRun(r *execution, err error) {
	selected := uint64(0)
	if r.recorder != nil {
		selected = r.recorder.numSelected
	}
	f.Lock()
	defer f.Unlock()
	f.used += max(float64(r.thread.Steps)/maxSteps, float64(r.allocated)/maxMemoryBytes, float64(selected)/maxSelected)
	f.last = err
}

// recordRank runs the script for a rank and records its program.
func (s *Script) recordRank(rank int64, job JobSize) (recorded *recorder, err error) {
	r, err := s.runTopLevel(job, &Declarations{}, false)
	defer func() {
		if err != nil && r != nil {
			s.failures.addRun(r, err)
		}
	}()
	if err != nil {
		return nil, err
	}
	r.recorder = newRecorder(r, rank)
	if k, is := s.knownPrograms.Load(programKey{job, true}); is {
		r.recorder.reserveMemory(&k.(*knownProgram).Program)
	}
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		f, is := r.declared.globals[op.String()].(*starlark.Function)
		if !is {
			continue
		}
		r.recorder.beginPart(op)
		if _, err := starlark.Call(r.thread, f, starlark.Tuple{&jobValue{baseValue{"job"}, r}}, nil); err != nil {
			return nil, s.locateError(err)
		}
		if err := r.recorder.checkAllClosed(); err != nil {
			return nil, s.errorAtPosition(f.Position(), fmt.Sprint(op, ": ", err))
		}
	}
	return r.recorder, r.recorder.completeProgram()
}

// programOfRank returns the program of another rank. It has the same steps, with the selections of that rank.
func (k *knownProgram) programOfRank(rank int64) (workload.Program, error) {
	p, listed := k.Program, uint64(0)
	p.Moves = slices.Clone(p.Moves)
	if rank == k.rank {
		return p, nil
	}
	for i := range p.Moves {
		m, d := &p.Moves[i], &k.recipes[i]
		counted := listed
		var err error
		if m.Selection, err = d.selectionOfRank(uint64(rank), &counted); err == nil {
			o := &p.Objects[m.Object]
			err = m.SetDerivedFields(o, o.Type)
		}
		if err != nil {
			return p, err
		}
		if !d.repeated {
			listed = counted
		}
	}
	return p, nil
}
