package plain_test

import (
	"strings"
	"testing"

	"h5perf/pkg/plain"
)

// x returns a word with n characters.
func x(n int) string { return strings.Repeat("x", n) }

func TestATableThatIsTooWideIsInBlocks(t *testing.T) {
	got := plain.Table([][]string{
		{"case", "time", "of the transfers", x(40), x(50), "marks"},
		{"a", "1 s", "1 s", "1 s", "1 s"},
		{"b", "failed: " + strings.Repeat("word ", 30)},
		{"long läbel", "1 s", "1 s", "1 s", "1 s", "ä, ö"},
	}, 1)
	want := strings.Join([]string{
		"case        time  of the     " + x(40),
		"                  transfers",
		"a           1 s   1 s        1 s",
		"b           failed:" + strings.Repeat(" word", 16),
		"           " + strings.Repeat(" word", 14),
		"long läbel  1 s   1 s        1 s",
		"",
		"case        " + x(50) + "  marks",
		"a           1 s",
		"long läbel  1 s" + strings.Repeat(" ", 49) + "ä, ö",
		"",
	}, "\n")
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestLongLabelsLeaveRoomForWhatTheyLabel(t *testing.T) {
	label := strings.TrimSpace(strings.Repeat("label ", 25))
	got := plain.Table([][]string{{"of", "time"}, {label, "1 s"}}, 1)
	if want := "of" + strings.Repeat(" ", 48) + "time\n" + label[:47] + "   1 s\n" + label[48:95] + "\n" +
		label[96:143] + "\n" + label[144:] + "\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A word is not broken, so that its column is as wide as the word.
func TestAColumnOfLabelsHasRoomForItsWords(t *testing.T) {
	word := strings.Repeat("w", 28)
	rows := [][]string{{"layout", "processes", "API", "operation", "throughput", "interval", "samples", "marks"}}
	for range 2 {
		rows = append(rows, []string{word, "2", "HDF5", "write", "13.7 MiB/s", "3.61 to 18.2 MiB/s", "6", "warm"})
	}
	lines := strings.Split(plain.Table(rows, 4), "\n")
	if at := strings.Index(lines[0], "processes"); at != len(word)+2 || strings.Index(lines[1], "2") != at {
		t.Errorf("rows are not below their headings:\n%s", strings.Join(lines, "\n"))
	}
}

func TestALastCellWithoutRoomIsBelow(t *testing.T) {
	path := x(90)
	for last, want := range map[string]string{
		"why: " + path: "  1 s\n    why: " + path + "\n",
		"why":          "  1 s" + strings.Repeat(" ", 39) + "why\n",
	} {
		if got := plain.TableRow([]string{"a", "1 s", last}, []int{1, 40}); got != "a"+want {
			t.Errorf("got\n%swant\na%s", got, want)
		}
	}
}

func TestALastCellIsBrokenInItsColumn(t *testing.T) {
	rows := [][]string{{"of", x(41), x(42), "would show"}, {"a", "1 s", "1 s", "-41.5 %"}}
	want := "of  " + x(41) + "  " + x(42) + "  would\n" + strings.Repeat(" ", 91) + "show\n" +
		"a   1 s" + strings.Repeat(" ", 40) + "1 s" + strings.Repeat(" ", 41) + "-41.5 %\n"
	if got := plain.Table(rows, 1); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestNumbersAndUnitsStayTogether(t *testing.T) {
	got := plain.TableRow([]string{"range 1.5 to 100 MiB/s", "3 (6 of 8), +12 %", "end"}, []int{16, 12})
	want := "range 1.5 to      3 (6 of 8),   end\n100 MiB/s         +12 %\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestALongLineIsWrapped(t *testing.T) {
	line := "  " + x(50) + " " + x(47) + " " + x(110) + " end"
	if got, want := plain.Wrap(line), "  "+x(50)+" "+x(47)+"\n    "+x(110)+"\n    end"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := plain.Wrap("a\n  b"); got != "a;   b" {
		t.Errorf("%q", got)
	}
}
