package plaintest_test

import (
	"strings"
	"testing"

	"h5perf/pkg/plain"
	"h5perf/pkg/test/plaintest"
)

func TestBrokenLinesAreWholeAgain(t *testing.T) {
	words, full := strings.TrimSpace(strings.Repeat("word ", 40)), strings.Repeat("x", plain.MaxLineWidth)
	sentence, short := "  "+words+" "+full+" end", strings.Repeat("ö", plain.MaxLineWidth-8)
	for broken, want := range map[string]string{
		plain.Wrap(sentence) + "\n\n":                     sentence + "\n\n",
		plain.TableRow([]string{"name", words}, []int{4}): "name  " + words + "\n",
		"  a " + short + "\n    word":                     "  a " + short + " word",
		" a " + short + "\n   word":                       " a " + short + "\n   word",
		full + "\nword":                                   full + "\nword",
		plain.TableRow([]string{"a", full}, []int{1}):     "a\n    " + full + "\n",
		"a  one,   b\n   two\n   three\nc  d":             "a  one, two three  b\nc  d",
		"a  one    b\n   two    c":                        "a  one two  b c",
		"a  one    b\nd  two    c":                        "a  one    b\nd  two    c",
		"  a  one\n  b":                                   "  a  one\n  b",
		short + " abc\n  20 MiB/s":                        short + " abc 20 MiB/s",
	} {
		if got := plaintest.Unwrap(broken); got != want {
			t.Errorf("of\n%s\ngot\n%s\nwant\n%s", broken, got, want)
		}
	}
}
