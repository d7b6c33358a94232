package script_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"h5perf/pkg/script"
)

var values = map[string]int64{"ranks": 8, "n": 5, "huge": math.MaxInt64, "zero": 0, "least": math.MinInt64}

func TestValues(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "64K": 65536, "8m": 8 << 20, "-3": -3, "2+3*4": 14, "(2+3)*4": 20, "10-2-3": 5, "-n": -5, "--n": 5,
		"2 * -n": -10, "n - -n": 10, "ranks * 2 + 1": 17, "div(7, 2)": 3, "div(-7, 2)": -4, "ceildiv(7, 2)": 4,
		"ceildiv(-7, 2)": -3, "div(7, -2)": -4, "ceildiv(7, -2)": -3, "mod(7, 3)": 1, "mod(-7, 3)": 2,
		"mod(7, -3)": -2, "min(3, 1, 2)": 1, "max(3, 1, 7, 2)": 7, "1 < 2": 1, "2 <= 1": 0, "n == 5": 1, "n != 5": 0,
		"3 >= 3": 1, "3 > 3": 0, "if(n > 3, 10, 20)": 10, "if(n > 7, 10, 20)": 20, "pick(2, 7, 8, 9)": 9,
		"pow(2, 10)": 1024, "pow(-2, 63)": math.MinInt64, "pow(0, 0)": 1, "pow(1, huge)": 1, "pow(-1, huge)": -1,
		"if(zero, div(1, zero), 3)": 3, "huge - 1": math.MaxInt64 - 1, "-9223372036854775808": math.MinInt64,
		"least + huge": -1, "mod(least, -1)": 0, "\tn \n": 5, "if(n<3,1,0)*2": 0, "0 * huge": 0,
		"div(-6, 2)": -3, "ceildiv(6, 2)": 3, "mod(6, 3)": 0, "dims(12, 2, 0)": 4, "dims(12, 2, 1)": 3,
		"dims(7, 3, 0)": 7, "dims(7, 3, 2)": 1, "dims(ranks, 3, 1)": 2,
		"shuffle(0, 1, 7)": 0, "shuffle(0, 2, 1) + shuffle(1, 2, 1)": 1,
		"pow(2, shuffle(0, 3, n)) + pow(2, shuffle(1, 3, n)) + pow(2, shuffle(2, 3, n))": 7,
	} {
		e, err := script.ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.Eval(values); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestComputationsThatFailNameExpressionAndValues(t *testing.T) {
	for text, want := range map[string]string{
		"huge + 1": "huge + 1 with huge = 9223372036854775807: 9223372036854775807 + 1 does not fit into 64 " +
			"bits",
		"ranks * huge": "ranks * huge with ranks = 8, huge = 9223372036854775807: 8 * 9223372036854775807 " +
			"does not fit",
		"least - 1":           "-9223372036854775808 - 1 does not fit",
		"-least":              "-(-9223372036854775808) does not fit",
		"div(n, zero)":        "div(n, zero) with n = 5, zero = 0: div(5, 0) divides by zero",
		"mod(n, n-n)":         "mod(5, 0) divides by zero",
		"ceildiv(1, 0)":       "ceildiv(1, 0) divides by zero",
		"div(least, -1)":      "div(-9223372036854775808, -1) does not fit",
		"pow(2, 63)":          "pow(2, 63) does not fit",
		"shuffle(5, n, 1)":    "shuffle(5, 5, 1): there are places from 0 to below 5",
		"pow(2, -1)":          "the power is negative",
		"pick(3, 7, 8, 9)":    "pick has 3 values to pick from, numbered from 0: there is none with the number 3",
		"unknown * n + other": "unknown * n + other: other, unknown has no value here",
		"least * least":       "does not fit",
		"least * -1":          "does not fit",
		"dims(0, 3, 0)":       "dims(0, 3, 0): give from 1 to 2147483647 blocks",
		"dims(n, 3, 3)":       "and one of them, counted from 0",
	} {
		e, err := script.ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.Eval(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d, %v, want %s", text, got, err, want)
		}
	}
}

func TestWrongTexts(t *testing.T) {
	for text, want := range map[string]string{
		"": `"", character 1: the expression ends too early`,
		"a / b": `"a / b", character 3: there is no /: write div(a, b), which rounds down, or ` +
			"ceildiv(a, b), which rounds up",
		"a // b":                        "there is no /",
		"a % b":                         "there is no %: write mod(a, b)",
		"1.5":                           `"1.5", character 2: numbers are integers`,
		"a = 1":                         "write == to compare",
		"(1 + 2":                        `"(1 + 2", character 1: the parenthesis is not closed`,
		"1 2":                           `"1 2", character 3: "2" is not expected here`,
		"1 < 2 < 3":                     `"<" is not expected here`,
		"maxx(1, 2)":                    `there is no function maxx; did you mean "max"?; the functions are`,
		"min":                           "min is a function: write its values in parentheses",
		"div(1)":                        "div has 2 values, not 1",
		"min(1)":                        "min has at least 2 values, not 1",
		"8X":                            `"8X" is not a size`,
		"9999999999999999999":           "too large",
		"16384P":                        "too large",
		"Ranks":                         `"Ranks" is no name: names have small letters, digits and _`,
		"é + 1":                         `"é" is not expected here`,
		"1 + é":                         "character 5",
		"\x00":                          "is not expected",
		"1 +":                           "ends too early",
		"f(":                            "there is no function f",
		"min(1,":                        "ends too early",
		strings.Repeat("(", 60) + "1":   "more than 50 parentheses within one another",
		strings.Repeat("-", 60) + "n":   "more than 50 parentheses within one another",
		strings.Repeat("1+", 600) + "1": "has 1201 numbers, names, operators and functions: at most 200",
		strings.Repeat(" ", 10001):      "has more than 10000 characters",
	} {
		if e, err := script.ParseExpr(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", text, e, err, want)
		}
	}
}

// known returns the values that Bind asks for.
func known(name string) (int64, bool, error) {
	v, is := values[name]
	return v, is, nil
}

func TestExpressionsAreComputedAsFarAsPossible(t *testing.T) {
	for text, want := range map[string]string{
		"n * ranks * dump": "40 * dump", "dump + n - 1": "dump + 5 - 1", "dump - (n - 1)": "dump - 4",
		"dump - (rank - 1)": "dump - (rank - 1)", "(dump + 1) * n": "(dump + 1) * 5", "-(dump)": "-dump",
		"min(dump, n + 1)": "min(dump, 6)", "if(dump < n, ranks, 1)": "if(dump < 5, 8, 1)",
		"if(n, dump, div(1, zero))": "dump", "if(dump, div(1, zero), n)": "if(dump, div(1, zero), 5)",
		"(dump < 1) < 2": "(dump < 1) < 2", "2 - -dump": "2 - -dump", "dump * -3": "dump * -3",
		"-3 * dump":    "-3 * dump",
		"-(-3) + dump": "3 + dump", "pick(dump, n, 2)": "pick(dump, 5, 2)",
		"dump == (1 == rank)": "dump == (1 == rank)",
		"-(dump + 1)":         "-(dump + 1)", "-(-dump)": "--dump", "8K*dump": "8192 * dump",
	} {
		e, err := script.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := e.Bind(known)
		if err != nil || bound.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, bound, err, want)
			continue
		}
		again, err := script.ParseExpr(bound.String())
		if err == nil {
			again, err = again.Bind(known)
		}
		if err != nil || again.String() != want {
			t.Errorf("%s: then %s, %v", text, again, err)
		}
	}
}

func TestTemplates(t *testing.T) {
	vars := func(name string) (int64, bool, error) {
		return map[string]int64{"dump": 7, "l": 12}[name], name != "later", nil
	}
	for text, want := range map[string]string{
		"plt{dump:5}": "plt00007", "{dump}": "7", "a{dump}b{l * 2:1}c": "a7b24c", "plain": "plain", "": "",
		"x{later:3}y{dump}": "x{later:3}y7", "{dump}{later + 1}": "7{later + 1}",
		"{{{dump}}}": "{{7}}", "a}}{{b": "a}}{{b", "{{dump}}": "{{dump}}",
	} {
		tpl, err := script.ParseTemplate(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := tpl.Bind(vars); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"a}": "there is no { before this }", "a{": "the { is not closed", "a{b{c}}": "the { is not closed",
		"{}": "ends too early", "{a/2}": "there is no /", "{a:0}": `the number of digits, "0", is none from 1 to 20`,
		"{a:x}": `"x", is none`, "{a:+1}": `"+1", is none`, "{a:}": `"", is none`,
		strings.Repeat("x", 10001): "more than 10000",
	} {
		if tpl, err := script.ParseTemplate(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", text, tpl, err, want)
		}
	}
	for _, text := range []string{"", "a{b}", "}{", "{{", "}", "{dump:5}"} {
		tpl, err := script.ParseTemplate(script.LiteralText(text))
		if got, done := tpl.Text(); err != nil || got != text || !done {
			t.Errorf("literal %q: %q, %v, %v", text, got, done, err)
		}
	}
	tpl, _ := script.ParseTemplate("x{0 - dump}")
	if _, err := tpl.Bind(vars); err == nil || !strings.Contains(err.Error(), "0 - dump is -7: numbers in names") {
		t.Errorf("a negative number: %v", err)
	}
	tpl, _ = script.ParseTemplate("a{l:3}b")
	if before, after, width, is := tpl.Family("l"); before != "a" || after != "b" || width != 3 || !is {
		t.Errorf("family %q %q %d %v", before, after, width, is)
	}
	for _, text := range []string{"a", "{l}{l}", "{l + 1}", "{dump}"} {
		tpl, _ = script.ParseTemplate(text)
		if _, _, _, is := tpl.Family("l"); is {
			t.Errorf("%s is a family of l", text)
		}
	}
}

// FuzzExpressions reads and computes any text: without a panic, and what is computed is read again as the same.
func FuzzExpressions(f *testing.F) {
	for _, text := range []string{
		"n * ranks * dump + 64K", "if(n > 3, div(n, zero), pick(dump, 1, 2))", "-(-(3)) - least",
		"pow(huge, mod(n, 3))",
		"(a < b) == min(1, 2, c)", "plt{dump:5}", "a / b", "--1--1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := script.ParseExpr(text); err == nil {
			again, err := script.ParseExpr(e.String())
			if err != nil || again.String() != e.String() {
				t.Fatalf("%q is %q, then %q, %v", text, e, again, err)
			}
			for _, vars := range []map[string]int64{nil, values} {
				one, err1 := e.Eval(vars)
				two, err2 := again.Eval(vars)
				if one != two || (err1 == nil) != (err2 == nil) {
					t.Fatalf("%q: %d, %v; then %d, %v", text, one, err1, two, err2)
				}
			}
			if bound, err := e.Bind(known); err == nil {
				again, err := script.ParseExpr(bound.String())
				if err == nil {
					again, err = again.Bind(known)
				}
				if err != nil || again.String() != bound.String() {
					t.Fatalf("%q: bound %q, then %q, %v", text, bound, again, err)
				}
			}
		} else if _, is := errors.AsType[*script.ExprError](err); !is {
			t.Fatalf("%q: %v", text, err)
		}
		tpl, err := script.ParseTemplate(text)
		if err != nil {
			return
		}
		again, err := script.ParseTemplate(tpl.String())
		if err != nil || fmt.Sprint(again) != fmt.Sprint(tpl) {
			t.Fatalf("%q is %q, then %q, %v", text, tpl, again, err)
		}
	})
}
