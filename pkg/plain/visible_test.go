package plain_test

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"h5perf/pkg/plain"
)

func TestALineIsOneLineThatCanBeSeen(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"plain 1.5 µs – 2 × 3 äöü 日本":        "plain 1.5 µs – 2 × 3 äöü 日本",
		"a\r\nb\x1b[31m\x07\tc\u009b1m":      `a; b\x1b[31m\a c\u009b1m`,
		"\x1b]0;title\x07":                   `\x1b]0;title\a`,
		"abc\u202etxt.exe\u2066\u200b\ufeff": `abc\u202etxt.exe\u2066\u200b\ufeff`,
		"nul\x00del\x7f\u2028\u0085":         `nul\x00del\x7f\u2028\u0085`,
		"\x9b31m\xff":                        `\x9b31m\xff`,
		"\ufffd":                             "\ufffd",
		"\U000e0041":                         `\U000e0041`,
		"\n\n":                               "",
		" a \n \n\tb\n":                      " a;  b",
	} {
		if got := plain.VisibleLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := plain.VisibleText("a\tb\n\x1bc\r\n"); got != "a\tb\n\\x1bc\\r\n" {
		t.Errorf("a text: %q", got)
	}
	var b strings.Builder
	if n, err := plain.NewVisibleWriter(&b).Write([]byte("a\x00\n")); n != 3 || err != nil || b.String() != "a\\x00\n" {
		t.Errorf("%d, %v, %q", n, err, b.String())
	}
}

func TestACellIsNoFormula(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"a=b":                          "a=b",
		"=1+1":                         "'=1+1",
		"+cmd|' /C calc'!A0":           "'+cmd|' /C calc'!A0",
		"-2+3":                         "'-2+3",
		"@SUM(A1)":                     "'@SUM(A1)",
		"\t=1":                         "' =1",
		"\r=1":                         "'=1",
		"\n=1":                         "'=1",
		"＝1":                           "'＝1",
		"-":                            "'-",
		"-1":                           "-1",
		"-1.5e-09":                     "-1.5e-09",
		"12":                           "12",
		"-1e":                          "'-1e",
		"+1":                           "'+1",
		"-Inf":                         "'-Inf",
		"=HYPERLINK(\"http://x\")\x1b": `'=HYPERLINK("http://x")\x1b`,
	} {
		if got := plain.CSVCell(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestJSONStandsForTheSame(t *testing.T) {
	value := map[string]any{"a": "\x1b[31m\u009b\u202e\U000e0041\x7f\n<>&é\u2028", "b": 1.5}
	var b strings.Builder
	if err := plain.WriteJSON(&b, value); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil || got["a"] != value["a"] {
		t.Errorf("%q (%v), want %q", got["a"], err, value["a"])
	}
	harmless(t, strings.ReplaceAll(b.String(), "\n", ""))
	if !strings.HasSuffix(b.String(), "\",\n  \"b\": 1.5\n}\n") {
		t.Errorf("%s", b.String())
	}
}

func TestLinesAndRowsCannotBeForged(t *testing.T) {
	var l plain.LineBuilder
	l.Add("%s: %d", "a\nforged", 1)
	l.Table([][]string{{"name", "value"}, {"b\tforged\nforged", "\x1b2"}}, 1)
	if want := "a; forged: 1\nname              value\nb forged; forged  \\x1b2\n"; l.String() != want {
		t.Errorf("%q, want %q", l.String(), want)
	}
}

// harmless fails the test if a text has invisible characters.
func harmless(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if !unicode.IsGraphic(r) {
			t.Errorf("%q in %q", r, text)
		}
	}
	if !utf8.ValidString(text) {
		t.Errorf("%q is no UTF-8", text)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\r\nb\x1b[31m\x07\tc\u009b1m\xff")
	f.Add("=1+1")
	f.Fuzz(func(t *testing.T, text string) {
		harmless(t, plain.VisibleLine(text))
		harmless(t, strings.NewReplacer("\n", "", "\t", "").Replace(plain.VisibleText(text)))
		cell := plain.CSVCell(text)
		harmless(t, cell)
		if plain.VisibleLine(plain.VisibleLine(text)) != plain.VisibleLine(text) {
			t.Errorf("%q: a line of a line is another", text)
		}
		var b strings.Builder
		if err := csv.NewWriter(&b).Write([]string{cell}); err != nil {
			t.Error(err)
		}
	})
}
