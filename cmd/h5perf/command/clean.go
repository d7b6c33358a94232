package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"h5perf/pkg/plain"
	"h5perf/pkg/rundir"
	"h5perf/pkg/units"
)

// Clean is the command clean, which lists and removes directories of data files that runs did not remove at their end.
type Clean struct {
	Directory string `arg:"" placeholder:"DIR" missing:"no directory is given; give the one that HDF5_PARAPREFIX or HDF5_PREFIX named" help:"The directory for data files: the value of HDF5_PARAPREFIX or HDF5_PREFIX in the runs."`
	Remove    bool   `help:"Remove the data files of runs that have ended, and their directories."`
	OlderThan age    `default:"24h" placeholder:"DURATION" help:"A run on another machine or in another container counts as ended if its directory has not changed for this time (default 24h). A run that reads data does not change its directory. So give a time that is longer than the longest phase of a run."`
	JSON      bool   `name:"json" help:"Print JSON instead of a table."`
}

// leftover describes, in the JSON output, a directory of data files that a run did not remove.
type leftover struct {
	Path    string          `json:"path"`
	RunID   string          `json:"run_id"`
	Host    string          `json:"host,omitempty"`
	State   rundir.RunState `json:"state"`
	Changed time.Time       `json:"changed"`
	Files   int             `json:"data_files"`
	Bytes   uint64          `json:"bytes"`
	Removed bool            `json:"removed"`
	Why     string          `json:"why_not_removable,omitempty"`
}

// Run runs the command.
func (c Clean) Run(env Env) error {
	all, err := rundir.FindLeftovers(c.Directory,
		func(name string) string { value, _ := env.Lookup(name); return value })
	if err != nil {
		return &InputError{err}
	}
	found := []leftover{}
	var errs []error
	for _, l := range all {
		f := leftover{
			Path: l.Dir.Path, RunID: l.Dir.RunID, Host: l.Owner.Host, State: l.State, Changed: l.Changed.UTC(),
			Files: l.Files, Bytes: l.Bytes,
			Why: l.WhyNotRemovable(os.Geteuid(), env.Now().Add(-time.Duration(c.OlderThan))),
		}
		if c.Remove && f.Why == "" {
			err := l.Dir.Clean(false)
			f.Removed = err == nil
			errs = append(errs, err)
		}
		found = append(found, f)
	}
	return errors.Join(append(errs, c.printLeftovers(env, found))...)
}

func (c Clean) printLeftovers(env Env, found []leftover) error {
	if c.JSON {
		return plain.WriteJSON(env.Stdout, found)
	}
	if len(found) == 0 {
		return env.printLine("no run has left anything in %s", c.Directory)
	}
	rows := [][]string{{"DIRECTORY", "STATE", "HOST", "CHANGED", "FILES", "BYTES", "ACTION"}}
	for _, f := range found {
		action := "can be removed (--remove)"
		switch {
		case f.Removed:
			action = "removed"
		case f.Why != "":
			action = "left: " + f.Why
		case c.Remove:
			action = "could not be removed"
		}
		host := f.Host
		if host == "" {
			host = "?"
		}
		rows = append(rows, []string{
			relativePath(c.Directory, f.Path), string(f.State), host,
			fmt.Sprintf("%s ago", env.Now().Sub(f.Changed).Round(time.Second)), fmt.Sprint(f.Files),
			units.FormatBytes(float64(f.Bytes)), action,
		})
	}
	_, err := io.WriteString(env.Stdout, plain.Table(rows, 1))
	return err
}

func relativePath(dir, path string) string {
	if r, err := filepath.Rel(dir, path); err == nil {
		return r
	}
	return path
}
