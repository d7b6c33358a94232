package bench_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
)

// shuffled returns options for a run of four cases that only write, in a random order drawn from a seed.
func shuffled(iterations int, seed uint64) plan.Options {
	return plan.Options{
		Sizes: option.Sizes{APIs: []string{result.POSIX, result.MPIIO}},
		Common: option.Common{
			Iterations: &iterations, WriteOnly: true,
			Conditions: option.Conditions{Order: option.OrderRandom, Seed: &seed},
		},
	}
}

// rounds splits an order into rounds of n cases.
func rounds(order []int, n int) (out []string) {
	for round := range slices.Chunk(order, n) {
		out = append(out, fmt.Sprint(round))
	}
	return out
}

func TestARandomOrderVisitsEveryCaseOnceInEachRound(t *testing.T) {
	state, seen, _ := run(t, shuffled(20, 1), null.Options{})
	if state != result.Complete || len(seen.order) != 80 || len(seen.cases) != 4 {
		t.Fatalf("state %s, %d samples, %d cases", state, len(seen.order), len(seen.cases))
	}
	for round := range slices.Chunk(seen.order, 4) {
		if sorted := slices.Sorted(slices.Values(round)); !slices.Equal(sorted, []int{0, 1, 2, 3}) {
			t.Errorf("round %v", round)
		}
	}
	if different := slices.Compact(slices.Sorted(slices.Values(rounds(seen.order, 4)))); len(different) < 8 {
		t.Errorf("20 rounds of 24 possible orders have only %v", different)
	}
	for _, c := range seen.cases {
		if len(c.Samples) != 20 || c.Samples[19].Iteration != 20 || c.State != result.Complete {
			t.Errorf("%s ended %s with %d samples", c.API, c.State, len(c.Samples))
		}
	}
}

func TestASeedGivesTheSameOrderAgain(t *testing.T) {
	_, first, _ := run(t, shuffled(5, 7), null.Options{})
	_, again, _ := run(t, shuffled(5, 7), null.Options{})
	_, other, _ := run(t, shuffled(5, 8), null.Options{})
	if !slices.Equal(first.order, again.order) || slices.Equal(first.order, other.order) {
		t.Errorf("seed 7: %v and %v, seed 8: %v", first.order, again.order, other.order)
	}
}

func TestAFailureInARandomOrderEndsItsCaseAlone(t *testing.T) {
	opened := 0
	state, seen, _ := run(t, shuffled(3, 1), null.Options{Fail: func(s null.Step) error {
		if s.Phase == null.Open {
			if opened++; opened == 6 {
				return errors.New("as asked")
			}
		}
		return nil
	}})
	if state != result.Failed || len(seen.cases) != 4 || len(seen.order) != 10 {
		t.Fatalf("state %s, %d cases, samples of %v", state, len(seen.cases), seen.order)
	}
	for i, c := range seen.cases {
		failed := c.State == result.Failed
		if failed != (i == 0) || len(c.Samples) != map[bool]int{true: 1, false: 3}[failed] {
			t.Errorf("case %d to end is %s with %d samples", i, c.State, len(c.Samples))
		}
	}
}

func TestAStopEndsARandomOrder(t *testing.T) {
	opened := 0
	state, seen, _ := run(t, shuffled(3, 1), null.Options{Fail: func(s null.Step) error {
		if s.Phase == null.Open {
			if opened++; opened == 6 {
				return errStop
			}
		}
		return nil
	}})
	if state != result.Interrupted || len(seen.cases) != 1 || len(seen.begun) != 4 || len(seen.order) != 5 {
		t.Errorf("state %s, %d cases begun, %d ended, samples of %v", state, len(seen.begun), len(seen.cases),
			seen.order)
	}
}

// paired runs two configurations with two cases each in turns. The returned string has the letter of the arm of each
// iteration.
func paired(t *testing.T, a, b plan.Options, fail func(arm, iteration int) error) (result.State, [2]*trace, string) {
	t.Helper()
	var plans [2]plan.Plan
	for i, o := range []plan.Options{a, b} {
		var err error
		if plans[i], err = plan.New(o, plan.JobFacts{Processes: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := bench.CheckArm(plans[0], plans[1], result.ArmB); err != nil {
		t.Fatal(err)
	}
	cfg := bench.Config{
		World: mpi.Self{}, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
		Abort: func(e result.Error) { t.Fatalf("abort: %v", e) },
	}
	var seen [2]*trace
	letters := ""
	for i := range plans {
		stop, dir := stopAndDir(t)
		cfg.Stop = stop
		seen[i] = newTrace()
		opened := 0
		e := null.New(null.Options{Fail: func(s null.Step) error {
			if s.Phase != null.Open {
				return nil
			}
			letters += string(rune('A' + i))
			opened++
			return fail(i, opened)
		}})
		cfg.Arms = append(cfg.Arms, bench.Arm{
			Plan: plans[i], Dir: dir, Observer: seen[i],
			Engines: map[string]func() engine.Engine{result.POSIX: func() engine.Engine { return e }},
		})
	}
	return bench.Run(cfg), seen, letters
}

func one(iterations int) plan.Options {
	return plan.Options{
		Sizes: option.Sizes{
			APIs: []string{result.POSIX}, MinTransferSize: new(uint64(64 << 10)),
			BlockSize: new(uint64(64 << 10)),
		},
		Common: option.Common{Iterations: &iterations, WriteOnly: true},
	}
}

func never(int, int) error { return nil }

func TestTheCasesOfAPairComeRightAfterOneAnother(t *testing.T) {
	state, seen, letters := paired(t, one(20), one(20), never)
	if state != result.Complete || len(letters) != 2*3*20 {
		t.Fatalf("state %s, iterations %s", state, letters)
	}
	count := map[string]int{}
	for pair := range slices.Chunk([]byte(letters), 2) {
		count[string(pair)]++
	}
	if count["AB"]+count["BA"] != 60 || count["AB"] < 15 || count["BA"] < 15 {
		t.Errorf("pairs %v, want each of both arms, in both orders", count)
	}
	if !slices.Equal(seen[0].order, seen[1].order) {
		t.Errorf("A measured the cases %v, B %v", seen[0].order, seen[1].order)
	}
}

func TestAPairGoesOnWithOneWhereTheOtherFails(t *testing.T) {
	state, seen, _ := paired(t, one(4), one(4), func(arm, iteration int) error {
		if arm == 0 && iteration == 2 {
			return errors.New("as asked")
		}
		return nil
	})
	if state != result.Failed || len(seen[0].cases) != 3 || len(seen[1].cases) != 3 {
		t.Fatalf("state %s after %d and %d cases", state, len(seen[0].cases), len(seen[1].cases))
	}
	for _, c := range seen[1].cases {
		if len(c.Samples) != 4 {
			t.Errorf("arm B has %d samples", len(c.Samples))
		}
	}
}

func TestPlansThatCannotBePairedAreRefused(t *testing.T) {
	base := one(2)
	fewer, warmer, reader := base, base, base
	fewer.MinTransferSize = new(uint64(256 << 10))
	warmer.Warmup = new(1)
	reader.WriteOnly = false
	for name, other := range map[string]plan.Options{"fewer cases": fewer, "a warm-up": warmer, "reads": reader} {
		var plans [2]plan.Plan
		for i, o := range []plan.Options{base, other} {
			var err error
			if plans[i], err = plan.New(o, plan.JobFacts{Processes: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := bench.CheckArm(plans[0], plans[1], result.ArmB); err == nil {
			t.Errorf("%s in B alone was accepted", name)
		}
	}
}
