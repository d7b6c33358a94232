package script_test

import (
	"os"
	"regexp"
	"testing"

	"h5perf/pkg/script"
)

// Each example continues the script of the previous examples.
func TestTheExamplesOfTheREADMERun(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllSubmatch(text, -1)
	if len(examples) < 5 {
		t.Fatalf("%d examples", len(examples))
	}
	var all []byte
	for i, example := range examples {
		all = append(append(all, example[1]...), '\n')
		s, err := script.Read("README.star", all)
		if err != nil {
			t.Fatalf("example %d: %v", i, err)
		}
		for rank := range int64(4) {
			p, err := s.Program(rank, script.JobSize{Ranks: 4, Nodes: 2})
			if err != nil {
				t.Fatalf("example %d, rank %d: %v", i, rank, err)
			}
			if len(p.Parts[0].Dumps) == 0 {
				t.Errorf("example %d, rank %d: no dumps", i, rank)
			}
		}
	}
}
