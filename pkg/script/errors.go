package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"h5perf/pkg/plain"
	"h5perf/pkg/workload"
)

// PlaceError is an error at a place of a script. Its text is one line.
type PlaceError struct {
	Place string // path:line:column, or path:line
	Text  string
	// The line of the script, without characters that cannot be seen, and below it a line with a caret at the column if
	// that is known.
	Excerpt string
}

func (e *PlaceError) Error() string { return e.Place + ": " + e.Text }

// maxErrors is the largest number of errors of a script that are told together.
const maxErrors = 10

// scriptSource is the text of a script, and the path of its file.
type scriptSource struct{ path, text string }

// newErrorAt returns an error at a line and a column, both from 1; column 0: not known.
func (s scriptSource) newErrorAt(line, column int, text string) error {
	e := &PlaceError{fmt.Sprint(s.path, ":", line), text, s.excerptAt(line, column)}
	if column > 0 {
		e.Place += fmt.Sprint(":", column)
	}
	return e
}

// errorAtPosition returns an error at a position that the interpreter tells.
func (s scriptSource) errorAtPosition(at syntax.Position, text string) error {
	return s.newErrorAt(int(at.Line), int(at.Col), text)
}

// textOfLine returns a line of the script, from 1.
func (s scriptSource) textOfLine(number int) string {
	n := 0
	for line := range strings.Lines(s.text) {
		if n++; n == number {
			return strings.TrimRight(line, "\r\n")
		}
	}
	return ""
}

// excerptAt returns a line, and a caret below its column. Of a long line it returns the part around the column.
func (s scriptSource) excerptAt(line, column int) string {
	const most, before = plain.Width - 10, 60
	text := []rune(s.textOfLine(line))
	at := min(max(0, column-1), len(text))
	from := max(0, min(at-before, len(text)-most))
	shown := plain.Line(string(text[from:min(len(text), from+most)]))
	if strings.TrimSpace(shown) == "" {
		return ""
	}
	if column == 0 {
		return shown
	}
	return shown + "\n" + strings.Repeat(" ", utf8.RuneCountInString(plain.Line(string(text[from:at])))) + "^"
}

// locateError returns an error with the innermost place in the script that it has. Of several errors, it returns the
// first ones, joined.
func (s scriptSource) locateError(err error) error {
	if e, is := errors.AsType[*starlark.EvalError](err); is {
		for _, frame := range slices.Backward(e.CallStack) {
			if frame.Pos.Line > 0 {
				return s.errorAtPosition(frame.Pos, strings.TrimPrefix(e.Msg, "Starlark computation cancelled: "))
			}
		}
	}
	if e, is := errors.AsType[syntax.Error](err); is {
		return s.errorAtPosition(e.Pos, s.adviceOrText(e.Pos, e.Msg))
	}
	list, is := errors.AsType[resolve.ErrorList](err)
	if !is {
		return err
	}
	var all []error
	for _, e := range list[:min(len(list), maxErrors)] {
		all = append(all, s.errorAtPosition(e.Pos, s.adviceOrText(e.Pos, e.Msg)))
	}
	if more := len(list) - len(all); more > 0 {
		all = append(all, fmt.Errorf("%s: %d more errors", s.path, more))
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// ErrorAtLine returns an error at a line of the script, such as that of a step.
func (s *Script) ErrorAtLine(line int, err error) error { return s.newErrorAt(line, 0, err.Error()) }

// LocateFault returns an error with the place in the script, if it is a *workload.Fault.
func (s *Script) LocateFault(err error) error {
	if fault, is := errors.AsType[*workload.Fault](err); is {
		return s.ErrorAtLine(fault.Line, errors.New(fault.Reason))
	}
	return err
}
