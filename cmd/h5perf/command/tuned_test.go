package command_test

import (
	"strings"
	"testing"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/units"
)

// tunedStage returns a stage that was measured, with a time for each variant.
func tunedStage(name result.TuneStage, iterations int, variants []string, seconds ...float64) command.TunedStage {
	records := layoutRuns(iterations, seconds...)
	for i := range records {
		p := &records[i].Parameters
		records[i].Pair.Variant, records[i].Pair.Stage = variants[i], name
		if strings.Contains(variants[i], "align=1M") {
			p.AlignmentBytes = new(uint64(1 << 20))
			records[i].GivenParameters = []result.GivenParameter{{Name: "align", Value: "1M"}, {Name: "cold"}}
		}
		if strings.Contains(variants[i], "collective-metadata=both") {
			p.CollectiveMetadata = option.MetadataBoth
		}
		if strings.Contains(variants[i], "cb_nodes=2") {
			p.Hints = []units.KeyValue{{Key: "cb_nodes", Value: "2"}}
		}
		if strings.Contains(variants[i], "stripe=4,1M") {
			records[i].GivenParameters = append(records[i].GivenParameters,
				result.GivenParameter{Name: "hint", Value: "cb_nodes=2"},
				result.GivenParameter{Name: "stripe", Value: "4,1M"})
			records[i].Target.Type = string(result.StripeLustre)
		}
	}
	return command.TunedStage{TuneStage: command.TuneStage{Name: name}, Records: records}
}

func TestTuningSaysWhatIsProvenAndHowToUseIt(t *testing.T) {
	const best = "align=1M, cb_nodes=2, stripe=4,1M, collective-metadata=both"
	found := command.Tuned{
		LeftOut: []plan.LeftOut{{Variant: "double", Reason: "no space"}},
	}
	search := tunedStage(result.TuneSearch, 2, []string{"as it is", "align=1M", "fill-time=never"}, 1, 0.8, 1.1)
	search.LeftOut = []plan.LeftOut{{Variant: "driver=subfiling", Reason: "not built"}}
	search.Records[2].Cases[0] = result.Case{State: result.Failed, Error: &result.Error{Message: "disk full"}}
	half := tunedStage(result.TuneHalf, 10, []string{"as it is", best}, 0.5, 0.5)
	half.Sized = "particles=8K"
	found.Stages = []command.TunedStage{
		search,
		tunedStage(result.TuneHoldOut, 12, []string{"as it is", best}, 1, 0.75),
		tunedStage(result.TuneLeaveOut, 12, []string{best, "cb_nodes=2", "align=1M"}, 0.75, 0.9, 0.75),
		half,
	}
	out := plaintest.Unwrap(found.Text())
	for _, want := range []string{
		"Tuning of the workload arrays: 4 processes on 1 node, 84 measurements through HDF5; 1 of 3 changes was " +
			"tried\n",
		"\nConfirmed: " + best + " takes 25.0 % less time (95 % interval: 25.",
		" less) within a pair, in 12 pairs on new files after the search; medians: 791 ms in place of 1.06 s.\n",
		"\nWithout align=1M, stripe=4,1M, collective-metadata=both: it takes 19.9 % more time (95 % interval: 19.5 % " +
			"more to 20.4 % more): it helps.\n",
		": no difference is shown.\n",
		"\nData of half the size (particles=8K): it takes 0.0 % ", "): no gain is shown.\n",
		"\nData of twice the size: not measured.\n",
		"\n  --align=1M --cold --hint=cb_nodes=2 --stripe=4,1M\n", "\n  cb_nodes 2\n",
		"\n  lfs setstripe -c 4 -S 1048576 DIRECTORY\n",
		"\n  H5Pset_alignment(fapl, 1, 1048576);\n",
		"\n  H5Pset_coll_metadata_write(fapl, 1); H5Pset_all_coll_metadata_ops(fapl, 1);\n",
		"\n  h5py.File(..., alignment_threshold=1, alignment_interval=1048576)\n",
		"\nh5py 3.7 has no call for collective-metadata.\n",
		"\nnot tried: double: no space\n", "\nnot tried: driver=subfiling: not built\n",
		"\nnot tried: fill-time=never: failed: disk full\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
	for line := range strings.SplitSeq(found.Text(), "\n") {
		if len(line) > 100 && !strings.HasPrefix(line, "  ") {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
}

// If nothing was left out of several changes, the result says that no change is proved by itself.
func TestTuningSaysThatChangesAreProvedTogether(t *testing.T) {
	const proved = "\nWithout one of the changes: not measured, so the changes are proved only together.\n"
	for best, want := range map[string]bool{"align=1M": false, "align=1M, cb_nodes=2": true} {
		found := command.Tuned{Stages: []command.TunedStage{
			tunedStage(result.TuneSearch, 9, []string{"as it is", best}, 1, 0.5),
			tunedStage(result.TuneHoldOut, 12, []string{"as it is", best}, 1, 0.5),
		}}
		if out := plaintest.Unwrap(found.Text()); strings.Contains(out, proved) != want {
			t.Errorf("%s: not %v in\n%s", best, want, out)
		}
	}
}

// Without a proof, the result never names a gain.
func TestTuningClaimsNothingWithoutProof(t *testing.T) {
	names := []string{"as it is", "align=1M"}
	search := tunedStage(result.TuneSearch, 9, names, 1, 0.5)
	failed := tunedStage(result.TuneHoldOut, 12, names, 1, 0.5)
	failed.Records[1].Cases[0] = result.Case{State: result.Failed, Error: &result.Error{Message: "disk full"}}
	for _, c := range []struct {
		stages []command.TunedStage
		want   string
	}{
		{[]command.TunedStage{search}, "None shown: there was no hold-out"},
		{[]command.TunedStage{search, failed}, "None shown: hold-out: run 1 has no figures: failed: disk full"},
		{
			[]command.TunedStage{search, tunedStage(result.TuneHoldOut, 11, names, 1, 0.5)},
			"None shown: the hold-out of align=1M ended after 11 pairs, which is too few.",
		},
		{
			[]command.TunedStage{search, tunedStage(result.TuneHoldOut, 40, names, 1, 1.0001)},
			"None shown: align=1M, the fastest of the search, was not shown to be faster than what is there: it " +
				"takes 0.0 % less time (95 % interval: ",
		},
		{
			[]command.TunedStage{search, tunedStage(result.TuneHoldOut, 40, names, 1, 1.5)},
			"None shown: align=1M, the fastest of the search, was shown to be slower than what is there: it " +
				"takes 50.0 % more time (95 % interval: ",
		},
	} {
		out := plaintest.Unwrap(command.Tuned{Stages: c.stages}.Text())
		if !strings.Contains(out, "\n"+c.want) || strings.Contains(out, "Confirmed") ||
			strings.Contains(out, "50.0 % less") || strings.Contains(out, "H5Pset") {
			t.Errorf("no %q in\n%s", c.want, out)
		}
	}
}

// Only if all else is well does the failure of a variant not count.
func TestOnlyVariantsFailed(t *testing.T) {
	for want, change := range map[bool]func(records []history.Record){
		true: func(r []history.Record) {
			r[1].State, r[1].Cases[0].State = result.Failed, result.Failed
		},
		false: func(r []history.Record) { r[1].State = result.Failed }, // its document could not be written
	} {
		s := tunedStage(result.TuneSearch, 2, []string{"as it is", "align=1M"}, 1, 1)
		change(s.Records)
		if s.OnlyVariantsFailed() != want {
			t.Errorf("want %v", want)
		}
		s.Records[0].State = result.Failed
		if s.OnlyVariantsFailed() {
			t.Error("the unchanged configuration has failed")
		}
	}
}

// A search that was interrupted says what it has, that nothing is confirmed, and how to go on.
func TestAnInterruptedTuningSaysWhatItHas(t *testing.T) {
	names := []string{"as it is", "align=1M"}
	search := tunedStage(result.TuneSearch, 9, names, 1, 0.5)
	for _, c := range []struct {
		stages []command.TunedStage
		in     result.TuneStage
		want   string
	}{
		{
			[]command.TunedStage{search},
			result.TuneSearch,
			"None shown: there was no hold-out yet, so nothing is confirmed.",
		},
		{
			[]command.TunedStage{search, tunedStage(result.TuneHoldOut, 11, names, 1, 0.5)},
			result.TuneHoldOut,
			"None shown: the hold-out of align=1M ended after 11 pairs, which is too few.",
		},
		{
			[]command.TunedStage{search, tunedStage(result.TuneHoldOut, 12, names, 1, 0.5)},
			result.TuneHalf,
			"Confirmed: align=1M takes ",
		},
	} {
		found := command.Tuned{Stages: c.stages, Interrupted: c.in}
		out := plaintest.Unwrap(found.Text())
		for _, want := range []string{
			c.want, "\nInterrupted in the part " + string(c.in) + ", so that the rest is missing. Only what was " +
				"stored with --results or --resume can be gone on with: give the same command with --resume.\n",
			"  520 ms\n", "time: the median of writing all dumps, without computing; ",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
	}
	short := command.Tuned{Short: "--time: 1 s are left", LeftOut: []plan.LeftOut{{Variant: "a=1", Reason: "no time"}}}
	if out := plaintest.Unwrap(short.Text()); !strings.HasPrefix(out, "None shown: nothing was tried. --time: 1 s are "+
		"left.\n") || !strings.Contains(out, "\nnot tried: a=1: no time\n") {
		t.Error(out)
	}
}

// A part that goes on with an interrupted one counts together with it.
func TestPartsOfATuningCountTogether(t *testing.T) {
	names := []string{"as it is", "align=1M"}
	one, two := tunedStage(result.TuneHoldOut, 7, names, 1, 0.5), tunedStage(result.TuneHoldOut, 6, names, 1, 0.5)
	for i := range two.Records {
		r := &two.Records[i]
		r.RunID, r.Pair.PartnerRunID, r.Pair.Continues = "q"+r.RunID, "q0", []string{"0"}
	}
	one.Records = []history.Record{one.Records[0], two.Records[0], one.Records[1], two.Records[1]}
	out := plaintest.Unwrap(command.Tuned{Stages: []command.TunedStage{one}}.Text())
	h, err := history.NewHoldOut(one.Records)
	if err != nil || h.Pairs != 12 {
		t.Fatalf("%d pairs; %v", h.Pairs, err)
	}
	row := func(variant string, seconds float64) string { // the same as in the conclusion
		return "hold-out  " + variant + "  12  " + units.FormatSeconds(seconds) + "\n"
	}
	for _, want := range []string{
		"1 node, 26 measurements", "Confirmed: align=1M takes ", " in 12 pairs on new ", "; n: how often it was " +
			"measured (hold-out: the pairs that count).\n", row("align=1M", h.Seconds[1]),
		row("as it is", h.Seconds[0]),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A change whose turn did not come is named with what was too small for it, unless another part has measured it.
func TestTuningSaysWhichLimitEndedTheSearch(t *testing.T) {
	unchosen := result.Case{
		State: result.Skipped, EndedBy: result.EndedByChoice, Reason: "it was not chosen for any round",
	}
	for runs, want := range map[int]string{
		5:  "; 1 of 2 changes was tried\n",
		99: "\nnot tried: fill-time=never: the time (--time or --deadline) did not suffice: give more\n",
		6:  "\nnot tried: fill-time=never: the measurements (--runs 6) did not suffice: give more\n",
	} {
		search := tunedStage(result.TuneSearch, 3, []string{"as it is", "align=1M", "fill-time=never"}, 1, 0.5, 1)
		search.Records[2].Cases[0] = unchosen
		combine := tunedStage(result.TuneCombine, 1, []string{"as it is", "align=1M"}, 1, 1)
		combine.Records[1].Cases[0] = unchosen
		for i := range search.Records {
			search.Records[i].Pair.TuneRuns = runs
		}
		out := plaintest.Unwrap(command.Tuned{Stages: []command.TunedStage{search, combine}}.Text())
		if !strings.Contains(out, want) || strings.Contains(out, "chosen") ||
			strings.Contains(out, "not tried: align") {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
