package command

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Tuned is what h5perf tune has measured.
type Tuned struct {
	Stages      []TunedStage
	LeftOut     []plan.LeftOut   // changes and stages that could not be measured
	Short       string           // why there was no time to measure anything, or ""
	Interrupted result.TuneStage // stage in which a signal ended tune, or ""
}

// TunedStage is a stage that was measured. Records are the runs of its trials, those of the first one first.
type TunedStage struct {
	TuneStage
	Records []history.Record
	LeftOut []plan.LeftOut
	Sized   string // what the size of the stage changes, such as particles=32K
}

// OnlyVariantsFailed reports whether the first arm is complete, and each other one is complete or has a case that
// failed or was not measured. Earlier runs, which were interrupted, do not count.
func (s TunedStage) OnlyVariantsFailed() bool {
	for i, r := range s.Records {
		lost := slices.ContainsFunc(r.Cases, func(c result.Case) bool { return c.State != result.Complete })
		if r.State != result.Complete && r.State != result.Interrupted && (i == 0 || !lost) {
			return false
		}
	}
	return len(s.Records) > 0
}

// ranking compares the trials of a stage with the first one.
func (s TunedStage) ranking() history.Ranking {
	r, _ := history.Rank(s.Records) // they were measured in turns
	return r
}

// tested returns how many pairs the hold-out tests, and the median time of an arm in them. If it cannot be tested,
// these are all measurements of the arm.
func (s TunedStage) tested(arm history.RankedArm) (pairs int, seconds float64) {
	h, err := history.NewHoldOut(s.Records)
	if err != nil {
		return arm.Rounds, arm.Seconds[h.Measure]
	}
	if variantName(arm) == h.Chosen.Pair.Variant {
		return h.Pairs, h.Seconds[1]
	}
	return h.Pairs, h.Seconds[0]
}

// stage returns a stage, or nil if it was not measured.
func (t Tuned) stage(name result.TuneStage) *TunedStage {
	i := slices.IndexFunc(t.Stages, func(s TunedStage) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Stages[i]
}

// FirstID returns the run_id of the first arm of the first stage, or "".
func (t Tuned) FirstID() string {
	if len(t.Stages) == 0 {
		return ""
	}
	return t.Stages[0].Records[0].RunID
}

// Text returns the result for people: what was proven, what each change contributes, how to use it, and what was
// measured and what was not.
func (t Tuned) Text() string {
	var text plain.LineBuilder
	rows, left, n := t.trials()
	if len(t.Stages) > 0 {
		first := t.Stages[0].Records[0]
		tried, changes := t.countTried()
		were := "were"
		if tried == 1 {
			were = "was"
		}
		text.Add("Tuning of the %s: %s on %s, %s through %s; %d of %s %s tried", measuredSubject(first),
			units.Count(first.Job.Processes, "process", "processes"), units.Count(first.Job.Nodes, "node", "nodes"),
			units.Count(n, "measurement", "measurements"), result.APIOf(first.Parameters.APIs[0]).Label, tried,
			units.Count(changes, "change", "changes"), were)
		text.Add("")
	}
	conclusion, h := t.conclusion()
	text.Add("%s", conclusion)
	if t.Interrupted != "" {
		text.Add("Interrupted in the part %s, so that the rest is missing. Only what was stored with --results or "+
			"--resume can be gone on with: give the same command with --resume.", t.Interrupted)
	}
	if h.Verdict == history.Better {
		for _, line := range t.partLines(h.Chosen.Pair.Variant) {
			text.Add("%s", line)
		}
		text.Add("")
		for _, line := range t.useLines(*h.Chosen) {
			if strings.HasPrefix(line, "  ") { // to be copied
				text.Table([][]string{{line}}, 1)
				continue
			}
			text.Add("%s", line)
		}
	}
	text.Add("")
	if len(t.Stages) > 0 {
		text.Table(rows, 2)
		text.Add("")
		text.Add("Only the hold-out proves something: the fastest of many looks faster than it is. time: the median "+
			"%s; n: how often it was measured (hold-out: the pairs that count).",
			timedText(t.Stages[0].Records[0].Parameters))
	}
	for _, l := range plan.GroupByReason(left) {
		text.Add("not tried: %s: %s", l.Variant, plain.VisibleLine(l.Reason))
	}
	text.Add("Not tried either: other numbers of processes and nodes, other transfers and parts than the application " +
		"has, other libraries, and settings of the file system except stripes.")
	return text.String()
}

// conclusion says what the hold-out has shown. Only with the verdict Better, that is a gain.
func (t Tuned) conclusion() (string, history.HoldOut) {
	s := t.stage(result.TuneHoldOut)
	switch {
	case t.Short != "":
		return "None shown: nothing was tried. " + t.Short + ".", history.HoldOut{}
	case s == nil && t.Interrupted != "":
		return "None shown: there was no hold-out yet, so nothing is confirmed.", history.HoldOut{}
	case s == nil:
		return "None shown: there was no hold-out: no change could be measured in the time, or none worked.",
			history.HoldOut{}
	}
	h, err := history.NewHoldOut(s.Records)
	if err != nil {
		return "None shown: " + err.Error(), h
	}
	name, pairs, d := h.Chosen.Pair.Variant, units.Count(h.Pairs, "pair", "pairs"), h.Difference
	took := fmt.Sprintf("within a pair, in %s on new files after the search; medians: %s in place of %s", pairs,
		units.FormatSeconds(h.Seconds[1]), units.FormatSeconds(h.Seconds[0]))
	switch {
	case d == nil:
		return fmt.Sprintf("None shown: the hold-out of %s ended after %s, which is too few.", name, pairs), h
	case h.Verdict == history.Better:
		return fmt.Sprintf("Confirmed: %s takes %s %s.", name, timeText(d), took), h
	case h.Verdict == history.Worse:
		return fmt.Sprintf("None shown: %s, the fastest of the search, was shown to be slower than what is there: it "+
			"takes %s %s.", name, timeText(d), took), h
	}
	seen := "With so few pairs, no gain could have been seen."
	if d.DetectableRatio != nil {
		seen = fmt.Sprintf("A gain of %.2g %% of the time would have been seen, with a probability of 0.9.",
			100*(1-*d.DetectableRatio))
	}
	return fmt.Sprintf("None shown: %s, the fastest of the search, was not shown to be faster than what is there: it "+
		"takes %s %s. %s", name, timeText(d), took, seen), h
}

// timeText says how much less or more time something takes, with the interval: "20.1 % less time (95 % interval: 25.3 %
// less to 15.2 % less)".
func timeText(d *history.TestedDifference) string {
	change := func(ratio float64) string {
		than := "more"
		if ratio < 1 {
			than = "less"
		}
		return fmt.Sprintf("%.1f %% %s", 100*math.Abs(ratio-1), than)
	}
	if d.Low == nil || d.High == nil {
		return change(d.Ratio) + " time (" + differenceIntervalText(d) + ")"
	}
	return fmt.Sprintf("%s time (%s: %s to %s)", change(d.Ratio), stats.Interval, change(*d.Low), change(*d.High))
}

// partLines says, in a line for each trial of a stage after the hold-out, what is lost without a change, or what is
// gained with data of another size. best is the name of the confirmed trial.
func (t Tuned) partLines(best string) (lines []string) {
	for _, part := range []struct {
		name                           result.TuneStage
		heading, faster, slower, equal string
	}{
		{result.TuneLeaveOut, "Without ", "it is faster without", "it helps", "no difference is shown"},
		{result.TuneHalf, "Data of half the size", "the gain holds", "it is slower", "no gain is shown"},
		{result.TuneDouble, "Data of twice the size", "the gain holds", "it is slower", "no gain is shown"},
	} {
		s := t.stage(part.name)
		switch {
		case s == nil && part.name != result.TuneLeaveOut:
			lines = append(lines, part.heading+": not measured.")
		case s == nil && strings.Contains(best, ", "): // several changes
			lines = append(lines,
				"Without one of the changes: not measured, so the changes are proved only together.")
		}
		if s == nil {
			continue
		}
		r := s.ranking()
		for _, one := range r.Arms {
			d := one.Differences[r.Measures[0]]
			if d == nil {
				continue
			}
			means := map[history.Verdict]string{
				history.Better: part.faster, history.Worse: part.slower, history.NoDifference: part.equal,
			}
			heading := part.heading
			switch left := strings.Split(variantName(one), ", "); {
			case part.name == result.TuneLeaveOut:
				heading += strings.Join(slices.DeleteFunc(strings.Split(best, ", "),
					func(change string) bool { return slices.Contains(left, change) }), ", ")
			case s.Sized != "":
				heading += " (" + s.Sized + ")"
			}
			lines = append(lines, fmt.Sprintf("%s: it takes %s: %s.", heading, timeText(d), means[r.Verdict(d)]))
		}
	}
	return lines
}

// countTried returns how many changes the search has measured, and how many there are.
func (t Tuned) countTried() (tried, changes int) {
	isStage := func(l plan.LeftOut) bool {
		return slices.Contains(result.ValuesOf[result.TuneStage](), result.TuneStage(l.Variant))
	}
	changes = len(slices.DeleteFunc(slices.Clone(t.LeftOut), isStage))
	if s := t.stage(result.TuneSearch); s != nil {
		for _, one := range s.ranking().Arms {
			if one.Arm == result.ArmA {
				continue
			}
			changes++
			if one.Missing == "" {
				tried++
			}
		}
		changes += len(s.LeftOut)
	}
	return tried, changes
}

// wasNotChosen reports whether a race ended before the turn of a trial.
func wasNotChosen(r *history.Record) bool {
	return slices.ContainsFunc(r.Cases, func(c result.Case) bool {
		return c.State == result.Skipped && c.EndedBy == result.EndedByChoice
	})
}

// raceLimit says what ended the search, or the combination stage, when both together had so many measurements.
func raceLimit(r *history.Record, measured int) string {
	limit := "the time (--time or --deadline)"
	if measured >= r.Pair.TuneRuns {
		limit = fmt.Sprintf("the measurements (--runs %d)", r.Pair.TuneRuns)
	}
	return limit + " did not suffice: give more"
}

// trials returns a table of all trials, by stage: how often they were measured, and the median time. Those of the
// hold-out are of the pairs that it tests. left are those that were not measured, with the reasons. n is the number of
// all measurements.
func (t Tuned) trials() (rows [][]string, left []plan.LeftOut, n int) {
	rows, left = [][]string{{"stage", "variant", "n", "time"}}, slices.Clone(t.LeftOut)
	for _, s := range t.Stages {
		r := s.ranking()
		slices.SortStableFunc(r.Arms, func(a, b history.RankedArm) int { return cmp.Compare(b.Rounds, a.Rounds) })
		left = append(left, s.LeftOut...)
		for _, one := range r.Arms {
			n += one.Rounds
		}
		for _, one := range r.Arms {
			told := slices.ContainsFunc(left, func(l plan.LeftOut) bool { return l.Variant == variantName(one) })
			switch {
			case one.Missing == "":
				measured, seconds := one.Rounds, one.Seconds[r.Measures[0]]
				if s.Name == result.TuneHoldOut {
					measured, seconds = s.tested(one)
				}
				rows = append(rows, []string{
					string(s.Name), variantName(one), fmt.Sprint(measured), units.FormatSeconds(seconds),
				})
			case wasNotChosen(one.Record):
				tried := slices.ContainsFunc(rows, func(row []string) bool { return row[1] == variantName(one) })
				if !tried && !told {
					left = append(left, plan.LeftOut{Variant: variantName(one), Reason: raceLimit(one.Record, n)})
				}
			case !told:
				left = append(left, plan.LeftOut{Variant: variantName(one), Reason: one.Missing})
			}
		}
	}
	return rows, left, n
}

// useLines returns how to use the confirmed trial, which the run best measured: options of h5perf, hints, stripes, and
// calls of HDF5. Lines that begin with blanks are to be copied.
func (t Tuned) useLines(best history.Record) (lines []string) {
	before := t.stage(result.TuneHoldOut).Records[0]
	block := func(heading string, body []string) {
		if len(body) > 0 {
			lines = append(lines, heading)
			for _, line := range body {
				lines = append(lines, "  "+line)
			}
		}
	}
	var options []string
	for _, g := range best.GivenParameters {
		if !slices.Contains(before.GivenParameters, g) {
			options = append(options, plain.ShellWord(strings.TrimSuffix("--"+g.Name+"="+g.Value, "=")))
		}
	}
	if len(options) > 0 {
		block("Options of h5perf:", []string{strings.Join(options, " ")})
	}
	if w := best.Parameters.Workload; w != nil && w.Layout != "" {
		lines = append(lines, "Layout of the datasets (form, storage, transfers), without fill values: "+w.Layout+
			"; h5perf run --help explains it.")
	}
	block("Hints, as a file for ROMIO (export ROMIO_HINTS=FILE), or as keys and values of the MPI_Info with which the "+
		"application opens the file; OMPIO reads only the MPI_Info:", changedHints(before.Parameters, best.Parameters))
	block("Stripes, set for the directory before files are created in it:", stripeCommands(best))
	c, python, without := hdf5Calls(before.Parameters, best.Parameters)
	block("HDF5, in C (fapl, fcpl, dcpl, gcpl, dxpl: property lists for access and creation of files, creation of "+
		"datasets and groups, transfers):", c)
	block("HDF5, in Python with h5py:", python)
	if len(without) > 0 {
		lines = append(lines, fmt.Sprintf("h5py 3.7 has no call for %s.", strings.Join(without, ", ")))
	}
	return append(lines, fmt.Sprintf("This holds for this workload, these sizes, %s on %s and this file system.",
		units.Count(best.Job.Processes, "process", "processes"), units.Count(best.Job.Nodes, "node", "nodes")))
}

// changedHints returns the hints that now has and before has not, as lines of a hints file.
func changedHints(before, now result.Parameters) (lines []string) {
	for _, hint := range now.Hints {
		if !slices.Contains(before.Hints, hint) {
			lines = append(lines, hint.Key+" "+hint.Value)
		}
	}
	return lines
}

// stripeCommands returns the commands that stripe a directory as a run did.
func stripeCommands(r history.Record) []string {
	for _, g := range r.GivenParameters {
		if g.Name != "stripe" {
			continue
		}
		striping, err := node.ParseStriping(g.Value)
		if err != nil {
			return nil
		}
		commands, err := striping.Commands(r.Target, os.Getenv)
		if err != nil {
			return nil
		}
		for i := range commands {
			commands[i] += " DIRECTORY"
		}
		return commands
	}
	return nil
}

// hdf5Calls returns the calls in C and in h5py that set what now has and before has not, and the names of what has no
// call in h5py.
func hdf5Calls(before, now result.Parameters) (c, python, without []string) {
	var changed []string
	for _, s := range option.AllHDF5Settings() {
		if v := s.ValueText(now.HDF5Settings); v != "" && v != s.ValueText(before.HDF5Settings) {
			changed = append(changed, s.Name)
		}
	}
	c, python, without = now.Calls(changed)
	if now.Mode == result.ModeCollective && before.Mode != now.Mode {
		c = append(c, "H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);")
		python = append(python, "with dataset.collective: dataset[...] = data")
	}
	if now.Layout == result.LayoutChunked && before.Layout != now.Layout {
		bytes := strings.Trim(fmt.Sprint(now.ChunkSize), "[]")
		c = append(c, fmt.Sprintf("H5Pset_chunk(dcpl, ...); /* %s bytes */", bytes))
		python = append(python, "group.create_dataset(..., chunks=...)")
	}
	return c, python, without
}
