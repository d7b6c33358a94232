package bench

import (
	"math"
	"testing"
	"time"

	"h5perf/pkg/mpi"
)

func TestStatOfTheKernelIsRead(t *testing.T) {
	const text = "cpu  100 20 3000 40000 5 6 7 80 9 10\ncpu0 50 10 1 2 3 4 5 6 7 8\ncpu1 50 10 1 2 3 4 5 6 7 8\n" +
		"intr 5 6 7\nctxt 99\n"
	if seconds, cpus := parseStat([]byte(text)); seconds != 2 || cpus != 2 {
		t.Errorf("%g s of %d processors, want user, nice and steal: 2 s of 2", seconds, cpus)
	}
	for _, text := range []string{"", "cpu 1 2\n", "cpu a b c d e f g h i\n", "x\n"} {
		if seconds, cpus := parseStat([]byte(text)); seconds != 0 || cpus != 0 {
			t.Errorf("%q: %g s of %d", text, seconds, cpus)
		}
	}
}

func TestOthersAreWhoWorkedBesideTheRun(t *testing.T) {
	c := &caseRun{runner: &runner{Config: Config{Now: time.Now}}, group: &group{node: mpi.Self{}, leader: true}}
	before := c.busySoFar(true)
	if before.cpus == 0 {
		t.Fatal("nothing is known of the processors of this machine")
	}
	// As if a second had passed in which programs worked on half of the processors.
	before.at = before.at.Add(-time.Second)
	before.node -= float64(before.cpus) / 2
	if share := c.othersSince(before); math.Abs(share-0.5) > 0.2 {
		t.Errorf("others used %g of the processors, want about half", share)
	}
	before.own -= float64(before.cpus) / 2 // it was this process
	if share := c.othersSince(before); share > 0.2 {
		t.Errorf("others used %g of the processors, want about none", share)
	}
	c.leader = false
	if share := c.othersSince(before); share != 0 {
		t.Errorf("%g on a process that is not the first of its node", share)
	}
}
