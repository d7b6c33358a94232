package recorder_test

import (
	"path/filepath"
	"testing"

	"h5perf/pkg/recorder"
	"h5perf/pkg/result"
)

func read(t *testing.T, path string) result.Document {
	t.Helper()
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func begin(t *testing.T) (*recorder.Recorder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	r, err := recorder.New(result.Document{SchemaVersion: result.Version, RunID: "id", State: result.Running}, []string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, path
}

var (
	complete = result.Case{API: "posix", State: result.Complete, Samples: []result.Sample{{Operation: "write", Iteration: 1}}}
	failed   = result.Case{API: "mpiio", State: result.Failed, Error: &result.Error{Phase: "open", Message: "permission denied"}, Samples: []result.Sample{}}
)

func TestTheDocumentIsOnDiskAfterEveryCase(t *testing.T) {
	r, path := begin(t)
	if doc := read(t, path); doc.State != result.Running || len(doc.Cases) != 0 {
		t.Errorf("at first the document is %s with %d cases", doc.State, len(doc.Cases))
	}
	for i, c := range []result.Case{complete, failed} {
		r.Begin(result.Case{API: c.API, State: result.Running, Samples: []result.Sample{}})
		r.End(c)
		if doc := read(t, path); doc.State != result.Running || len(doc.Cases) != i+1 || doc.Cases[i].API != c.API {
			t.Errorf("after case %d the document is %s with %d cases", i+1, doc.State, len(doc.Cases))
		}
	}
	if _, err := r.Finish(result.Failed, 1); err != nil {
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
	r.Begin(result.Case{API: "posix", State: result.Running, Samples: []result.Sample{}})
	r.Sample(complete.Samples[0])
	if _, err := r.Cut([]result.Error{{Phase: result.PhaseSignal, Message: "SIGTERM"}}, 143); err != nil {
		t.Fatal(err)
	}
	r.End(failed) // the main thread, behind the signal's
	if _, err := r.Finish(result.Complete, 0); err != nil {
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
	r, err := recorder.New(result.Document{SchemaVersion: result.Version, State: result.Running}, paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Begin(result.Case{API: "posix", State: result.Running})
	r.End(complete)
	if _, err := r.Finish(result.Complete, 0); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if doc := read(t, path); doc.State != result.Complete || len(doc.Cases) != 1 {
			t.Errorf("%s is %s with %d cases", path, doc.State, len(doc.Cases))
		}
	}
}

func TestADocumentThatCannotBeWrittenIsAnError(t *testing.T) {
	if _, err := recorder.New(result.Document{}, []string{"/no/such/run.json"}, nil); err == nil {
		t.Error("no error")
	}
}
