package command_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// tuningWorld is a simulated file system. Times vary by cv, and depend on the times before by ar. speed is that of a
// trial, relative to the unchanged configuration.
type tuningWorld struct {
	name  string
	speed func(trial []int) float64
}

// The worlds: nothing helps; one change of 20 %; three of 8 to 10 %; two that help more together; two that help as much
// alone as together. Some changes are slow.
var tuningWorlds = []tuningWorld{
	{"nothing", func([]int) float64 { return 1 }},
	{"one", product(map[int]float64{7: 1.2, 11: 0.9, 30: 0.5})},
	{"three", product(map[int]float64{5: 1.08, 12: 1.09, 29: 1.1, 2: 0.2})},
	{"interaction", func(trial []int) float64 {
		switch a, b := slices.Contains(trial, 3), slices.Contains(trial, 20); {
		case a && b:
			return 1.25
		case a || b:
			return 1.08
		}
		return 1
	}},
	{"the same twice", func(trial []int) float64 {
		if slices.Contains(trial, 3) || slices.Contains(trial, 20) {
			return 1.2
		}
		return 1
	}},
}

// product returns the speed of trials whose changes act independently.
func product(factors map[int]float64) func([]int) float64 {
	return func(trial []int) float64 {
		speed := 1.0
		for _, change := range trial {
			if f, is := factors[change]; is {
				speed *= f
			}
		}
		return speed
	}
}

// tuned is the result of a simulated search.
type tuned struct {
	speed    float64 // true speed of the chosen trial
	searched int     // measurements of both races
	heldOut  history.HoldOut
	stages   []result.TuneStage
}

// tune runs a tuner with 32 changes in the world.
func (w tuningWorld) tune(t *testing.T, cv, ar float64, seed uint64, limit time.Duration) (out tuned) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	sigma, state, now := math.Sqrt(math.Log1p(cv*cv)), rng.NormFloat64(), time.Unix(1000, 0)
	u := command.Tuner{
		Runs: 160, Time: limit, Pace: time.Second, Seed: seed, Now: func() time.Time { return now },
	}
	for i := range 32 {
		u.Changes = append(u.Changes, fmt.Sprintf("c%d=1", i))
	}
	for stage := u.NextStage(); stage.Trials != nil; stage = u.NextStage() {
		out.stages = append(out.stages, stage.Name)
		var names []string
		for _, trial := range stage.Trials {
			names = append(names, u.TrialName(trial))
		}
		times := layoutRuns(0, make([]float64, min(3, len(names)))...)
		_, next := u.NextRound(names, history.EarlierTurns{})
		seconds := make([]float64, len(names))
		for round := 1; ; round++ {
			arms := next(seconds)
			clear(seconds)
			if len(arms) == 0 {
				break
			}
			for _, arm := range arms {
				state = ar*state + math.Sqrt(1-ar*ar)*rng.NormFloat64()
				seconds[arm] = math.Exp(sigma*state) / w.speed(stage.Trials[arm])
				now = now.Add(time.Duration(stage.Size * float64(time.Second)))
				if arm < len(times) {
					times[arm].Cases[0].Samples = append(times[arm].Cases[0].Samples, result.Sample{
						Operation: result.OperationWrite, Iteration: round, Bytes: 1,
						Access: result.Interval{WindowSeconds: seconds[arm]},
					})
				}
			}
			switch stage.Name {
			case result.TuneSearch, result.TuneCombine:
				out.searched += len(arms)
			case result.TuneHoldOut:
				out.speed = w.speed(stage.Trials[1])
			}
		}
		if stage.Name == result.TuneHoldOut {
			var err error
			if out.heldOut, err = history.NewHoldOut(times); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// holds reports whether the interval of the hold-out contains the true ratio of times.
func (r tuned) holds() bool {
	d := r.heldOut.Difference
	return d != nil && d.Low != nil && *d.Low <= 1/r.speed && 1/r.speed <= *d.High
}

// Tuning finds what helps, claims nothing that does not, and its intervals hold. With DEEP set to a number, there are
// so many times more simulations, and the shares are printed with -v.
func TestTuningIsCalibrated(t *testing.T) {
	t.Parallel()
	trials := 60
	if times, err := strconv.Atoi(os.Getenv("DEEP")); err == nil {
		trials *= times
	}
	held, heldOut := 0, 0
	for _, w := range tuningWorlds {
		for _, cv := range []float64{0.05, 0.1, 0.2} {
			for _, ar := range []float64{0, 0.5, 0.8} {
				found, claims, wrong, holds, pairs := 0, 0, 0, 0, 0
				gain := 0.0
				for i := range trials {
					one := w.tune(t, cv, ar, uint64(i), 0)
					if one.searched > 160 || one.heldOut.Pairs > 40 {
						t.Fatalf("%s: %d measurements, %d pairs", w.name, one.searched, one.heldOut.Pairs)
					}
					gain += one.speed - 1
					pairs += one.heldOut.Pairs
					if one.holds() {
						holds++
					}
					if one.heldOut.Verdict != history.Better {
						continue
					}
					claims++
					switch {
					case one.speed <= 1:
						wrong++
					case one.speed > 1.19:
						found++
					}
				}
				held, heldOut = held+holds, heldOut+trials
				share := func(n int) float64 { return float64(n) / float64(trials) }
				t.Logf("%-14s cv %2.0f %%, AR %.1f: +20 %% confirmed %.3f, claims %.3f, wrong %.3f, intervals %.3f, "+
					"mean pairs %4.1f, mean gain %4.1f %%", w.name, 100*cv, ar, share(found), share(claims),
					share(wrong), share(holds), float64(pairs)/float64(trials), 100*gain/float64(trials))
				least := map[float64]float64{0.05: 0.95, 0.1: 0.9}[cv]
				if cv == 0.2 && ar == 0.8 {
					least = 0.75
				}
				// The limits are two standard errors of the share wide.
				if n := float64(trials); w.name == "one" && share(found) < least-2*math.Sqrt(least*(1-least)/n) ||
					share(wrong) > 0.06+2*math.Sqrt(0.06*0.94/n) {
					t.Errorf("%s, cv %g, AR %g: +20 %% confirmed in %d, wrong claims in %d of %d", w.name, cv, ar,
						found, wrong, trials)
				}
			}
		}
	}
	t.Logf("intervals hold in %d of %d", held, heldOut)
	if float64(held) < 0.93*float64(heldOut) {
		t.Errorf("intervals hold in %d of %d", held, heldOut)
	}
}

// The parts of a gain, and other sizes, are measured only after it is confirmed. With a limit in time, the races leave
// time for the first look at the hold-out, and what then has no time is not measured.
func TestTuningKeepsItsTime(t *testing.T) {
	t.Parallel()
	all := result.ValuesOf[result.TuneStage]()
	for _, c := range []struct {
		world  int
		limit  time.Duration
		stages []result.TuneStage
		pairs  int
	}{
		{2, 0, all, 12},
		{2, time.Hour, all, 12},
		{0, time.Hour, all[:3], 40},
		{0, 110 * time.Second, all[:3], 12},
		{2, 110 * time.Second, all[:3], 12},
		{2, 57 * time.Second, []result.TuneStage{result.TuneSearch, result.TuneHoldOut}, 12},
		{2, 20 * time.Second, all[:1], 0},
	} {
		one := tuningWorlds[c.world].tune(t, 0.03, 0.5, 8, c.limit)
		if !slices.Equal(one.stages, c.stages) || one.heldOut.Pairs != c.pairs {
			t.Errorf("%s in %v: stages %v, %d pairs", tuningWorlds[c.world].name, c.limit, one.stages,
				one.heldOut.Pairs)
		}
		if limit := int(c.limit.Seconds()); limit > 0 && one.searched+2*one.heldOut.Pairs > limit {
			t.Errorf("%s in %v: %d measurements and %d pairs", tuningWorlds[c.world].name, c.limit, one.searched,
				one.heldOut.Pairs)
		}
	}
}

// recordedTuning is a simulated search that keeps the runs of each stage, as their documents do.
type recordedTuning struct {
	part  string
	runs  map[result.TuneStage][]history.Record
	done  map[result.TuneStage]int // complete rounds
	order []string                 // stage and arms of each complete round
}

// measure goes on with the runs until so many measurements were made, and reports whether that was the end. A time
// depends on the stage, the round and the trial only. The change 9 fails in round 2.
func (r *recordedTuning) measure(w tuningWorld, seed uint64, most int, limit time.Duration) bool {
	now := time.Unix(1000, 0)
	u := command.Tuner{Runs: 160, Seed: seed, Time: limit, Now: func() time.Time { return now }}
	if len(r.runs) == 0 {
		u.Pace = time.Second
	}
	for i := range 32 {
		u.Changes = append(u.Changes, fmt.Sprintf("c%d=1", i))
	}
	for stage := u.NextStage(); stage.Trials != nil; stage = u.NextStage() {
		var names []string
		for _, trial := range stage.Trials {
			names = append(names, u.TrialName(trial))
		}
		earlier := history.EarlierTurns{
			Runs: r.runs[stage.Name], TuneStages: slices.Collect(maps.Keys(r.runs)),
		}
		for _, one := range earlier.Runs {
			if one.Pair.Arm == result.ArmA {
				earlier.RunIDs = append(earlier.RunIDs, one.RunID)
			}
		}
		first, next := u.NextRound(names, earlier)
		if len(first) == 0 {
			continue
		}
		var runs []history.Record
		for i, name := range names {
			one := layoutRuns(0, 1)[0]
			one.State, one.Cases = result.Interrupted, []result.Case{{State: result.Interrupted}}
			one.RunID = fmt.Sprint(r.part, stage.Name, i)
			one.Pair = &result.Pair{
				Arm: result.ValuesOf[result.Arm]()[i], Variant: name, Seed: seed,
				PartnerRunID: fmt.Sprint(r.part, stage.Name, 0), TunePart: result.TunePart{Stage: stage.Name},
			}
			runs = append(runs, one)
		}
		all := append(r.runs[stage.Name], runs...)
		r.runs[stage.Name], runs = all, all[len(all)-len(runs):]
		samples := map[int]int{}
		seconds := make([]float64, len(names))
		for arms := next(seconds); len(arms) > 0; arms = next(seconds) {
			clear(seconds)
			for i := range runs { // those that were dropped
				if c := &runs[i].Cases[0]; !slices.Contains(arms, i) && c.State == result.Interrupted {
					runs[i].State, c.State = result.Complete, result.Complete
				}
			}
			for _, arm := range arms {
				if most--; most < 0 {
					return false
				}
				if slices.Contains(stage.Trials[arm], 9) && r.done[stage.Name] == 1 {
					runs[arm].Cases[0].State = result.Failed
					continue
				}
				samples[arm]++
				rng := rand.New(rand.NewPCG(uint64(r.done[stage.Name]), uint64(1000*len(stage.Name)+arm)))
				seconds[arm] = math.Exp(0.1*rng.NormFloat64()) / w.speed(stage.Trials[arm])
				of := &runs[arm].Cases[0].Samples
				*of = append(*of, result.Sample{
					Operation: result.OperationWrite, Iteration: samples[arm], Bytes: 1, Started: now,
					Ended: now.Add(time.Second), Access: result.Interval{WindowSeconds: seconds[arm]},
				})
				now = now.Add(time.Second)
			}
			r.done[stage.Name]++
			r.order = append(r.order, fmt.Sprint(stage.Name, arms))
		}
		for i := range runs {
			if c := &runs[i].Cases[0]; c.State == result.Interrupted {
				runs[i].State, c.State = result.Complete, result.Complete
			}
		}
	}
	return true
}

// A search that is interrupted once or twice, anywhere, decides in the same order as one that is not.
func TestTuningGoesOnAsIfItWasNotInterrupted(t *testing.T) {
	t.Parallel()
	begin := func() *recordedTuning {
		return &recordedTuning{runs: map[result.TuneStage][]history.Record{}, done: map[result.TuneStage]int{}}
	}
	world := tuningWorld{"two", product(map[int]float64{5: 1.5, 12: 1.3, 9: 1.4})}
	whole := begin()
	if !whole.measure(world, 7, math.MaxInt, 0) || whole.done[result.TuneDouble] == 0 {
		t.Fatalf("stages %v", whole.done)
	}
	measurements := 0
	for _, runs := range whole.runs {
		for _, r := range runs {
			measurements += len(r.Cases[0].Samples)
		}
	}
	for most := 1; most < measurements; most += 5 {
		parts := begin()
		for i, seed := range []uint64{7, 8, 9} { // the order goes on with the first seed
			parts.part = fmt.Sprint(i)
			ended := parts.measure(world, seed, []int{most, 30, math.MaxInt}[i], 0)
			if ended != (i == 2) && measurements-most > 30 {
				t.Fatalf("after %d measurements, part %d: it has ended: %v", most, i, ended)
			}
		}
		if !slices.Equal(parts.order, whole.order) {
			t.Fatalf("after %d measurements the order is\n%q\nnot\n%q", most, parts.order, whole.order)
		}
	}
}

// A search that has ended is decided again as it was, however much time a later one has, and measures nothing more.
func TestTuningThatHasEndedIsDecidedAgain(t *testing.T) {
	t.Parallel()
	two := tuningWorld{"two", product(map[int]float64{5: 1.5, 12: 1.3, 9: 1.4})}
	for limit, world := range map[time.Duration]tuningWorld{
		60 * time.Second: two, 100 * time.Second: two, 150 * time.Second: two, 300 * time.Second: two,
		90 * time.Second: tuningWorlds[0], 500 * time.Second: tuningWorlds[0], // the hold-out ends after 12 or 40 pairs
	} {
		done := &recordedTuning{runs: map[result.TuneStage][]history.Record{}, done: map[result.TuneStage]int{}}
		if !done.measure(world, 7, math.MaxInt, limit) {
			t.Fatal("it has not ended")
		}
		before := len(done.order)
		for _, later := range []time.Duration{time.Second, 30 * time.Second, limit, time.Hour} {
			if done.measure(world, 8, math.MaxInt, later); len(done.order) != before {
				t.Errorf("after a search of %v, one of %v measures %q", limit, later, done.order[before:])
				break
			}
		}
	}
}

// A search that is interrupted goes on from what was decided, not from what it would decide now.
func TestTuningGoesOnInLessTime(t *testing.T) {
	t.Parallel()
	world := tuningWorld{"two", product(map[int]float64{5: 1.5, 12: 1.3, 9: 1.4})}
	whole := &recordedTuning{runs: map[result.TuneStage][]history.Record{}, done: map[result.TuneStage]int{}}
	whole.measure(world, 7, math.MaxInt, 200*time.Second)
	for most := 40; most < 180; most += 20 {
		r := &recordedTuning{runs: map[result.TuneStage][]history.Record{}, done: map[result.TuneStage]int{}}
		if r.measure(world, 7, most, 200*time.Second) {
			break
		}
		before := slices.Clone(r.order)
		r.measure(world, 7, math.MaxInt, 200*time.Second)
		if !slices.Equal(r.order[:len(before)], whole.order[:len(before)]) || r.done[result.TuneHoldOut] < 12 {
			t.Errorf("after %d: %q, %v", most, r.order, r.done)
		}
	}
}

// What cannot be proved in the time is refused, and the error names the option that the user gave.
func TestTooLittleTimeIsRefused(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		limit    time.Duration
		deadline time.Time
		want     string
	}{
		{0, time.Time{}, ""},
		{26 * time.Second, now.Add(time.Hour), ""},
		{
			25 * time.Second, time.Time{}, "--time: 25 s are left, but a measurement takes 1 s or more, and the " +
				"proof of a single change needs 26 of them: 26 s",
		},
		{time.Hour, now.Add(20 * time.Second), "--deadline: 20 s are left, "},
	} {
		u := command.Tuner{Time: c.limit, Deadline: c.deadline, Now: func() time.Time { return now }}
		err := u.CheckTime(time.Second)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, %v: %v", c.limit, c.deadline, err)
		}
	}
}
