package bench

import (
	"math"
	"testing"
	"time"

	"h5perf/pkg/mpi"
)

func TestOthersAreWhoWorkedBesideTheRun(t *testing.T) {
	c := &caseRun{runner: &runner{Config: Config{Now: time.Now}}, caseGroup: &caseGroup{node: mpi.Self{}, leader: true}}
	before := c.readBusyTime(true)
	if before.cpus == 0 {
		t.Fatal("nothing is known of the processors of this machine")
	}
	// As if a second had passed in which programs used half of the processors.
	before.at = before.at.Add(-time.Second)
	before.node -= float64(before.cpus) / 2
	if share := c.otherProgramsShare(before); math.Abs(share-0.5) > 0.2 {
		t.Errorf("others used %g of the processors, want about half", share)
	}
	before.own -= float64(before.cpus) / 2 // as if this process had used them
	if share := c.otherProgramsShare(before); share > 0.2 {
		t.Errorf("others used %g of the processors, want about none", share)
	}
	c.leader = false
	if share := c.otherProgramsShare(before); share != 0 {
		t.Errorf("%g on a process that is not the first of its node", share)
	}
}
