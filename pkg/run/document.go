package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/history"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/placement"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// plannedDocument returns the document of the arm with all facts that are known when the run is planned.
func (a *arm) plannedDocument() result.Document {
	r := a.request
	var command []string
	for _, word := range r.Command {
		command = append(command, plain.HideInURL(word))
	}
	given := slices.Clone(r.Given)
	for i := range given {
		given[i].Value = plain.HideInURL(given[i].Value)
	}
	parameters := a.plan.Parameters
	parameters.Hints = hideSecrets(parameters.Hints)
	var swept []result.SweptCases
	for _, part := range a.plan.Parts {
		one := result.SweptCases{Values: part.Values, Parameters: part.Plan.Parameters}
		one.Parameters.Hints = hideSecrets(one.Parameters.Hints)
		if w := one.Parameters.Workload; w != nil && w.Text == parameters.Workload.Text {
			without := *w
			without.Text, without.Statements, one.Parameters.Workload = "", nil, &without
		}
		swept = append(swept, one)
	}
	machine := node.Machine()
	machine.MemoryCopyRate = a.job.MemoryCopy()
	return result.Document{
		SchemaVersion: result.Version, State: result.Running, Started: a.job.Now().UTC(),
		Kind: a.job.Kind, Command: command, GivenParameters: given, Parameters: parameters, Swept: swept,
		Cautions: a.plan.Cautions, Notes: a.plan.Notes,
		Software: a.job.Software(), Machine: machine,
		Job: result.Job{
			Processes: a.job.world.Size(), Launcher: launcher.Name(launcher.ThisProcess().Getenv),
			Slurm: node.SlurmVariables(os.Environ()), MPIVariables: node.MPIVariables(r.Environ()),
			TimeoutGrace: a.job.Grace.Seconds(),
		},
		PlannedCases: a.plan.NumCases(), Cases: []result.Case{},
	}
}

// hideSecrets returns a copy of the hints, in which passwords and other secrets in URLs are replaced.
func hideSecrets(hints []units.KeyValue) []units.KeyValue {
	hints = slices.Clone(hints)
	for i := range hints {
		hints[i].Value = plain.HideInURL(hints[i].Value)
	}
	return hints
}

// documentWithTarget returns doc with the hosts and the target of the run, and with everything that depends on them.
func (a *arm) documentWithTarget(doc result.Document, hosts []result.Host, target result.Target) result.Document {
	doc.RunID, doc.Target = a.dir.RunID, target
	doc.Job.Nodes, doc.Job.Placement = placement.NumNodes(hosts), hosts
	if at := a.job.deadline; !at.IsZero() {
		doc.Notes = append(slices.Clip(doc.Notes), DeadlineNote(at))
	}
	i := a.request.Identity
	for _, name := range []*string{&i.Cluster, &i.Filesystem, &i.Label} {
		*name = plain.HideInURL(*name)
	}
	if a.name != "" && i.Label != "" { // no series of runs over time mixes arms with other runs
		i.Label += "-" + string(a.name)
	}
	doc.Identity = i.WithDefaults(doc.DefaultIdentity())
	if a.name != "" {
		doc.Pair = &result.Pair{
			Arm: a.name, PartnerRunID: a.partnerArm().dir.RunID, Variant: a.request.Variant,
			Seed: option.ValueOrZero(a.plan.Parameters.Conditions.Seed), TunePart: a.request.Tune,
		}
	}
	if old := a.request.RerunOf; old != nil {
		doc.RerunOf = old.RunID
		doc.Notes = append(slices.Clip(doc.Notes), rerunNotes(*old, doc)...)
	}
	return doc
}

// DeadlineNote returns the note in reports that a run has a deadline.
func DeadlineNote(at time.Time) string {
	return fmt.Sprintf("The run ends by %s, with as many iterations as fit; only an iteration that takes longer than "+
		"expected, such as the first one, ends later.", at.Format(time.RFC3339))
}

// rerunNotes returns notes for a run that repeats an earlier run: one names the earlier run, and one describes each
// difference between the runs. then is the document of the earlier run, now that of this run.
func rerunNotes(then, now result.Document) []string {
	notes := []string{fmt.Sprintf("This run repeats run %s of %s.", then.RunID, then.Started.Format(time.RFC3339))}
	for _, line := range history.DocumentDifferences(then, now) {
		notes = append(notes, "It differs from that run: "+line+".")
	}
	return notes
}

// partnerArm returns the arm with which this arm is compared: every other arm is compared with the first arm, and the
// first arm with the second.
func (a *arm) partnerArm() *arm {
	if a.job.arms[0] == a {
		return a.job.arms[1]
	}
	return a.job.arms[0]
}

// recordDirectory records the directory for data files in the document. All arms must have called chooseDirectory
// before.
func (a *arm) recordDirectory() error {
	a.out.setDocument(a.documentWithTarget(a.out.facts, nil, result.Target{Directory: a.measuredDirectory()}), "")
	return nil
}

// recordTarget records the hosts and the file system in the document, and creates the directory for the document in the
// tree of results.
func (a *arm) recordTarget(hosts []result.Host) error {
	if a.dir.RunID == "" { // chooseDirectory failed
		return nil
	}
	a.job.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: a.measuredDirectory()})
	target := node.Target(a.measuredDirectory())
	target.Stripe = node.FindStriping(target, os.Getenv)
	doc := a.documentWithTarget(a.out.facts, hosts, target)
	stored := ""
	var err error
	if a.request.Results != "" {
		stored = history.DocumentPath(a.request.Results, doc)
		if err = os.MkdirAll(filepath.Dir(stored), 0o755); err != nil {
			stored, err = "", fmt.Errorf("tree of results: %w", err)
		}
	}
	a.out.setDocument(doc, stored)
	return err
}

// setDocument sets the document of a run that has not begun, and the files to which the document is written. stored is
// the path of its file in the tree of results, or "" if it has none.
func (o *armOutput) setDocument(doc result.Document, stored string) {
	o.recorder.ChangeDocument(func(d *result.Document) { *d = doc })
	var paths []string
	if stored != "" {
		paths = append(paths, stored)
	}
	switch {
	case o.request.JSON == "-" && stored == "":
		paths = append(paths, temporaryPath(doc))
	case o.request.JSON != "-" && o.request.JSON != "":
		paths = append(paths, o.request.JSON)
	}
	o.recorder.SetPaths(paths...)
}

// temporaryPath returns the path of the file that holds the document during the run, if the document is only to be
// printed on standard output.
func temporaryPath(doc result.Document) string {
	return filepath.Join(os.TempDir(), "h5perf-"+doc.RunID+".json")
}

// documentPaths returns the absolute paths of the files of the document, on all processes. Collective.
func (a *arm) documentPaths() ([]string, error) {
	var paths []string
	var failures []error
	if a.out != nil {
		for _, path := range a.out.recorder.Paths() {
			absolute, err := filepath.Abs(path)
			if err != nil {
				failures = append(failures, fmt.Errorf("document %s: %w", path, err))
			}
			paths = append(paths, absolute)
		}
	}
	return mpi.Broadcast(a.job.world, paths, 0), errors.Join(failures...)
}
