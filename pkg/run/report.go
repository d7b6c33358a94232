package run

import (
	"errors"
	"fmt"

	"h5perf/pkg/plan"
	"h5perf/pkg/progress"
	"h5perf/pkg/units"
)

// openReports begins documents and reports, on rank 0.
func (j *job) openReports() error {
	return j.onFirst(func(a *arm) error { return a.out.begin(a.watcher, a.warnings()) })
}

// announce says what the run will do, and begins to show its progress, on rank 0. A quiet run only warns of too few
// iterations of two arms.
func (j *job) announce() {
	if j.world.Rank() != 0 {
		return
	}
	if j.quiet() {
		j.compares(true)
		return
	}
	shown := progress.Run{
		InOrder: j.arms[0].out.inOrder, Every: progress.Default, Deadline: j.deadline, Now: j.Now,
	}
	if every := j.arms[0].request.Progress; every != nil {
		shown.Every = *every
	}
	for _, a := range j.arms {
		shown.Arms = append(shown.Arms, progress.Arm{Name: a.name, Plan: a.plan})
		if text := a.intends(!j.Terminal && shown.Every > 0); text != "" {
			a.out.printError(errors.New(text))
		}
	}
	j.compares(false)
	if j.Bar != nil {
		j.bar = j.Bar(shown)
	}
	for i, a := range j.arms {
		a.out.bar, a.out.index = j.bar, i
	}
}

// compares says whether the iterations of two arms are enough to show a difference, or only that they may be too few.
func (j *job) compares(warningsOnly bool) {
	if len(j.arms) < 2 {
		return
	}
	if text, warning := enough(j.arms[0].plan); warning || !warningsOnly {
		_, _ = fmt.Fprintf(j.Stderr, "h5perf: %s\n", text)
	}
}

// intends returns in words what the run of the arm will do. It returns "" for a run that is not large, unless always is
// set.
func (a *arm) intends(always bool) string {
	var rate plan.Rate
	if old := a.request.RerunOf; old != nil {
		rate = plan.Rates(*old)
		if _, _, unknown := rate.Unknown(a.plan); unknown {
			rate = nil
		}
	}
	amount, err := a.plan.Amount(rate)
	if err != nil {
		return err.Error()
	}
	t := a.plan.Time(amount)
	large := amount.Large(t)
	if !large && !always {
		return ""
	}
	limited := !a.job.deadline.IsZero()
	if limited {
		t = t.By(a.job.deadline.Sub(a.job.Now()))
	}
	text := units.Count(amount.Cases, "case", "cases") + ": " + amount.Moved(limited)
	if large {
		text += a.space(amount.Disk)
	}
	switch took := t.String(); {
	case took != "":
		text += ", takes " + took
	case large:
		text += "; how long it takes is not known; see h5perf plan --assume"
	}
	return text
}

// space returns in words what the run of the arm takes on the file system, and what is free there.
func (a *arm) space(disk plan.Space) string {
	if disk.Bytes == 0 {
		return ""
	}
	text := ", needs " + units.FormatBytes(float64(disk.Bytes)) + " of disk space"
	if a.at.TargetType != "" {
		text += fmt.Sprintf(" (%s free on %s, %s)",
			units.FormatBytes(float64(a.at.FreeBytes)), a.at.Target, a.at.TargetType)
	}
	return text
}
