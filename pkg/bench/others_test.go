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
	share := func(span time.Duration) float64 {
		c.busyBefore = before
		c.measureOthers(&[2]measurement{}, span)
		return c.othersShare
	}
	if s := share(time.Second); math.Abs(s-0.5) > 0.2 {
		t.Errorf("others used %g of the processors, want about half", s)
	}
	if s := share(time.Millisecond); s != 0 {
		t.Errorf("others used %g of the processors in a time that is too short to know", s)
	}
	before.own -= float64(before.cpus) / 2 // as if this process had used them
	if s := share(time.Second); s > 0.2 {
		t.Errorf("others used %g of the processors, want about none", s)
	}
	c.leader = false
	if s := share(time.Second); s != 0 {
		t.Errorf("%g on a process that is not the first of its node", s)
	}
}
