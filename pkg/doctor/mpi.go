package doctor

import (
	"fmt"
	"strings"
	"time"

	"h5perf/pkg/launcher"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// CheckMPI returns the check of the MPI library. If MPI is initialised, MPI_Init_thread must have been called with
// MPI_THREAD_MULTIPLE.
func CheckMPI(s result.Software) Check {
	c := Check{Name: "MPI", Verdict: OK}
	if s.MPI == "" {
		c.Finding = "this program was built without MPI and runs as one process"
		c.Advice = "for parallel runs, use a build with FLAVOUR=openmpi or mpich"
		return c
	}
	c.Finding = fmt.Sprintf("%s, compiled for MPI standard %s", launcher.LibraryName(s.MPI), s.MPIStandard)
	if s.IOComponent != "" {
		c.Finding += ", MPI-IO by " + s.IOComponent
	}
	if s.ThreadLevel != "" {
		c.Finding += ", thread level " + string(s.ThreadLevel)
	}
	if s.ThreadLevel != "" && s.ThreadLevel != result.ThreadMultiple {
		c.Verdict = Warning
		c.Advice = "the file driver subfiling needs the thread level multiple: use an MPI library that provides it"
	}
	return c
}

// Ring is the result of sending messages from each process to the next.
type Ring struct {
	Bytes          []int   `json:"bytes"` // sizes of the messages, sent one after the other
	SlowestSeconds float64 `json:"slowest_seconds"`
	SlowestRank    int     `json:"slowest_rank"`    // the process that waited longest
	Error          string  `json:"error,omitempty"` // message that did not arrive, or arrived with wrong content
}

// AsCheck returns the result of the ring as a check of a job with these numbers of processes and nodes.
func (r Ring) AsCheck(processes, nodes int) Check {
	c := Check{Name: "ring", Verdict: OK}
	if r.Error != "" {
		c.Verdict = Problem
		c.Finding = r.Error
		c.Advice = "processes of this job do not reach each other: check firewalls and the network that MPI uses " +
			"(OMPI_MCA_btl_tcp_if_include, UCX_NET_DEVICES, FI_PROVIDER); within one node, check shared memory " +
			"(/dev/shm, UCX_TLS)"
		return c
	}
	var sizes []string
	for _, n := range r.Bytes {
		sizes = append(sizes, units.FormatBytes(float64(n)))
	}
	c.Finding = fmt.Sprintf("messages of %s went from each of %d processes on %s to the next and arrived "+
		"correctly; rank %d waited longest, %s (this does not measure the network)",
		strings.Join(sizes, " and "), processes, units.Count(nodes, "node", "nodes"), r.SlowestRank,
		units.FormatSeconds(r.SlowestSeconds))
	return c
}

// HungStepCheck returns the check for a step of the examination that did not end within limit. rank and host identify a
// process that waited.
func HungStepCheck(step string, limit time.Duration, rank int, host string) Check {
	return Check{
		Name: step, Verdict: Problem,
		Finding: fmt.Sprintf("not finished after %v, reported by process %d (%s)", limit, rank, host),
		Advice:  hungStepAdvice[step],
	}
}

// Steps of the examination that may hang.
const (
	StepInit        = "MPI_Init"
	StepRing        = "ring"
	StepCollectives = "collectives"
	StepTarget      = "file system"
)

var hungStepAdvice = map[string]string{
	StepInit: "MPI cannot start: processes are missing, or do not reach each other; run another MPI program on " +
		"these nodes, and check the network and the shared memory that MPI uses; containers of a node must share " +
		"/dev/shm (apptainer without --contain)",
	StepRing:        "processes do not reach each other: check the network and the shared memory that MPI uses",
	StepCollectives: "processes do not reach each other: check the network and the shared memory that MPI uses",
	StepTarget:      "the file system does not answer: check its servers and its mount",
}
