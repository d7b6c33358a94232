package figures

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// ErrorCauses counts errors by their cause. Errors have one cause if their messages differ only in numbers and in the
// paths of files. The zero value has no errors.
type ErrorCauses struct {
	all  []ErrorCause
	keys []string // of all
}

// ErrorCause is a cause of errors.
type ErrorCause struct {
	First result.Error
	Count int
}

// Add counts an error, and returns how many errors of its cause there are now.
func (c *ErrorCauses) Add(e result.Error) int {
	key := numberPattern.ReplaceAllString(CauseText(e.Message), "0")
	if i := slices.Index(c.keys, key); i >= 0 {
		c.all[i].Count++
		return c.all[i].Count
	}
	c.keys, c.all = append(c.keys, key), append(c.all, ErrorCause{e, 1})
	return 1
}

// All returns the causes, in the order in which they came first.
func (c *ErrorCauses) All() []ErrorCause { return c.all }

var (
	numberPattern = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)
	pathPattern   = regexp.MustCompile(`(^| )/[^ :]*`) // with the blank before it
	movedPattern  = regexp.MustCompile(`: [0-9]+ bytes at offset [0-9]+, [0-9]+ moved`)
)

// CauseText returns what the message of an error says of its cause, in one line: without the paths of files, the place
// in the file, and the calls of HDF5 between the one that failed and the one that h5perf made.
func CauseText(message string) string {
	text := pathPattern.ReplaceAllString(plain.VisibleLine(FoldCalls(message)), "")
	return strings.TrimSpace(movedPattern.ReplaceAllString(text, ""))
}

// maxShownCalls is the largest number of calls that FoldCalls leaves as they are.
const maxShownCalls = 3

// FoldCalls replaces the calls in the middle of a call stack of HDF5 in a message by their number. The first call is
// the one that failed, the last is the one that h5perf made.
func FoldCalls(message string) string {
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		const arrow = " <- " // between the calls of a stack, as package h5 makes it
		if calls := strings.Split(line, arrow); len(calls) > maxShownCalls {
			between := fmt.Sprintf("(%d calls)", len(calls)-2)
			lines[i] = strings.Join([]string{calls[0], between, calls[len(calls)-1]}, arrow)
		}
	}
	return strings.Join(lines, "\n")
}
