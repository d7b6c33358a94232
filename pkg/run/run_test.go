package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/metrics"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

var errTest = errors.New("as the test asked")

func TestACompleteRun(t *testing.T) {
	for _, processes := range []int{1, 3} {
		t.Run(fmt.Sprint(processes), func(t *testing.T) {
			s := newSimulation(t, processes)
			s.run()
			s.statuses(result.ExitOK)
			doc := s.document(s.json, result.Complete, result.ExitOK)
			if doc.Job.Processes != processes || doc.Job.Nodes != 1 || doc.RunID == "" ||
				doc.Target.Directory != s.base ||
				doc.Software.Version != "simulated" || len(doc.Job.Placement) != 1 || len(doc.Errors) != 0 {
				t.Errorf("document %+v", doc)
			}
			for _, c := range doc.Cases {
				if c.State != result.Complete || len(c.Samples) != 2 {
					t.Errorf("case %+v", c)
				}
			}
			for _, p := range s.ranks {
				if out := p.stdout.String(); (p.rank == 0) != strings.Contains(out, "Transfer Buffer Size") {
					t.Errorf("rank %d reports %q", p.rank, out)
				}
				if strings.Contains(p.stderr.String(), "h5perf:") != (p.rank == 0) {
					t.Errorf("rank %d says %q", p.rank, p.stderr.String())
				}
			}
			s.clean()
		})
	}
}

func TestADocumentHoldsNoSecret(t *testing.T) {
	t.Setenv("UCX_PROXY", "http://me:hush@proxy")
	s := newSimulation(t, 1)
	s.arms[0].Command = []string{"h5perf", "--hint", "proxy=me:hush@proxy"}
	s.arms[0].Given = []result.GivenParameter{{Name: "hint", Value: "proxy=me:hush@proxy"}}
	s.arms[0].Identity.Label = "http://me:hush@proxy"
	planned := s.plan
	s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) {
		p, err := planned(arm, at)
		p.Parameters.Hints = []units.KeyValue{{Key: "proxy", Value: "http://me:hush@proxy"}}
		return p, err
	}
	s.run()
	text, err := os.ReadFile(s.json)
	if err != nil || strings.Contains(string(text), "hush") || strings.Count(string(text), "(hidden)@proxy") != 5 {
		t.Errorf("%v in\n%s", err, text)
	}
}

func TestADocumentOnStandardOutputIsThereOnce(t *testing.T) {
	for _, failing := range []bool{false, true} {
		t.Setenv("TMPDIR", t.TempDir())
		s := newSimulation(t, 2)
		s.arms[0].JSON = "-"
		s.interject = func(p *process, step string) error {
			if failing && step == "make" && p.rank == 1 {
				return errTest
			}
			return nil
		}
		s.run()
		out := s.ranks[0].stdout.String()
		if err := os.WriteFile(s.json, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
		if failing {
			s.statuses(result.ExitFailed)
			s.document(s.json, result.Failed, result.ExitFailed)
		} else {
			s.statuses(result.ExitOK)
			s.document(s.json, result.Complete, result.ExitOK)
		}
		if entries, err := os.ReadDir(os.TempDir()); err != nil || len(entries) > 0 {
			t.Errorf("temporary files are left: %v, %v", entries, err)
		}
		if s.ranks[1].stdout.String() != "" {
			t.Error("rank 1 has a document")
		}
		s.clean()
	}
}

func TestWrongUsageIsRefusedOnAllProcessesBeforeAnyFile(t *testing.T) {
	for name, change := range map[string]func(s *simulation){
		"plan": func(s *simulation) {
			s.plan = func(int, plan.JobFacts) (plan.Plan, error) { return plan.Plan{}, errTest }
		},
		"document in place of a directory":  func(s *simulation) { s.arms[0].JSON = s.base },
		"document in place of another file": func(s *simulation) { s.arms[0].JSON = foreign(s) },
		"report in place of another file":   func(s *simulation) { s.arms[0].Output = foreign(s) },
		"textfile in place of another file": func(s *simulation) { s.arms[0].Textfile = foreign(s) },
		"report in no directory":            func(s *simulation) { s.arms[0].Output = "/no/such/report" },
		"document in no directory":          func(s *simulation) { s.arms[0].JSON = "/no/such/run.json" },
		"gateway":                           func(s *simulation) { s.arms[0].Pushgateway = "nonsense://x" },
		"arms of different length": func(s *simulation) {
			s.arms = append(s.arms, Request{})
			s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) {
				o := smallest()
				o.Iterations = new(arm + 1)
				return plan.New(o, at)
			}
		},
		"a deadline that has passed": func(s *simulation) {
			s.arms[0].Deadline = Deadline{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulation(t, 2)
			change(s)
			s.run()
			s.statuses(result.ExitUsage)
			for _, p := range s.ranks {
				if p.refused == nil || p.refused.Error() != s.ranks[0].refused.Error() ||
					p.stdout.String()+p.stderr.String() != "" {
					t.Errorf("rank %d refuses %v and says %q", p.rank, p.refused, p.stdout.String()+p.stderr.String())
				}
			}
			if _, err := os.Lstat(s.json); !os.IsNotExist(err) {
				t.Errorf("there is a document: %v", err)
			}
			s.clean()
		})
	}
}

// foreign creates a file that h5perf has not written, and returns its path.
func foreign(s *simulation) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "foreign.prom")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func TestForceReplacesForeignFilesAndKeepsTheirModes(t *testing.T) {
	s := newSimulation(t, 1)
	s.arms[0] = Request{JSON: foreign(s), Output: foreign(s), Textfile: foreign(s), Force: true}
	s.run()
	s.statuses(result.ExitOK)
	s.document(s.arms[0].JSON, result.Complete, result.ExitOK)
	for path, check := range map[string]func(string, bool) error{
		s.arms[0].JSON: result.Output.Check, s.arms[0].Output: report.Output.Check,
		s.arms[0].Textfile: metrics.Textfile.Check,
	} {
		info, err := os.Stat(path)
		if err := errors.Join(err, check(path, false)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

func steps() (names []string) {
	for _, s := range (&job{}).startSteps() {
		names = append(names, s.name)
	}
	return names
}

// eachStep runs a simulation for each start step, with one process and with three. In the latter, something happens to
// the first or to the last process.
func eachStep(t *testing.T, run func(t *testing.T, s *simulation, step string, rank int)) {
	for i, step := range steps() {
		for _, c := range []struct{ processes, rank int }{{1, 0}, {3, 0}, {3, 2}} {
			t.Run(fmt.Sprintf("%s on rank %d of %d", step, c.rank, c.processes), func(t *testing.T) {
				s := newSimulation(t, c.processes)
				run(t, s, step, c.rank)
				placed := i >= 2 // from there on the document has the place of the run
				if doc, err := result.Read(s.json); err != nil || placed != (doc.RunID != "") ||
					placed != (doc.Job.Nodes == 1) {
					t.Errorf("document of run %q on %d nodes, %v", doc.RunID, doc.Job.Nodes, err)
				}
				s.clean()
			})
		}
	}
}

func TestAFailureAtEachStepOfTheStart(t *testing.T) {
	eachStep(t, func(t *testing.T, s *simulation, step string, rank int) {
		s.interject = func(p *process, at string) error {
			if at == step && p.rank == rank {
				return errTest
			}
			return nil
		}
		s.run()
		s.statuses(result.ExitFailed)
		doc := s.document(s.json, result.Failed, result.ExitFailed)
		if len(doc.Errors) != 1 || doc.Errors[0].Phase != result.PhaseStart || len(doc.Cases) != 0 ||
			!strings.HasPrefix(doc.Errors[0].Message, fmt.Sprintf("rank %d (", rank)) {
			t.Errorf("errors %+v", doc.Errors)
		}
		for _, p := range s.ranks {
			if said := strings.Count(p.stderr.String(), "h5perf: "); (p.rank == 0) != (said == 1) {
				t.Errorf("rank %d says %q", p.rank, p.stderr.String())
			}
		}
	})
}

func TestASignalAtEachStepOfTheStart(t *testing.T) {
	eachStep(t, func(t *testing.T, s *simulation, step string, rank int) {
		s.interject = func(p *process, at string) error {
			if at == step && p.rank == rank {
				p.kill()
			}
			return nil
		}
		s.run()
		s.statuses(result.ExitStopped)
		doc := s.document(s.json, result.Interrupted, result.ExitStopped)
		if len(doc.Errors) != 1 || doc.Errors[0].Phase != result.PhaseSignal || len(doc.Cases) != 0 {
			t.Errorf("errors %+v", doc.Errors)
		}
		if said := s.ranks[0].stderr.String(); !strings.Contains(said, "by SIGTERM") {
			t.Errorf("rank 0 says %q", said)
		}
	})
}

func TestAStepThatFailsByItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(s *simulation)
		want   string
	}{
		"no directory": {func(s *simulation) { s.base = file }, "private directory for data files"},
		"another directory on one rank": {func(s *simulation) {
			s.interject = func(p *process, step string) error {
				if step == "hosts" && p.rank == 1 {
					p.job.Prefix = "HDF5_PREFIX_OF_ANOTHER"
				}
				return nil
			}
		}, "all ranks need the same"},
		"no tree of results": {func(s *simulation) { s.arms[0].Results = file }, "tree of results"},
		"no striping":        {func(s *simulation) { s.arms[0].Stripe = "4" }, "--stripe 4"},
		"directory not seen": {func(s *simulation) {
			s.interject = func(p *process, step string) error {
				if step == "make" && p.rank == 0 {
					return os.RemoveAll(p.job.arms[0].dir.Path)
				}
				return nil
			}
		}, "it must be on a file system that all nodes share"},
		"no report": {func(s *simulation) {
			dir := filepath.Join(filepath.Dir(s.base), "gone")
			s.arms[0].Output = filepath.Join(dir, "report")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			s.interject = func(p *process, step string) error {
				if step == "see" && p.rank == 0 {
					return os.Remove(dir)
				}
				return nil
			}
		}, "gone: no such file or directory; create the directory"},
		"standard output closed": {func(s *simulation) {
			s.interject = func(p *process, _ string) error {
				p.stdout.fail = errTest
				return nil
			}
		}, errTest.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulation(t, 2)
			base := s.base
			c.change(s)
			s.run()
			s.statuses(result.ExitFailed)
			doc := s.document(s.json, result.Failed, result.ExitFailed)
			if len(doc.Errors) != 1 || !strings.Contains(doc.Errors[0].Message, c.want) {
				t.Errorf("errors %+v, want one with %q", doc.Errors, c.want)
			}
			if !strings.Contains(plaintest.Unwrap(s.ranks[0].stderr.String()), c.want) {
				t.Errorf("rank 0 says %q", s.ranks[0].stderr.String())
			}
			s.base = base
			s.clean()
		})
	}
}

// currentCase reports whether a step of the engine is the second transfer of the write phase.
func at(s null.Step) bool {
	return s.Phase == null.Transfer && s.Op == workload.Write && s.Transfer == 1
}

func TestACaseThatFails(t *testing.T) {
	for _, rank := range []int{0, 2} {
		s := newSimulation(t, 3)
		s.fails = func(p *process, _ int, step null.Step) error {
			if at(step) && p.rank == rank {
				return errTest
			}
			return nil
		}
		s.run()
		s.statuses(result.ExitFailed)
		doc := s.document(s.json, result.Failed, result.ExitFailed)
		failed := slices.DeleteFunc(doc.Cases, func(c result.Case) bool { return c.State != result.Failed })
		if len(failed) == 0 || failed[0].Error.Rank != rank || len(failed[0].Samples) != 0 {
			t.Errorf("cases %+v", failed)
		}
		if said := s.ranks[0].stderr.String(); !strings.Contains(said, errTest.Error()) ||
			!strings.Contains(said, "transfer") {
			t.Errorf("rank 0 says %q", said)
		}
		s.clean()
	}
}

func TestASignalDuringACase(t *testing.T) {
	for _, rank := range []int{0, 2} {
		s := newSimulation(t, 3)
		s.fails = func(p *process, _ int, step null.Step) error {
			if at(step) && step.Path != "" && p.rank == rank && !p.job.stop.IsSet() {
				p.kill()
			}
			return nil
		}
		s.run()
		s.statuses(result.ExitStopped)
		doc := s.document(s.json, result.Interrupted, result.ExitStopped)
		if c := doc.Cases[len(doc.Cases)-1]; c.State != result.Interrupted {
			t.Errorf("case %+v", c)
		}
		if said := s.ranks[0].stderr.String(); !strings.Contains(said, "h5perf: interrupted by ") {
			t.Errorf("rank 0 says %q", said)
		}
		s.clean()
	}
}

// A process that hangs cannot agree on the end. After the grace, the process that failed ends the job.
func TestARankThatDoesNotAnswer(t *testing.T) {
	for _, c := range []struct{ fails, hangs int }{{0, 1}, {1, 0}, {2, 1}} {
		t.Run(fmt.Sprintf("rank %d fails and rank %d hangs", c.fails, c.hangs), func(t *testing.T) {
			s := newSimulation(t, 3)
			s.impatient = true
			s.fails = func(p *process, _ int, step null.Step) error {
				switch {
				case at(step) && p.rank == c.fails:
					return errTest
				case at(step) && p.rank == c.hangs:
					p.hang()
				}
				return nil
			}
			s.run()
			doc := s.document(s.json, result.Failed, result.ExitFailed)
			if len(doc.Errors) != 1 || doc.Errors[0].Rank != c.fails ||
				!strings.Contains(doc.Errors[0].Message, errTest.Error()) {
				t.Errorf("errors %+v", doc.Errors)
			}
			if last := doc.Cases[len(doc.Cases)-1]; last.State != result.Failed {
				t.Errorf("case %+v", last)
			}
			if said := s.allSaid(); strings.Count(said, "the job is ended") != 1 ||
				!strings.Contains(s.ranks[0].stderr.String(), "h5perf: the job is ended: write, ") {
				t.Errorf("the ranks say %q", said)
			}
			if status := s.ranks[0].status; status != result.ExitFailed {
				t.Errorf("rank 0 ends with %d", status)
			}
			s.clean()
		})
	}
}

// Opening files took long, so a process that failed waits longer for the one that hangs.
func TestARankThatDoesNotAnswerIsWaitedForAsLongAsOpensTook(t *testing.T) {
	for _, c := range []struct {
		seen, hang, deadline time.Duration
		want                 time.Duration
	}{
		{0, 0, 0, bench.Grace},
		{700 * time.Millisecond, 0, 0, bench.Grace},
		{5 * time.Second, 0, 0, 20 * time.Second},
		{time.Hour, 0, 0, bench.MaxPatience},
		{time.Hour, 40 * time.Second, 0, 40 * time.Second},
		{time.Hour, 0, 30 * time.Second, 30 * time.Second}, // minus the time that has passed
	} {
		s := newSimulation(t, 3)
		s.grace, s.hang, s.arms[0].Deadline.In = bench.Grace, c.hang, c.deadline
		waits := make(chan time.Duration, 1)
		s.wait = func(p *process, d time.Duration) (<-chan time.Time, bool) {
			if p != nil || d < bench.Grace {
				return nil, false
			}
			waits <- d
			return time.After(0), true
		}
		s.fails = func(p *process, _ int, step null.Step) error {
			switch {
			case step.Phase != null.Open:
			case p.rank == 1:
				p.patience.NoteCall(c.seen)
				return errTest
			case p.rank == 2:
				p.hang()
			}
			return nil
		}
		s.run()
		s.document(s.json, result.Failed, result.ExitFailed)
		if got := <-waits; got > c.want || got < c.want && c.deadline == 0 {
			t.Errorf("%+v: it waits for %v", c, got)
		}
		s.clean()
	}
}

func TestARankThatDoesNotAnswerAtTheStart(t *testing.T) {
	s := newSimulation(t, 2)
	s.impatient = true
	s.interject = func(p *process, step string) error {
		switch {
		case step == "make" && p.rank == 1:
			p.hang()
		case step == "make":
			return errTest
		}
		return nil
	}
	s.run()
	doc := s.document(s.json, result.Failed, result.ExitFailed)
	if len(doc.Errors) != 1 || doc.Errors[0].Phase != result.PhaseStart ||
		!strings.Contains(doc.Errors[0].Message, mpi.ErrNoAgreement.Error()) {
		t.Errorf("errors %+v", doc.Errors)
	}
	if p := s.ranks[0]; p.status != result.ExitFailed ||
		!strings.Contains(p.stderr.String(), "the job is ended: start: rank 0") {
		t.Errorf("rank 0 ends with %d and says %q", p.status, p.stderr.String())
	}
	s.clean()
}

// Nobody reads the output of the run, so the measuring goroutine hangs while it holds the lock of the report.
func TestASignalWhileTheReportHangs(t *testing.T) {
	s := newSimulation(t, 1)
	s.impatient = true
	s.interject = func(p *process, step string) error {
		if step == "report" {
			p.stdout.hang = func() {
				p.kill()
				p.hang()
			}
		}
		return nil
	}
	s.run()
	s.statuses(result.ExitStopped)
	s.document(s.json, result.Interrupted, result.ExitStopped)
	s.clean()
}

// Nobody reads a stream. The run ends by itself, without waiting for the grace.
func TestASignalWhileNobodyReads(t *testing.T) {
	for name, of := range map[string]func(p *process) *locked{
		"standard output": func(p *process) *locked { return &p.stdout },
		"standard error":  func(p *process) *locked { return &p.stderr },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulation(t, 1)
			forever := make(chan struct{})
			defer close(forever)
			s.fails = func(p *process, _ int, step null.Step) error {
				if at(step) && step.Path != "" {
					of(p).hang = func() { <-forever }
					p.kill()
				}
				return nil
			}
			s.run()
			s.statuses(result.ExitStopped)
			s.document(s.json, result.Interrupted, result.ExitStopped)
			s.clean()
		})
	}
}

// stored returns the paths of the files in a tree.
func stored(dir string) (paths []string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, _ error) error {
		if !entry.IsDir() {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// If the exit status says that a run failed, no document says that it is complete.
func TestOutputsThatCannotBeWrittenFailTheRunInAllDocuments(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	full := func(s *simulation) {
		s.fails = func(p *process, _ int, step null.Step) error {
			if at(step) {
				p.stdout.mu.Lock()
				p.stdout.fail = syscall.ENOSPC
				p.stdout.mu.Unlock()
			}
			return nil
		}
	}
	for name, prepare := range map[string]func(s *simulation) []string{
		"report": func(s *simulation) []string { return []string{s.json} },
		"summary": func(s *simulation) []string {
			s.arms[0].Form = report.FormSummary
			return []string{s.json}
		},
		"document on standard output": func(s *simulation) []string {
			s.arms[0].JSON, s.arms[0].Results = "-", filepath.Dir(s.json)
			return nil
		},
		"comparison": func(s *simulation) []string {
			two, jsonB := pair(s.t)
			s.arms, s.plan = two.arms, two.plan
			return []string{two.json, jsonB}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulation(t, 1)
			paths := prepare(s)
			full(s)
			s.run()
			s.statuses(result.ExitFailed)
			said := plaintest.Unwrap(s.ranks[0].stderr.String())
			if paths == nil {
				paths = stored(s.arms[0].Results)
				if len(paths) != 1 || !strings.Contains(said, "it is in "+paths[0]) {
					t.Errorf("documents %v; it says %q", paths, said)
				}
			}
			for _, path := range paths {
				doc := s.document(path, result.Failed, result.ExitFailed)
				if name != "report" && (len(doc.Errors) != 1 || doc.Errors[0].Phase != result.PhaseOutput) {
					t.Errorf("errors %+v", doc.Errors)
				}
			}
			if strings.Count(said, "no space left on device") != 1 {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// If the document cannot be written any more, later measurements would be lost.
func TestARunEndsWhenItsDocumentCannotBeWritten(t *testing.T) {
	s := newSimulation(t, 2)
	s.arms[0].Results, s.arms[0].JSON = t.TempDir(), filepath.Join(s.base, "elsewhere", "run.json")
	if err := os.Mkdir(filepath.Dir(s.arms[0].JSON), 0o700); err != nil {
		t.Fatal(err)
	}
	s.plan = func(_ int, job plan.JobFacts) (plan.Plan, error) {
		o := smallest()
		o.MaxTransferSize = new(uint64(64 << 10)) // three cases for each number of processes
		return plan.New(o, job)
	}
	s.fails = func(p *process, _ int, step null.Step) error {
		if at(step) && p.rank == 0 {
			return os.RemoveAll(filepath.Dir(s.arms[0].JSON))
		}
		return nil
	}
	s.run()
	if p := s.ranks[0]; p.status != result.ExitFailed ||
		!strings.Contains(p.stderr.String(), "the job is ended: output: ") {
		t.Errorf("rank 0 ends with %d and says %q", p.status, p.stderr.String())
	}
	paths := stored(s.arms[0].Results)
	if len(paths) != 1 {
		t.Fatalf("documents %v", paths)
	}
	doc := s.document(paths[0], result.Failed, result.ExitFailed)
	if len(doc.Errors) != 1 || doc.Errors[0].Phase != result.PhaseOutput || len(doc.Cases) != 1 ||
		doc.Cases[0].State != result.Complete {
		t.Errorf("errors %+v, cases %+v", doc.Errors, doc.Cases)
	}
	s.clean()
}

func TestARunGoesOnWithoutItsWatcher(t *testing.T) {
	s := newSimulation(t, 1)
	s.fails = func(p *process, _ int, step null.Step) error {
		if at(step) {
			p.watchers[0].kill()
			p.loseWatchers()
		}
		return nil
	}
	s.run()
	s.statuses(result.ExitOK)
	doc := s.document(s.json, result.Complete, result.ExitOK)
	if len(doc.Notes) != 1 || !strings.Contains(doc.Notes[0], io.ErrClosedPipe.Error()) || len(doc.Errors) != 0 {
		t.Errorf("notes %q, errors %+v", doc.Notes, doc.Errors)
	}
	if said := s.ranks[0].stderr.String(); !strings.Contains(said, "rank 0: ") {
		t.Errorf("it says %q", said)
	}
}

func TestADocumentIsDeliveredOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSimulation(t, 1)
	s.arms[0].JSON = "-"
	s.run()
	o := s.ranks[0].job.arms[0].out
	before := s.ranks[0].stdout.String()
	if err := o.deliverDocument(o.recorder.Document(), errTest); !errors.Is(err, errTest) ||
		before != s.ranks[0].stdout.String() {
		t.Errorf("error %v, standard output %q", err, s.ranks[0].stdout.String())
	}
}

func TestASignalWhileAProcessHangs(t *testing.T) {
	s := newSimulation(t, 2)
	s.impatient = true
	s.arms = append(s.arms, Request{})
	s.fails = func(p *process, _ int, step null.Step) error {
		if at(step) && p.rank == 1 {
			p.kill()
			p.hang()
		}
		return nil
	}
	s.run()
	doc := s.document(s.json, result.Interrupted, result.ExitStopped)
	if len(doc.Errors) != 1 || doc.Errors[0].Rank != 1 || doc.Errors[0].Phase != result.PhaseSignal {
		t.Errorf("errors %+v", doc.Errors)
	}
	s.statuses(result.ExitStopped, gone) // rank 0, to which the error was sent, ends the job
	if p := s.ranks[0]; !p.watchers[0].woken.Load() {
		t.Error("the watcher that has the rest to do was not woken")
	}
	if said := s.allSaid(); strings.Count(said, "the job is ended: signal") != 1 {
		t.Errorf("the ranks say %q", said)
	}
	if out := s.ranks[0].stdout.String(); out != "interrupted and interrupted\n" {
		t.Errorf("the comparison is %q", out)
	}
	s.clean()
}

// The watchdog of any process may end the job at any time. A call that it found hung may return while the job is being
// ended. The run must not succeed then.
func TestACallThatReturnsTooLate(t *testing.T) {
	for _, rank := range []int{0, 1} {
		s := newSimulation(t, 2)
		var once sync.Once
		s.fails = func(p *process, _ int, step null.Step) error {
			if p.rank == rank && at(step) {
				once.Do(func() {
					go p.job.ender.abortHungJob(bench.Activity{Phase: "write"}, "hangs: as the test asked")
					for !p.job.ender.ending.Load() {
						runtime.Gosched()
					}
				})
			}
			return nil
		}
		s.run()
		for _, p := range s.ranks {
			if p.status == result.ExitOK {
				t.Errorf("rank %d ends with 0", p.rank)
			}
		}
		s.document(s.json, result.Failed, result.ExitFailed)
		if said := s.ranks[0].stdout.String(); strings.Contains(said, "Throughput") {
			t.Errorf("rank %d: the report shows a result:\n%s", rank, said)
		}
		s.clean()
	}
}

func TestACallThatHangs(t *testing.T) {
	for _, where := range append(steps(), "transfer") {
		for _, rank := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s on rank %d", where, rank), func(t *testing.T) {
				s := newSimulation(t, 2)
				hang := func(p *process) {
					if p.rank == rank {
						at := bench.Activity{Phase: "open", Operation: "write", File: 1}
						p.job.ender.abortHungJob(at, "hangs: as the test asked")
					}
				}
				if where == "transfer" {
					s.fails = func(p *process, _ int, step null.Step) error {
						if at(step) {
							hang(p)
						}
						return nil
					}
				}
				s.interject = func(p *process, step string) error {
					if step == where {
						hang(p)
					}
					return nil
				}
				s.run()
				doc := s.document(s.json, result.Failed, result.ExitFailed)
				if len(doc.Errors) != 1 || doc.Errors[0].Rank != rank || doc.Errors[0].Phase != "open" ||
					doc.Errors[0].File != 1 {
					t.Errorf("errors %+v", doc.Errors)
				}
				if said := s.allSaid(); strings.Count(said, "the job is ended") != 1 ||
					!strings.Contains(said, "hangs: as the test asked") {
					t.Errorf("the ranks say %q", said)
				}
				s.clean()
			})
		}
	}
}

// The node of rank 0 fails with its watcher. The watcher of the other node ends the document and removes the data
// files.
func TestTheDeputy(t *testing.T) {
	s := newSimulation(t, 4)
	s.node = func(rank int) int { return rank / 2 }
	s.fails = func(p *process, _ int, step null.Step) error {
		if at(step) && p.rank < 2 {
			if p.rank == 0 {
				s.kill() // the launcher notices that a process has ended
			}
			p.loseNode()
		}
		return nil
	}
	s.run()
	s.statuses(gone)
	doc := s.document(s.json, result.Failed, gone)
	if len(doc.Errors) != 1 || doc.Errors[0].Phase != "process" || doc.Errors[0].Rank != 0 || doc.Job.Nodes != 2 ||
		!strings.Contains(doc.Errors[0].Message, "reported by the watcher on") {
		t.Errorf("%d nodes, errors %+v", doc.Job.Nodes, doc.Errors)
	}
	s.clean()
}

func TestAProcessThatIsKilled(t *testing.T) {
	s := newSimulation(t, 2)
	s.fails = func(p *process, _ int, step null.Step) error {
		if at(step) {
			if p.rank == 0 {
				s.kill()
			}
			p.hang()
		}
		return nil
	}
	s.run()
	s.statuses(gone)
	doc := s.document(s.json, result.Failed, gone)
	if len(doc.Errors) != 1 || doc.Errors[0].Phase != "process" ||
		doc.Cases[len(doc.Cases)-1].State != result.Interrupted {
		t.Errorf("errors %+v", doc.Errors)
	}
	s.clean()
}

// pair makes two arms, each with its own engine.
func pair(t *testing.T) (s *simulation, jsonB string) {
	s = newSimulation(t, 2)
	jsonB = filepath.Join(t.TempDir(), "b.json")
	s.arms = append(s.arms, Request{JSON: jsonB})
	s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) {
		o := smallest()
		o.APIs = []string{[]string{result.POSIX, result.MPIIO}[arm]}
		o.Order = option.OrderRandom
		return plan.New(o, at)
	}
	return s, jsonB
}

func TestTwoArms(t *testing.T) {
	s, jsonB := pair(t)
	s.arms[0].Identity.Label, s.arms[1].Identity.Label = "nightly", "nightly"
	s.run()
	s.statuses(result.ExitOK)
	a, b := s.document(s.json, result.Complete, result.ExitOK), s.document(jsonB, result.Complete, result.ExitOK)
	if a.Pair.PartnerRunID != b.RunID || b.Pair.PartnerRunID != a.RunID || a.Pair.Seed != b.Pair.Seed ||
		a.Pair.Arm+b.Pair.Arm != "AB" {
		t.Errorf("pairs %+v and %+v", a.Pair, b.Pair)
	}
	if a.Identity.Label != "nightly-A" || b.Identity.Label != "nightly-B" {
		t.Errorf("labels %s and %s, with which a series of runs has arms, too", a.Identity.Label, b.Identity.Label)
	}
	if out := s.ranks[0].stdout.String(); out != "complete and complete\n" {
		t.Errorf("standard output %q, want the comparison alone", out)
	}
	s.clean()
}

func TestMoreProcessesThanProcessorsAreACaution(t *testing.T) {
	s, jsonB := pair(t)
	s.cpus = "7"
	s.run()
	s.statuses(result.ExitOK)
	said := plaintest.Unwrap(s.ranks[0].stderr.String())
	for path, arm := range map[string]string{s.json: "A", jsonB: "B"} {
		doc := s.document(path, result.Complete, result.ExitOK)
		caution := fmt.Sprintf("Node %s runs %d processes on 1 processor (7); the processes share processors, so the "+
			"results are like those of a run with fewer processes.", doc.Machine.Host, s.processes)
		if doc.Job.Placement[0].CPUs != 1 {
			t.Errorf("placement %+v", doc.Job.Placement)
		}
		if n := strings.Count(said, "h5perf: Caution: "+arm+": "+caution+" "); n != 1 {
			t.Errorf("%d times in %q", n, said)
		}
	}
}

func TestTwoArmsOfWhichOneFails(t *testing.T) {
	s, jsonB := pair(t)
	s.fails = func(p *process, arm int, step null.Step) error {
		if arm == 1 && at(step) && p.rank == 1 {
			return errTest
		}
		return nil
	}
	s.run()
	s.statuses(result.ExitFailed)
	s.document(s.json, result.Complete, result.ExitOK)
	s.document(jsonB, result.Failed, result.ExitFailed)
	if out := s.ranks[0].stdout.String(); out != "complete and failed\n" {
		t.Errorf("standard output %q, want the comparison alone", out)
	}
	if said := s.ranks[0].stderr.String(); !strings.Contains(said, "h5perf: B: MPI-IO, 2 processes, ") {
		t.Errorf("rank 0 says %q", said)
	}
	s.clean()
}

func TestManyArmsOfWhichOneFails(t *testing.T) {
	s, jsonB := pair(t)
	jsonC := filepath.Join(t.TempDir(), "c.json")
	s.arms = append(s.arms, Request{JSON: jsonC})
	s.cpus = "7"
	plans := s.plan
	s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) { return plans(arm%2, at) } // C is the same as A
	s.fails = func(_ *process, arm int, step null.Step) error {
		if arm == 1 && at(step) {
			return errTest
		}
		return nil
	}
	s.run()
	s.statuses(result.ExitFailed)
	a, b := s.document(s.json, result.Complete, result.ExitOK), s.document(jsonB, result.Failed, result.ExitFailed)
	c := s.document(jsonC, result.Complete, result.ExitOK)
	if a.Pair.PartnerRunID != b.RunID || b.Pair.PartnerRunID != a.RunID || c.Pair.PartnerRunID != a.RunID ||
		c.Pair.Arm != "C" {
		t.Errorf("pairs %+v, %+v and %+v of %s", a.Pair, b.Pair, c.Pair, a.RunID)
	}
	if out := s.ranks[0].stdout.String(); out != "complete and failed and complete\n" {
		t.Errorf("standard output %q, want the comparison alone", out)
	}
	said := s.ranks[0].stderr.String()
	if strings.Count(said, "runs 2 processes on 1 processor (7)") != 1 || !strings.Contains(said,
		", A to C need at ") ||
		strings.Count(said, "h5perf: Note: each of A to C: ") != 1 {
		t.Errorf("what is the same for all is not told once in %q", said)
	}
	s.clean()
}

func TestTwoArmsOfWhichOneCannotBegin(t *testing.T) {
	s, jsonB := pair(t)
	s.arms[1].Variables = map[string]string{"HDF5_PARAPREFIX": filepath.Join(s.base, "missing")}
	s.run()
	s.statuses(result.ExitFailed)
	for _, path := range []string{s.json, jsonB} {
		doc := s.document(path, result.Failed, result.ExitFailed)
		if !strings.Contains(doc.Errors[0].Message, "B: private directory") {
			t.Errorf("errors %+v", doc.Errors)
		}
	}
	s.clean()
}

// A variant that cannot begin is left out, and the others are measured.
func TestVariantsOfWhichOneCannotBegin(t *testing.T) {
	s, jsonB := pair(t)
	jsonC := filepath.Join(t.TempDir(), "c.json")
	s.arms = append(s.arms, Request{JSON: jsonC})
	for i, name := range []string{"as it is", "b=1", "c=1"} {
		s.arms[i].Variant = name
	}
	plans := s.plan
	s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) { return plans(min(arm, 1), at) }
	s.arms[1].Variables = map[string]string{"HDF5_PARAPREFIX": filepath.Join(s.base, "missing")}
	s.run()
	s.statuses(result.ExitOK)
	s.document(s.json, result.Complete, result.ExitOK)
	doc := s.document(jsonB, result.Failed, result.ExitFailed)
	if len(doc.Errors) != 1 || !strings.Contains(doc.Errors[0].Message, "missing") {
		t.Errorf("errors %+v", doc.Errors)
	}
	if c := s.document(jsonC, result.Complete, result.ExitOK); c.Pair.Arm != "C" || len(c.Cases) == 0 {
		t.Errorf("pair %+v, %d cases", c.Pair, len(c.Cases))
	}
	if out := s.ranks[0].stdout.String(); out != "complete and complete\n" {
		t.Errorf("standard output %q", out)
	}
	s.clean()
}

// If no variant can begin, the reasons of all are told.
func TestVariantsOfWhichNoneCanBegin(t *testing.T) {
	s, _ := pair(t)
	s.arms = append(s.arms, Request{})
	for i, name := range []string{"as it is", "b=1", "c=1"} {
		s.arms[i].Variant = name
	}
	plans := s.plan
	s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) { return plans(min(arm, 1), at) }
	s.arms[1].Variables = map[string]string{"HDF5_PARAPREFIX": filepath.Join(s.base, "x")}
	s.arms[2].Variables = map[string]string{"HDF5_PARAPREFIX": filepath.Join(s.base, "y")}
	s.run()
	s.statuses(result.ExitFailed)
	_, told, _ := strings.Cut(s.ranks[0].stderr.String(), "no variant can be measured: ")
	for _, want := range []string{"b=1: ", "/x", "; c=1: ", "/y"} {
		if !strings.Contains(told, want) {
			t.Errorf("no %q in %q", want, told)
		}
	}
	s.clean()
}

// A search claims a gain, so that a variant that writes other amounts is left out, with the reason.
func TestASearchLeavesOutOtherWork(t *testing.T) {
	for _, stage := range []result.TuneStage{"", result.TuneSearch} {
		s, jsonB := pair(t)
		jsonC := filepath.Join(t.TempDir(), "c.json")
		s.arms = append(s.arms, Request{JSON: jsonC})
		for i, name := range []string{"as it is", "d=2", "api=mpiio"} {
			s.arms[i].Variant, s.arms[i].Tune.Stage = name, stage
		}
		s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) {
			o := smallest()
			o.Order = option.OrderRandom
			switch arm {
			case 1:
				o.Datasets = new(2)
			case 2:
				o.APIs = []string{result.MPIIO}
			}
			return plan.New(o, at)
		}
		s.run()
		s.statuses(result.ExitOK)
		s.document(s.json, result.Complete, result.ExitOK)
		var left []plan.LeftOut
		if stage != "" {
			left = []plan.LeftOut{{
				Variant: "d=2", Reason: "it writes 384 KiB instead of 192 KiB, so that times cannot be compared",
			}}
		} else {
			s.document(jsonB, result.Complete, result.ExitOK)
		}
		if got := s.ranks[0].job.LeftOut; !slices.Equal(got, left) {
			t.Errorf("stage %q: left out %+v, want %+v", stage, got, left)
		}
		if c := s.document(jsonC, result.Complete, result.ExitOK); len(c.Cases) == 0 {
			t.Errorf("stage %q: the other variant was not measured", stage)
		}
		s.clean()
	}
}

// If no variant can be measured, the reasons of all are told, since each may be a mistake of its own.
func TestWhyNoVariantCanBeMeasured(t *testing.T) {
	s, _ := pair(t)
	s.arms = append(s.arms, Request{}, Request{})
	for i, name := range []string{"as it is", "w=x", "w=y", "w=collective"} {
		s.arms[i].Variant = name
	}
	s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) {
		if arm == 1 || arm == 2 {
			return plan.Plan{}, errors.New("there is no such word")
		}
		return plan.New(smallest(), at)
	}
	s.run()
	s.statuses(result.ExitUsage)
	want := "no variant can be measured: w=x; w=y: there is no such word; " +
		"w=collective: it is what the configuration has already"
	if err := s.ranks[0].refused; err == nil || err.Error() != want {
		t.Errorf("refused: %v, want %q", err, want)
	}
}

// A variant with a hint is left out if nothing uses MPI-IO, but not one that only keeps a hint of the configuration.
func TestVariantsOfHintsWithoutEffectAreLeftOut(t *testing.T) {
	s, _ := pair(t)
	jsonC := filepath.Join(t.TempDir(), "c.json")
	s.arms = append(s.arms, Request{JSON: jsonC})
	for i, name := range []string{"as it is", "cb_nodes=2", "verify=on"} {
		s.arms[i].Variant = name
	}
	s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) {
		o := smallest()
		o.Order, o.MPIIO.Hints = option.OrderRandom, []units.KeyValue{{Key: "cb_nodes", Value: "1"}}
		switch arm {
		case 1:
			o.MPIIO.Hints[0].Value = "2"
		case 2:
			o.Verify = true
		}
		return plan.New(o, at)
	}
	s.run()
	s.statuses(result.ExitOK)
	want := []plan.LeftOut{{
		Variant: "cb_nodes=2", Reason: "hints have no effect: no API that is measured uses MPI-IO",
	}}
	if got := s.ranks[0].job.LeftOut; !slices.Equal(got, want) {
		t.Errorf("left out %+v, want %+v", got, want)
	}
	s.document(jsonC, result.Complete, result.ExitOK)
	s.clean()
}

func TestWhatCannotBePushedDoesNotFailTheRun(t *testing.T) {
	spool := t.TempDir()
	t.Setenv("H5PERF_SPOOL", spool)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not today", http.StatusBadRequest) // a permanent error
	}))
	defer gateway.Close()
	s := newSimulation(t, 2)
	s.arms[0].Pushgateway = gateway.URL
	s.run()
	s.statuses(result.ExitOK)
	s.document(s.json, result.Complete, result.ExitOK)
	said := plaintest.Unwrap(s.ranks[0].stderr.String())
	for _, want := range []string{"h5perf: the metrics were not pushed: ", "not today", "kept in " + spool} {
		if !strings.Contains(said, want) {
			t.Errorf("rank 0 does not say %q: %s", want, said)
		}
	}
	if n := strings.Count(said, "h5perf: the "); n != 1 {
		t.Errorf("%d lines about what cannot be pushed: %s", n, said)
	}
	s.clean()
}

func TestATextfileThatCannotBeWrittenIsAFailure(t *testing.T) {
	s := newSimulation(t, 2)
	s.arms[0].Textfile = filepath.Join(t.TempDir(), "h5perf.prom")
	s.interject = func(*process, string) error { // blocks the path of the textfile
		return os.MkdirAll(s.arms[0].Textfile, 0o700)
	}
	s.run()
	s.statuses(result.ExitFailed)
	doc := s.document(s.json, result.Failed, result.ExitFailed)
	if said := plaintest.Unwrap(s.ranks[0].stderr.String()); len(doc.Errors) != 1 ||
		doc.Errors[0].Phase != result.PhaseOutput || !strings.Contains(said, "h5perf.prom: is a directory") {
		t.Errorf("errors %+v, rank 0 says %s", doc.Errors, said)
	}
	s.clean()
}

func TestFilesThatAreKeptAreNamed(t *testing.T) {
	s := newSimulation(t, 1)
	s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
		o := smallest()
		o.Keep = true
		return plan.New(o, at)
	}
	s.run()
	s.statuses(result.ExitOK)
	doc := s.document(s.json, result.Complete, result.ExitOK)
	kept, err := filepath.Glob(filepath.Join(s.base, "*", "data_*_1.posix"))
	if err != nil || len(kept) != 1 ||
		!strings.Contains(plaintest.Unwrap(s.ranks[0].stderr.String()),
			filepath.Dir(kept[0])+": "+filepath.Base(kept[0])) {
		t.Errorf("kept is %v, and said %q", kept, s.ranks[0].stderr.String())
	}
	if !strings.Contains(strings.Join(doc.Notes, "\n"), "Data files are kept in") {
		t.Errorf("notes %q", doc.Notes)
	}
}

func TestForeignFilesInThePrivateDirectoryFailTheRun(t *testing.T) {
	s := newSimulation(t, 1)
	s.fails = func(p *process, _ int, step null.Step) error {
		if at(step) {
			p.loseWatchers() // they would try for long
			return os.WriteFile(filepath.Join(filepath.Dir(step.Path), "foreign"), nil, 0o600)
		}
		return nil
	}
	s.run()
	s.statuses(result.ExitFailed)
	s.document(s.json, result.Failed, result.ExitFailed)
	if said := s.ranks[0].stderr.String(); !strings.Contains(said, "foreign") {
		t.Errorf("rank 0 says %q", said)
	}
}

func TestADocumentThatCannotBeMadeIsToldOnce(t *testing.T) {
	s := newSimulation(t, 2)
	s.arms[0].JSON = "/proc/run.json"
	s.run()
	s.statuses(result.ExitFailed)
	if text := s.ranks[0].stderr.String(); strings.Count(text, "no new file can be created in /proc") != 1 {
		t.Error(text)
	}
	s.clean()
}

func TestADeadlineIsToldAndPassedOn(t *testing.T) {
	s := newSimulation(t, 2)
	s.arms[0].Deadline = Deadline{In: time.Hour}
	s.run()
	s.statuses(result.ExitOK)
	doc := s.document(s.json, result.Complete, result.ExitOK)
	if !slices.ContainsFunc(doc.Notes, func(n string) bool { return strings.HasPrefix(n, "The run ends by ") }) {
		t.Errorf("notes %q", doc.Notes)
	}
}

func TestCasesWithoutTimeFailTheRunInBothArms(t *testing.T) {
	s, jsonB := pair(t)
	s.arms[0].Deadline = Deadline{In: 1} // it has passed before the first case begins
	s.run()
	s.statuses(result.ExitFailed)
	for _, path := range []string{s.json, jsonB} {
		doc := s.document(path, result.Failed, result.ExitFailed)
		if len(doc.Cases) == 0 || doc.Cases[0].State != result.Skipped {
			t.Errorf("cases %+v", doc.Cases)
		}
		said := fmt.Sprintf(": %d of %[1]d cases were skipped: the deadline came before their first iteration; ",
			len(doc.Cases))
		if n := strings.Count(s.ranks[0].stderr.String(), said); n != 2 {
			t.Errorf("%d times %q in %q", n, said, s.ranks[0].stderr.String())
		}
	}
	s.clean()
}

func TestAnotherRunInTheSameTreeIsTold(t *testing.T) {
	s := newSimulation(t, 2)
	early, late := filepath.Join(s.base, "h5perf-20260101T000000Z-0000000001"),
		filepath.Join(s.base, "h5perf-20260101T000000Z-0000000002")
	appear := func(path string) {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Error(err)
		}
	}
	appear(early)
	s.fails = func(p *process, _ int, step null.Step) error {
		if _, err := os.Stat(late); err != nil && p.rank == 0 && step.Phase == null.Open {
			appear(late)
		}
		return nil
	}
	s.run()
	s.statuses(result.ExitOK)
	doc := s.document(s.json, result.Complete, result.ExitOK)
	for _, path := range []string{early, late} {
		text := "Another run of h5perf may be active in " + path + ": both share the file system, so the results " +
			"of both may be too low."
		is := func(c plain.Caution) bool { return c.Text == text }
		if !slices.ContainsFunc(doc.Cautions, is) ||
			strings.Count(plaintest.Unwrap(s.ranks[0].stderr.String()), text) != 1 {
			t.Errorf("no %q, or more than one, in %q\n%s", text, doc.Cautions, s.ranks[0].stderr.String())
		}
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}
