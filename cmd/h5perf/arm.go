//go:build cgo

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/bench"
	"h5perf/pkg/history"
	"h5perf/pkg/launcher"
	"h5perf/pkg/metrics"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/provenance"
	"h5perf/pkg/recorder"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/watch"
)

// arm is a configuration that the run measures.
type arm struct {
	*job
	cli.Request
	name      result.Arm // of one of two
	plan      plan.Plan
	base      string // the directory of dir
	dir       rundir.Dir
	made      bool           // dir was made, by this process
	left      bool           // some of it could not be removed
	watched   []string       // the files with the document
	watcher   *watch.Watcher // of the first process on each node
	published atomic.Bool

	// Rank 0.
	gateway  *metrics.Gateway // with --pushgateway
	draft    result.Document  // before it is with the recorder
	recorder *recorder.Recorder
	text     *report.Text
	file     *os.File // of the report, with -o
	stored   string   // the file of the document in the tree of results
	cases    []plan.Case
}

var _ bench.Observer = (*arm)(nil)

// named is an error that tells which of two arms has it.
func (a *arm) named(err error) error {
	if err == nil || a.name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", a.name, err)
}

// begin begins the document, and makes its place. The directories of all arms have been placed.
func (a *arm) begin(hosts []mpi.Host) error {
	a.enter(bench.Where{Phase: phaseStart, Path: a.base})
	target := provenance.Target(a.base)
	target.Stripe = provenance.Stripe(target, os.Getenv)
	doc := a.document(hosts, target)
	a.mu.Lock()
	a.draft = doc
	a.mu.Unlock()
	return a.store(doc)
}

// refused ends what there is of an arm that could not begin.
func (a *arm) refused(e result.Error, status int) error {
	var err error
	if a.recorder == nil {
		err = a.deliver(a.fail(e, status))
	} else {
		err = a.deliver(a.recorder.Cut([]result.Error{e}, status))
	}
	if a.made {
		a.enter(bench.Where{Phase: phaseClean, Path: a.dir.Path})
		left := a.dir.Clean(false)
		a.left = left != nil
		err = errors.Join(err, left)
	}
	return err
}

// close ends the arm of a run that came to its end in a state. Where the other of two alone failed, this one is complete.
func (a *arm) close(state result.State, memoryCopy float64) error {
	measured := a.recorder.Measured(state, memoryCopy)
	a.reportCases(measured)
	failed := func(c result.Case) bool { return c.State == result.Failed }
	if a.name != "" && state == result.Failed && !slices.ContainsFunc(measured.Cases, failed) {
		state = result.Complete
	}
	a.enter(bench.Where{Phase: phaseClean, Path: a.dir.Path})
	left := a.dir.Clean(a.plan.Parameters.KeepFiles)
	a.left = left != nil
	err := errors.Join(left, a.tellKept(), a.closeReport())
	if err != nil && state == result.Complete {
		state = result.Failed
	}
	doc, written := a.recorder.Finish(state, exitStatus(state))
	a.draft = doc
	return errors.Join(err, a.deliver(doc, written))
}

// document is the document of the run before its first case.
func (a *arm) document(hosts []mpi.Host, target result.Target) result.Document {
	doc := result.Document{
		SchemaVersion: result.Version, RunID: a.dir.RunID, State: result.Running, Started: time.Now().UTC(),
		Kind: a.kind, Command: a.Command, Given: a.Given, Parameters: a.plan.Parameters, Notes: a.plan.Notes,
		Software: software(a.world.Handle() != nil),
		Machine:  provenance.Machine(), Target: target,
		Job: result.Job{
			Processes: a.world.Size(), Nodes: len(hosts), Launcher: launcher.Name(launcher.Here().Getenv),
			Slurm: provenance.Slurm(os.Environ()), MPIVariables: provenance.MPIVariables(a.Environ()),
			TimeoutGrace: bench.Grace.Seconds(),
		},
		Cases: []result.Case{},
	}
	for _, h := range hosts {
		doc.Job.Placement = append(doc.Job.Placement, result.Host{Host: h.Name, Ranks: h.Ranks, Count: h.Count})
		for _, b := range h.Bindings {
			doc.Job.Binding = append(doc.Job.Binding, result.Binding{Host: h.Name, CPUs: b.CPUs, Ranks: b.Ranks})
		}
	}
	doc.Identity = a.Identity.Or(doc.DefaultIdentity())
	if a.name != "" {
		doc.Pair = &result.Pair{Arm: a.name, Partner: a.partner().dir.RunID, Seed: a.plan.Parameters.Conditions.Seed}
	}
	if a.RerunOf != nil {
		doc.RerunOf = a.RerunOf.RunID
		doc.Notes = append(doc.Notes, rerunNotes(*a.RerunOf, doc)...)
	}
	return doc
}

// rerunNotes tell what is not as it was when the run was made that this one repeats.
func rerunNotes(then, now result.Document) []string {
	notes := []string{fmt.Sprintf("repeats run %s of %s", then.RunID, then.Started.Format(time.RFC3339))}
	for _, line := range history.Differences(then, now) {
		notes = append(notes, "not as in that run: "+line)
	}
	return notes
}

// partner is the other arm of two.
func (a *arm) partner() *arm {
	if a.arms[0] == a {
		return a.arms[1]
	}
	return a.arms[0]
}

// documents are the files in which the document is while the run goes on. One that standard output is to be is in a temporary
// file if it is nowhere else.
func (a *arm) documents() (paths []string) {
	if a.stored != "" {
		paths = append(paths, a.stored)
	}
	switch {
	case a.JSON == "-" && a.stored == "":
		paths = append(paths, a.temporary())
	case a.JSON != "-" && a.JSON != "":
		paths = append(paths, a.JSON)
	}
	return paths
}

// temporary is the file for a document that standard output is to be.
func (a *arm) temporary() string { return filepath.Join(os.TempDir(), "h5perf-"+a.dir.RunID+".json") }

// store makes the place of the document in the tree of results.
func (a *arm) store(doc result.Document) error {
	if a.Results == "" || doc.RunID == "" { // no place was found for the run
		return nil
	}
	path := history.Path(a.Results, doc)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("tree of results: %w", err)
	}
	a.stored = path
	return nil
}

// tellDocuments tells all processes, on rank 0, where the files of the document are.
func (a *arm) tellDocuments() error {
	var paths []string
	var failures []error
	if a.world.Rank() == 0 {
		for _, path := range a.documents() {
			absolute, err := filepath.Abs(path)
			if err != nil {
				failures = append(failures, fmt.Errorf("document %s: %w", path, err))
			}
			paths = append(paths, absolute)
		}
	}
	a.watched = mpi.Broadcast(a.world, paths, 0)
	return errors.Join(failures...)
}

// deputyAfter is how long the deputy leaves the document to the node of rank 0, of which it cannot know whether it has failed.
const deputyAfter = 10 * time.Second

// startWatcher starts the watcher of this node. That of rank 0 keeps the document, too, and that of the deputy if nobody else does.
func (a *arm) startWatcher(deputy int) error {
	order := watch.Message{Dir: &a.dir, Keep: a.plan.Parameters.KeepFiles}
	switch a.world.Rank() {
	case 0:
		order.Documents = a.watched
	case deputy:
		order.Documents, order.Deputy = a.watched, deputyAfter
	}
	watcher, err := watch.Start(order)
	a.mu.Lock()
	a.watcher = watcher
	a.mu.Unlock()
	return err
}

// deliver takes the final document to all who want it, and passes the error on.
func (a *arm) deliver(doc result.Document, err error) error {
	defer a.publish(doc)
	if a.JSON != "-" {
		return err
	}
	var text bytes.Buffer
	if e := result.Encode(&text, doc); e != nil {
		return errors.Join(err, e)
	}
	_, e := a.stdout.Write(text.Bytes())
	if e == nil && a.stored == "" {
		e = os.Remove(a.temporary())
	}
	return errors.Join(err, e)
}

// fail makes the document of a run that failed before it had a recorder.
func (a *arm) fail(e result.Error, status int) (result.Document, error) {
	doc := a.draft
	if doc.RunID == "" {
		doc = a.document(nil, result.Target{Directory: a.base})
	}
	doc.End([]result.Error{e})
	doc.ExitStatus = &status
	return doc, a.write(doc)
}

// write writes a document that no recorder keeps.
func (a *arm) write(doc result.Document) error {
	var failures []error
	for _, path := range a.documents() {
		failures = append(failures, result.Write(path, doc))
	}
	return errors.Join(failures...)
}
