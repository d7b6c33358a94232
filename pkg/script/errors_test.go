package script_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"h5perf/pkg/script"
)

// told returns the error of a script that has the given text after its docstring.
func told(t *testing.T, text string) *script.PositionError {
	t.Helper()
	_, err := program(text, 0)
	e, is := errors.AsType[*script.PositionError](err)
	if !is {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func TestErrorsHaveTheLineOfTheScript(t *testing.T) {
	long := strings.Repeat("é", 200)
	for text, want := range map[string]string{
		"\nif True:\n\tdims(4)\r\n":       " dims(4)\n ^",
		"\nx = \"\x1b[31m\u202e\" + dims": `x = "\x1b[31m\u202e" + dims` + "\n                       ^",
		"\nx = \"" + long + "\" + dims":   long[:164] + `" + dims` + "\n" + strings.Repeat(" ", 86) + "^",
		"\ndef write(job):\n  f = job.create('f')\n  f.create_group('g')\n  f.close()\ndef read(job):\n" +
			"  f = job.open('f')\n  f['g'].attrs.open('a', 'f8')\n  f.close()": "  f['g'].attrs.open('a', 'f8')",
	} {
		if got := told(t, text).Excerpt; got != want {
			t.Errorf("%.60q:\ngot\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestSeveralUnknownNamesAreTold(t *testing.T) {
	for unknown, want := range map[int]int{1: 1, 2: 2, 10: 10, 13: 11} {
		var text strings.Builder
		for i := range unknown {
			fmt.Fprintf(&text, "\nx = u%d", i)
		}
		_, err := program(text.String(), 0)
		lines := strings.Split(fmt.Sprint(err), "\n")
		if len(lines) != want || lines[0] != "w.star:2:5: undefined: u0" ||
			unknown == 13 && lines[10] != "w.star: 3 more errors" {
			t.Errorf("%d names: %v", unknown, err)
		}
	}
}
