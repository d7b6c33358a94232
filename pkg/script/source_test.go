package script_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"h5perf/pkg/script"
)

// show formats a value with the positions of its parts.
func show(v script.SourceValue) string {
	at := fmt.Sprintf("%d:%d", v.Line, v.Column)
	switch v.Kind {
	case script.List:
		parts := make([]string, len(v.Items))
		for i, item := range v.Items {
			parts[i] = show(item)
		}
		return at + "[" + strings.Join(parts, " ") + "]"
	case script.Map:
		parts := make([]string, len(v.Entries))
		for i, e := range v.Entries {
			key := e.Pos
			parts[i] = fmt.Sprintf("%d:%d %s=%s", key.Line, key.Column, e.Key, show(e.SourceValue))
		}
		return at + "{" + strings.Join(parts, " ") + "}"
	}
	return at + fmt.Sprintf("%s(%d)", v.Text, v.Kind)
}

func TestValuesHavePositions(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: [x, 2.5]\n":          "1:1{1:1 a=1:4 1(2) 2:1 b=2:4[2:5 x(4) 2:8 2.5(3)]}",
		"a:\n  - b: true\n    c:\n":    "1:1{1:1 a=2:3[2:5{2:5 b=2:8true(1) 3:5 c=3:8(0)}]}",
		"# note\na: |\n  one\n  two\n": "2:1{2:1 a=2:4 one\ntwo\n(4)}",
		`{"a": {"b": "x\u003cy"}}`:     "1:2{1:2 a=1:8{1:8 b=1:13 x<y(4)}}",
		"a: 'plt{dump:5}'":             "1:1{1:1 a=1:4 plt{dump:5}(4)}",
		"a: [010, 0x10, -1]":           "1:1{1:1 a=1:4[1:5 010(2) 1:10 0x10(2) 1:16 -1(2)]}",
		"a.b: 1\na:\n  b: 2\n":         "1:1{1:1 a.b=1:6 1(2) 2:1 a=3:3{3:3 b=3:6 2(2)}}",
	} {
		v, err := script.ParseSource("w.yaml", []byte(text))
		if got := show(v); err != nil || strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%q:\n%s, %v, want\n%s", text, got, err, want)
		}
	}
}

func TestWhatIsRefusedIsShownWithItsLine(t *testing.T) {
	deep := strings.Repeat("[", 50)
	var indented strings.Builder
	for i := range 60 {
		indented.WriteString(strings.Repeat("    ", i) + "a:\n")
	}
	for text, want := range map[string]string{
		"a: 1\nb: 2\na: 3\n": "w.yaml:3:1: the key \"a\" stands twice; the first is in line 1\n" +
			"  3 | a: 3\n    | ^",
		"a: &x 1\nb: *x\n":            "w.yaml:1:4: anchors and aliases are not allowed",
		"b: *x\n":                     "w.yaml:1:4: anchors and aliases are not allowed",
		"a:\n  <<: {b: 1}\n":          "w.yaml:2:3: merge keys are not allowed",
		"a: !!str 1\n":                "w.yaml:1:4: tags are not allowed",
		"%YAML 1.2\n---\na: 1\n":      "directives are not allowed",
		"? a\n: 1\n":                  "keys with ? are not allowed",
		"a: 1\n---\nb: 1\n":           "has more than one document",
		"":                            "w.yaml:1:1: is empty",
		"# nothing\n":                 "is empty",
		"a: " + deep:                  "there are more than 40 values within one another",
		indented.String():             "there are more than 40 values within one another",
		strings.Repeat("- ", 100):     "there are more than 40 values within one another",
		"a: [1, 2\nb: 3\n":            "w.yaml:",
		"a: \"x\n":                    "w.yaml:1:4: ",
		"\tb: 1":                      "w.yaml:1:2: the line begins with a tab: YAML wants spaces",
		"a: \x01":                     "w.yaml:1:4: has a control character",
		"a: \xff":                     "is not a text in UTF-8",
		strings.Repeat("#", 64<<10+1): "has 65537 bytes, more than the limit of 65536",
		"[1]: 2":                      "w.yaml:1:",
		strings.Repeat(" ", 150) + "a: *x  # " + strings.Repeat("y", 200): "\n    | " + strings.Repeat(" ", 60) + "^",
	} {
		v, err := script.ParseSource("w.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %s", text, show(v), err, want)
		}
		if _, is := errors.AsType[*script.SourceError](err); !is {
			t.Errorf("%.40q: error %T", text, err)
		}
	}
}

// A large text in JSON is read without the YAML module: with the same values at the same places.
func TestLargeTextsInJSONAreReadAsSmallOnes(t *testing.T) {
	text := "# one\n{\n  \"a\": [1, -2, 1.5, true, null, \"x:,y\"],\n" +
		"  # two\n  \"ü{\": {\"b\": {\"c\": \"\\u00e9\"}}, \"d\": []\n}\n"
	padding := strings.Repeat("# a comment\n", 6000)
	small, err := script.ParseSource("w.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	large, err := script.ParseSource("w.json", []byte(text+padding))
	if err != nil {
		t.Fatal(err)
	}
	if show(small) != show(large) {
		t.Errorf("%s\nwant\n%s", show(large), show(small))
	}
	for text, want := range map[string]string{
		"{\"a\": 1,\n\"a\": 2}":                "w.json:2:1: the key \"a\" stands twice; the first is in line 1",
		"{\"a\": [1, 2":                        "w.json:",
		"{\"a\": x}":                           "w.json:1:7: is not JSON",
		"{\"a\": 1} {\"b\": 1}":                "has more than one document",
		"{\"a\": " + strings.Repeat("[", 9999): "there are more than 40 values within one another",
	} {
		v, err := script.ParseSource("w.json", []byte(text+"\n"+padding))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %s", text, show(v), err, want)
		}
	}
}

// FuzzSource reads any text: without a panic, and what is wrong is shown within it.
func FuzzSource(f *testing.F) {
	for _, text := range []string{
		"a: 1\nb: [x, {c: 2}]\n", "a: |\n  text\n", "- - - a", "{a: {b: [", "a: &x *x",
		"\"\\u", "? x", "a:\n\t- b", "--- >-\n x",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := script.ParseSource("f", text)
		if err == nil {
			return
		}
		e, is := errors.AsType[*script.SourceError](err)
		if !is || e.Line < 1 || e.Column < 1 || !strings.HasPrefix(e.Error(), "f:") {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
