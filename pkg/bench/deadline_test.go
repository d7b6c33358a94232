package bench_test

import (
	"slices"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// within runs options with a deadline. Opening a file to write takes a second of its clock.
func within(t *testing.T, o plan.Options, deadline time.Duration) (result.State, *trace, time.Duration) {
	t.Helper()
	start := time.Unix(1000, 0)
	now := start
	state, seen, _ := runWith(t, o, null.Options{
		Fail: func(s null.Step) error {
			if s.Phase == null.Open && s.Op == workload.Write {
				now = now.Add(time.Second)
			}
			return nil
		},
	}, func(c *bench.Config) {
		c.Now, c.Deadline = func() time.Time { return now }, start.Add(deadline)
	})
	return state, seen, now.Sub(start)
}

// orders returns options for the same cases in both orders, with 20 iterations each.
func orders() map[string]plan.Options {
	inOrder := shuffled(20, 1)
	inOrder.Conditions = option.Conditions{}
	return map[string]plan.Options{"in order": inOrder, "random order": shuffled(20, 1)}
}

// counts returns the number of samples of each case, and why the cases ended.
func counts(seen *trace) (counts []int, by []result.EndedBy) {
	for _, c := range seen.cases {
		counts, by = append(counts, len(c.Samples)), append(by, c.EndedBy)
	}
	return counts, by
}

func TestADeadlineIsMetByFewerIterationsOfEachCase(t *testing.T) {
	for name, o := range orders() {
		state, seen, took := within(t, o, 25*time.Second)
		n, by := counts(seen)
		if state != result.Complete || len(n) != 4 || took > 25*time.Second {
			t.Errorf("%s: %s after %v with cases %v", name, state, took, n)
		}
		for i := range n {
			// each case has a quarter of the time, and an iteration with its margin must fit into the rest
			if n[i] < 5 || n[i] > 7 || by[i] != result.EndedByDeadline || seen.cases[i].State != result.Complete {
				t.Errorf("%s: case %d is %s, has %d samples, and was ended by %q", name, i, seen.cases[i].State, n[i],
					by[i])
			}
		}
	}
}

func TestADeadlineThatIsFarAwayChangesNothing(t *testing.T) {
	for _, o := range []plan.Options{shuffled(3, 1), {Common: option.Common{Iterations: new(3), WriteOnly: true}}} {
		state, seen, _ := within(t, o, time.Hour)
		n, by := counts(seen)
		for i := range n {
			if n[i] != 3 || by[i] != "" {
				t.Errorf("%d samples, ended by %q", n[i], by[i])
			}
		}
		if state != result.Complete {
			t.Errorf("%s", state)
		}
	}
}

func TestCasesWithoutAnIterationBeforeTheDeadlineAreSkipped(t *testing.T) {
	for name, o := range orders() {
		state, seen, _ := within(t, o, 3*time.Second)
		n, by := counts(seen)
		skipped := 0
		for i, c := range seen.cases {
			switch {
			case c.State == result.Skipped && n[i] == 0 && c.Reason != "" && by[i] == result.EndedByDeadline:
				skipped++
			case c.State != result.Complete || n[i] != 1 || by[i] != result.EndedByDeadline:
				t.Errorf("%s: case %d is %s with %d samples, ended by %q", name, i, c.State, n[i], by[i])
			}
		}
		if state != result.Failed || skipped != 1 || len(n) != 4 {
			t.Errorf("%s: %s with %d of %d cases skipped", name, state, skipped, len(n))
		}
	}
}

func TestAWarmUpThatLastsToTheDeadlineLeavesNoSample(t *testing.T) {
	for name, o := range orders() {
		o.Warmup = new(10)
		state, seen, took := within(t, o, 5*time.Second)
		n, _ := counts(seen)
		if state != result.Failed || took > 5*time.Second || !slices.Equal(n, []int{0, 0, 0, 0}) {
			t.Errorf("%s: %s after %v with %v samples", name, state, took, n)
		}
		for i, c := range seen.cases {
			if c.State != result.Skipped {
				t.Errorf("%s: case %d is %s", name, i, c.State)
			}
		}
	}
}

// The round after the warm-up does not fit as a whole: it measures only the cases for which there is time.
func TestTheLastRoundIsOfTheCasesThatFit(t *testing.T) {
	o := shuffled(20, 1)
	o.Warmup = new(1)
	state, seen, took := within(t, o, 7500*time.Millisecond)
	n, by := counts(seen)
	slices.Sort(n)
	if state != result.Failed || took > 7500*time.Millisecond || !slices.Equal(n, []int{0, 1, 1, 1}) {
		t.Errorf("%s after %v with %v samples, ended by %v", state, took, n, by)
	}
}

func TestADeadlineEndsIterationsThatGoOnUntilTheyAreEnough(t *testing.T) {
	o := plan.Options{
		Sizes: option.Sizes{APIs: []string{result.POSIX}, MinTransferSize: new(uint64(256 << 10))},
		Common: option.Common{
			Iterations: new(2), WriteOnly: true,
			Conditions: option.Conditions{MinSeconds: new(3600.0), MaxIterations: new(1000)},
		},
	}
	state, seen, took := within(t, o, 10*time.Second)
	if n, by := counts(seen); state != result.Complete || took > 10*time.Second || n[0] < 8 ||
		by[0] != result.EndedByDeadline {
		t.Errorf("%s after %v, %v samples, ended by %v", state, took, n, by)
	}
}

func TestAPauseBeforeEachIterationIsNotMeasured(t *testing.T) {
	var clock, slept time.Duration
	o := shuffled(3, 1)
	o.Warmup, o.Think = new(1), new(2.0)
	state, seen, _ := runWith(t, o, null.Options{}, func(c *bench.Config) {
		c.Clock = func() time.Duration { clock += time.Microsecond; return clock }
		c.Sleep = func(d time.Duration) { slept += d; clock += d }
	})
	iterations := len(seen.cases) * (3 + 1)
	want := time.Duration(iterations) * 2 * time.Second
	if state != result.Complete || (slept-want).Abs() > time.Second {
		t.Errorf("%s, slept for %v, want %v", state, slept, want)
	}
	for _, c := range seen.cases {
		for _, s := range c.Samples {
			if s.Access.WindowSeconds > 1 {
				t.Errorf("%s %s: a window of %g s has the pause in it", c.API, s.Operation, s.Access.WindowSeconds)
			}
		}
	}
}

func TestAPauseIsEndedByASignal(t *testing.T) {
	o := shuffled(3, 1)
	o.Think = new(3600.0)
	state, _, _ := runWith(t, o, null.Options{}, func(c *bench.Config) {
		stop := c.Stop
		c.Sleep = func(time.Duration) { stop.Set() }
	})
	if state != result.Interrupted {
		t.Errorf("%s", state)
	}
}
