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
	confirmed := false
	for _, line := range t.conclusion(&confirmed) {
		text.Add("%s", line)
	}
	if confirmed {
		for _, line := range slices.Concat(t.contributions(), t.otherSizes()) {
			text.Add("%s", line)
		}
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
	text.Table(t.trialTable(), 4)
	text.Add("")
	text.Add("Only the hold-out proves something: the fastest of many looks faster than it is. time: the median %s; "+
		"n: how often it was measured.", timedText(first.Parameters))
	for _, l := range groupByReason(t.notTried()) {
		text.Add("not tried: %s: %s", l.Variant, plain.VisibleLine(l.Reason))
	}
	text.Add("Not tried either: other numbers of processes and nodes, other transfers and parts than the application " +
		"has, other libraries, and settings of the file system except stripes.")
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

// conclusion says what the hold-out has shown, and sets confirmed if that is a gain.
func (t Tuned) conclusion(confirmed *bool) []string {
	s := t.stage(result.TuneHoldOut)
	if s == nil || len(s.Records) < 2 {
		return []string{"None shown: there was no hold-out, since no change could be measured in the time, or none " +
			"worked."}
	}
	h, err := history.NewHoldOut(s.Records[0], s.Records[1])
	if err != nil {
		return []string{"None shown: " + err.Error()}
	}
	name, pairs := s.Records[1].Pair.Variant, units.Count(h.Pairs, "pair", "pairs")
	switch {
	case h.Difference == nil:
		return []string{fmt.Sprintf("None shown: the hold-out of %s ended after %s, which is too few.", name, pairs)}
	case h.Verdict == history.Better:
		*confirmed = true
		return []string{fmt.Sprintf("Confirmed: with %s, the time %s changes by %s (%s: %s), from %s to %s, in %s on "+
			"new files after the search.", name, timedText(s.Records[0].Parameters), formatPercent(h.Difference.Ratio),
			stats.Interval, differenceIntervalText(h.Difference), units.FormatSeconds(h.Seconds[0]),
			units.FormatSeconds(h.Seconds[1]), pairs)}
	}
	seen := "could not have been seen with so few"
	if d := h.Difference.DetectableRatio; d != nil {
		seen = fmt.Sprintf("would have been seen from %.2g %% on, with a probability of 0.9", 100*(1-*d))
	}
	difference := formatPercent(h.Difference.Ratio) + " (" + differenceIntervalText(h.Difference) + ")"
	return []string{fmt.Sprintf("None shown: the best of the search, %s, was not confirmed to be faster: %s in %s. "+
		"A shorter time %s.", name, difference, pairs, seen)}
}

// contributions says what is lost without each change of a combination.
func (t Tuned) contributions() (lines []string) {
	s := t.stage(result.TuneLeaveOut)
	if s == nil {
		if strings.Contains(t.stage(result.TuneHoldOut).Records[1].Pair.Variant, ", ") {
			return []string{"What each change contributes was not measured: there was no time for it."}
		}
		return nil
	}
	whole := strings.Split(s.Records[0].Pair.Variant, ", ")
	for _, one := range rankedArms(s) {
		left := slices.DeleteFunc(slices.Clone(whole), func(change string) bool {
			return slices.Contains(strings.Split(one.variant, ", "), change)
		})
		lines = append(lines, fmt.Sprintf("Without %s: %s.", strings.Join(left, ", "), one.text))
	}
	return lines
}

// otherSizes says whether the gain holds with other sizes.
func (t Tuned) otherSizes() (lines []string) {
	for _, name := range []result.TuneStage{result.TuneHalf, result.TuneDouble} {
		s := t.stage(name)
		if s == nil {
			lines = append(lines, fmt.Sprintf("Data of %s the size: not measured.", sizeText(name)))
			continue
		}
		for _, one := range rankedArms(s) {
			lines = append(lines, fmt.Sprintf("Data of %s the size (%s): %s.", sizeText(name), s.Sized, one.text))
		}
	}
	return lines
}

func sizeText(name result.TuneStage) string {
	if name == result.TuneHalf {
		return "half"
	}
	return "twice"
}

// rankedArm says how the time of a variant differs from that of the first arm of its stage.
type rankedArm struct{ variant, text string }

// rankedArms compares the arms of a stage with the first one.
func rankedArms(s *TunedStage) (all []rankedArm) {
	r, err := history.Rank(s.Records)
	if err != nil {
		return []rankedArm{{s.Records[0].Pair.Variant, err.Error()}}
	}
	for _, one := range r.Arms {
		d := one.Differences[r.Measures[0]]
		text := "the time changes by "
		switch {
		case string(one.Arm) == r.First:
			continue
		case one.Missing != "":
			text = "no figures: " + plain.VisibleLine(one.Missing)
		case d != nil && r.Verdict(d) == history.NoDifference:
			text = "no difference " + strings.TrimPrefix(differenceCell(r, d), "none ")
		case d != nil:
			text += differenceCell(r, d)
		}
		all = append(all, rankedArm{one.Record.Pair.Variant, text})
	}
	return all
}

// trialTable returns a table of all trials, by stage: the changes, how often they were measured, and the median time.
func (t Tuned) trialTable() [][]string {
	rows := [][]string{{"stage", "", "n", "variant", "time"}}
	for _, s := range t.Stages {
		type trial struct {
			n       int
			seconds float64
			record  history.Record
		}
		var all []trial
		for _, r := range s.Records {
			if n := numIterations(r); n > 0 {
				all = append(all, trial{n, history.MedianSeconds(r), r})
			}
		}
		slices.SortStableFunc(all, func(a, b trial) int {
			return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.seconds, b.seconds))
		})
		for _, one := range all {
			rows = append(rows, []string{
				string(s.Name), string(one.record.Pair.Arm), fmt.Sprint(one.n), one.record.Pair.Variant,
				units.FormatSeconds(one.seconds),
			})
		}
	}
	return rows
}

// notTried returns the variants that have no result, with the reasons.
func (t Tuned) notTried() []plan.LeftOut {
	all := slices.Clone(t.LeftOut)
	for _, s := range t.Stages {
		all = append(all, s.LeftOut...)
		for _, r := range s.Records {
			if numIterations(r) > 0 {
				continue
			}
			for _, c := range r.Cases {
				reason := string(c.State) + ": " + c.Reason
				if c.Error != nil {
					reason = string(c.State) + ": " + c.Error.Message
				}
				all = append(all, plan.LeftOut{Variant: r.Pair.Variant, Reason: reason})
				break
			}
		}
	}
	return all
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
	c, python, without = now.HDF5Settings.Calls(changed)
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
