package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Tuner decides what h5perf tune measures: stage after stage, and round after round of a stage. It knows only times.
//
// The search measures each change by itself, the combination stage what the best three changes do together. Both are
// races against the unchanged configuration, so that few measurements are spent on what does nothing. The hold-out then
// decides whether the best combination is really faster. Only if it is, the stages after it say what each change adds,
// and whether the gain holds for other sizes.
type Tuner struct {
	Changes  []string         // NAME=VALUE; see changeName
	Runs     int              // largest number of measurements in both races together
	Time     time.Duration    // for all stages, with those of earlier runs; 0: no limit
	Deadline time.Time        // when all stages should have ended; the zero time: no deadline
	Pace     time.Duration    // of one measurement, as expected before the first stage; 0 if unknown
	Seed     uint64           // of the orders
	Now      func() time.Time // returns the time of day

	began  time.Time // later by the time between earlier runs and this one
	draw   *rand.Rand
	stage  TuneStage
	rounds int // of the stage
	chosen []int
	race   *stats.Race // of the search or the combination stage
	arms   [][]int     // trials of the arms that could be planned
	spent  int         // measurements of both races
	// measurements that the search leaves to the combination stage
	forCombining int
	best         [][]int // the trials of the last race, the fastest first
	times        [2][]float64
	confirmed    bool
	ended        []result.TuneStage

	recorded []result.TuneStage // that earlier runs have measured
	known    []int              // arms of a round of earlier runs, or nil
	over     bool               // earlier runs have ended the stage
	measured bool               // there was something left to measure
}

// TuneStage is a stage of tuning. It measures the trials in turns; the first one is what the others are compared with.
type TuneStage struct {
	Name       result.TuneStage
	Trials     [][]int // indexes of the changes that are made together
	Iterations int     // largest number of rounds
	Size       float64 // size of the data, relative to that of the configuration
}

const (
	// maxHoldOutPairs is the number of pairs at the last look of the hold-out: see history.HoldOutLooks.
	maxHoldOutPairs = 40
	// searchShare is the part of the measurements of both races that the search of single changes gets. It gets more if
	// it could not measure each change otherwise.
	searchShare = 0.7
	// combined is the number of changes whose combinations are measured.
	combined = 3
	// leaveOutRounds and neighbourPairs are the numbers of rounds with which history.Rank can show differences in all
	// measures, of three changes that are left out, and of a size.
	leaveOutRounds = 12
	neighbourPairs = 10
)

// TrialName returns the name of a trial: its changes, or that it has none.
func (t *Tuner) TrialName(trial []int) string {
	if len(trial) == 0 {
		return workload.UnchangedLayout
	}
	names := make([]string, len(trial))
	for i, change := range trial {
		names[i] = t.Changes[change]
	}
	return strings.Join(names, ", ")
}

// bestTrial returns the trial that the races have chosen, or nil if no change works.
func (t *Tuner) bestTrial() []int {
	if len(t.best) == 0 {
		return nil
	}
	return t.best[0]
}

// NextStage returns the next stage that is needed and for which there is time. It has no trials if there is none.
func (t *Tuner) NextStage() TuneStage {
	if t.draw == nil {
		t.draw = rand.New(rand.NewPCG(t.Seed, 1))
	}
	single, pair := [][]int{nil}, [][]int{nil, t.bestTrial()}
	for change := range t.Changes {
		single = append(single, []int{change})
	}
	t.stage, t.rounds, t.chosen = TuneStage{}, 0, nil
	for _, next := range []TuneStage{
		{result.TuneSearch, single, t.Runs / 2, 1},
		{result.TuneCombine, t.combinations(), t.Runs / 2, 1},
		{result.TuneHoldOut, pair, maxHoldOutPairs, 1},
		{result.TuneLeaveOut, t.leaveOuts(), leaveOutRounds, 1},
		{result.TuneHalf, pair, neighbourPairs, 0.5},
		{result.TuneDouble, pair, neighbourPairs, 2},
	} {
		if !slices.Contains(t.ended, next.Name) && t.isNeeded(next) {
			t.stage, t.ended = next, append(t.ended, next.Name)
			break
		}
	}
	return t.stage
}

// isNeeded reports whether a stage that has not been measured has something to measure, and the time for it. What
// earlier runs have decided stays: stages that they left out are not needed, and after an end nothing is.
func (t *Tuner) isNeeded(s TuneStage) bool {
	switch {
	case s.Name == result.TuneSearch:
		return true
	case s.Name == result.TuneHoldOut:
		return len(t.best) > 0
	case slices.Contains(t.recorded, s.Name):
		return len(s.Trials) > 1
	case t.isPast(s.Name):
		return false
	case s.Name == result.TuneCombine:
		return len(s.Trials) > 2 && t.affordable(t.Runs-t.spent) > len(s.Trials)
	}
	return t.confirmed && len(s.Trials) > 1 && (t.measured || t.Time == 0) &&
		t.fits(float64(len(s.Trials)*s.Iterations)*s.Size)
}

// isPast reports whether earlier runs have measured a stage after the named one.
func (t *Tuner) isPast(name result.TuneStage) bool {
	all := result.ValuesOf[result.TuneStage]()
	return slices.ContainsFunc(t.recorded,
		func(r result.TuneStage) bool { return slices.Index(all, r) > slices.Index(all, name) })
}

// combinations returns the trials of the combination stage: all combinations of the best changes of different things.
func (t *Tuner) combinations() [][]int {
	var of []int
	for _, trial := range t.best {
		name := t.changeName(trial[0])
		if len(of) < combined && !slices.ContainsFunc(of, func(c int) bool { return t.changeName(c) == name }) {
			of = append(of, trial[0])
		}
	}
	trials := [][]int{nil}
	for _, change := range of {
		for _, without := range slices.Clone(trials) {
			trials = append(trials, append(slices.Clone(without), change))
		}
	}
	return trials
}

// leaveOuts returns the best trial, and what is left of it without each of its changes.
func (t *Tuner) leaveOuts() [][]int {
	best := t.bestTrial()
	if len(best) < 2 {
		return nil
	}
	trials := [][]int{best}
	for i := range best {
		trials = append(trials, slices.Delete(slices.Clone(best), i, i+1))
	}
	return trials
}

// changeName returns the name of what a change changes. A combination has at most one change of each. A layout says how
// ranks transfer data, as the choice mode of workloads does.
func (t *Tuner) changeName(change int) string {
	name, _, _ := strings.Cut(t.Changes[change], "=")
	if name == "mode" {
		return "layout"
	}
	return name
}

// timeLeft returns how much time is left, and the option that limits it, or "". The first call begins the time.
func (t *Tuner) timeLeft() (left time.Duration, option string) {
	now := t.Now()
	if t.began.IsZero() {
		t.began = now
	}
	if t.Time > 0 {
		left, option = t.Time-now.Sub(t.began), "--time"
	}
	if until := t.Deadline.Sub(now); !t.Deadline.IsZero() && (option == "" || until < left) {
		left, option = until, "--deadline"
	}
	return left, option
}

// CheckTime returns a *usage.Error if there is no time to measure one change, and the first pairs of the hold-out. pace
// is how long a measurement takes at least.
func (t *Tuner) CheckTime(pace time.Duration) error {
	left, option := t.timeLeft()
	least := 2 + 2*history.HoldOutLooks()[0].Pairs
	if option == "" || left >= time.Duration(least)*pace {
		return nil
	}
	return usage.Errorf("%s: %s are left, but a measurement takes %s or more, and the proof of a single change needs "+
		"%d of them: %s", option, units.FormatSeconds(left.Seconds()), units.FormatSeconds(pace.Seconds()), least,
		units.FormatSeconds((time.Duration(least) * pace).Seconds()))
}

// PlanText says for people what all stages will measure.
func (t *Tuner) PlanText() string {
	limit := ""
	if left, option := t.timeLeft(); option != "" {
		limit = " in at most " + units.FormatDuration(left)
	}
	return fmt.Sprintf("%s; a measurement takes about %s; up to %d of them search, then %d to %d prove the gain%s",
		units.Count(len(t.Changes), "change", "changes"), units.FormatSeconds(t.Pace.Seconds()),
		t.affordable(t.Runs), 2*history.HoldOutLooks()[0].Pairs, 2*maxHoldOutPairs, limit)
}

// fits reports whether there is time for so many measurements.
func (t *Tuner) fits(measurements float64) bool {
	left, option := t.timeLeft()
	return option == "" || t.known != nil || measurements*t.Pace.Seconds() <= left.Seconds()
}

// affordable returns how many measurements of a race there is time for, at most the given number, if the first look at
// the hold-out follows.
func (t *Tuner) affordable(measurements int) int {
	if left, option := t.timeLeft(); option != "" && t.Pace > 0 {
		measurements = min(measurements, int(left/t.Pace)-2*history.HoldOutLooks()[0].Pairs)
	}
	return measurements
}

// Progress says for people what the current round of the stage measures.
func (t *Tuner) Progress() string {
	return fmt.Sprintf("%s: %s after %s", t.stage.Name,
		units.Count(len(t.chosen), "configuration", "configurations"), units.Count(t.rounds-1, "round", "rounds"))
}

// NextRound returns the arms of the first round of the stage that NextStage returned, and the function that chooses
// those of each round. variants are the names of the trials that can be measured. The rounds of earlier runs come
// first: they are decided as they were then, with the same random numbers and whatever time is left, and only rounds
// that they do not have, or have not completely, are left.
func (t *Tuner) NextRound(variants []string, earlier history.EarlierTurns) (
	first []int, next func(seconds []float64) []int,
) {
	t.arms = nil
	for _, name := range variants {
		at := slices.IndexFunc(t.stage.Trials, func(trial []int) bool { return t.TrialName(trial) == name })
		t.arms = append(t.arms, t.stage.Trials[at])
	}
	rounds := slices.DeleteFunc(earlier.Rounds(variants),
		func(r history.Round) bool { return slices.ContainsFunc(r.Seconds, math.IsNaN) })
	switch {
	case rounds == nil:
		t.recorded = nil
	case t.stage.Name == result.TuneSearch:
		t.recorded, t.draw = earlier.TuneStages, rand.New(rand.NewPCG(earlier.Runs[0].Pair.Seed, 1))
	}
	t.over = false
	took, measured, seconds := time.Duration(0), 0, []float64(nil)
	for _, r := range rounds {
		t.known = nil
		for arm, s := range r.Seconds {
			if s >= 0 {
				t.known = append(t.known, arm)
			}
		}
		if t.Pace == 0 {
			t.Pace = r.Duration / time.Duration(len(t.known))
		}
		t.chooseRound(seconds)
		took, measured, seconds = took+r.Duration, measured+len(t.chosen), r.Seconds
		t.began, t.Pace = t.began.Add(-r.Duration), took/time.Duration(measured)
	}
	t.known, t.over = nil, t.isPast(t.stage.Name) || t.Time > 0 && earlier.HaveEnded()
	t.chooseRound(seconds)
	t.measured = t.measured || len(t.chosen) > 0
	began := time.Time{}
	return t.chosen, func(seconds []float64) []int {
		if began.IsZero() {
			began = t.Now().Add(-took)
			return t.chosen
		}
		if measured += len(t.chosen); measured > 0 {
			t.Pace = t.Now().Sub(began) / time.Duration(measured)
		}
		t.chooseRound(seconds)
		return t.chosen
	}
}

// chooseRound chooses the arms of the next round, after one that took so many seconds.
func (t *Tuner) chooseRound(seconds []float64) {
	switch {
	case t.stage.Name == result.TuneSearch || t.stage.Name == result.TuneCombine:
		t.chosen = t.nextBlock(len(t.chosen), seconds)
	case t.stage.Name == result.TuneHoldOut:
		t.chosen = t.nextPair(seconds)
	case t.rounds < t.stage.Iterations && t.fits(float64(len(t.arms))):
		t.chosen = t.draw.Perm(len(t.arms))
	default:
		t.chosen = nil
	}
	if t.over {
		t.chosen = nil
	}
	t.rounds++
}

// nextBlock returns the arms of the next block of a race, after one with so many measurements.
func (t *Tuner) nextBlock(measured int, seconds []float64) []int {
	t.spent += measured
	left, keep := t.affordable(t.Runs-t.spent), 1
	if t.stage.Name == result.TuneSearch {
		if t.rounds == 0 {
			t.forCombining = min(left-int(searchShare*float64(left)), max(0, left-len(t.arms)))
		}
		left, keep = left-t.forCombining, combined
	}
	if t.rounds == 0 {
		t.race = stats.NewRace(len(t.arms)-1, keep, left, t.draw)
	} else {
		t.race.AddBlock(seconds)
		t.race.SetLeft(left)
	}
	var block []int
	switch {
	case t.known != nil:
		block = t.race.FollowBlock(t.known)
	case !t.over:
		block = t.race.NextBlock()
	}
	if block != nil || t.rounds == 0 {
		return block
	}
	if ranked := t.race.Ranking(); len(ranked) > 0 {
		t.best = nil
		for _, arm := range ranked {
			t.best = append(t.best, t.arms[arm])
		}
	}
	return nil
}

// nextPair returns the arms of the next pair of the hold-out. It ends at a look that shows a gain, at the last look, at
// a look after which there is no time for the next one, and after a failure.
func (t *Tuner) nextPair(seconds []float64) []int {
	if t.rounds == 0 {
		t.times = [2][]float64{}
		return t.draw.Perm(2)
	}
	if !(seconds[0] > 0) || !(seconds[1] > 0) {
		return nil
	}
	for i := range t.times {
		t.times[i] = append(t.times[i], seconds[i])
	}
	looks := history.HoldOutLooks()
	if i := slices.IndexFunc(looks, func(l stats.Look) bool { return l.Pairs == t.rounds }); i >= 0 {
		look, tested := history.TestHoldOut(t.times[0], t.times[1])
		t.confirmed = tested.P <= look.Alpha && tested.Ratio < 1
		if t.confirmed || i+1 == len(looks) || !t.fits(float64(2*(looks[i+1].Pairs-t.rounds))) {
			return nil
		}
	}
	return t.draw.Perm(2)
}
