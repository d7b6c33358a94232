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

// Request is what a command line asks for, apart from what is measured.
type Request struct {
	Report  report.TextOptions
	Form    report.Form // what is printed of the results; with two arms, always their comparison
	Force   bool        // outputs replace whatever regular files are there
	Output  string      // file for the report; "" is standard output
	JSON    string      // file for the document; "-" is standard output, "" none
	Command []string
	Given   []result.Given

	RerunOf *result.Document // on rank 0, the run that this one repeats, or nil

	Variables map[string]string // environment variables that replace those of the process

	Deadline Deadline
	Progress *time.Duration // between lines about the progress, where stderr is no terminal; 0 is none, nil the default
	Quiet    bool           // no progress, notes and summary on standard error

	Results     string          // directory of the tree of results to store the document in; "" is none
	Identity    result.Identity // as given; empty fields take their defaults when the run knows them
	Pushgateway string          // URL; "" is none
	Textfile    string          // file for the textfile collector; "" is none
	Partial     bool            // metrics have the figures of a run that failed or was interrupted, too
	Stripe      string          // striping of the data files, as node.ParseStriping reads it; "" leaves it
}

// Deadline is when a run should have ended: at a time, or after a duration. The zero value is never.
type Deadline struct {
	At time.Time
	In time.Duration
}

// Resolve returns the deadline of a run that starts at a time. It returns an error if that is too late.
func (d Deadline) Resolve(start time.Time) (time.Time, error) {
	if d.In > 0 {
		d.At = start.Add(d.In)
	}
	if !d.At.IsZero() && !start.Before(d.At) {
		return d.At, usage.Errorf("--deadline %s: this time has passed", d.At.Format(time.RFC3339))
	}
	return d.At, nil
}

// Getenv returns the value of an environment variable, as the run uses it.
func (r Request) Getenv(name string) string {
	value, _ := OverrideLookup(r.Variables, os.LookupEnv)(name)
	return value
}

// Environ returns the environment, as the run uses it, in the form of os.Environ.
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

// OverrideLookup returns a function that looks a variable up in some, and if it is not there, calls elsewhere.
func OverrideLookup(some map[string]string, elsewhere func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if value, set := some[name]; set {
			return value, true
		}
		return elsewhere(name)
	}
}
