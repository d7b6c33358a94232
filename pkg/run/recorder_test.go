package run_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

func read(t *testing.T, path string) result.Document {
	t.Helper()
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func begin(t *testing.T) (*run.Recorder, string) {
	t.Helper()
	return beginOn(t, result.Machine{})
}

func beginOn(t *testing.T, machine result.Machine) (*run.Recorder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	r := run.NewRecorder(result.Document{
		SchemaVersion: result.Version, RunID: "id", State: result.Running, Machine: machine,
		Parameters: result.Parameters{APIs: []string{"posix", "mpiio", "phdf5"}},
	}, time.Now)
	r.SetPaths(path)
	if err := r.Open(nil); err != nil {
		t.Fatal(err)
	}
	return r, path
}

var (
	complete = result.Case{API: "posix", State: result.Complete}
	failed   = result.Case{
		API: "mpiio", State: result.Failed, Error: &result.Error{Phase: "open", Message: "permission denied"},
	}
	sample = result.Sample{Operation: "write", Iteration: 1, Bytes: 3000, Access: result.Interval{WindowSeconds: 2}}
)

func keep(t *testing.T, r *run.Recorder, i int, s result.Sample, warmup bool) {
	t.Helper()
	if err := r.AddSample(i, s, warmup); err != nil {
		t.Error(err)
	}
}

func TestTheDocumentIsOnDiskWithASampleEveryTenSeconds(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "run.json"), time.Unix(0, 0)
	r := run.NewRecorder(result.Document{SchemaVersion: result.Version, RunID: "id", State: result.Running},
		func() time.Time { return now })
	r.SetPaths(path)
	if err := r.Open(nil); err != nil {
		t.Fatal(err)
	}
	r.BeginCase(0, result.Case{Processes: 2, API: "posix", State: result.Running})
	r.BeginCase(1, result.Case{Processes: 1, API: "posix", State: result.Running})
	for i, want := range []int{0, 0, 3, 3, 5} { // samples on disk after 4, 8, 12, 16 and 24 seconds
		now = now.Add([]time.Duration{4, 4, 4, 4, 8}[i] * time.Second)
		keep(t, r, i%2, sample, false)
		n := 0
		for _, c := range read(t, path).Cases {
			if n += len(c.Samples); c.State != result.Running {
				t.Errorf("a case is %s", c.State)
			}
		}
		if n != want {
			t.Errorf("%d samples on disk after sample %d, want %d", n, i+1, want)
		}
	}
	r.SetPaths("/no/such/run.json")
	now = now.Add(time.Minute)
	if err := r.AddSample(0, sample, false); err == nil {
		t.Error("no error of a document that cannot be written")
	}
}

func TestTheDocumentIsOnDiskAfterEveryCase(t *testing.T) {
	r, path := begin(t)
	if doc := read(t, path); doc.State != result.Running || len(doc.Cases) != 0 {
		t.Errorf("at first the document is %s with %d cases", doc.State, len(doc.Cases))
	}
	for i, c := range []result.Case{complete, failed} {
		r.BeginCase(i, result.Case{API: c.API, State: result.Running})
		if _, err := r.EndCase(i, c); err != nil {
			t.Error(err)
		}
		if doc := read(t, path); doc.State != result.Running || len(doc.Cases) != i+1 || doc.Cases[i].API != c.API {
			t.Errorf("after case %d the document is %s with %d cases", i+1, doc.State, len(doc.Cases))
		}
	}
	if _, err := r.Finish(result.Failed); err != nil {
		t.Fatal(err)
	}
	doc := read(t, path)
	if doc.State != result.Failed || doc.ExitStatus == nil || *doc.ExitStatus != 1 || doc.Finished == nil {
		t.Errorf("at last the document is %s, exit status %v", doc.State, doc.ExitStatus)
	}
	if len(doc.Errors) != 1 || doc.Errors[0].Message != "permission denied" {
		t.Errorf("errors %v, want that of the failed case", doc.Errors)
	}
}

func TestARunCutShortKeepsTheSamplesOfItsCase(t *testing.T) {
	r, path := begin(t)
	r.BeginCase(0, result.Case{API: "posix", State: result.Running})
	keep(t, r, 0, sample, false)
	if _, err := r.EndWithErrors([]result.Error{{Phase: result.PhaseSignal, Message: "SIGTERM"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.EndCase(0, failed); err != nil { // the main thread, after that of the signal
		t.Error(err)
	}
	if _, err := r.Finish(result.Complete); err != nil {
		t.Fatal(err)
	}
	doc := read(t, path)
	if doc.State != result.Interrupted || *doc.ExitStatus != 143 {
		t.Errorf("document is %s, exit status %d", doc.State, *doc.ExitStatus)
	}
	if len(doc.Cases) != 1 || doc.Cases[0].State != result.Interrupted || len(doc.Cases[0].Samples) != 1 {
		t.Errorf("cases %+v, want the one that ran, with its sample", doc.Cases)
	}
}

func TestEveryCopyIsWritten(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}
	r := run.NewRecorder(result.Document{SchemaVersion: result.Version, State: result.Running}, time.Now)
	r.SetPaths(paths...)
	if err := r.Open(nil); err != nil {
		t.Fatal(err)
	}
	r.BeginCase(0, result.Case{API: "posix", State: result.Running})
	if _, err := r.EndCase(0, complete); err != nil {
		t.Error(err)
	}
	if _, err := r.Finish(result.Complete); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if doc := read(t, path); doc.State != result.Complete || len(doc.Cases) != 1 {
			t.Errorf("%s is %s with %d cases", path, doc.State, len(doc.Cases))
		}
	}
}

func TestADocumentThatCannotBeWrittenIsAnError(t *testing.T) {
	r := run.NewRecorder(result.Document{}, time.Now)
	r.SetPaths("/no/such/run.json")
	if err := r.Open(nil); err == nil {
		t.Error("no error")
	}
}

func TestARunThatDoesNotBeginIsOnDiskOnlyAtItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	r := run.NewRecorder(result.Document{SchemaVersion: result.Version, RunID: "id", State: result.Running}, time.Now)
	r.SetPaths(path)
	r.ChangeDocument(func(doc *result.Document) { doc.Target.Directory = "/data" })
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("a document before the run began: %v", err)
	}
	if _, err := r.EndWithErrors([]result.Error{{Phase: "start", Message: "no directory"}}); err != nil {
		t.Fatal(err)
	}
	r.ChangeDocument(func(doc *result.Document) { doc.Target.Directory = "/elsewhere" })
	if err := r.Open(nil); err != nil {
		t.Fatal(err)
	}
	for _, doc := range []result.Document{read(t, path), r.Document()} {
		if doc.State != result.Failed || *doc.ExitStatus != 1 || doc.Target.Directory != "/data" ||
			len(doc.Errors) != 1 {
			t.Errorf("document %+v", doc)
		}
	}
}

func TestCasesThatRunInTurnsKeepTheirSamplesAndTheirPlace(t *testing.T) {
	r, path := begin(t)
	for _, i := range []int{2, 0, 1} {
		r.BeginCase(i, result.Case{API: []string{"posix", "mpiio", "phdf5"}[i], State: result.Running})
	}
	for iteration := range 3 {
		for i := range 3 {
			s := sample
			s.Iteration, s.Bytes = max(1, iteration), uint64(i)
			keep(t, r, i, s, iteration == 0)
		}
	}
	if c, err := r.EndCase(1, failed); err != nil || len(c.Samples) != 2 || len(c.Warmup) != 1 {
		t.Errorf("case ended with %d samples and %d to warm up, want 2 and 1", len(c.Samples), len(c.Warmup))
	}
	check := func(states ...result.State) {
		t.Helper()
		doc := read(t, path)
		if len(doc.Cases) != 3 {
			t.Fatalf("%d cases in the document", len(doc.Cases))
		}
		for i, c := range doc.Cases {
			if c.API != doc.Parameters.APIs[i] || c.State != states[i] || len(c.Samples) != 2 ||
				c.Samples[1].Bytes != uint64(i) || len(c.Warmup) != 1 {
				t.Errorf("case %d is %s of %s with samples %+v", i, c.State, c.API, c.Samples)
			}
		}
	}
	check(result.Running, result.Failed, result.Running)
	r.EndMeasurement()
	if _, err := r.Finish(result.Interrupted); err != nil {
		t.Fatal(err)
	}
	check(result.Interrupted, result.Failed, result.Interrupted)
	if c := read(t, path).Cases; c[1].Error == nil || c[0].Error != nil || c[0].Reason == "" || c[2].Error != nil {
		t.Errorf("not only the case that was at work has an error: %+v", c)
	}
}

func TestWhatIsFasterThanMemoryIsMarkedImplausible(t *testing.T) {
	for _, row := range []struct {
		copies float64
		nodes  int
		want   bool
	}{{1499, 1, true}, {1500, 1, false}, {1499, 2, false}, {0, 1, false}} {
		r, path := beginOn(t, result.Machine{MemoryCopyRate: row.copies})
		r.BeginCase(0, result.Case{API: "posix", Nodes: row.nodes, State: result.Running})
		keep(t, r, 0, sample, false) // 1500 bytes per second
		if _, err := r.EndCase(0, result.Case{API: "posix", Nodes: row.nodes, State: result.Complete}); err != nil {
			t.Error(err)
		}
		r.EndMeasurement()
		if _, err := r.Finish(result.Complete); err != nil {
			t.Fatal(err)
		}
		doc := read(t, path)
		if got := doc.Cases[0].Samples[0].HasMark(result.MarkImplausible); got != row.want ||
			doc.Machine.MemoryCopyRate != row.copies {
			t.Errorf("memory of %g bytes per second, %d nodes: marked %v", row.copies, row.nodes, got)
		}
	}
}
