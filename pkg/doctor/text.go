package doctor

import (
	"strings"

	"h5perf/pkg/plain"
)

// Line formats a check for people: verdict, name and finding, and the advice on the next line.
func (c Check) Line() string {
	widths := []int{7, 11}
	line := plain.TableRow([]string{string(c.Verdict), c.Name, oneLine(c.Finding)}, widths)
	if c.Advice != "" {
		line += plain.TableRow([]string{"", "", "-> " + oneLine(c.Advice)}, widths)
	}
	return line
}

// oneLine replaces all white space in a text by single blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Summary returns the verdict of the examination as a line for people.
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
