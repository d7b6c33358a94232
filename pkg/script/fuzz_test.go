package script_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/script"
	"h5perf/pkg/test/scripttest"
	"h5perf/pkg/workload"
)

// epochs returns the number of epochs in each section of a program. It must be the same for all ranks.
func epochs(p workload.Program) (all []int) {
	for op := range p.Parts {
		part := &p.Parts[op]
		all = append(all, len(part.Begin), len(part.End))
		for _, d := range part.Dumps {
			all = append(all, len(d.Epochs))
		}
	}
	return all
}

// used returns the CPU time of the process.
func used(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// makes returns what is wrong with a script, except errors with a position in it. made says whether it has programs.
func makes(text string) (made bool, wrong error) {
	fails := func(err error) error {
		if e, is := errors.AsType[*script.PositionError](err); is && strings.HasPrefix(e.Position, "fuzz.star:") {
			return nil
		}
		return fmt.Errorf("an error without a place: %w", err)
	}
	s, err := script.Read("fuzz.star", []byte(text))
	if err != nil {
		return false, fails(err)
	}
	var first []int
	for rank := range int64(scripttest.Ranks) {
		p, err := s.Program(rank, script.JobSize{Ranks: scripttest.Ranks, Nodes: scripttest.Nodes})
		if err != nil {
			return false, fails(err)
		}
		if all := epochs(p); rank == 0 {
			first = all
		} else if fmt.Sprint(first) != fmt.Sprint(all) {
			return false, fmt.Errorf("ranks 0 and %d have %v and %v epochs", rank, first, all)
		}
	}
	return true, nil
}

func TestScriptsOfAGrammarAreProgramsOrErrorsWithPlaces(t *testing.T) {
	cases := uint64(200)
	if allCases {
		cases = 2000
	}
	programs := uint64(0)
	for seed := range cases {
		text := scripttest.Script(seed, scripttest.Wasteful)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := used(t)
		made, wrong := makes(text)
		if d := used(t) - start; d > 3*time.Second { // for three ranks, including garbage collection
			wrong = fmt.Errorf("it took %v", d)
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 3*mostAllocated {
			wrong = fmt.Errorf("it took %d MiB", (after.TotalAlloc-before.TotalAlloc)>>20)
		}
		if wrong != nil {
			t.Errorf("case %d: %v\n%s", seed, wrong, text)
		}
		if made {
			programs++
		}
	}
	if t.Logf("%d of %d scripts have programs", programs, cases); programs < cases/2 {
		t.Error("too few: the grammar knows less than the language")
	}
}
