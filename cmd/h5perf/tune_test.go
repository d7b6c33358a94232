//go:build cgo && !nompi

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/plaintest"
)

// A variant that cannot begin costs its turn, not the run.
func TestTuneLeavesOutWhatFails(t *testing.T) {
	t.Parallel()
	bin, json := t.TempDir(), filepath.Join(t.TempDir(), "t.json")
	lfs := `#!/bin/sh
case "$*" in
setstripe*-c\ 4*) echo "no such pool" >&2; exit 5;;
getstripe*) echo "stripe_count:  1 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1";;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "lfs"), []byte(lfs), 0o755); err != nil {
		t.Fatal(err)
	}
	l := launch(t, 2, t.TempDir(), []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "H5PERF_STRIPE_TOOL=lfs"}, nil,
		"tune", "--json", json, "--try", "stripe=4", "--try", "stripe=2", "--try", "align=4K", "--try",
		"driver=nosuch", "--runs", "12", "--", "-p", "2", "-w")
	if status := l.wait(5 * startTime); status != 0 {
		t.Fatalf("exit status %d: %s", status, l.stderr.String())
	}
	out := plaintest.Unwrap(l.stdout.String())
	if !strings.Contains(out, "\nnot tried: driver=nosuch: --driver ") ||
		!strings.Contains(out, "\nnot tried: stripe=4: --stripe 4: ") || !strings.Contains(out, "no such pool") ||
		strings.Contains(out, "not tried: stripe=2") || strings.Contains(out, "not tried: align") {
		t.Errorf("the result is\n%s", out)
	}
	l.cleaned()
}

// A search that is interrupted in its parts says what it has, and ends with status 143. The same command goes on with
// it, and measures only what is missing.
func TestTuneGoesOn(t *testing.T) {
	t.Parallel()
	tree, base, changes, limit := filepath.Join(t.TempDir(), "tree"), t.TempDir(), "align=4K,64K", "0"
	tune := func(more ...string) *launched {
		json := filepath.Join(t.TempDir(), "t.json")
		l := launch(t, 2, base, nil, nil, append([]string{
			"tune", "--resume", tree, "--try", changes, "--time", limit, "--runs", "30", "--json", json, "--",
			"-p", "2", "-w", "--think", "100ms",
		}, more...)...)
		l.json = json
		return l
	}
	load := func() (stages map[result.TuneStage][]history.Record) {
		all, _, _ := history.LoadTree(tree)
		stages = map[result.TuneStage][]history.Record{}
		for _, r := range all {
			stages[r.Pair.Stage] = append(stages[r.Pair.Stage], r)
		}
		return stages
	}
	var claims []string
	for _, stage := range []result.TuneStage{result.TuneSearch, result.TuneHoldOut} {
		l := tune()
		l.within(2*startTime, "a claim", func() bool {
			claims, _ = filepath.Glob(filepath.Join(tree, ".h5perf-*"))
			return len(claims) > 0
		})
		second := tune() // refused before its first measurement
		if status := second.wait(2 * startTime); status != result.ExitFailed || !strings.Contains(plaintest.Unwrap(
			second.stderr.String()), " measures the same variants: wait until ") {
			t.Errorf("exit status %d, %s", status, second.stderr.String())
		}
		l.within(2*startTime, "documents of the "+string(stage), func() bool { return len(load()[stage]) >= 2 })
		measurements, there := 0, []string{}
		l.within(4*startTime, "two rounds", func() bool { // a file for each measurement, after a pause
			files, _ := filepath.Glob(filepath.Join(base, "*", "data_*"))
			for _, file := range files {
				if !slices.Contains(there, file) {
					measurements++
				}
			}
			there = files
			return measurements > 6
		})
		l.signal(0, syscall.SIGTERM)
		if status := l.wait(startTime + 10*time.Second); status != result.ExitStopped && !l.loses {
			t.Errorf("exit status %d", status)
		}
		out := plaintest.Unwrap(l.stdout.String())
		late := strings.Contains(l.stderr.String(), "the job is ended") // rank 1 did not answer in time
		if !late && (!strings.Contains(out, "None shown: ") || !strings.Contains(out,
			"Interrupted in the part "+string(stage)+", so that the rest is missing. ")) {
			t.Errorf("the result is\n%s", out)
		}
		if letter := regexp.MustCompile(`(?m)^h5perf: (job: )?[A-E]: `).FindString(l.stderr.String()); letter != "" {
			t.Errorf("an error names an arm by its letter, which the result does not have: %q", letter)
		}
		l.cleaned()
		l.within(endsWithin, "documents of runs that have ended", func() bool { // the watcher may complete them
			return !slices.ContainsFunc(load()[stage], func(r history.Record) bool { return r.State == result.Running })
		})
	}
	if left, _ := filepath.Glob(filepath.Join(tree, ".h5perf-*")); len(left) > 0 {
		t.Errorf("claims are left: %v", left)
	}
	samples := func(runs []history.Record, arm result.Arm) (n int) {
		for _, r := range runs {
			if r.Pair.Arm == arm && len(r.Cases) > 0 {
				n += len(r.Cases[0].Samples)
			}
		}
		return n
	}
	l := tune()
	if status := l.wait(5 * startTime); status != 0 {
		t.Fatalf("exit status %d: %s", status, l.stderr.String())
	}
	stages := load()
	first := stages[result.TuneSearch][0].TurnsID()
	for stage, runs := range stages {
		parts := map[string]bool{}
		for _, r := range runs {
			parts[r.FirstArmRunID()] = true
			if stage != result.TuneSearch && r.Pair.TuneFirstID != first || r.TurnsID() != runs[0].TurnsID() {
				t.Errorf("%s: %+v", stage, r.Pair)
			}
		}
		if interrupted := stage == result.TuneSearch || stage == result.TuneHoldOut; (len(parts) == 2) != interrupted {
			t.Errorf("%s has %d parts", stage, len(parts))
		}
	}
	// The search has 30 measurements: each change is measured once at least, and no round twice.
	if n := samples(stages[result.TuneSearch], result.ArmA); n < 5 || n > 12 {
		t.Errorf("the search has %d rounds", n)
	}
	// The last pair before the signal may be without its second half.
	if n := samples(stages[result.TuneHoldOut], result.ArmA); !slices.Contains([]int{12, 13, 24, 25, 40, 41}, n) {
		t.Errorf("the hold-out has %d pairs", n)
	}
	before := l.stdout.String()
	var other rundir.Claim // to print the result again, no claim is needed
	key := history.TurnsKey(stages[result.TuneSearch][0].Document, []string{"align=4K", "align=64K"})
	if err := other.Take(tree, key, time.Now()); err != nil || !strings.Contains(claims[0], key) {
		t.Fatalf("%v; a claim of %s is in %v", err, key, claims)
	}
	l = tune()
	if status := l.wait(2 * startTime); status != 0 || l.stdout.String() != before {
		t.Errorf("exit status %d, and again it is\n%s\nnot\n%s", status, l.stdout.String(), before)
	}
	if err := other.Release(); err != nil {
		t.Error(err)
	}
	for stage, runs := range load() {
		if len(runs) != len(stages[stage]) {
			t.Errorf("%s was measured again", stage)
		}
	}
	limit = "10m"
	l = tune()
	if status := l.wait(2 * startTime); status != result.ExitUsage || !strings.Contains(plaintest.Unwrap(
		l.stderr.String()), "the search of these changes there, run "+first+", had --time 0s --runs 30 --seed ") ||
		!strings.Contains(plaintest.Unwrap(l.stderr.String()), ", not --time 600s --runs 30 --seed ") {
		t.Errorf("exit status %d, %s", status, l.stderr.String())
	}
	limit, changes = "0", "align=4K"
	if err := os.WriteFile(filepath.Join(tree, "damaged.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	l = tune()
	l.within(2*startTime, "a search that begins anew", func() bool {
		return strings.Contains(l.stderr.String(), "search: 2 configurations")
	})
	if said := plaintest.Unwrap(l.stderr.String()); strings.Contains(said, "goes on with") ||
		!strings.Contains(said, ": 1 file there cannot be used, such as: ") || !strings.Contains(said, "damaged.json") {
		t.Error(said)
	}
	l.signal(0, syscall.SIGTERM)
	l.fails(startTime + 10*time.Second)
	changes = "align=4K,64K"
	l = tune("--data", "zero")
	l.within(2*startTime, "a search that begins anew", func() bool {
		return strings.Contains(l.stderr.String(), "search: 3 configurations")
	})
	if said := plaintest.Unwrap(l.stderr.String()); !strings.Contains(said, "tune: This run cannot go on with "+first+
		", and begins anew: parameters.conditions.data was ") {
		t.Error(said)
	}
	l.signal(0, syscall.SIGTERM)
	l.fails(startTime + 10*time.Second)
}

// Where nothing can be tried, tune says so before it measures.
func TestTuneRefusesWhatItCannotTry(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--try align=64K -- serial":                                "for the serial tool, use vary",
		"--try alignn=64K -- -p 1":                                 `"alignn" is neither an option nor`,
		"--try align=64K -- -p 1 --sweep x=1K,2K":                  "--sweep after --: ",
		"--try evict-on-close=on -- -p 1":                          "no variant can be measured: evict-on-close=on: ",
		"nosuch --try align=64K":                                   "nosuch",
		"--try align=64K -- -p 1 --deadline 2020-01-01T00:00:00Z":  "this time has passed",
		"--try align=64K --runs 2000000000 -- -p 1 -w":             "h5perf: -i 1000000000: ",
		"--try align=64K --time 1s -- -p 1 -x 64M -X 64M -e 8G -w": "--time: 1 s are left, but a measurement takes ",
	} {
		json := filepath.Join(t.TempDir(), "t.json")
		l := launch(t, 1, t.TempDir(), nil, nil, append([]string{"tune", "--json", json}, strings.Fields(args)...)...)
		if status := l.wait(2 * startTime); status != result.ExitUsage {
			t.Errorf("%s: exit status %d: %s", args, status, l.stdout.String())
		}
		if said := plaintest.Unwrap(l.stderr.String()); !strings.Contains(said, want) {
			t.Errorf("%s: %s", args, said)
		}
	}
}

// A search for which the first measurements show that there is no time has tried nothing, which is no success.
func TestTuneFailsWithoutTimeToTry(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, t.TempDir(), nil, nil, "tune", "--json", filepath.Join(t.TempDir(), "t.json"), "--try",
		"align=64K", "--time", "8s", "--", "-p", "2", "-w", "--think", "1s")
	if status := l.wait(2 * startTime); status != result.ExitUsage {
		t.Errorf("exit status %d: %s", status, l.stderr.String())
	}
	if out := plaintest.Unwrap(l.stdout.String()); !strings.HasPrefix(out, "None shown: nothing was tried. --time: ") {
		t.Errorf("the result is\n%s", out)
	}
	l.cleaned()
}
