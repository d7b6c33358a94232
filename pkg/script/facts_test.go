package script_test

import (
	"slices"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/test/workloadtest"
	"h5perf/pkg/workload"
)

func TestProfilesDoWhatTheirSourcesSay(t *testing.T) {
	all, err := workloadtest.Facts("testdata/facts")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		t.Run(f.String(), func(t *testing.T) { compare(t, f.Lines, found(t, f.Profile, f.Set, int64(f.Ranks))) })
	}
}

// compare reports differences between the expected lines and the found ones.
func compare(t *testing.T, want, got []string) {
	t.Helper()
	slices.Sort(got)
	for _, line := range want {
		if i, is := slices.BinarySearch(got, line); is {
			got = slices.Delete(got, i, i+1)
		} else {
			t.Errorf("lacks %s", line)
		}
	}
	for _, line := range got {
		t.Errorf("has   %s", line)
	}
}

// found returns the lines that describe the programs of all ranks. It also checks that each byte of a dataset is
// written once.
func found(t *testing.T, name string, set map[string]string, ranks int64) []string {
	t.Helper()
	s, err := script.ReadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	job := script.JobSize{Ranks: ranks, Nodes: 1}
	if s, err = s.Choose("tiny", set, job); err != nil {
		t.Fatal(err)
	}
	var programs []workload.Program
	for rank := range ranks {
		p, err := s.Program(rank, job)
		if err != nil {
			t.Fatal(err)
		}
		for op := range p.Parts {
			part := &p.Parts[op]
			part.Dumps = part.Dumps[:min(1, len(part.Dumps))]
		}
		programs = append(programs, p)
	}
	if err := workloadtest.WrittenOnce(programs); err != nil {
		t.Error(err)
	}
	return workloadtest.Lines(programs)
}
