package run

import (
	"fmt"
	"slices"

	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// openReports creates the files of documents and reports, on rank 0.
func (j *job) openReports() error {
	common := j.commonLines()
	for _, line := range common {
		j.printText(line)
	}
	return j.eachArmOnRank0(func(a *arm) error { return a.out.beginReport(a.watcher, common) })
}

// commonLines returns the cautions and notes that all arms have in common, if there are many arms, so that they are
// printed only once. On ranks other than 0, it returns nil. They are printed once.
func (j *job) commonLines() (lines []string) {
	if j.world.Rank() != 0 || len(j.arms) < manyArms {
		return nil
	}
	lines = j.arms[0].out.cautionsAndNotes("")
	for _, a := range j.arms[1:] {
		own := a.out.cautionsAndNotes("")
		lines = slices.DeleteFunc(lines, func(line string) bool { return !slices.Contains(own, line) })
	}
	return lines
}

// manyArms is the number of arms from which on common lines are printed once.
const manyArms = 3

// announceRun prints what the run will do, and starts the progress bar, on rank 0. For a quiet run, it prints at most a
// caution that the arms have too few iterations.
func (j *job) announceRun() {
	if j.world.Rank() != 0 {
		return
	}
	if j.isQuiet() {
		j.printNeededIterations(true)
		return
	}
	shown := ProgressSetup{
		InOrder: j.arms[0].out.inOrder, Interval: defaultLineInterval, Deadline: j.deadline,
		Now: j.Now, After: j.After,
	}
	if every := j.arms[0].request.Progress; every != nil {
		shown.Interval = LineInterval{First: *every, Longest: *every}
	}
	for _, a := range j.arms {
		shown.Arms = append(shown.Arms, ProgressArm{Name: a.label(), Plan: a.plan})
		switch text := a.planText(!j.Terminal && shown.Interval != (LineInterval{})); {
		case text == "", len(j.arms) >= manyArms && a != j.arms[0]:
		case len(j.arms) >= manyArms:
			j.printText(plain.NoteLine("each of "+result.ArmsText(len(j.arms)), text))
		default:
			a.out.printNote(text)
		}
	}
	j.printNeededIterations(false)
	if j.Bar != nil {
		j.bar = j.Bar(shown)
	}
	for i, a := range j.arms {
		a.out.bar, a.out.index = j.bar, i
	}
}

// printNeededIterations prints whether several arms have enough iterations to show a difference. If cautionsOnly is
// set, it prints only a caution if the iterations may be too few.
func (j *job) printNeededIterations(cautionsOnly bool) {
	if len(j.arms) < 2 || j.ComparisonIterations == nil {
		return
	}
	plans := make([]plan.Plan, len(j.arms))
	for i, a := range j.arms {
		plans[i] = a.plan
	}
	needed, points := j.ComparisonIterations(plans)
	line, caution := iterationsLine(plans[0].Parameters, j.earlier.Iterations, result.ArmsText(len(j.arms)), needed,
		points)
	if caution || !cautionsOnly {
		j.printText(line)
	}
}

// planText returns a sentence that says what the run of the arm will do. For a small run it returns "", unless
// always is set.
func (a *arm) planText(always bool) string {
	var rate plan.AssumedRate
	if old := a.request.RerunOf; old != nil {
		rate = plan.MedianRates(*old)
		if _, _, unknown := rate.FindUnknown(a.plan); unknown {
			rate = nil
		}
	}
	amount, err := a.plan.EstimateWork(rate)
	if err != nil {
		return err.Error()
	}
	t := a.plan.TimeRange(amount)
	large := amount.IsLarge(t)
	if !large && !always {
		return ""
	}
	limited := !a.job.deadline.IsZero()
	if limited {
		t = t.WithDeadline(a.job.deadline.Sub(a.job.Now()))
	}
	text := units.Count(amount.Cases, "case", "cases") + ": " + amount.WrittenAndReadText(limited)
	if large {
		text += a.diskSpaceText(amount.Disk)
	}
	switch took := t.String(); {
	case took != "":
		text += ", takes " + took
	case large:
		text += "; how long it takes is not known; see h5perf plan --assume"
	}
	return text
}

// diskSpaceText says how much disk space the arm needs, and how much is free.
func (a *arm) diskSpaceText(disk plan.DiskSpace) string {
	if disk.Bytes == 0 {
		return ""
	}
	text := ", needs " + units.FormatBytes(float64(disk.Bytes)) + " of disk space"
	if a.jobFacts.TargetType != "" {
		text += fmt.Sprintf(" (%s free on %s, %s)",
			units.FormatBytes(float64(a.jobFacts.FreeBytes)), a.jobFacts.Target, a.jobFacts.TargetType)
	}
	return text
}
