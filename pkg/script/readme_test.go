package script_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/usage"
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

// The table at the top of the repository names the words of the choice that it sweeps.
func TestTheREADMENamesTheKindsOfMetadata(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range profile(t, "metadata", "", nil).Choices {
		if words := "`--sweep kind`: " + usage.JoinWords(x.Words) + " |"; x.Name == "kind" &&
			!strings.Contains(string(text), words) {
			t.Errorf("no %q", words)
		}
	}
}
