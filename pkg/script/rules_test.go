package script_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// draw returns a character for each element of a dataset: the rank that writes it, # for several, . for none.
func draw(t *testing.T, call string, dims []uint64) string {
	t.Helper()
	s, err := script.Read("rule.star", fmt.Appendf(nil, `"""A rule."""
def write(job):
    f = job.create("f")
    f.create_dataset("d", "u1", %s).write(%s)
    f.close()
`, strings.NewReplacer("[", "(", " ", ", ", "]", ",)").Replace(fmt.Sprint(dims)), call))
	if err != nil {
		t.Fatal(err)
	}
	elements := uint64(1)
	for _, n := range dims {
		elements *= n
	}
	owners := slices.Repeat([]byte("."), int(elements))
	for rank := range int64(4) {
		p, err := s.Program(rank, script.JobSize{Ranks: 4, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		for step := range p.Parts[workload.Write].Steps() {
			if step.Class != workload.Transfer {
				continue
			}
			for at, bytes := range p.Moves[step.Move].Selection.Runs() {
				for i := at; i < at+bytes; i++ {
					if owners[i] == '.' {
						owners[i] = byte('0' + rank)
					} else {
						owners[i] = '#'
					}
				}
			}
		}
	}
	return string(owners)
}

func TestThePicturesOfRulesAreTrue(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`([a-z]+\([^\n]*?\)) {2,}([0-3.#/]{16,})`).FindAllStringSubmatch(string(text), -1)
	if len(lines) < 12 {
		t.Fatalf("%d pictures", len(lines))
	}
	for _, line := range lines {
		rows := strings.Split(line[2], "/")
		dims := []uint64{uint64(len(rows)), uint64(len(rows[0]))}
		if len(rows) == 1 {
			dims = dims[1:]
		}
		if got := draw(t, line[1], dims); got != strings.Join(rows, "") {
			t.Errorf("%s: the picture is %s, but ranks have %s", line[1], line[2], got)
		}
	}
}
