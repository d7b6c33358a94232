package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/test/plaintest"
)

func TestWhatFellStaysBelowTheReferenceUntilItIsSetAnew(t *testing.T) {
	dir := t.TempDir()
	night := func(days int, middle float64) {
		stored(t, dir, days, steady(middle*(1+0.01*float64(days*7%5)), 5)...)
	}
	for i := range 10 {
		night(i, 1e9)
	}
	status, stdout, stderr := said(t, "reference", "set", "--in", dir, "--note", "acceptance", "--since", "run00003")
	stdout = plaintest.Unwrap(stdout)
	if status != 0 || !strings.Contains(stdout, "c, /scratch, nightly: 7 runs, set 2026-03-01 02:00 by ") ||
		!strings.HasSuffix(stdout, ": acceptance\n") {
		t.Fatalf("status %d, %s%s", status, stdout, stderr)
	}
	for i := 10; i < 60; i++ { // throughput falls in night 20, and stays low
		middle := 1e9
		if i >= 20 {
			middle = 0.8e9
		}
		night(i, middle)
	}
	for _, how := range [][]string{nil, {"--nightly"}} {
		status, stdout, stderr = said(t, append([]string{"trend", "--fail-on-worse", "10", dir}, how...)...)
		stdout = plaintest.Unwrap(stdout)
		if status != 1 || !strings.Contains(stdout, "below: -19.") ||
			!strings.Contains(stdout, "reference of c, /scratch, nightly: 7 runs, set 2026-03-01 02:00 by ") ||
			!strings.Contains(stdout, "1 of 1 series have both a reference and later runs: 1 below it, 0 above it") ||
			!strings.Contains(stderr, "% below the reference of 2026-03-01 02:00") {
			t.Errorf("%v: status %d\n%s%s", how, status, stdout, stderr)
		}
	}
	var found history.Trend
	_, stdout, _ = said(t, "trend", "--json", dir)
	if err := json.Unmarshal([]byte(stdout), &found); err != nil {
		t.Fatal(err)
	}
	d := found.Series[0].Reference
	if d == nil || d.Verdict != history.Worse || d.Runs != 7 || d.LatestRuns != 14 || d.Low == nil || *d.High > 0.85 ||
		found.References[0].Note != "acceptance" {
		t.Errorf("%+v of %+v", d, found.References)
	}

	status, stdout, _ = said(t, "compare", "--reference", dir, "--since", "2026-04-20", dir)
	if status != 0 || !strings.Contains(stdout, "OLD: 7 runs, ") || !strings.Contains(stdout, "NEW: 10 runs, ") ||
		!strings.Contains(stdout, "1 worse") {
		t.Errorf("compare: status %d\n%s", status, stdout)
	}

	status, _, stderr = said(t, "reference", "set", "--in", dir, "--note", "new controller", "run00058",
		filepath.Join(dir, "run00059.json"))
	if status != 0 {
		t.Fatalf("set anew: %d, %s", status, stderr)
	}
	status, stdout, _ = said(t, "trend", "--fail-on-worse", "10", dir)
	if status != 0 || !strings.Contains(stdout, "0 of 1 series have both a reference and later runs") {
		t.Errorf("no run after the reference: status %d\n%s", status, stdout)
	}
	for i := 60; i < 63; i++ {
		night(i, 0.8e9)
	}
	status, stdout, _ = said(t, "trend", "--fail-on-worse", "10", dir)
	if status != 0 || !strings.Contains(stdout, "no difference shown: ") || strings.Contains(stdout, "acceptance") {
		t.Errorf("set anew: status %d\n%s", status, stdout)
	}
	_, stdout, _ = said(t, "reference", "show", "--in", dir)
	stdout = plaintest.Unwrap(stdout)
	if !strings.Contains(stdout, "2 runs, set ") ||
		!strings.Contains(stdout, "new controller\n  run00058\n  run00059\n") ||
		!strings.Contains(stdout, "Before that:\nc, /scratch, nightly: 7 runs, set ") {
		t.Errorf("show:\n%s", stdout)
	}

	status, stdout, _ = said(t, "reference", "clear", "--in", dir, "--label", "nightly", "--note", "moved")
	if status != 0 || !strings.Contains(stdout, "cleared 2026-03-01 02:00 by ") {
		t.Errorf("clear: status %d, %s", status, stdout)
	}
	if _, stdout, _ = said(t, "trend", dir); strings.Contains(stdout, "reference") {
		t.Errorf("cleared:\n%s", stdout)
	}
	var all []history.PinnedReference
	_, stdout, _ = said(t, "reference", "show", "--json", "--in", dir)
	if err := json.Unmarshal([]byte(stdout), &all); err != nil || len(all) != 3 || all[2].Note != "moved" {
		t.Errorf("show --json: %v, %s", err, stdout)
	}
	if status, _, stderr = said(t, "reference", "clear", "--in", dir, "--note", "again"); status != 1 {
		t.Errorf("clear of none: status %d, %s", status, stderr)
	}
}

func TestReferenceRefusesWhatCannotBeOne(t *testing.T) {
	dir := t.TempDir()
	stored(t, dir, 0, 1e9)
	failed(t, stored(t, dir, 1, 1e9))
	damaged := t.TempDir()
	stored(t, damaged, 0, 1e9)
	if err := os.WriteFile(filepath.Join(damaged, history.ReferenceFile), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"set", "--in", dir, "run00000"}, "set needs --note TEXT"},
		{[]string{"set", "--in", dir, "--note", " ", "run00000"}, "set needs --note TEXT"},
		{[]string{"set", "--in", dir, "--note", "x"}, "set needs either runs or --since"},
		{[]string{"set", "--in", dir, "--note", "x", "run00000", "--since", "1d"}, "set needs either runs or --since"},
		{[]string{"set", "--in", dir, "--note", "x", "run00001"}, "run run00001 is failed; a reference needs " +
			"complete runs"},
		{
			[]string{"set", "--in", dir, "--note", "x", "run9", "other"},
			"no run has the id or the path run9, other (in " + dir,
		},
		{[]string{"set", "--in", dir, "--note", "x", "--since", "2030-01-01"}, "no complete run started at 2030-01-01"},
		{[]string{"set", "--in", dir, "--note", "x", "--since", "soon"}, `"soon" is not a time`},
		{[]string{"set", "--in", dir, "--note", "x", "--label", "other", "--since", "1d"}, "labels here: nightly"},
		{[]string{"show", "--in", dir, "run00000"}, "show does not take runs"},
		{[]string{"show", "--in", dir, "--note", "x"}, "--note works with set and clear only"},
		{[]string{"clear", "--in", dir, "--note", "x", "--json"}, "--json with show only"},
		{[]string{"show", "--in", filepath.Join(dir, "none")}, "no such file"},
		{[]string{"show", "--in", damaged}, "line 1: reference_version 0"},
		{[]string{"pin", "--in", dir}, "must be one of"},
		{[]string{"set", "--in", dir, "--note", "a\nb", "run00000"}, `--note: "a\nb" has characters`},
		{[]string{"set", "--in", dir, "--note", "\x1b[2J", "run00000"}, "cannot be shown"},
		{[]string{"set", "--in", dir, "--note", strings.Repeat("é", 501), "run00000"}, "the note has 501 characters"},
	} {
		status, stdout, stderr := said(t, append([]string{"reference"}, c.words...)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, %q, want 2 and %q", c.words, status, stdout+stderr, c.want)
		}
	}
	if status, _, stderr := said(t, "trend", damaged); status != 2 || !strings.Contains(stderr, "line 1") {
		t.Errorf("trend with a damaged reference: status %d, %s", status, stderr)
	}
	_, stdout, _ := said(t, "reference", "show", "--in", dir)
	if plaintest.Unwrap(stdout) != "No reference is set in "+dir+".\n" {
		t.Errorf("show of none: %s", stdout)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*reference*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	status, _, stderr := said(t, "compare", "--reference", dir, dir)
	if status != 2 || !strings.Contains(stderr, "no reference is set there for the cluster, file system and label "+
		"of NEW") {
		t.Errorf("compare without a reference: status %d, %s", status, stderr)
	}
	said(t, "reference", "set", "--in", dir, "--note", "x", "run00000")
	if err := os.Remove(filepath.Join(dir, "run00000.json")); err != nil {
		t.Fatal(err)
	}
	stored(t, dir, 2, 1e9)
	status, _, stderr = said(t, "compare", "--reference", dir, filepath.Join(dir, "run00002.json"))
	if status != 2 || !strings.Contains(stderr, "are missing: run00000") {
		t.Errorf("compare with a reference whose run is gone: status %d, %s", status, stderr)
	}
}

func TestDocumentsAreSelected(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		stored(t, dir, i, steady(1e9, 8)...)
	}
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"report", "--latest", dir}, "run00004.json"},
		{[]string{"report", "--since", "2026-03-05", dir}, "run00004.json"},
		{[]string{"report", "--since", "2026-03-05T01:00:00Z", "--label", "nightly", dir}, "run00004.json"},
	} {
		status, stdout, stderr := said(t, c.words...)
		if status != 0 || !strings.Contains(stdout, c.want) || strings.Contains(stdout, "run00003.json") {
			t.Errorf("%v: status %d\n%s%s", c.words, status, stdout, stderr)
		}
	}
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"report", "--label", "other", dir}, `no run has the label "other"; labels here: nightly`},
		{[]string{"compare", "--cluster", "other", dir, dir}, `no run has the cluster "other"; clusters here: c`},
		{[]string{"report", "--since", "2030-01-01", dir}, "no run started at 2030-01-01 00:00:00 or later"},
		{[]string{"trend", "--until", "2026-01-01", dir}, "no run started before 2026-01-01"},
		{[]string{"report", "--since", "soon", dir}, `--since: "soon" is not a time`},
		{[]string{"trend", "--since", "2026-03-05", "--until", "2026-03-05", dir}, "must be before that of --until"},
		{[]string{"report", "--latest=0", dir}, `"0" is not a number of runs`},
		{[]string{"report", "--latest", "0", dir}, `"0" is not a number of runs`},
		{[]string{"report", "--latest", "99999999999999999999", dir}, `is not a number of runs`},
		{[]string{"report", "--latest=x", dir}, `"x" is not a number of runs`},
		{[]string{"report", "--label", "", dir}, "--label: its value is empty"},
		{[]string{"report", "--min=", dir}, "--min: its value is empty"},
		{[]string{"trend", "--reference", "", dir}, "--reference: its value is empty"},
		{[]string{"compare", "--since", "2026-01-01", dir, dir}, "OLD: all of its runs are also in NEW"},
	} {
		if status, _, stderr := said(t, c.words...); status != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, %s; want %s", c.words, status, stderr, c.want)
		}
	}
}

func TestTheSameOptionsSelectInAllCommands(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		stored(t, dir, i, steady(1e9, 8)...)
	}
	two := []string{"--since=2026-03-04", "--latest=2", "--latest 2", "--since=2026-03-02 --latest=2"}
	firstTwo := []string{"--until=2026-03-03", "--until=2026-03-03T02:00:00Z"}
	for _, options := range slices.Concat(two, firstTwo) {
		words := strings.Fields(options)
		_, stdout, _ := said(t, slices.Concat([]string{"report", "--csv"}, words, []string{dir})...)
		for i := range 5 {
			want := i > 2 == slices.Contains(two, options) && i != 2
			if strings.Contains(stdout, fmt.Sprintf("run%05d", i)) != want {
				t.Errorf("report %s: run %d is there: %v", options, i, !want)
			}
		}
		if _, stdout, _ = said(t, slices.Concat([]string{"trend"}, words, []string{dir})...); !strings.HasPrefix(
			stdout, "2 runs from 2026-03-0") {
			t.Errorf("trend %s: %s", options, stdout)
		}
	}
	for options, want := range map[string]string{
		"--latest": "OLD: 4 runs, NEW: 1 run, ", "--latest 2": "OLD: 3 runs, NEW: 2 runs, ",
		"--since 2026-03-04":                      "OLD: 3 runs, NEW: 2 runs, ",
		"--until 2026-03-05 --since 2026-03-03":   "OLD: 2 runs, NEW: 2 runs, ",
		"--until 2026-03-05 --latest":             "OLD: 3 runs, NEW: 1 run, ",
		"--label nightly --cluster c --latest=3 ": "OLD: 2 runs, NEW: 3 runs, ",
	} {
		status, stdout, stderr := said(t, slices.Concat([]string{"compare"}, strings.Fields(options),
			[]string{dir, dir})...)
		for want := range strings.SplitAfterSeq(want, ", ") {
			if status != 0 || !strings.Contains(stdout, want) || strings.Contains(stdout, "both sides") {
				t.Errorf("compare %s: no %q in\n%s%s", options, want, stdout, stderr)
			}
		}
	}
}
