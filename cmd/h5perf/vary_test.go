//go:build cgo && !nompi

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/plaintest"
)

func TestLayoutsAreMeasuredInTurns(t *testing.T) {
	t.Parallel()
	base, documents := t.TempDir(), t.TempDir()
	l := launch(t, 2, base, nil, nil, "vary", "layout=chunked", "-i", "2",
		"--json", filepath.Join(documents, "l.json"), "--", "arrays", "--size", "tiny", "-D", "v", "--keep")
	if status := l.wait(3 * startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	first := ""
	for i, c := range []struct{ layout, objects string }{
		{"as-it-is", "/step=0/array=2 Dataset {10, 40}"},
		{"layout=given-chunked-independent", "/step=1/array=0 Dataset {10, 40}"},
		{"layout=given-chunked-collective", "/step=1/array=2 Dataset {10, 40}"},
		{"layout=dumps-chunked-independent", "/array=1 Dataset {2, 10, 40}"},
		{"layout=dumps-chunked-collective", "/array=2 Dataset {2, 10, 40}"},
		{"layout=arrays-chunked-independent", "/step=1/arrays Dataset {3, 10, 40}"},
		{"layout=arrays-chunked-collective", "/step=1/arrays Dataset {3, 10, 40}"},
		{"layout=both-chunked-independent", "/arrays Dataset {2, 3, 10, 40}"},
		{"layout=both-chunked-collective", "/arrays Dataset {2, 3, 10, 40}"},
	} {
		l.json = filepath.Join(documents, "l-"+c.layout+".json")
		doc := l.document()
		if i == 0 {
			first = doc.RunID
		}
		if doc.State != result.Complete || len(doc.Cases) != 1 || doc.FirstArmRunID() != first ||
			doc.Parameters.Workload == nil || doc.Pair.Variant == "" {
			t.Fatalf("%s: %s, %d cases, measured in turns with %s", c.layout, doc.State, len(doc.Cases),
				doc.FirstArmRunID())
		}
		one := doc.Cases[0]
		if one.API != result.PHDF5 || !one.Verified || len(one.Samples) != 4 || one.Samples[0].Bytes != 2*9600 {
			t.Errorf("%s: %s, verified %v, %d samples", c.layout, one.API, one.Verified, len(one.Samples))
		}
		_, id, _ := strings.Cut(doc.RunID, "-")
		file := filepath.Join(base, "h5perf-"+doc.RunID, "data_"+id+"_arrays.h5")
		out, err := exec.Command("h5ls", "-r", file).CombinedOutput()
		if text := strings.Join(strings.Fields(string(out)), " "); err != nil || !strings.Contains(text, c.objects) {
			t.Errorf("%s: no %q in %s, %v", c.layout, c.objects, text, err)
		}
	}
	stdout := l.stdout.String()
	for _, want := range []string{
		"Variants of the workload arrays: 2 processes on 1 node, 2 iterations of 9 variants in turns through HDF5\n",
		"layout=both-chunked-collective",
		"Caution: With 2 iterations, no difference can be shown. Use -i ",
	} {
		if !strings.Contains(plaintest.Unwrap(stdout), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if n := strings.Count(stdout, "\n"); n > 40 {
		t.Errorf("the comparison has %d lines", n)
	}
}

// Variants that are not possible here are left out, and do not end the run.
func TestSettingsAndHintsAreVaried(t *testing.T) {
	t.Parallel()
	base, documents := t.TempDir(), t.TempDir()
	l := launch(t, 2, base, nil, nil, "vary", "align=64K", "evict-on-close=on", "fill-time=ifset,never", "cb_nodes=1",
		"romio_lustre_co_ratio=2", "tile_rows=7", "-i", "2", "--json", filepath.Join(documents, "v.json"),
		"--", "arrays", "--size", "tiny")
	if status := l.wait(3 * startTime); status != 0 {
		t.Fatalf("exit status %d: %s", status, l.stderr.String())
	}
	for name, check := range map[string]func(p result.Parameters) bool{
		"as-it-is":        func(p result.Parameters) bool { return *p.AlignmentBytes == 1 },
		"align=64K":       func(p result.Parameters) bool { return *p.AlignmentBytes == 64<<10 },
		"fill-time=never": func(p result.Parameters) bool { return p.FillTime == "never" },
		"cb_nodes=1":      func(p result.Parameters) bool { return len(p.Hints) == 1 && p.Hints[0].Value == "1" },
	} {
		l.json = filepath.Join(documents, "v-"+name+".json")
		if doc := l.document(); doc.State != result.Complete || !check(doc.Parameters) ||
			strings.ReplaceAll(doc.Pair.Variant, " ", "-") != name {
			t.Errorf("%s: %s, variant %q, parameters %+v", name, doc.State, doc.Pair.Variant, doc.Parameters)
		}
	}
	stdout := plaintest.Unwrap(l.stdout.String())
	for _, want := range []string{
		"Variants of the workload arrays: 2 processes on 1 node, 2 iterations of 4 variants in turns through HDF5\n",
		"\nleft out: evict-on-close=on: --evict-on-close on needs h5perf serial: HDF5 cannot use it for a file",
		"\nleft out: fill-time=ifset: it is what the configuration has already\n",
		"\nleft out: romio_lustre_co_ratio=2: this implementation of MPI-IO does not read the hint",
		"\nleft out: tile_rows=7: ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestASerialSweepIsVaried(t *testing.T) {
	t.Parallel()
	l := launch(t, 1, t.TempDir(), nil, nil, "vary", "sieve-buffer=0", "file-driver=stdio", "-i", "6",
		"--json", filepath.Join(t.TempDir(), "v.json"), "--",
		"serial", "-e", "64K", "-x", "4K", "-w")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d, %s", status, l.stderr.String())
	}
	stdout := plaintest.Unwrap(l.stdout.String())
	for _, want := range []string{
		"Variants of the serial sweep: 1 process on 1 node, 6 iterations of 3 variants in turns through serial HDF5\n",
		"sieve-buffer=0 ", "file-driver=stdio ", "time: the median of writing in all cases of an iteration.",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// A second run measures what a first one, which is interrupted, leaves, and compares with all iterations.
func TestVariantsThatWereInterruptedAreGoneOnWith(t *testing.T) {
	t.Parallel()
	tree := filepath.Join(t.TempDir(), "tree")
	base := t.TempDir()
	vary := func(iterations int, more ...string) *launched {
		args := []string{
			"vary", "align=64K", "--resume", tree, "-i", strconv.Itoa(iterations), "--json",
			filepath.Join(t.TempDir(), "v.json"),
		}
		configuration := []string{"--", "arrays", "--size", "tiny", "-w"}
		return launch(t, 2, base, nil, nil, slices.Concat(args, more, configuration)...)
	}
	load := func(want int) []history.Record {
		all, _, err := history.Load(tree)
		if err != nil || len(all) != want {
			t.Fatalf("%d documents, want %d, %v", len(all), want, err)
		}
		return all
	}
	l := vary(100000)
	l.within(startTime, "samples", func() bool {
		all, _, _ := history.LoadTree(tree)
		return len(all) == 2 && len(all[0].Cases) > 0 && len(all[0].Cases[0].Samples) > 0
	})
	if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	l.fails(startTime)
	l.within(endsWithin, "documents of runs that have ended", func() bool { // the watcher may complete them
		return !slices.ContainsFunc(load(2), func(r history.Record) bool { return r.State == result.Running })
	})
	first := load(2)
	done := min(len(first[0].Cases[0].Samples), len(first[1].Cases[0].Samples))
	whole := done + 6
	l = vary(whole)
	if status := l.wait(startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	stdout := plaintest.Unwrap(l.stdout.String())
	if want := fmt.Sprintf("%d iterations of 2 variants in turns", whole); !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
	began := first[0].TurnsID()
	for _, r := range load(4)[2:] {
		if r.Parameters.Iterations != 6 || !slices.Equal(r.Pair.Continues, []string{began}) {
			t.Errorf("%d iterations, and it continues %v, not %s", r.Parameters.Iterations, r.Pair.Continues, began)
		}
	}
	var other rundir.Claim // to tell that nothing is missing, no claim is needed
	key := history.TurnsKey(first[0].Document, []string{"as it is", "align=64K"})
	if err := other.Take(tree, key, time.Now()); err != nil {
		t.Fatal(err)
	}
	l = vary(whole)
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if err := other.Release(); err != nil {
		t.Error(err)
	}
	want := fmt.Sprintf("Nothing is missing: the runs that began with %s have all %d iterations.", began, whole)
	if got := plaintest.Unwrap(l.stderr.String()); !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if again := plaintest.Unwrap(l.stdout.String()); again != stdout {
		t.Errorf("the comparison is\n%s\nnow\n%s", stdout, again)
	}
	for seed, want := range map[uint64]int{first[0].Pair.Seed: 0, first[0].Pair.Seed + 1: result.ExitUsage} {
		l = vary(whole, "--seed", strconv.FormatUint(seed, 10))
		if status := l.wait(startTime); status != want {
			t.Errorf("--seed %d: exit status %d, want %d", seed, status, want)
		}
		said := fmt.Sprintf("the runs of these variants there, run %s, had --seed %d, not --seed %d, which decides",
			began, first[0].Pair.Seed, seed)
		if got := plaintest.Unwrap(l.stderr.String()); strings.Contains(got, said) != (want != 0) {
			t.Errorf("%q in\n%s", said, got)
		}
	}
	load(4)
	l = vary(whole+1, "--time", "1m") // which has a round of warm-up
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	want = "This run cannot go on with " + began + ", and begins anew: " +
		"parameters.conditions.warmup_iterations was 0, now 1."
	if got := plaintest.Unwrap(l.stderr.String()); !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	load(6)
}

// Of two runs that would begin the same, or go on with the same one, the second is refused, and leaves no documents.
// Others may use the tree. A process gets the signal, because the launcher of MPICH may kill all of them at once, so
// that their claim is left.
func TestTwoCannotGoOnWithTheSameVariants(t *testing.T) {
	t.Parallel()
	tree, base := filepath.Join(t.TempDir(), "tree"), t.TempDir()
	vary := func(iterations string, configuration ...string) *launched {
		json := filepath.Join(t.TempDir(), "v.json")
		l := launch(t, 2, base, nil, nil, append([]string{
			"vary", "align=64K", "--resume", tree, "-i", iterations, "--json", json, "--", "arrays", "--size", "tiny",
		}, configuration...)...)
		l.json = json
		return l
	}
	for documents := 2; documents <= 4; documents += 2 {
		l := vary("100000", "-w")
		l.within(2*startTime, "samples", func() bool {
			all, _, _ := history.LoadTree(tree)
			return len(all) == documents && !slices.ContainsFunc(all, func(r history.Record) bool {
				return len(r.Cases) == 0 || len(r.Cases[0].Samples) == 0
			})
		})
		second := vary("50000", "-w")
		if status := second.wait(2 * startTime); status != result.ExitFailed ||
			!strings.Contains(plaintest.Unwrap(second.stderr.String()), " measures the same variants: wait until ") {
			t.Errorf("exit status %d, %s", status, second.stderr.String())
		}
		l.signal(0, syscall.SIGTERM)
		l.fails(startTime)
		l.within(endsWithin, "documents of runs that have ended", func() bool { // the watcher may complete them
			all, _, _ := history.LoadTree(tree)
			return len(all) == documents && !slices.ContainsFunc(all, func(r history.Record) bool {
				return r.State == result.Running
			})
		})
	}
	if claims, _ := filepath.Glob(filepath.Join(tree, ".h5perf-*")); len(claims) > 0 {
		t.Errorf("claims are left: %v", claims)
	}
	l := vary("100000", "-w")
	l.within(2*startTime, "a claim", func() bool {
		claims, _ := filepath.Glob(filepath.Join(tree, ".h5perf-*"))
		return len(claims) > 0
	})
	if status := vary("1").wait(2 * startTime); status != 0 {
		t.Errorf("another configuration: exit status %d", status)
	}
	l.signal(0, syscall.SIGTERM)
	l.fails(startTime)
}
