package command_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// What fell and came back in part is told by where it is now. A fall that was made good does not fail any more.
func TestTrendTellsWhereThroughputIsNow(t *testing.T) {
	levels := func(then, last float64) string {
		return storedPairs(t, 80, func(day int) float64 {
			switch {
			case day >= 60:
				return 1e9 * last
			case day >= 40:
				return 1e9 * then
			}
			return 1e9
		})
	}
	for _, c := range []struct {
		then, last float64
		status     int
		text       string // "" if the last change says it
	}{
		{0.7, 0.826, 1, "now -17."},
		{0.7, 1, 0, "now +0.0 %"},
		{0.9, 0.81, 1, "now -19."},
		{0.7, 0.7, 1, ""},
		{1.3, 1, 1, "now -23."},
	} {
		status, stdout, stderr := said(t, "trend", "--fail-on-worse=15", levels(c.then, c.last))
		stdout = plaintest.Unwrap(stdout)
		of := " against its best level, of 2026-03-01 to 2026-04-09: "
		if c.then > 1 {
			of = " against its best level, of 2026-04-10 to 2026-04-29: worse; the same for 2 of its series\n"
		}
		if status != c.status || strings.Contains(stdout, " against its best level, ") != (c.text != "") ||
			c.text != "" && (!strings.Contains(stdout, c.text) || strings.Count(stdout, of) != 1) {
			t.Errorf("%+v: status %d, %s\n%s", c, status, stderr, stdout)
		}
		cameBackInPart := c.then < c.last && c.last < 1
		for _, name := range []string{"all 2 series", "write, POSIX", "read, POSIX"} {
			if strings.Contains(stdout, "\nbetter, below its best  "+name) != cameBackInPart {
				t.Errorf("%+v: %s: better and below its best, want %v\n%s", c, name, cameBackInPart, stdout)
			}
		}
		if strings.Contains(stdout, "worse, below its best") {
			t.Errorf("%+v: said twice\n%s", c, stdout)
		}
		if status == 1 && strings.Contains(stderr, "below its best level, of 2026-0") != (c.text != "") {
			t.Errorf("%+v: %s", c, stderr)
		}
		if status == 1 && (strings.Count(stderr, "\n") != 1 ||
			!strings.HasPrefix(stderr, "h5perf: all 2 series, c, /scratch, nightly: ") ||
			!strings.HasSuffix(stderr, "; the same for 2 of its series\n")) {
			t.Errorf("%+v: want one error, of all series: %s", c, stderr)
		}
	}
}

// A series that is not measured any more says when it was measured last, and does not fail.
func TestASeriesThatHasEndedDoesNotFail(t *testing.T) {
	for _, c := range []struct{ last, status int }{{29, 0}, {33, 1}} {
		dir := t.TempDir()
		for i := range 40 { // writes of 4 processes stay as they are; those of 8 fall, and end after the last day
			path := stored(t, dir, i, steady(1e9*(1+0.01*float64(i%3)), 5)...)
			if i > c.last {
				continue
			}
			doc, err := result.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			more := doc.Cases[0]
			more.Processes, more.Samples = 8, slices.Clone(more.Samples)
			for k := range more.Samples {
				more.Samples[k].Access.WindowSeconds *= float64(1 + i/20)
			}
			doc.Cases = append(doc.Cases, more)
			if err := result.Write(path, doc); err != nil {
				t.Fatal(err)
			}
		}
		status, stdout, stderr := said(t, "trend", "--fail-on-worse=40", dir)
		if status != c.status ||
			strings.Contains(plaintest.Unwrap(stdout), ", ended: last run 2026-03-30") != (c.status == 0) {
			t.Errorf("until day %d: status %d, %s\n%s", c.last, status, stderr, stdout)
		}
	}
}
