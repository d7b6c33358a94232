// Package usage makes the errors about what users give, and names the nearest valid words.
package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is the error of a run that cannot be done as it was asked for. Its text names the option, what was given, and
// what would be valid.
type Error struct {
	text string
}

func (e *Error) Error() string { return e.text }

// Errorf returns an *Error with a text that is formatted as by fmt.Sprintf.
func Errorf(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...)}
}

// OneOf returns the given word, or the first of the valid ones if it is empty. For any other word it returns an *Error.
func OneOf[W ~string](option string, given W, valid ...W) (W, error) {
	used := cmp.Or(given, valid[0])
	if !slices.Contains(valid, used) {
		return "", NotOneOf(option, string(given), Strings(valid))
	}
	return used, nil
}

// NotOneOf returns an *Error for a word that is not one of the valid ones.
func NotOneOf(option, given string, valid []string) error {
	return Errorf("%s %q: must be one of %s%s", option, given, JoinWords(valid), DidYouMean(given, valid))
}

// JoinWords returns the words, separated by commas.
func JoinWords[W ~string](words []W) string {
	return strings.Join(Strings(words), ", ")
}

// Strings returns words as strings.
func Strings[W ~string](words []W) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}

// CheckPositive returns an *Error if n, the number of what, is less than 1.
func CheckPositive(option, what string, n int) error {
	if n < 1 {
		return Errorf("%s %d: the number of %s must be at least 1", option, n, what)
	}
	return nil
}
