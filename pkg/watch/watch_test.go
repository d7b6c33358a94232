package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// The test binary is both the watcher process and the process that it watches.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == Argument {
		os.Exit(WatcherMain(os.Stdin, os.Stderr))
	}
	os.Exit(m.Run())
}

// begin creates a private directory with a data file, a document whose state is running, and a watcher for both.
func begin(t *testing.T, keep bool) (*Watcher, rundir.Dir, string) {
	t.Helper()
	return beginWith(t, WatcherMessage{Keep: keep})
}

// beginWith is like begin, and also sends the watcher the fields that are set in order.
func beginWith(t *testing.T, order WatcherMessage) (*Watcher, rundir.Dir, string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	dir, err := rundir.NewDir(t.TempDir(), false, "id")
	if err != nil {
		t.Fatal(err)
	}
	held, err := dir.Make()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.Close() })
	if err := os.WriteFile(dir.DataPath("1", "posix"), []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.json")
	err = result.Write(path, result.Document{SchemaVersion: result.Version, RunID: "id", State: result.Running})
	if err != nil {
		t.Fatal(err)
	}
	order.Dir, order.Documents = &dir, append(order.Documents, path)
	w, err := Start(order)
	if err != nil {
		t.Fatal(err)
	}
	w.sendTimeout = time.Minute // long enough for a busy machine
	return w, dir, path
}

// vanish closes the pipe, as if this process had died, and waits until the watcher has ended.
func vanish(t *testing.T, w *Watcher) {
	t.Helper()
	if err := w.pipe.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Wait(); err != nil {
		t.Fatalf("watcher: %v", err)
	}
}

// signalled sends a signal to a watcher.
func signalled(t *testing.T, w *Watcher, s syscall.Signal) {
	t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// If its watcher is stopped or killed, the run neither waits long nor ends.
func TestAWatcherThatIsStoppedOrKilledIsLeftBehind(t *testing.T) {
	for s, want := range map[syscall.Signal]string{
		syscall.SIGSTOP: "it accepts no messages", syscall.SIGKILL: "it has ended",
	} {
		w, _, _ := begin(t, false)
		if s == syscall.SIGSTOP {
			w.sendTimeout = time.Millisecond
		}
		signalled(t, w, s)
		var err error
		for err == nil {
			err = w.SendMessage(WatcherMessage{Sample: &result.Sample{Operation: "write", Iteration: 1, Bytes: 7}})
		}
		again := w.SendMessage(WatcherMessage{CaseInDocument: true})
		done := w.FinishWatch()
		for _, err := range []error{err, again, done} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", s, err, want)
			}
		}
		if w.cmd.ProcessState == nil {
			t.Errorf("%v: it is still there", s)
		}
	}
	w, _, _ := begin(t, false)
	signalled(t, w, syscall.SIGSTOP)
	if err := unix.Waitid(unix.P_PID, w.cmd.Process.Pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.FinishWatch(); err == nil || !strings.Contains(err.Error(), "it is stopped") ||
		w.cmd.ProcessState == nil {
		t.Errorf("stopped before its end: %v, %v", err, w.cmd.ProcessState)
	}
}

func TestAWatcherThatIsWokenEndsTheRun(t *testing.T) {
	w, dir, path := begin(t, false)
	signalled(t, w, syscall.SIGSTOP)
	w.Resume()
	vanish(t, w)
	if doc := readFrom(t, path); doc.State != result.Failed {
		t.Errorf("the document is %s", doc.State)
	}
	if _, err := os.Lstat(dir.Path); !os.IsNotExist(err) {
		t.Errorf("the private directory is left: %v", err)
	}
}

func readFrom(t *testing.T, path string) result.Document {
	t.Helper()
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestADeadRunIsEndedAndCleaned(t *testing.T) {
	w, dir, path := begin(t, false)
	for _, m := range []WatcherMessage{
		{Case: &result.Case{API: "posix", State: result.Running, Samples: []result.Sample{}}},
		{Sample: &result.Sample{Operation: "write", Iteration: 1, Bytes: 7}},
	} {
		if err := w.SendMessage(m); err != nil {
			t.Fatal(err)
		}
	}
	vanish(t, w)
	doc := readFrom(t, path)
	if doc.State != result.Failed || doc.Finished == nil || len(doc.Errors) != 1 || doc.Errors[0].Phase != "process" {
		t.Errorf("document %+v, want failed, finished, with one error of phase process", doc)
	}
	if doc.ExitStatus != nil {
		t.Errorf("exit status %d of a process that ended without a report", *doc.ExitStatus)
	}
	if len(doc.Cases) != 1 || doc.Cases[0].State != result.Interrupted || len(doc.Cases[0].Samples) != 1 ||
		doc.Cases[0].Samples[0].Bytes != 7 {
		t.Errorf("cases %+v, want the case that was running, with its sample", doc.Cases)
	}
	if _, err := os.Lstat(dir.Path); !os.IsNotExist(err) {
		t.Errorf("private directory is left: %v", err)
	}
}

func TestOnlyTheCaseAtWorkFailsByItself(t *testing.T) {
	w, _, path := begin(t, false)
	for _, m := range []WatcherMessage{
		{CaseNumber: 0, Case: &result.Case{API: "posix", Processes: 2, State: result.Running}},
		{CaseNumber: 0, CurrentCase: true},
		{CaseNumber: 0, Sample: &result.Sample{Operation: "write", Iteration: 1, Bytes: 7}},
		{CaseNumber: 1, Case: &result.Case{API: "posix", Processes: 1, State: result.Running}},
		{CaseNumber: 1, CurrentCase: true},
		{Error: &result.Error{Phase: result.PhaseTransfer, Iteration: 1, Message: "hangs"}},
	} {
		if err := w.SendMessage(m); err != nil {
			t.Fatal(err)
		}
	}
	vanish(t, w)
	doc := readFrom(t, path)
	if doc.State != result.Failed || len(doc.Cases) != 2 || doc.Cases[0].State != result.Interrupted ||
		doc.Cases[0].Error != nil || doc.Cases[1].State != result.Failed || doc.Cases[1].Error.Message != "hangs" {
		t.Errorf("document %+v", doc)
	}
}

func TestASignalMakesTheRunInterrupted(t *testing.T) {
	w, _, path := begin(t, false)
	err := w.SendMessage(WatcherMessage{Error: &result.Error{
		Phase: result.PhaseSignal, Message: "SIGTERM",
		Time: time.Now(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	vanish(t, w)
	doc := readFrom(t, path)
	if doc.State != result.Interrupted || len(doc.Errors) != 1 {
		t.Errorf("state %s with errors %v, want interrupted with one", doc.State, doc.Errors)
	}
	if doc.ExitStatus == nil || *doc.ExitStatus != result.ExitStopped {
		t.Errorf("exit status %v, want %d", doc.ExitStatus, result.ExitStopped)
	}
}

func TestAWatcherLeavesAFinishedRunAlone(t *testing.T) {
	w, dir, path := begin(t, false)
	if err := w.FinishWatch(); err != nil {
		t.Fatal(err)
	}
	if doc := readFrom(t, path); doc.State != result.Running {
		t.Errorf("state %s: a watcher that was let go wrote the document", doc.State)
	}
	if _, err := os.Stat(dir.DataPath("1", "posix")); err != nil {
		t.Errorf("data file: %v", err)
	}
}

func TestADocumentThatItsRunEndedStaysAsItIs(t *testing.T) {
	w, _, path := begin(t, false)
	want := result.Document{SchemaVersion: result.Version, RunID: "id", State: result.Interrupted}
	if err := result.Write(path, want); err != nil {
		t.Fatal(err)
	}
	vanish(t, w)
	if doc := readFrom(t, path); doc.State != result.Interrupted || len(doc.Errors) != 0 {
		t.Errorf("document %+v was changed", doc)
	}
}

func TestTheDocumentOfAnotherRunStaysAsItIs(t *testing.T) {
	w, dir, path := begin(t, false)
	err := result.Write(path, result.Document{SchemaVersion: result.Version, RunID: "earlier", State: result.Running})
	if err != nil {
		t.Fatal(err)
	}
	vanish(t, w)
	if doc := readFrom(t, path); doc.State != result.Running || doc.RunID != "earlier" {
		t.Errorf("document %+v was changed", doc)
	}
	if _, err := os.Lstat(dir.Path); !os.IsNotExist(err) {
		t.Errorf("private directory is left: %v", err)
	}
}

// The document lists the silence of rank 0 first, before errors that the deputy has received.
func TestADeputyEndsWhatNobodyElseDoes(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "on a disk of another node.json")
	w, dir, path := beginWith(t, WatcherMessage{ClaimDelay: time.Millisecond, Documents: []string{nowhere}})
	err := w.SendMessage(WatcherMessage{Error: &result.Error{
		Phase: result.PhaseSignal, Rank: 1, Message: "SIGTERM", Time: time.Now(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	vanish(t, w)
	doc := readFrom(t, path)
	if doc.State != result.Failed || len(doc.Errors) != 2 || doc.Errors[0].Phase != "process" ||
		doc.Errors[0].Rank != 0 {
		t.Errorf("document %+v, want failed, with the silence of rank 0 and the signal", doc)
	}
	if _, err := os.Lstat(dir.Path); !os.IsNotExist(err) {
		t.Errorf("private directory is left: %v", err)
	}
	if _, err := os.Lstat(nowhere); !os.IsNotExist(err) {
		t.Errorf("a document was made: %v", err)
	}
}

func TestADeputyLeavesTheDocumentToOthersFirst(t *testing.T) {
	w, dir, path := beginWith(t, WatcherMessage{ClaimDelay: time.Hour})
	defer func() { _ = w.cmd.Process.Kill() }() // the watcher waits for an hour
	if err := w.pipe.Close(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(dir.Path); os.IsNotExist(err) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("private directory is left")
		}
	}
	if doc := readFrom(t, path); doc.State != result.Running {
		t.Errorf("document %+v was changed", doc)
	}
}

// In a large job, all watchers start to remove files at the same time.
func TestWatchersTryLessAndLessOften(t *testing.T) {
	var pauses []time.Duration
	total, tries := time.Duration(0), 0
	err := removeWithRetry(func() error {
		tries++
		return os.ErrPermission
	}, func(d time.Duration) {
		pauses = append(pauses, d)
		total += d
	})
	if !errors.Is(err, os.ErrPermission) || tries != len(pauses)+1 {
		t.Errorf("%v after %d tries and %d pauses", err, tries, len(pauses))
	}
	if total < cleanTimeout || total > cleanTimeout+maxCleanPause || tries > 25 {
		t.Errorf("%d tries in %v, want about 13 in %v", tries, total, cleanTimeout)
	}
	for i, d := range pauses {
		if most := min(minCleanPause<<i, maxCleanPause); d < most/2 || d > most {
			t.Errorf("pause %d is %v, want %v to %v", i, d, most/2, most)
		}
	}
	tries = 0
	err = removeWithRetry(func() error {
		if tries++; tries < 3 {
			return os.ErrPermission
		}
		return nil
	}, func(time.Duration) {})
	if err != nil || tries != 3 {
		t.Errorf("%v after %d tries, want success at the third one", err, tries)
	}
}

// Watchers wait while those of the first two nodes remove the files. Meanwhile, no launcher waits for them.
func TestOtherWatchersLeaveTheFilesToTheFirstOnes(t *testing.T) {
	for _, leave := range []time.Duration{0, time.Second} {
		dir, err := rundir.NewDir(t.TempDir(), false, "id")
		if err != nil {
			t.Fatal(err)
		}
		held, err := dir.Make()
		if err != nil {
			t.Fatal(err)
		}
		order, err := json.Marshal(WatcherMessage{Dir: &dir, RemoveDelay: leave})
		if err != nil {
			t.Fatal(err)
		}
		var events []string
		status := ServeWatcher(bytes.NewReader(order), t.Output(), func() { events = append(events, "silent") },
			func(d time.Duration) {
				if _, err := os.Lstat(dir.Path); err != nil || d < leave || d > 2*leave {
					t.Errorf("before a pause of %v: %v", d, err)
				}
				events = append(events, "pause")
			})
		want := []string{"silent", "pause"}
		if leave == 0 {
			want = nil
		}
		if _, err := os.Lstat(dir.Path); !os.IsNotExist(err) || status != 0 || !slices.Equal(events, want) {
			t.Errorf("leave %v: %v, status %d, %v", leave, err, status, events)
		}
		if err := held.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestKeptFilesStay(t *testing.T) {
	w, dir, _ := begin(t, true)
	vanish(t, w)
	if _, err := os.Stat(dir.DataPath("1", "posix")); err != nil {
		t.Errorf("data file: %v", err)
	}
}

func TestAWatcherOutlivesSignalsToItsStarter(t *testing.T) {
	w, dir, _ := begin(t, false)
	// A message that was read proves that the watcher has started. A second case in the document shows this below.
	if sid, err := syscall.Getpgid(w.cmd.Process.Pid); err != nil || sid != w.cmd.Process.Pid {
		t.Errorf("process group %d of watcher %d: %v; want one of its own", sid, w.cmd.Process.Pid, err)
	}
	vanish(t, w)
	if _, err := os.Lstat(dir.Path); !os.IsNotExist(err) {
		t.Errorf("private directory is left: %v", err)
	}
}
