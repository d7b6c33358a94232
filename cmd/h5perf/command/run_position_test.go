package command_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// storedPairs returns a tree with one run per day, of writes and reads. The middle of the throughputs of a day is that
// of the level, but for at most 1 %.
func storedPairs(t *testing.T, count int, level func(day int) float64) string {
	t.Helper()
	dir := t.TempDir()
	for i := range count {
		middle := level(i) * (1 + 0.01*float64(i*7%10)/10)
		path := stored(t, dir, i, steady(middle, 5)...)
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range doc.Cases[0].Samples {
			sample.Operation = result.OperationRead
			doc.Cases[0].Samples = append(doc.Cases[0].Samples, sample)
		}
		if err := result.Write(path, doc); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// whatIsSaidOfRuns returns the parts of a text that tell where single runs lie.
func whatIsSaidOfRuns(text string) []string {
	return regexp.MustCompile(`All 2 points: .*|Worst of 2 points: .*`).FindAllString(plaintest.Unwrap(text), -1)
}

func TestTrendEndsWithTheNewestRun(t *testing.T) {
	dir := storedPairs(t, 41, func(day int) float64 { return 1e9 - 2e8*float64(day/40) })
	_, stdout, _ := said(t, "trend", dir)
	text := plaintest.Unwrap(stdout)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	newest := `^Newest run of c, /scratch, nightly, of 2026-04-10 02:00, compared with the last 30 runs before it: ` +
		`All 2 points: worse: -20\.\d % \(one more run: -0\.\d % to \+0\.\d % with 95 %\); a run this far off comes ` +
		`by chance in less than 0\.01 % of cases\. Worst of 2 points: .*, POSIX, 4 processes, 1 MiB: worse: ` +
		`-20\.\d % .* any point this far off comes by chance in less than 0\.01 % of cases\.$`
	if len(lines) < 2 || !regexp.MustCompile(newest).MatchString(lines[len(lines)-2]) ||
		!strings.HasPrefix(lines[len(lines)-1], "A single run can show") {
		t.Errorf("trend:\n%s", text)
	}
	// Of the same run, compare says the same.
	status, compared, _ := said(t, "compare", "--latest", dir, dir)
	if one, other := whatIsSaidOfRuns(stdout), whatIsSaidOfRuns(compared); status != 0 || len(one) != 1 ||
		len(other) != 1 || one[0] != other[0] {
		t.Errorf("trend says %q, compare says %q in\n%s", one, other, compared)
	}
	said(t, "reference", "set", "--in", dir, "--note", "x", "run00003", "run00004", "run00005")
	_, stdout, _ = said(t, "trend", dir)
	_, compared, _ = said(t, "compare", "--latest", "--reference", dir, dir)
	if one, other := whatIsSaidOfRuns(stdout), whatIsSaidOfRuns(compared); len(one) != 1 || len(other) != 1 ||
		one[0] != other[0] || !strings.Contains(plaintest.Unwrap(stdout), "with the 3 runs of the reference: ") ||
		!strings.Contains(plaintest.Unwrap(compared), "compared with the 3 runs of OLD: ") {
		t.Errorf("with a reference, trend says\n%s\nand compare says\n%s", stdout, compared)
	}
	said(t, "reference", "set", "--in", dir, "--note", "x", "run00003")
	if _, stdout, _ = said(t, "trend", dir); !strings.Contains(plaintest.Unwrap(stdout), "compared with the last 30 "+
		"runs before it, because the reference has fewer than 2 other runs with its conditions: All") {
		t.Errorf("with a reference of one run:\n%s", stdout)
	}
}

// A file system that is not measured any more is told beside those that are.
func TestTrendSaysWhichFileSystemsHaveNoNewRun(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		stored(t, dir, i, 1e9, 1e9)
		if i >= 9 {
			continue
		}
		home := stored(t, filepath.Join(dir, "home"), i, 1e9, 1e9)
		text, err := os.ReadFile(home)
		text = []byte(strings.NewReplacer("/scratch", "/home", `"run0`, `"home0`).Replace(string(text)))
		if err := errors.Join(err, os.WriteFile(home, text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	_, stdout, _ := said(t, "trend", dir)
	text := plaintest.Unwrap(stdout)
	if strings.Count(text, " before the newest run of all)") != 1 ||
		!strings.Contains(text, "Newest run of c, /home, nightly, of 2026-03-09 02:00 (3 days before the newest run "+
			"of all)") {
		t.Errorf("trend:\n%s", text)
	}
}

// What shows no difference says what could show more.
func TestWhatShowsNothingSaysWhatCouldShowMore(t *testing.T) {
	same := func(int) float64 { return 1e9 }
	dir := storedPairs(t, 12, same)
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"compare", "--latest", dir, dir}, "h5perf trend also finds smaller changes, if they last."},
		{[]string{"compare", "--latest=6", dir, dir}, "More runs on each side can show smaller differences."},
		{
			[]string{"compare", dir + "/run00001.json", dir + "/run00002.json"},
			"Use more runs on at least one side, or h5perf ab",
		},
		{[]string{"compare", dir + "/run00001.json", dir}, "A single run can show that it is not like the others."},
		{[]string{"trend", "--latest=4", dir}, "the longest has 4 runs, and needs 6 more."},
		{[]string{"trend", "--latest=4", dir}, "compared with 3 runs before it, which are too few: 2 more needed."},
	} {
		status, stdout, stderr := said(t, c.words...)
		if status != 0 || !strings.Contains(plaintest.Unwrap(stdout), c.want) {
			t.Errorf("%v: status %d, no %q in\n%s%s", c.words, status, c.want, stdout, stderr)
		}
	}
	fallen := storedPairs(t, 12, func(day int) float64 { return 1e9 / float64(1+day/11) })
	if _, stdout, _ := said(t, "compare", "--latest", fallen, fallen); strings.Contains(stdout, "h5perf trend also") {
		t.Errorf("a difference is shown, and more is asked for:\n%s", stdout)
	}
}

// A group of points that is worse fails, too, and is in the table.
func TestCompareTellsOfGroups(t *testing.T) {
	dir := storedPairs(t, 24, func(day int) float64 { return 1e9 * (1 - 0.2*float64(day/12)) })
	status, stdout, stderr := said(t, "compare", "--latest=12", "--fail-on-worse=10", dir, dir)
	if status != 1 || !strings.Contains(stderr, "all 2 points: worse by 20") ||
		!regexp.MustCompile(`(?m)^worse +all 2 points .* 12 \+ 12`).MatchString(stdout) ||
		!strings.Contains(plaintest.Unwrap(stdout), "; 1 group of points: 0 better, 1 worse\n") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

// A fall by more than half is told, and fails, in the first night. No line of the report says otherwise, then and
// later.
func TestNoLineOfATrendContradictsAnother(t *testing.T) {
	for _, options := range [][]string{{"--nightly"}, nil} {
		for slow := range 9 {
			dir := storedPairs(t, 20+slow, func(day int) float64 { return 1e9 / float64(1+2*(day/20)) })
			status, stdout, stderr := said(t, append([]string{"trend", "--fail-on-worse=10", dir}, options...)...)
			text := plaintest.Unwrap(stdout)
			worse, same := strings.Contains(text, "worse"), strings.Contains(text, "no difference shown  ")
			if slow == 0 && (status != 0 || worse) || slow > 0 && (status != 1 || same || !worse) {
				t.Errorf("%v, %d slow runs: status %d\n%s%s", options, slow, status, text, stderr)
			}
			if newest := strings.Contains(text, ": All 2 points: worse: -66"); newest != (slow > 0 && slow < 6) {
				t.Errorf("%v, %d slow runs:\n%s", options, slow, text)
			}
			if strings.Count(stderr, "worse by ") != min(1, slow) ||
				(slow > 0) != strings.Contains(stderr, "all 2 series, c, /scratch, nightly: worse by 66.") ||
				(slow == 1) != strings.Contains(stderr, "in the newest run, of 2026-03-21 02:00") {
				t.Errorf("%v, %d slow runs: %s", options, slow, stderr)
			}
		}
	}
}

// A search for each night needs more runs than one for a single time. Until there are so many, nothing can be found.
func TestATrendSaysThatRunsAreTooFew(t *testing.T) {
	const few = "too few runs to look for a change; the longest has 13 runs, and needs 1 more."
	for runs, want := range map[int]bool{13: true, 14: false} {
		dir := storedPairs(t, runs, func(int) float64 { return 1e9 })
		status, stdout, _ := said(t, "trend", dir, "--nightly")
		if told := strings.Contains(plaintest.Unwrap(stdout), few); status != 0 || told != want {
			t.Errorf("%d runs: status %d\n%s", runs, status, stdout)
		}
	}
}
