package command

import (
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
	Changes []string         // NAME=VALUE; of changes with the same name, a combination has at most one
	Runs    int              // largest number of measurements in both races together
	Time    time.Duration    // for all stages; 0: no limit
	Pace    time.Duration    // of one measurement, as expected before the first stage
	Draw    *rand.Rand       // draws the orders
	Now     func() time.Time // returns the time of day

	began time.Time
	stage TuneStage
	race  *stats.Race // of the search or the combination stage
	arms  [][]int     // trials of the arms that could be planned
	spent int         // measurements of both races
	// measurements that the search leaves to the combination stage
	forCombining int
	best         [][]int // the trials of the last race, the fastest first
	times        [2][]float64
	confirmed    bool
	ended        []result.TuneStage
}

// TuneStage is a stage of tuning. It measures the trials in turns; the first one is what the others are compared with.
type TuneStage struct {
	Name       result.TuneStage
	Trials     [][]int // indexes of the changes that are made together
	Iterations int     // largest number of rounds
}

// Size returns the size of the data in a stage, relative to that of the configuration.
func (s TuneStage) Size() float64 {
	switch s.Name {
	case result.TuneHalf:
		return 0.5
	case result.TuneDouble:
		return 2
	}
	return 1
}

const (
	// MaxHoldOutPairs is the number of pairs at the last look of the hold-out: see history.HoldOutLooks.
	MaxHoldOutPairs = 40
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

// Best returns the trial that the races have chosen, or nil if no change works.
func (t *Tuner) Best() []int {
	if len(t.best) == 0 {
		return nil
	}
	return t.best[0]
}

// NextStage returns the next stage. It reports false if there is none.
func (t *Tuner) NextStage() (TuneStage, bool) {
	if t.began.IsZero() {
		t.began = t.Now()
	}
	for _, next := range []TuneStage{
		{Name: result.TuneSearch, Trials: t.singles(), Iterations: t.Runs / 2},
		{Name: result.TuneCombine, Trials: t.combinations(), Iterations: t.Runs / 2},
		{Name: result.TuneHoldOut, Trials: [][]int{nil, t.Best()}, Iterations: MaxHoldOutPairs},
		{Name: result.TuneLeaveOut, Trials: t.leaveOuts(), Iterations: leaveOutRounds},
		{Name: result.TuneHalf, Trials: [][]int{nil, t.Best()}, Iterations: neighbourPairs},
		{Name: result.TuneDouble, Trials: [][]int{nil, t.Best()}, Iterations: neighbourPairs},
	} {
		if !slices.Contains(t.ended, next.Name) && t.isNeeded(next) {
			t.stage = next
			return next, true
		}
	}
	return TuneStage{}, false
}

// StageName returns the name of the stage that NextStage returned last.
func (t *Tuner) StageName() result.TuneStage { return t.stage.Name }

// isNeeded reports whether a stage that has not been measured has something to measure, and the time for it.
func (t *Tuner) isNeeded(s TuneStage) bool {
	switch s.Name {
	case result.TuneSearch:
		return true
	case result.TuneCombine:
		return len(s.Trials) > 2 && t.affordable(t.Runs-t.spent) > len(s.Trials)
	case result.TuneHoldOut:
		return len(t.best) > 0
	}
	measurements := float64(len(s.Trials)*s.Iterations) * s.Size()
	return t.confirmed && len(s.Trials) > 1 && t.fits(measurements)
}

// CheckTime returns a *usage.Error if there is no time to measure a change, and the first pairs of the hold-out.
func (t *Tuner) CheckTime() error {
	least := time.Duration(2+2*history.HoldOutLooks()[0].Pairs) * t.Pace
	if t.Time == 0 || t.Time >= least {
		return nil
	}
	return usage.Errorf("--time, --deadline: %s are too short: a measurement takes about %s, so that even one change "+
		"needs %s", units.FormatSeconds(t.Time.Seconds()), units.FormatSeconds(t.Pace.Seconds()),
		units.FormatDuration(least))
}

// singles returns the trials of the search: without any change, and with each one.
func (t *Tuner) singles() [][]int {
	trials := [][]int{nil}
	for change := range t.Changes {
		trials = append(trials, []int{change})
	}
	return trials
}

// combinations returns the trials of the combination stage: all combinations of the best changes with different names.
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
	best := t.Best()
	if len(best) < 2 {
		return nil
	}
	trials := [][]int{best}
	for i := range best {
		trials = append(trials, slices.Delete(slices.Clone(best), i, i+1))
	}
	return trials
}

// changeName returns the name of what a change changes.
func (t *Tuner) changeName(change int) string {
	name, _, _ := strings.Cut(t.Changes[change], "=")
	return name
}

// fits reports whether there is time for so many measurements.
func (t *Tuner) fits(measurements float64) bool {
	return t.Time == 0 || measurements*t.Pace.Seconds() <= (t.Time-t.Now().Sub(t.began)).Seconds()
}

// affordable returns how many measurements of a race there is time for, at most the given number, if the first look at
// the hold-out follows.
func (t *Tuner) affordable(measurements int) int {
	if t.Time > 0 && t.Pace > 0 {
		fit := int((t.Time - t.Now().Sub(t.began)) / t.Pace)
		measurements = min(measurements, fit-2*history.HoldOutLooks()[0].Pairs)
	}
	return measurements
}

// NextRound returns the function that chooses the arms of each round of the stage that NextStage returned. variants are
// the names of the trials that can be measured.
func (t *Tuner) NextRound(variants []string) func(seconds []float64) []int {
	t.arms = nil
	for _, name := range variants {
		at := slices.IndexFunc(t.stage.Trials, func(trial []int) bool { return t.TrialName(trial) == name })
		t.arms = append(t.arms, t.stage.Trials[at])
	}
	began, measured, round := t.Now(), 0, 0
	var chosen []int
	return func(seconds []float64) []int {
		if measured += len(chosen); measured > 0 {
			t.Pace = t.Now().Sub(began) / time.Duration(measured)
		}
		switch t.stage.Name {
		case result.TuneSearch, result.TuneCombine:
			chosen = t.nextBlock(round, len(chosen), seconds)
		case result.TuneHoldOut:
			chosen = t.nextPair(round, seconds)
		default:
			chosen = nil
			if round < t.stage.Iterations && t.fits(float64(len(variants))) {
				chosen = t.Draw.Perm(len(variants))
			}
		}
		round++
		return chosen
	}
}

// nextBlock returns the arms of the next block of a race, after one with so many measurements.
func (t *Tuner) nextBlock(round, measured int, seconds []float64) []int {
	t.spent += measured
	left, keep := t.affordable(t.Runs-t.spent), 1
	if t.stage.Name == result.TuneSearch {
		if round == 0 {
			t.forCombining = min(left-int(searchShare*float64(left)), max(0, left-len(t.arms)))
		}
		left, keep = left-t.forCombining, combined
	}
	if round == 0 {
		t.race = stats.NewRace(len(t.arms)-1, keep, left, t.Draw)
	} else {
		t.race.AddBlock(seconds)
		t.race.SetLeft(left)
	}
	block := t.race.NextBlock()
	if block != nil || round == 0 {
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
func (t *Tuner) nextPair(round int, seconds []float64) []int {
	if round == 0 {
		t.times = [2][]float64{}
		return t.Draw.Perm(2)
	}
	if !(seconds[0] > 0) || !(seconds[1] > 0) {
		return nil
	}
	for i := range t.times {
		t.times[i] = append(t.times[i], seconds[i])
	}
	looks := history.HoldOutLooks()
	if i := slices.IndexFunc(looks, func(l stats.Look) bool { return l.Pairs == round }); i >= 0 {
		look, tested := history.TestHoldOut(t.times[0], t.times[1])
		t.confirmed = tested.P <= look.Alpha && tested.Ratio < 1
		if t.confirmed || i+1 == len(looks) || !t.fits(float64(2*(looks[i+1].Pairs-round))) {
			return nil
		}
	}
	return t.Draw.Perm(2)
}

// EndStage ends the stage that NextStage returned.
func (t *Tuner) EndStage() { t.ended = append(t.ended, t.stage.Name) }
