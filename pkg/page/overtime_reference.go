package page

import (
	"fmt"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/units"
)

// level returns the level of the reference of a series, in units.
func (t *timeline) level(s history.Series, ink Ink, unit float64) (l Level, found bool) {
	if t.reference == nil {
		return l, false
	}
	level, from, found := s.Level(*t.reference)
	return Level{Ink: ink, Y: level / unit, From: from}, found
}

// name writes what the levels are at the highest one.
func name(levels []Level) {
	if len(levels) == 0 {
		return
	}
	highest := &levels[0]
	for i := range levels {
		if levels[i].Y > highest.Y {
			highest = &levels[i]
		}
	}
	highest.Text = "reference"
}

// referenceWords returns the name of the reference, or "" if none is set.
func (t *timeline) referenceWords() string {
	if t.reference == nil {
		return ""
	}
	note := []rune(t.reference.Note)
	if len(note) > longestNote {
		note = append(note[:longestNote], '…')
	}
	return words(": ", "reference set "+date(t.reference.Time), string(note))
}

// longestNote is how many characters of the note of a reference a picture shows.
const longestNote = 60

// against returns sentences about the present and the reference.
func (t *timeline) against() string {
	below, above, with := 0, 0, 0
	for _, s := range t.series {
		if s.Reference == nil {
			continue
		}
		with++
		switch s.Reference.Verdict {
		case history.Worse:
			below++
		case history.Better:
			above++
		}
	}
	r := t.reference
	text := []string{fmt.Sprintf("Of %d series that can be compared with the reference (%s, set %s), %d are below it "+
		"and %d above it.", with, units.Count(len(r.Runs), "run", "runs"), date(r.Time), below, above)}
	for _, g := range t.groups {
		if g.Reference != nil && g.Reference.Verdict == history.Worse && g.Operation != "" && g.API == "" {
			text = append(text, sentence(g.Scope()+" "+difference(g.Reference.Ratio))+".")
		}
	}
	return strings.Join(text, " ")
}

// sentence returns words with a capital letter at the beginning.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
