package help

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"h5perf/pkg/usage"
)

// rewritten holds patterns of kong's errors, and the messages that replace them.
var rewritten = []struct {
	kongs *regexp.Regexp
	own   string
}{
	{regexp.MustCompile(`^expected "(.*)"$`), "$1 is missing"},
	{regexp.MustCompile(`^missing flags: (.*)$`), "$1 is missing"},
	{regexp.MustCompile(`^(--\S+): expected \S+ value but got "EOL" .*$`), "$1: needs a value"},
	{
		regexp.MustCompile(`^(--\S+): expected \S+ value but got (".*") \(.*$`),
		"$1: needs a value, but the next word is $2",
	},
}

// notOneOf matches kong's error about a value that is not in the list of allowed values.
var notOneOf = regexp.MustCompile(`^(.+) must be one of "(.*)" but got "(.*)"$`)

// ExplainError replaces errors of kong by messages of this program. node is kong's node of the command that was parsed.
// hint returns what to do instead of an unknown option, or "" if that is not known; hint may be nil.
func ExplainError(err error, node *kong.Node, hint func(option string) string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if fault, variable, ok := strings.Cut(text, " (from envar "); ok { // then the value, which may be a secret
		name, _, _ := strings.Cut(variable, "=")
		_, fault, _ = strings.Cut(fault, ": ") // kong and other errors name the option first
		return fmt.Errorf("%s (from %s)", fault, name)
	}
	if word, ok := strings.CutPrefix(text, "unexpected argument "); ok {
		word, _, _ = strings.Cut(word, ", did you mean ")
		return &UnexpectedError{word}
	}
	if option, ok := strings.CutPrefix(text, "unknown flag "); ok {
		option, _, _ = strings.Cut(option, ", did you mean ")
		return unknownOptionError(option, node, hint)
	}
	if parts := notOneOf.FindStringSubmatch(text); parts != nil {
		return usage.InvalidWordError(parts[1], parts[3], strings.Split(parts[2], `","`))
	}
	if argument, ok := strings.CutPrefix(text, `expected "`); ok {
		for _, v := range node.Positional {
			if words := v.Tag.Get("missing"); words != "" && strings.HasPrefix(argument, v.Summary()) {
				return errors.New(words)
			}
		}
	}
	for _, r := range rewritten {
		if r.kongs.MatchString(text) {
			return errors.New(r.kongs.ReplaceAllString(text, r.own))
		}
	}
	return err
}

// UnexpectedError is the error about an argument that is neither an option nor the value of an option.
type UnexpectedError struct{ Word string }

func (e *UnexpectedError) Error() string {
	return fmt.Sprintf("unexpected argument %q", e.Word)
}

// unknownOptionError returns the error about an option that a command does not have.
func unknownOptionError(option string, node *kong.Node, hint func(string) string) error {
	if !utf8.ValidString(option) { // kong cuts a short option after its first byte
		return errors.New("unknown option: the names of options have only ASCII letters and hyphens")
	}
	if hint != nil {
		if text := hint(option); text != "" {
			return fmt.Errorf("unknown option %q; %s", option, text)
		}
	}
	var known []string
	for _, level := range node.AllFlags(true) {
		for _, f := range level {
			known = append(known, "--"+f.Name)
		}
	}
	return fmt.Errorf("unknown option %q%s", option, usage.DidYouMean(option, known))
}
