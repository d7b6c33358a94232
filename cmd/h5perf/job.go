//go:build cgo

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/alarm"
	"h5perf/pkg/bench"
	"h5perf/pkg/bench/watchdog"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/h5"
	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/progress"
	"h5perf/pkg/provenance"
	"h5perf/pkg/recorder"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/watch"
)

// job is one run on this process. What only rank 0 has is nil on the others.
type job struct {
	cli.Request
	kind    string // parallel or serial
	prefix  string // the environment variable that places the data files
	plan    plan.Plan
	engines map[string]func() engine.Engine // by API
	world   mpi.Comm
	stop    *engine.Stop
	host    string
	base    string // the directory of dir
	dir     rundir.Dir
	made    bool           // dir was made, by this process
	watcher *watch.Watcher // of the first process on each node
	dog     *watchdog.Watchdog
	line    alarm.Line // to rank 0

	stdout, stderr io.Writer

	// Rank 0.
	station  *alarm.Station
	draft    result.Document // before it is with the recorder
	recorder *recorder.Recorder
	text     *report.Text
	file     *os.File // of the report, with -o
	bar      *progress.Bar
	stored   string // the file of the document in the tree of results
	cases    []plan.Case
	writing  sync.Mutex // of the report

	gateway   *metrics.Gateway // with --pushgateway
	published atomic.Bool

	ending sync.Once
	told   chan struct{} // closed when the error that ends the job is in the document, or with rank 0
	mu     sync.Mutex    // of what the goroutine of signals needs: signal, dir, base, watcher, line, station, draft, recorder, text
	signal os.Signal     // the first that asked to end
}

var _ bench.Observer = (*job)(nil)

// document is the document of the run before its first case.
func (j *job) document(hosts []mpi.Host, target result.Target) result.Document {
	version, revision, flavour := provenance.Build()
	doc := result.Document{
		SchemaVersion: result.Version, RunID: j.dir.RunID, State: result.Running, Started: time.Now().UTC(),
		Kind: j.kind, Command: j.Command, Given: j.Given, Parameters: j.plan.Parameters, Notes: j.plan.Notes,
		Software: result.Software{
			Version: version, Revision: revision, Flavour: flavour, Go: runtime.Version(),
			HDF5: h5.Version(), HDF5Library: h5.Library(),
		},
		Machine: provenance.Machine(), Target: target,
		Job: result.Job{
			Processes: j.world.Size(), Nodes: len(hosts), Launcher: provenance.Launcher(os.Environ()),
			Slurm: provenance.Slurm(os.Environ()), MPIVariables: provenance.MPIVariables(j.Environ()),
			TimeoutGrace: bench.Grace.Seconds(),
		},
		Cases: []result.Case{},
	}
	if j.world.Handle() != nil {
		doc.Software.MPI, doc.Software.MPIStandard, doc.Software.IOComponent = mpi.LibraryVersion(), mpi.Standard(), mpiio.Component()
	}
	for _, c := range h5.Configuration() {
		doc.Software.HDF5Config = append(doc.Software.HDF5Config, result.KeyValue{Key: c.Key, Value: c.Value})
	}
	for _, h := range hosts {
		doc.Job.Placement = append(doc.Job.Placement, result.Host{Host: h.Name, Ranks: h.Ranks, Count: h.Count})
		for _, b := range h.Bindings {
			doc.Job.Binding = append(doc.Job.Binding, result.Binding{Host: h.Name, CPUs: b.CPUs, Ranks: b.Ranks})
		}
	}
	doc.Identity = j.Identity.Or(doc.DefaultIdentity())
	if j.RerunOf != nil {
		doc.RerunOf = j.RerunOf.RunID
		doc.Notes = append(doc.Notes, rerunNotes(*j.RerunOf, doc)...)
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

// documents are the files in which the document is while the run goes on. One that standard output is to be is in a temporary
// file if it is nowhere else.
func (j *job) documents() (paths []string) {
	if j.stored != "" {
		paths = append(paths, j.stored)
	}
	switch {
	case j.JSON == "-" && j.stored == "":
		paths = append(paths, j.temporary())
	case j.JSON != "-" && j.JSON != "":
		paths = append(paths, j.JSON)
	}
	return paths
}

// temporary is the file for a document that standard output is to be.
func (j *job) temporary() string { return filepath.Join(os.TempDir(), "h5perf-"+j.dir.RunID+".json") }

// store makes the place of the document in the tree of results.
func (j *job) store(doc result.Document) error {
	if j.Results == "" || doc.RunID == "" { // no place was found for the run
		return nil
	}
	path := history.Path(j.Results, doc)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("tree of results: %w", err)
	}
	j.stored = path
	return nil
}

// startWatcher starts the watcher of this node; that of rank 0 keeps the document too.
func (j *job) startWatcher() error {
	order := watch.Message{Dir: &j.dir, Keep: j.plan.Parameters.KeepFiles}
	if j.world.Rank() == 0 {
		for _, path := range j.documents() {
			absolute, err := filepath.Abs(path)
			if err != nil {
				return fmt.Errorf("document %s: %w", path, err)
			}
			order.Documents = append(order.Documents, absolute)
		}
	}
	watcher, err := watch.Start(order)
	j.mu.Lock()
	j.watcher = watcher
	j.mu.Unlock()
	return err
}

// openReport begins document and report.
func (j *job) openReport(doc result.Document) error {
	j.cases = slices.Collect(j.plan.Cases())
	keeper, err := recorder.New(doc, j.documents(), j.watcher)
	j.mu.Lock()
	j.recorder = keeper
	j.mu.Unlock()
	if err != nil {
		return err
	}
	out := j.stdout
	switch {
	case j.Output != "":
		if j.file, err = os.Create(j.Output); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		out = j.file
	case j.JSON == "-":
		out = io.Discard
	}
	p := j.plan.Parameters
	var total uint64
	for _, c := range j.cases {
		total += c.Bytes() * uint64(len(j.plan.Operations())*(p.Iterations+p.Conditions.Warmup))
	}
	j.bar = progress.New(os.Stderr, total)
	j.Report.InfoBytes = mpi.MaxInfoValue + 1
	j.mu.Lock()
	j.text = report.New(out, doc, j.Report)
	j.mu.Unlock()
	j.text.Header()
	return j.text.Err()
}

// inOrder tells whether cases are measured one after the other, so that each can be reported when it ends.
func (j *job) inOrder() bool { return j.plan.Parameters.Conditions.Order != plan.OrderRandom }

// reportCases reports the cases that were measured in turns, after the run.
func (j *job) reportCases(doc result.Document) {
	if j.inOrder() {
		return
	}
	for _, c := range doc.Cases {
		j.text.Begin(c)
		j.text.End(c)
	}
}

// reportCut reports the end of a run that was cut short: of the last case, unless that had ended, or of all.
func (j *job) reportCut(doc result.Document) {
	if n := len(doc.Cases); n > 0 && j.inOrder() && doc.Cases[n-1].State == doc.State {
		j.text.End(doc.Cases[n-1])
	}
	j.reportCases(doc)
}

// closeReport ends the report.
func (j *job) closeReport() error {
	if j.file == nil {
		return j.text.Err()
	}
	return errors.Join(j.text.Err(), j.file.Close())
}

// Begin begins a case; it and the methods after it are the bench.Observer of the run.
func (j *job) Begin(i int, c result.Case) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.bar.Clear()
	if j.inOrder() {
		j.text.Begin(c)
	}
	j.recorder.Begin(i, c)
}

// File begins a file of a case.
func (j *job) File(i int, path string) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.bar.Begin(j.cases[i])
	if j.inOrder() {
		j.text.File(path)
	}
}

// enter is told where this process is.
func (j *job) enter(w bench.Where) {
	j.bar.Working(w.Progress)
	j.dog.Enter(w)
}

// Sample takes a sample.
func (j *job) Sample(i int, s result.Sample, warmup bool) {
	j.bar.Sample(s)
	j.recorder.Sample(i, s, warmup)
}

// End ends a case: in the report, in the document, and where it did not go as asked, on standard error.
func (j *job) End(i int, c result.Case) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.bar.Clear()
	c = j.recorder.End(i, c)
	if j.inOrder() {
		j.text.End(c)
	}
	if c.Error != nil {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: %s, processes %d, transfer size %d: %s\n", c.API, c.Processes, c.TransferBytes, describe(*c.Error))
	}
	if e := c.Effective; e != nil && e.Collective != nil && e.Collective.Mixed+e.Collective.Independent > 0 {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: %s, processes %d, transfer size %d: of %d transfers asked to be collective, %d were mixed and %d independent: %v\n",
			c.API, c.Processes, c.TransferBytes, e.Collective.Collective+e.Collective.Mixed+e.Collective.Independent,
			e.Collective.Mixed, e.Collective.Independent, append(e.Collective.GlobalCauses, e.Collective.LocalCauses...))
	}
}
