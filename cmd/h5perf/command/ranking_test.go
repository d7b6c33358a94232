package command_test

import (
	"fmt"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// layoutRuns returns runs of layouts that were measured in turns. Their writes took these times.
func layoutRuns(iterations int, seconds ...float64) []history.Record {
	names := []string{"as it is", "given, chunked, independent", "both, chunked, collective"}
	var all []history.Record
	for i, took := range seconds {
		doc := result.Document{
			RunID: fmt.Sprint(i), State: result.Complete, Kind: result.KindWorkload,
			Pair: &result.Pair{
				Arm: result.ValuesOf[result.Arm]()[i], PartnerRunID: "0", Variant: names[i],
			},
			Job: result.Job{Processes: 4, Nodes: 1},
			Parameters: result.Parameters{WriteOnly: true, APIs: []string{result.PHDF5}, Workload: &result.Workload{
				Name: "arrays",
			}},
			Cases: []result.Case{{
				State: result.Complete, Effective: &result.Effective{Files: []result.FileSize{{
					Name:  "f",
					Bytes: 4096,
				}}},
			}},
		}
		for n := range iterations {
			noise := 0.001 * float64((n+2*i)*5%7-3)
			drift := took * (1 + float64(n)/100 + noise)
			doc.Cases[0].Samples = append(doc.Cases[0].Samples, result.Sample{
				Operation: result.OperationWrite, Iteration: n + 1, Bytes: 1,
				Access:  result.Interval{WindowSeconds: drift},
				Classes: []result.ClassTime{{Class: "create", Interval: result.Interval{Max: 0.5}}},
			})
		}
		all = append(all, history.Record{Document: doc})
	}
	return all
}

func TestARankingNamesTheBestAndWhatItLeavesOut(t *testing.T) {
	left := []plan.LeftOut{
		{Variant: "dumps", Reason: "u can be extended"},
		{Variant: "arrays", Reason: "there are no like datasets"},
		{Variant: "both", Reason: "u can be extended"},
	}
	failed := layoutRuns(12, 1, 2, 0.5)
	failed[1].Cases[0].State, failed[1].Cases[0].Error = result.Failed, &result.Error{Message: "as asked"}
	counted := layoutRuns(12, 1, 2, 0.5)
	for i := range counted {
		counted[i].Parameters.Conditions.CountCalls = true
		for k := range counted[i].Cases[0].Samples {
			counted[i].Cases[0].Samples[k].Calls = []result.FunctionCalls{
				{API: result.MPIIO, Kind: result.CallOther, Calls: 4},
				{API: result.MPIIO, Kind: result.CallWrite, Calls: 20},
				{API: result.POSIX, Kind: result.CallWrite, Calls: uint64(31 + i)},
			}
		}
	}
	partial := layoutRuns(12, 1, 2, 0.5)
	for i := range partial {
		partial[i].Cases[0].State, partial[i].Cases[0].Error = result.Interrupted, &result.Error{Message: "stopped"}
		partial[i].Parameters.Iterations = 20
	}
	less := layoutRuns(12, 1, 2, 0.5)
	for k := range less[0].Cases[0].Samples {
		less[0].Cases[0].Samples[k].Bytes, less[1].Cases[0].Samples[k].Bytes = 3<<20, 3<<20
		less[2].Cases[0].Samples[k].Bytes = 1 << 20
	}
	short := layoutRuns(5, 1, 2, 0.5)
	short[0].Parameters.Iterations = 20
	for name, c := range map[string]struct {
		arms []history.Record
		want []string
		not  string
	}{
		"all": {layoutRuns(12, 1, 2, 0.5), []string{
			"Variants of the workload arrays: 4 processes on 1 node, 12 iterations of 3 variants in turns through " +
				"HDF5\n",
			"\n*  C  both, chunked, collective    527 ms  -", "\n   A  as it is ",
			"\n   B  given, chunked, independent  2.11 s  +",
			"none shown  4 KiB\n", "\n*: the fastest variant is C: ",
			"\nleft out: dumps; both: u can be extended\nleft out: arrays: there are no like datasets\n",
			"with a probability of 95 %: intervals and differences in 4 places, and *.",
		}, "Caution"},
		"calls counted": {counted, []string{
			"POSIX calls", " calls: those of all processes in an iteration.", "4 KiB  24      31\n",
			"4 KiB  24      33\n",
		}, "no figures"},
		"one failed": {failed, []string{
			"\n*  C  both, chunked, collective  ", "\nB, given, chunked, independent: no figures: failed: as asked\n",
		}, "B  given"},
		"stopped": {partial, []string{
			"\n*  C  both, chunked, collective  ",
			"\nCaution: C, A, B: The run ended after 12 of 20 iterations.\n",
		}, "no figures"},
		"less data": {less, []string{
			"\nCaution: C: It writes 1 MiB instead of 3 MiB: a difference from A does not say which is faster for " +
				"the same work.\n",
		}, "Caution: B"},
		"alike": {layoutRuns(12, 1, 1, 1), []string{
			"none shown (-0.", "\nNo variant was shown to be slower than another one.\n",
			"would show a time that is shorter by ", "differences in 4 places.\n", "\n  A  as it is ",
		}, "*"},
		"too few": {layoutRuns(5, 1, 2, 0.5), []string{
			"variant                      time    file\n",
			"\nCaution: With 5 iterations, no difference can be shown. Use -i 9.\n",
		}, "*"},
		"too few of those that were requested": {short, []string{
			"\nCaution: With 5 iterations, no difference can be shown. More were requested, but the run ended before " +
				"it had them.\n",
		}, "Use -i"},
	} {
		text, err := command.Ranking(c.arms, left)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(plaintest.Unwrap(text), want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if strings.Contains(text, c.not) {
			t.Errorf("%s: %q in\n%s", name, c.not, text)
		}
	}
}

// The same advice after several reasons is given once, after the last of them.
func TestAdviceForWhatIsLeftOutIsGivenOnce(t *testing.T) {
	const advice = "; the workload w has settings, too: libver"
	text, err := command.Ranking(layoutRuns(12, 1, 2), []plan.LeftOut{
		{Variant: "a=1", Reason: "no chunks" + advice},
		{Variant: "b=1", Reason: "no filters"},
		{Variant: "c=1", Reason: "no pages" + advice},
		{Variant: "d=1", Reason: "no chunks" + advice},
	})
	want := "left out: a=1; d=1: no chunks\nleft out: b=1: no filters\nleft out: c=1: no pages" + advice + "\n"
	if out := plaintest.Unwrap(text); err != nil || !strings.Contains(out, want) {
		t.Errorf("%v, no %q in\n%s", err, want, out)
	}
}
