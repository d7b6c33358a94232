// Package usage is what is wrong with the options of a run.
package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is a run that cannot be done as it was asked for. Its text names the option, what was given and what would be
// valid.
type Error struct {
	text string
}

func (e *Error) Error() string { return e.text }

// Errorf returns an *Error.
func Errorf(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...)}
}

// OneOf returns the given word, or where none is given the first of the valid ones. Any other word is an *Error.
func OneOf[W ~string](option string, given W, valid ...W) (W, error) {
	used := cmp.Or(given, valid[0])
	if !slices.Contains(valid, used) {
		return "", Errorf("%s %q: must be one of %s", option, given, List(valid))
	}
	return used, nil
}

// List returns words as they are told: with commas between them.
func List[W ~string](words []W) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, ", ")
}

// Positive refuses a number of what that is less than 1.
func Positive(option, what string, n int) error {
	if n < 1 {
		return Errorf("%s %d: the number of %s must be at least 1", option, n, what)
	}
	return nil
}
