package page

import (
	"fmt"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/units"
)

// newReferenceLine returns a horizontal line at the throughput of the reference runs of a series. unit is the unit of
// the axis, such as 1 MiB/s, in bytes per second.
func (t *runTimeline) newReferenceLine(s history.Series, ink ThemeColour, unit float64) (l ReferenceLine, found bool) {
	if t.reference == nil {
		return l, false
	}
	level, from, found := s.ReferenceLevel(*t.reference)
	return ReferenceLine{Colour: ink, Y: level / unit, From: from}, found
}

// labelHighestLine gives the text "reference" to the highest of the horizontal lines.
func labelHighestLine(levels []ReferenceLine) {
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

// referenceText returns the date and the note of the reference, or "" if none is set.
func (t *runTimeline) referenceText() string {
	if t.reference == nil {
		return ""
	}
	note := []rune(t.reference.Note)
	if len(note) > maxNoteLength {
		note = append(note[:maxNoteLength], '…')
	}
	return joinNonEmpty(": ", "reference set "+formatDate(t.reference.Time), string(note))
}

// maxNoteLength is the number of characters of the note of a reference that a picture shows.
const maxNoteLength = 60

// comparisonText returns sentences that compare the latest runs with the reference.
func (t *runTimeline) comparisonText() string {
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
		"and %d above it.", with, units.Count(len(r.Runs), "run", "runs"), formatDate(r.Time), below, above)}
	for _, g := range t.groups {
		if g.Reference != nil && g.Reference.Verdict == history.Worse && g.Operation != "" && g.API == "" {
			text = append(text, capitalize(g.ScopeText()+" "+formatDifference(g.Reference.Ratio))+".")
		}
	}
	return strings.Join(text, " ")
}

// capitalize changes the first letter to upper case.
func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
