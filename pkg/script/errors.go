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

// PositionError is an error at a position in a script. Its message is one line.
type PositionError struct {
	Position string // path:line:column, or path:line
	Text     string
	// The line of the script, without invisible characters. If the column is known, a second line has a caret below it.
	Excerpt string
	// A profile refuses with fail what the user chose. Users did not write the profile: the message is the text alone.
	refused bool
}

func (e *PositionError) Error() string {
	if e.refused {
		return e.Text
	}
	return e.Position + ": " + e.Text
}

// refusal is the error of fail.
type refusal string

func (r refusal) Error() string { return string(r) }

// maxErrors is the largest number of errors in a script that are reported together.
const maxErrors = 10

// scriptSource is the text of a script, and the path of its file.
type scriptSource struct{ path, text string }

// newErrorAt returns an error at a line and a column. Both count from 1; column 0 means that it is not known.
func (s scriptSource) newErrorAt(line, column int, text string) error {
	e := &PositionError{Position: fmt.Sprint(s.path, ":", line), Text: text, Excerpt: s.excerptAt(line, column)}
	if column > 0 {
		e.Position += fmt.Sprint(":", column)
	}
	return e
}

// errorAtPosition returns an error at a position that the interpreter reports.
func (s scriptSource) errorAtPosition(at syntax.Position, text string) error {
	return s.newErrorAt(int(at.Line), int(at.Col), text)
}

// textOfLine returns the line of the script with the given number, which counts from 1, or "" if there is none.
func (s scriptSource) textOfLine(number int) string {
	n := 0
	for line := range strings.Lines(s.text) {
		if n++; n == number {
			return strings.TrimRight(line, "\r\n")
		}
	}
	return ""
}

// excerptAt returns a line of the script and, if column is not 0, a second line with a caret below the column. It
// shortens a long line to the part around the column.
func (s scriptSource) excerptAt(line, column int) string {
	const most, before = plain.MaxLineWidth - 10, 60
	text := []rune(s.textOfLine(line))
	at := min(max(0, column-1), len(text))
	from := max(0, min(at-before, len(text)-most))
	shown := plain.VisibleLine(string(text[from:min(len(text), from+most)]))
	if strings.TrimSpace(shown) == "" {
		return ""
	}
	if column == 0 {
		return shown
	}
	return shown + "\n" + strings.Repeat(" ", utf8.RuneCountInString(plain.VisibleLine(string(text[from:at])))) + "^"
}

// locateError adds the position in the script to an error of the interpreter. If the error has a call stack, it adds
// the innermost position of the stack. If there are several errors, it joins the first maxErrors of them.
func (s scriptSource) locateError(err error) error {
	if e, is := errors.AsType[*starlark.EvalError](err); is {
		_, refused := errors.AsType[refusal](err)
		for _, frame := range slices.Backward(e.CallStack) {
			if frame.Pos.Line > 0 {
				if refused && s.isProfile() {
					return &PositionError{Position: frame.Pos.String(), Text: e.Msg, refused: true}
				}
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

// ErrorAtLine returns err with a line of the script as its position, such as the line of a step.
func (s *Script) ErrorAtLine(line int, err error) error { return s.newErrorAt(line, 0, err.Error()) }

// LocateFault adds the line of the script to err if it is a *workload.Fault. It returns other errors unchanged.
func (s *Script) LocateFault(err error) error {
	if fault, is := errors.AsType[*workload.Fault](err); is {
		return s.ErrorAtLine(fault.Line, errors.New(fault.Reason))
	}
	return err
}
