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

// Error is an error at a place of a script. Its text is one line.
type Error struct {
	Place string // path:line:column, or path:line
	Text  string
	// The line of the script, without characters that cannot be seen, and below it a line with a caret at the column if
	// that is known.
	Excerpt string
}

func (e *Error) Error() string { return e.Place + ": " + e.Text }

// mostErrors is the largest number of errors of a script that are told together.
const mostErrors = 10

// source is the text of a script, and the path of its file.
type source struct{ path, text string }

// errorAt returns an error at a line and a column, both from 1; column 0: not known.
func (s source) errorAt(line, column int, text string) error {
	e := &Error{fmt.Sprint(s.path, ":", line), text, s.excerpt(line, column)}
	if column > 0 {
		e.Place += fmt.Sprint(":", column)
	}
	return e
}

// errorIn returns an error at a position that the interpreter tells.
func (s source) errorIn(at syntax.Position, text string) error {
	return s.errorAt(int(at.Line), int(at.Col), text)
}

// lineText returns a line of the script, from 1.
func (s source) lineText(number int) string {
	n := 0
	for line := range strings.Lines(s.text) {
		if n++; n == number {
			return strings.TrimRight(line, "\r\n")
		}
	}
	return ""
}

// excerpt returns a line, and a caret below its column. Of a long line it returns the part around the column.
func (s source) excerpt(line, column int) string {
	const most, before = plain.Width - 10, 60
	text := []rune(s.lineText(line))
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

// located returns an error with the innermost place in the script that it has. Of several errors, it returns the first
// ones, joined.
func (s source) located(err error) error {
	if e, is := errors.AsType[*starlark.EvalError](err); is {
		for _, frame := range slices.Backward(e.CallStack) {
			if frame.Pos.Line > 0 {
				return s.errorIn(frame.Pos, strings.TrimPrefix(e.Msg, "Starlark computation cancelled: "))
			}
		}
	}
	if e, is := errors.AsType[syntax.Error](err); is {
		return s.errorIn(e.Pos, s.advised(e.Pos, e.Msg))
	}
	list, is := errors.AsType[resolve.ErrorList](err)
	if !is {
		return err
	}
	var all []error
	for _, e := range list[:min(len(list), mostErrors)] {
		all = append(all, s.errorIn(e.Pos, s.advised(e.Pos, e.Msg)))
	}
	if more := len(list) - len(all); more > 0 {
		all = append(all, fmt.Errorf("%s: %d more errors", s.path, more))
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// At returns an error at a line of the script, such as that of a step.
func (s *Script) At(line int, err error) error { return s.errorAt(line, 0, err.Error()) }

// Located returns an error with the place in the script, if it is a *workload.Fault.
func (s *Script) Located(err error) error {
	if fault, is := errors.AsType[*workload.Fault](err); is {
		return s.At(fault.Line, errors.New(fault.Reason))
	}
	return err
}
