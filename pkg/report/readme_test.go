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
	var names []string
	for i, r := range figures.Rows {
		names = append(names, "`"+r.ExportName()+"`")
		if i+1 == len(figures.Rows) || figures.Rows[i+1].Help != r.Help {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), r.Help)
			names = nil
		}
	}
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
