// Package doctor examines, before anything is measured, what a run would rest on: the launch and the MPI libraries on both
// sides of it, the way between processes, the file system of a directory, HDF5. It makes nothing that it does not remove.
package doctor

import (
	"time"

	"h5perf/pkg/result"
)

// Version is the version of the schema of an examination.
const Version = 1

// Verdict is how a check came out.
type Verdict string

// Verdicts, from good to bad. A warning is what spoils some runs or figures; a problem is what makes runs fail.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"
	Problem Verdict = "problem"
)

// Check is one thing that was looked at.
type Check struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Found   string  `json:"found"`            // what was seen
	Advice  string  `json:"advice,omitempty"` // what to do next
}

// Examination is what the first process of a job found.
type Examination struct {
	Version    int       `json:"examination_version"`
	Time       time.Time `json:"time"`
	Verdict    Verdict   `json:"verdict"` // the worst of the checks
	ExitStatus int       `json:"exit_status"`
	Checks     []Check   `json:"checks"`

	Software   result.Software `json:"software"`
	Machine    result.Machine  `json:"machine"` // of this process
	Launch     Launch          `json:"launch"`
	Ring       *Ring           `json:"ring,omitempty"`        // absent in a world of one
	SingleCopy *SingleCopy     `json:"single_copy,omitempty"` // absent where no two processes share a node
	HDF5       *HDF5           `json:"hdf5,omitempty"`        // absent from a program without it
	Target     Target          `json:"target"`
}

// Add adds a check to those that were made.
func (e *Examination) Add(c Check) {
	e.Checks = append(e.Checks, c)
	e.Verdict = worse(e.Verdict, c.Verdict)
}

// worse is the worse of two verdicts; "" is better than all.
func worse(a, b Verdict) Verdict {
	for _, v := range []Verdict{Problem, Warning} {
		if a == v || b == v {
			return v
		}
	}
	return OK
}
