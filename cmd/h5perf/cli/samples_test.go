package cli

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/stats"
)

// Help and READMEs must name the number of samples that the statistics need.
func TestTheNumberOfSamplesIsToldConsistently(t *testing.T) {
	text := ""
	for _, page := range []func() (help.Page, error){parallelHelpPage, serialHelpPage} {
		p, err := page()
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		text += b.String()
	}
	readmes := ""
	for _, name := range []string{"README.md", "cmd/h5perf/README.md", "results/README.md"} {
		content, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		readmes += string(content)
	}
	least := stats.MinSamples(stats.Level)
	for where, words := range map[string][]string{
		text: {
			fmt.Sprintf("and at least -i %d: a confidence interval needs at least %[1]d samples", least),
			fmt.Sprintf("With these options, -i is the minimum (default %d)", least),
		},
		readmes: {
			fmt.Sprintf("which needs %d samples; with fewer", least),
			fmt.Sprintf("From %d samples on", stats.MinIndependenceSamples),
			fmt.Sprintf("at least %d iterations and 1 second per case", least),
			fmt.Sprintf("with 40 points at least %d runs on each side are needed", stats.SamplesNeeded(40,
				1-stats.Level)),
			fmt.Sprintf("-X 2M -i %d ", least),
		},
	} {
		flat := regexp.MustCompile(`\s+`).ReplaceAllString(where, " ")
		for _, w := range words {
			if !strings.Contains(flat, w) {
				t.Errorf("nowhere: %q", w)
			}
		}
	}
	for _, m := range regexp.MustCompile(`ab -i (\d+) --`).FindAllStringSubmatch(readmes, -1) {
		n, err := strconv.Atoi(m[1])
		if needed := stats.PairsNeeded(40, 1-stats.Level); err != nil || n < needed { // no example has more points
			t.Errorf("an example of ab has -i %s; 40 points need %d", m[1], needed)
		}
	}
}
