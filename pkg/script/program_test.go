package script_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/script"
)

func TestStepsKnowTheirLines(t *testing.T) {
	p, err := program(`
def write(job):
    f = job.create("f")
    for i in range(2):
        f.attrs["a%d" % i] = 1
    def turn(_):
        job.compute(seconds = 1)
    job.turns(turn)
    close(f)

def close(f):
    f.close()
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for s := range p.Parts[0].Steps() {
		lines = append(lines, s.Line)
	}
	if want := []int{3, 5, 5, 8, 7, 8, 12}; !slices.Equal(lines, want) {
		t.Errorf("lines %v, want %v", lines, want)
	}
}

// If a script does not ask for its rank, its program for one rank is reused for others. The result is the same as if
// the script ran for each rank.
func TestProgramsThatServeOtherRanksAreTheirs(t *testing.T) {
	for _, name := range script.ProfileNames() {
		s, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err = s.Choose("tiny", nil, script.JobSize{Ranks: 1, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range []script.JobSize{{Ranks: 5, Nodes: 2}, {Ranks: 3, Nodes: 1}} {
			for rank := range job.Ranks {
				alone, err := s.Choose("tiny", nil, script.JobSize{Ranks: 1, Nodes: 1})
				if err != nil {
					t.Fatal(err)
				}
				want, err := alone.Program(rank, job)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					got, err := s.Program(rank, job)
					if err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(want, got) {
						t.Errorf("%s: the program of rank %d of %d is not its own", name, rank, job.Ranks)
					}
				}
			}
		}
	}
}

// A search for a number of ranks that fits a script tries many numbers.
func TestAScriptThatBreaksALimitIsNotRunWithAllNumbersOfRanks(t *testing.T) {
	s := read(t, `
def write(job):
    n = 0
    for i in range(1000000):
        for j in range(1000000):
            n = job.ranks
`)
	begin := time.Now()
	const jobs = 1000 // each run takes almost a second
	for ranks := range int64(jobs) {
		_, err := s.Program(0, script.JobSize{Ranks: ranks + 1, Nodes: 1})
		if err == nil || !strings.Contains(err.Error(), "more than 50 million steps") {
			t.Fatalf("%d ranks: error %v", ranks+1, err)
		}
	}
	if d := time.Since(begin); d > time.Minute {
		t.Errorf("%d jobs took %v", jobs, d)
	}
}
