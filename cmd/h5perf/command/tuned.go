package command

import (
	"cmp"
	"fmt"
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
	Stages     []TunedStage
	LeftOut    []plan.LeftOut      // changes and stages that could not be measured
	TrialWords map[string][]string // options of each trial, by its name
}

// TunedStage is a stage that was measured. Records are those of the trials that could be measured, the first one first.
type TunedStage struct {
	TuneStage
	Records []history.Record
	LeftOut []plan.LeftOut
	Sized   string // what the size of the stage changes, such as particles=32K
}

// OnlyVariantsFailed reports whether the first arm is complete, and each other one is complete or has a case that
// failed or was not measured.
func (s TunedStage) OnlyVariantsFailed() bool {
	for i, r := range s.Records {
		lost := slices.ContainsFunc(r.Cases, func(c result.Case) bool { return c.State != result.Complete })
		if r.State != result.Complete && (i == 0 || !lost) {
			return false
		}
	}
	return len(s.Records) > 0
}

// stage returns a stage, or nil if it was not measured.
func (t Tuned) stage(name result.TuneStage) *TunedStage {
	i := slices.IndexFunc(t.Stages, func(s TunedStage) bool { return s.Name == name })
	if i < 0 || len(t.Stages[i].Records) == 0 {
		return nil
	}
	return &t.Stages[i]
}

// Text returns the result for people: what was proven, what each change contributes, how to use it, and what was
// measured and what was not.
func (t Tuned) Text() string {
	var text plain.LineBuilder
	first, n := t.Stages[0].Records[0], 0
	for _, s := range t.Stages {
		for _, r := range s.Records {
			n += numIterations(r)
		}
	}
	text.Add("Tuning of the %s: %s on %s, %s through %s", measuredSubject(first),
		units.Count(first.Job.Processes, "process", "processes"), units.Count(first.Job.Nodes, "node", "nodes"),
		units.Count(n, "measurement", "measurements"), result.APIOf(first.Parameters.APIs[0]).Label)
	text.Add("")
	conclusion, confirmed := t.conclusion()
	text.Add("%s", conclusion)
	if confirmed {
		t.addParts(&text)
		text.Add("")
		for _, line := range t.useLines() {
			if strings.HasPrefix(line, "  ") { // to be copied
				text.Table([][]string{{line}}, 1)
				continue
			}
			text.Add("%s", line)
		}
	}
	text.Add("")
	t.addTrials(&text)
	return text.String()
}

// numIterations returns how often a run measured all its cases.
func numIterations(r history.Record) (n int) {
	for i, c := range r.Cases {
		seen := map[int]bool{}
		for _, s := range c.Samples {
			seen[s.Iteration] = true
		}
		if i == 0 || len(seen) < n {
			n = len(seen)
		}
	}
	return n
}

// conclusion says what the hold-out has shown, and reports whether that is a gain.
func (t Tuned) conclusion() (text string, confirmed bool) {
	s := t.stage(result.TuneHoldOut)
	if s == nil || len(s.Records) < 2 {
		return "None shown: there was no hold-out: no change could be measured in the time, or none worked.", false
	}
	h, err := history.NewHoldOut(s.Records[0], s.Records[1])
	if err != nil {
		return "None shown: " + err.Error(), false
	}
	name, pairs := s.Records[1].Pair.Variant, units.Count(h.Pairs, "pair", "pairs")
	switch {
	case h.Difference == nil:
		return fmt.Sprintf("None shown: the hold-out of %s ended after %s, which is too few.", name, pairs), false
	case h.Verdict == history.Better:
		return fmt.Sprintf("Confirmed: with %s, the time %s changes by %s (%s: %s), from %s to %s, in %s on "+
			"new files after the search.", name, timedText(s.Records[0].Parameters), formatPercent(h.Difference.Ratio),
			stats.Interval, differenceIntervalText(h.Difference), units.FormatSeconds(h.Seconds[0]),
			units.FormatSeconds(h.Seconds[1]), pairs), true
	}
	seen := "could not have been seen with so few"
	if d := h.Difference.DetectableRatio; d != nil {
		seen = fmt.Sprintf("would have been seen from %.2g %% on, with a probability of 0.9", 100*(1-*d))
	}
	difference := formatPercent(h.Difference.Ratio) + " (" + differenceIntervalText(h.Difference) + ")"
	return fmt.Sprintf("None shown: the best of the search, %s, was not confirmed to be faster: %s in %s. "+
		"A shorter time %s.", name, difference, pairs, seen), false
}

// addParts adds the tables of the stages after the hold-out: what is lost without each change, and what the changes
// gain with other sizes.
func (t Tuned) addParts(text *plain.LineBuilder) {
	for _, part := range []struct {
		name    result.TuneStage
		heading string
	}{
		{result.TuneLeaveOut, "With one of the changes left out"},
		{result.TuneHalf, "Data of half the size"},
		{result.TuneDouble, "Data of twice the size"},
	} {
		s := t.stage(part.name)
		several := strings.Contains(t.stage(result.TuneHoldOut).Records[1].Pair.Variant, ", ")
		switch {
		case s == nil && part.name == result.TuneLeaveOut && !several:
		case s == nil:
			text.Add("%s: not measured.", part.heading)
		default:
			text.Add("%s:", strings.TrimSuffix(part.heading+" ("+s.Sized+")", " ()"))
			text.Table(rankingTable(s.ranking()), 3)
		}
	}
}

// ranking compares the trials of a stage with the first one.
func (s TunedStage) ranking() history.Ranking {
	r, _ := history.Rank(s.Records) // they were measured in turns
	return r
}

// trials returns a table of all trials, by stage: how often they were measured, and the median time. left are those
// that were not measured, with the reasons.
func (t Tuned) trials() (rows [][]string, left []plan.LeftOut) {
	rows, left = [][]string{{"stage", "", "n", "variant", "time"}}, slices.Clone(t.LeftOut)
	for _, s := range t.Stages {
		r := s.ranking()
		slices.SortStableFunc(r.Arms, func(a, b history.RankedArm) int {
			return cmp.Compare(numIterations(*b.Record), numIterations(*a.Record))
		})
		left = append(left, s.LeftOut...)
		for _, one := range r.Arms {
			if one.Missing != "" {
				left = append(left, plan.LeftOut{Variant: variantName(one), Reason: one.Missing})
				continue
			}
			rows = append(rows, []string{
				string(s.Name), string(one.Arm), fmt.Sprint(numIterations(*one.Record)), variantName(one),
				units.FormatSeconds(one.Seconds[r.Measures[0]]),
			})
		}
	}
	return rows, left
}

// addTrials adds the table of all trials, and what was not tried.
func (t Tuned) addTrials(text *plain.LineBuilder) {
	rows, left := t.trials()
	text.Table(rows, 4)
	text.Add("")
	text.Add("Only the hold-out proves something: the fastest of many looks faster than it is. time: the median %s; "+
		"n: how often it was measured.", timedText(t.Stages[0].Records[0].Parameters))
	for _, l := range groupByReason(left) {
		text.Add("not tried: %s: %s", l.Variant, plain.VisibleLine(l.Reason))
	}
	text.Add("Not tried either: other numbers of processes and nodes, other transfers and parts than the application " +
		"has, other libraries, and settings of the file system except stripes.")
}

// useLines returns how to use the result: options of h5perf, hints, stripes, and calls of HDF5. Lines that begin with
// blanks are to be copied.
func (t Tuned) useLines() (lines []string) {
	before, best := t.stage(result.TuneHoldOut).Records[0], t.stage(result.TuneHoldOut).Records[1]
	block := func(heading string, body []string) {
		if len(body) > 0 {
			lines = append(lines, heading)
			for _, line := range body {
				lines = append(lines, "  "+line)
			}
		}
	}
	var options []string
	for _, word := range t.TrialWords[best.Pair.Variant] {
		options = append(options, plain.ShellWord(word))
	}
	if len(options) > 0 {
		block("Options of h5perf:", []string{strings.Join(options, " ")})
	}
	if w := best.Parameters.Workload; w != nil && w.Layout != "" {
		lines = append(lines, "Layout of the datasets (form, storage, transfers), without fill values: "+w.Layout+
			"; h5perf vary layouts --help explains it.")
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
