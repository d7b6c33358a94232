package command

import (
	"bytes"
	"testing"

	"h5perf/pkg/output"
)

// terminal is a terminal with colours.
type terminal struct{ bytes.Buffer }

func (*terminal) Look() output.TerminalLook { return output.TerminalLook{Width: 80, Colour: true} }

func TestVerdictsStandOutOnATerminal(t *testing.T) {
	const text = "better  a\nworse   b\nno difference shown c\nCaution: worse\n"
	const want = "\x1b[32mbetter\x1b[0m  a\n\x1b[33mworse\x1b[0m   b\nno difference shown c\n" +
		"\x1b[33mCaution: \x1b[0mworse\n"
	var tty terminal
	var file bytes.Buffer
	if err := (Env{Stdout: &tty}).printHighlighted(text); err != nil || tty.String() != want {
		t.Errorf("%v, %q", err, tty.String())
	}
	if err := (Env{Stdout: &file}).printHighlighted(text); err != nil || file.String() != text {
		t.Errorf("%v, %q", err, file.String())
	}
}
