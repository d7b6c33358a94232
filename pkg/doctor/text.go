package doctor

import (
	"fmt"
	"strings"
)

// Line is a check for people: verdict, name, what was found, and under it what to do.
func (c Check) Line() string {
	line := fmt.Sprintf("%-8s %-12s %s\n", c.Verdict, c.Name, oneLine(c.Found))
	if c.Advice != "" {
		line += fmt.Sprintf("%-21s -> %s\n", "", oneLine(c.Advice))
	}
	return line
}

// oneLine keeps the words of a text and makes them one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Summary is the overall verdict, for people.
func (e Examination) Summary() string {
	var named []string
	for _, c := range e.Checks {
		if c.Verdict == e.Verdict {
			named = append(named, c.Name)
		}
	}
	switch e.Verdict {
	case Problem:
		return "Verdict: a problem (" + strings.Join(named, ", ") + "): mend it before anything is measured\n"
	case Warning:
		return "Verdict: works, with warnings (" + strings.Join(named, ", ") + ")\n"
	}
	return "Verdict: fine\n"
}
