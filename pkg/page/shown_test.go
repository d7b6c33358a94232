package page_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// tableOf returns the table of a page with this label. Empty cells are left out.
func tableOf(text, label string) (lines [][]string) {
	_, after, _ := strings.Cut(text, `aria-label="`+label+`"`)
	content, _, _ := strings.Cut(after, "</table>")
	cell := regexp.MustCompile(`<t[hd][^>]*>(?:<b>)?([^<]+)(?:</b>)?</t[hd]>`)
	for line := range strings.SplitSeq(content, "<tr>") {
		var cells []string
		for _, m := range cell.FindAllStringSubmatch(line, -1) {
			cells = append(cells, html.UnescapeString(m[1]))
		}
		if cells != nil {
			lines = append(lines, cells)
		}
	}
	return lines
}

func TestThePageShowsEveryRowOfEveryPoint(t *testing.T) {
	for name, r := range figurestest.Runs() {
		text := written(t, r)
		rates, times, ratios := figurestest.Words(&r, "–")
		rates[0][slices.Index(rates[0], figures.Rows[0].Heading)] = "median" // the title says of what
		times[0] = append(times[0], "files of rank 0")
		measured := slices.DeleteFunc(r.Points(), func(p figures.Point) bool { return len(p.Samples) == 0 })
		for i, p := range measured {
			if p.Operation == result.OperationWrite && p.FileSizeText() != "" {
				times[i+1] = append(times[i+1], p.FileSizeText())
			}
		}
		for title, want := range map[string][][]string{
			"Throughput": rates, "Times of all cases": times, "What layers cost": ratios,
		} {
			got := tableOf(text, title)
			for _, headings := range [][][]string{want, got} {
				for i := range headings[:min(1, len(headings))] {
					headings[i] = strings.Split(strings.ToLower(strings.Join(headings[i], "|")), "|")
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s (-want +got)\n%s", name, title, d)
			}
		}
	}
}
