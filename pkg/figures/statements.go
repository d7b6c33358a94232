package figures

import (
	"fmt"
	"slices"

	"h5perf/pkg/result"
)

// StatementsMeaning is the heading of StatementSentences.
const StatementsMeaning = "What was said of collective transfers of HDF5, and in how many writes and reads of this " +
	"run it holds"

// StatementSentences judges the statements of the workload about collective transfers of HDF5: see StatementsOfParts.
func (r *Run) StatementSentences() []string { return StatementsOfParts(r.Parts()) }

// StatementsOfParts judges each statement of a workload about collective transfers of HDF5 by what the parts of a run
// measured: whether it is still true, true in part, or no longer true. A direction of a case counts once.
func StatementsOfParts(parts []*Run) (all []string) {
	if !parts[0].IsWorkload() {
		return nil
	}
	var points []Point
	for _, part := range parts {
		points = append(points, part.Points()...)
	}
	for _, s := range parts[0].Parameters.Workload.Statements {
		of, agree := 0, 0
		for _, p := range points {
			if kind := p.TransfersKind(); kind == "" || !isAbout(s, p) {
				continue
			} else if of++; kind == s.Transfers || slices.Contains(p.chunkModes(), s.Transfers) {
				agree++
			}
		}
		verdict := "true in part"
		switch agree {
		case of:
			verdict = "still true"
		case 0:
			verdict = "no longer true"
		}
		if s.Changed != "" {
			verdict += " (HDF5 " + s.Changed + " changed it)"
		}
		text := fmt.Sprintf("%s: with HDF5 %s %s, %d of %d.", s.Text, parts[0].Software.HDF5, verdict, agree, of)
		if of == 0 {
			text = s.Text + ": not measured."
		}
		all = append(all, text)
	}
	return all
}

// isAbout reports whether a statement is about a point.
func isAbout(s result.Statement, p Point) bool {
	chosen := p.Run.Parameters.Workload.Chosen
	return !slices.ContainsFunc(s.Where, func(where result.ChosenWords) bool {
		return !slices.ContainsFunc(chosen, func(kv result.KeyValue) bool {
			return kv.Key == where.Choice && slices.Contains(where.Words, kv.Value)
		})
	})
}
