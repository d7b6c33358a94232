package report_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"h5perf/pkg/figures"
)

// fields returns the table of the statistics of a point, as README has it.
func fields() string {
	var b strings.Builder
	b.WriteString("| field | what it is |\n|---|---|\n")
	var classes []string
	for _, r := range figures.Rows {
		if r.Class != "" {
			classes = append(classes, "`"+r.ExportName()+"`")
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.ExportName(), r.Help)
	}
	fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(classes, ", "), figures.Rows[len(figures.Rows)-1].Help)
	return b.String()
}

func TestREADMENamesEveryStatistic(t *testing.T) {
	text, err := os.ReadFile("../../results/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fields(); !strings.Contains(string(text), want) {
		t.Errorf("results/README.md lacks this table:\n%s", want)
	}
}
