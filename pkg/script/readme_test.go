package script_test

import (
	"os"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

func TestTheExampleOfTheREADMEIsAWorkload(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```text\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("no example")
	}
	if err := valid(t, []byte(example)); err != nil {
		t.Error(err)
	}
	w, err := script.Read("README.md", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"", "large"} {
		r, err := script.Resolve(w, set, nil, script.Job{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Amount(job)
		if err != nil {
			t.Fatal(err)
		}
		if cells := uint64(r.Sizes["cells"]); a.Ops[0].Bytes != 3*2*8*cells*cells*cells ||
			a.Ops[0].Attributes != 3*(4+2) {
			t.Errorf("%+v", a)
		}
		if _, err := r.Compile(7, job); err != nil {
			t.Error(err)
		}
	}
}

func TestTheREADMEKnowsRulesAndProfiles(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range workload.RuleNames() {
		if !strings.Contains(string(text), "\n| `"+string(name)+"` | ") {
			t.Errorf("no row about the rule %s", name)
		}
		if name.Words() == "" {
			t.Errorf("no words for the rule %s", name)
		}
	}
	for _, name := range script.ProfileNames() {
		if name != "arrays" && !strings.Contains(string(text), " | `"+name+"` |\n") { // stands for no code
			t.Errorf("no row about the profile %s", name)
		}
	}
}
