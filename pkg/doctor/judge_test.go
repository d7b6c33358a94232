package doctor

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"h5perf/pkg/output"
)

// terminal stands for a terminal with colour.
type terminal struct{ bytes.Buffer }

func (*terminal) Look() output.TerminalLook { return output.TerminalLook{Width: 80, Colour: true} }

func TestVerdictsStandOutOnATerminal(t *testing.T) {
	for verdict, want := range map[Verdict]string{
		OK:      "\x1b[32mok\x1b[0m       \x1b[32mVerdict:\x1b[0m",
		Warning: "\x1b[33mwarning\x1b[0m  \x1b[33mVerdict:\x1b[0m",
		Problem: "\x1b[31mproblem\x1b[0m  \x1b[31mVerdict:\x1b[0m",
	} {
		var tty terminal
		e := examiner{Process: Process{Stdout: &tty}}
		line := strings.TrimSpace((Check{Verdict: verdict}).Line())
		if err := e.printHighlighted(verdict, fmt.Sprintf("%-9s", line)); err != nil {
			t.Error(err)
		}
		if err := e.printHighlighted(verdict, "Verdict:"); err != nil || tty.String() != want {
			t.Errorf("%s: %v, %q, want %q", verdict, err, tty.String(), want)
		}
	}
}
