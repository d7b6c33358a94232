package run

import (
	"os"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// Request holds the options of a command line that do not describe what to measure, such as those for outputs.
type Request struct {
	Report  report.CReportOptions
	Form    report.Form // form of the printed results; several arms are always compared
	Force   bool        // outputs replace existing regular files
	Output  string      // file for the report; "" is standard output
	JSON    string      // file for the document; "-" is standard output, "" none
	Command []string
	Given   []result.GivenParameter

	RerunOf *result.Document // on rank 0, the document of the run to repeat, or nil

	// In what the arm differs from the first one, or "". An arm with a variant is left out if it cannot be planned.
	Variant string
	Tune    result.TunePart
	Budget  time.Duration // time that all arms together may take, see bench.Config; 0 is no limit

	Variables map[string]string // environment variables that replace those of the process

	Deadline Deadline
	Progress *time.Duration // time between lines where stderr is no terminal; 0 means no lines, nil the default
	Quiet    bool           // no progress, notes and summary on standard error

	// Resume is a tree of results. The run goes on with the newest runs in it that were interrupted, if there are any.
	Resume string

	Results     string          // directory of the tree of results in which to store the document; "" is none
	Identity    result.Identity // as given; empty fields get defaults later
	Pushgateway string          // URL; "" is none
	Textfile    string          // file for the textfile collector; "" is none
	Partial     bool            // also publish the results of a failed or interrupted run
	Stripe      string          // striping of the data files, see node.ParseStriping; "" does not change it
}

// Deadline is the time at which a run should have ended: a time of day, or a duration from its start. The zero value
// means no deadline.
type Deadline struct {
	At time.Time
	In time.Duration
}

// EndTime returns the deadline of a run that starts at the given time. It returns an error if the deadline is not after
// that time.
func (d Deadline) EndTime(start time.Time) (time.Time, error) {
	if d.In > 0 {
		d.At = start.Add(d.In)
	}
	if !d.At.IsZero() && !start.Before(d.At) {
		return d.At, usage.Errorf("--deadline %s: this time has passed", d.At.Format(time.RFC3339))
	}
	return d.At, nil
}

// Getenv returns the value of an environment variable. Variables of r replace those of the process.
func (r Request) Getenv(name string) string {
	value, _ := LookupWithOverrides(r.Variables, os.LookupEnv)(name)
	return value
}

// Environ returns the environment in the form of os.Environ. Variables of r replace those of the process.
func (r Request) Environ() []string {
	environ := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, set := r.Variables[name]
		return set
	})
	for name, value := range r.Variables {
		environ = append(environ, name+"="+value)
	}
	return environ
}

// LookupWithOverrides returns a function that looks up an environment variable: first in the map some and, if it is not
// there, with the function elsewhere.
func LookupWithOverrides(some map[string]string, elsewhere func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if value, set := some[name]; set {
			return value, true
		}
		return elsewhere(name)
	}
}
