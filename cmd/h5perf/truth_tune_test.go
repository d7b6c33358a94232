//go:build cgo && !nompi && truth

package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/faultfs/fault"
	"h5perf/pkg/test/faultfs/faulttest"
	"h5perf/pkg/test/plaintest"
)

// On a file server with a known time for each request, tune finds the change that saves most requests, and proves what
// it saves. Its documents hold each measurement.
func TestTruthTuneFindsTheKnownBest(t *testing.T) {
	const best = "libver=latest" // its objects need fewer transfers of metadata
	f := faulttest.Start(t, "--direct", "--latency", "2ms")
	requests := func(options ...string) (n uint64) {
		f.ResetStats()
		l := launch(t, 1, f.Path, nil, nil,
			append([]string{"run", "arrays", "--size", "tiny", "-A", "phdf5"}, options...)...)
		if status := l.wait(3 * startTime); status != 0 {
			t.Fatalf("exit status %d", status)
		}
		stats := f.Stats()
		return stats[fault.Write].Count + stats[fault.Read].Count
	}
	saved := 1 - float64(requests("--"+best))/float64(requests())
	documents := t.TempDir()
	l := launch(t, 1, f.Path, nil, nil, "tune", "arrays", "--try", best, "--try", "object-times=off", "--try",
		"evict-on-close=on", "--runs", "24", "--time", "0", "--json", filepath.Join(documents, "t.json"), "--",
		"--size", "tiny")
	if status := l.wait(5 * startTime); status != 0 {
		t.Fatalf("exit status %d: %s", status, l.stderr.String())
	}
	out := plaintest.Unwrap(l.stdout.String())
	for _, want := range []string{
		"Tuning of the workload arrays: 1 process on 1 node, ",
		"\nConfirmed: ", best,
		"\nData of half the size (", "\nData of twice the size (",
		"\n  H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);\n",
		"\n  h5py.File(..., libver=('latest', 'latest'))\n",
		"\nnot tried: evict-on-close=on: --evict-on-close on needs h5perf serial: ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	stages := map[result.TuneStage][]history.Record{}
	names, _ := filepath.Glob(filepath.Join(documents, "*.json"))
	firsts := map[string]int{}
	for _, name := range names {
		doc, err := result.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if doc.State != result.Complete || len(doc.Cases[0].Samples) == 0 {
			t.Errorf("%s is %s", name, doc.State)
		}
		of := stages[doc.Pair.Stage]
		if doc.Pair.Arm == result.ArmA {
			of = append([]history.Record{{Document: doc}}, of...)
		} else {
			of = append(of, history.Record{Document: doc})
		}
		stages[doc.Pair.Stage] = of
		if doc.Pair.Stage != result.TuneSearch {
			firsts[doc.Pair.TuneFirstID]++
		}
	}
	search := stages[result.TuneSearch]
	if len(search) != 3 || len(firsts) != 1 || firsts[search[0].RunID] == 0 {
		t.Fatalf("%d documents of the search, first runs %v", len(search), firsts)
	}
	held := stages[result.TuneHoldOut]
	h, err := history.NewHoldOut(held)
	if err != nil {
		t.Fatal(err)
	}
	gain := 1 - h.Difference.Ratio
	t.Logf("%.2f %% of the requests saved, %.2f %% of the time", 100*saved, 100*gain)
	if h.Verdict != history.Better || math.Abs(gain-saved) > 0.1 {
		t.Errorf("%s: %.2f %% of the time, and %.2f %% of the requests are saved", h.Verdict, 100*gain, 100*saved)
	}
}
