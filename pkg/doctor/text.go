package doctor

import (
	"strings"

	"h5perf/pkg/plain"
)

// Line returns a check as text: verdict, name, what was found, and below that what to do.
func (c Check) Line() string {
	widths := []int{7, 11}
	line := plain.Row([]string{string(c.Verdict), c.Name, oneLine(c.Found)}, widths)
	if c.Advice != "" {
		line += plain.Row([]string{"", "", "-> " + oneLine(c.Advice)}, widths)
	}
	return line
}

// oneLine returns the words of a text, separated by single blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Summary returns the overall verdict in words.
func (e Examination) Summary() string {
	var named []string
	for _, c := range e.Checks {
		if c.Verdict == e.Verdict {
			named = append(named, c.Name)
		}
	}
	switch e.Verdict {
	case Problem:
		return "Verdict: problem (" + strings.Join(named, ", ") + "): fix it before you measure\n"
	case Warning:
		return "Verdict: works, with warnings (" + strings.Join(named, ", ") + ")\n"
	}
	return "Verdict: fine\n"
}
