// Package doctor checks whether a run would work. It examines the launch, the MPI libraries of the launcher and the
// program, communication between processes, the file system of a directory, and HDF5. It removes every file that it
// creates.
package doctor

import (
	"time"

	"h5perf/pkg/result"
)

// Version is the version of the schema of an examination.
const Version = 1

// Verdict is the result of a check.
type Verdict string

// Verdicts, from good to bad. A warning affects some runs or results. A problem makes runs fail.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"
	Problem Verdict = "problem"
)

// Check is the result of examining one subject.
type Check struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Finding string  `json:"found"`            // what was found
	Advice  string  `json:"advice,omitempty"` // what to do next
}

// Examination is the result of the doctor, as the first process of the job reports it.
type Examination struct {
	Version    int       `json:"examination_version"`
	Time       time.Time `json:"time"`
	Verdict    Verdict   `json:"verdict"` // the worst verdict of the checks
	ExitStatus int       `json:"exit_status"`
	Checks     []Check   `json:"checks"`

	Software result.Software `json:"software"`
	Machine  result.Machine  `json:"machine"` // machine of this process
	Launch   Launch          `json:"launch"`
	// Which ranks run on which node, and how many processors they may use. Absent if the launch is wrong.
	Placement  []result.Host `json:"placement,omitempty"`
	Ring       *Ring         `json:"ring,omitempty"`        // absent with one process
	SingleCopy *SingleCopy   `json:"single_copy,omitempty"` // absent if no two processes share a node
	HDF5       *HDF5         `json:"hdf5,omitempty"`        // absent from a program without HDF5
	Target     Target        `json:"target"`
}

// AddCheck appends a check. The verdict of the examination is the worst verdict of its checks.
func (e *Examination) AddCheck(c Check) {
	e.Checks = append(e.Checks, c)
	e.Verdict = worseVerdict(e.Verdict, c.Verdict)
}

// worseVerdict returns the worse of two verdicts. "" counts as OK.
func worseVerdict(a, b Verdict) Verdict {
	for _, v := range []Verdict{Problem, Warning} {
		if a == v || b == v {
			return v
		}
	}
	return OK
}
