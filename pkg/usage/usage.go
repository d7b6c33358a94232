// Package usage creates errors about wrong input from users, and suggests similar valid words.
package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is a mistake of the user on the command line or in another input. Its text names the option, the given value,
// and the valid values.
type Error struct {
	text string
}

func (e *Error) Error() string { return e.text }

// Errorf returns an *Error with a text that is formatted like in fmt.Sprintf.
func Errorf(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...)}
}

// ValidOrDefault returns the word given if it is one of the valid words, or the first valid word if given is "".
// Otherwise it returns an *Error.
func ValidOrDefault[W ~string](option string, given W, valid ...W) (W, error) {
	used := cmp.Or(given, valid[0])
	if !slices.Contains(valid, used) {
		return "", InvalidWordError(option, string(given), Strings(valid))
	}
	return used, nil
}

// InvalidWordError returns an *Error that says that the word given is not a valid value of the option, and lists the
// valid ones.
func InvalidWordError(option, given string, valid []string) error {
	return Errorf("%s %q: must be one of %s%s", option, given, JoinWords(valid), DidYouMean(given, valid))
}

// JoinWords joins words to a text, with commas between them.
func JoinWords[W ~string](words []W) string {
	return strings.Join(Strings(words), ", ")
}

// Strings converts words of any string type to type string.
func Strings[W ~string](words []W) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}

// CheckPositive returns an *Error if n is less than 1. what says in the error what n counts, such as "files".
func CheckPositive(option, what string, n int) error {
	if n < 1 {
		return Errorf("%s %d: the number of %s must be at least 1", option, n, what)
	}
	return nil
}
