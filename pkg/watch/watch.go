// Package watch is a second process on each node, which cleans up after a run that was killed. When the process that
// started it dies without a last message, this watcher ends the document and removes the data files.
//
// The watcher runs the same executable in its own session, so that signals to the job's process group do not reach it.
// It ends after its standard input has ended.
package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// Argument is the only command-line argument of a watcher process.
const Argument = "h5perf-watch"

// WatcherMessage is a message from the run to its watcher. Fields that are not set change nothing.
type WatcherMessage struct {
	Dir  *rundir.Dir `json:"dir,omitempty"`  // the private directory
	Keep bool        `json:"keep,omitempty"` // with Dir: keep data files
	// inode of the private directory, sent once the directory exists
	Inode uint64 `json:"inode,omitempty"`
	// shared memory of the processes of the job on this node
	Memory []rundir.SharedMemoryFile `json:"memory,omitempty"`
	// with Dir: files of the run's document, if this watcher must end it
	Documents []string `json:"documents,omitempty"`
	// with Documents: how long to wait before ending them, because the watcher on the node of rank 0 should do so; 0 on
	// that node
	ClaimDelay time.Duration `json:"deputy,omitempty"`
	// with Dir: how long to wait at least before removing the files, because the watchers of rank 0 and of the deputy
	// should do so; 0 for these two
	RemoveDelay    time.Duration  `json:"leave,omitempty"`
	CaseNumber     int            `json:"of,omitempty"`      // with Case, Visit, Sample or Written: number of the case
	Case           *result.Case   `json:"case,omitempty"`    // a case has begun
	CurrentCase    bool           `json:"visit,omitempty"`   // a case that has begun is the current one
	Sample         *result.Sample `json:"sample,omitempty"`  // a sample was measured
	Warmup         bool           `json:"warmup,omitempty"`  // with Sample: it was a warm-up
	CaseInDocument bool           `json:"written,omitempty"` // the ended case is in the document
	// something failed, and the process may not live to report it
	Error *result.Error `json:"error,omitempty"`
	Done  bool          `json:"done,omitempty"` // the run has ended and there is nothing left to do
}

// Watcher is a watcher process, as the run sees it: the run sends messages through a pipe. The methods of a nil Watcher
// do nothing.
type Watcher struct {
	cmd  *exec.Cmd
	pipe *os.File
	// sendTimeout limits the time for writing a message to the pipe. If it takes longer, the watcher process is stopped
	// (SIGSTOP), or its node is extremely overloaded.
	sendTimeout time.Duration

	mu        sync.Mutex
	sendError error // why no more messages are sent to the watcher process
}

// sendTimeout is the value of Watcher.sendTimeout, except in tests.
const sendTimeout = time.Second

// Start starts a watcher process, and sends order to it as the first message.
func Start(order WatcherMessage) (*Watcher, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("watcher: %w", err)
	}
	cmd := exec.Command(exe, Argument)
	cmd.Stderr = os.Stderr
	cmd.Dir = "/" // so that it does not prevent an unmount
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := closeOnExec(); err != nil {
		return nil, fmt.Errorf("watcher: %w", err)
	}
	in, pipe, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("watcher: %w", err)
	}
	cmd.Stdin = in
	err = cmd.Start()
	_ = in.Close() // the watcher process has its own copy
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watcher: %w", err), pipe.Close())
	}
	w := &Watcher{cmd: cmd, pipe: pipe, sendTimeout: sendTimeout}
	return w, w.SendMessage(order)
}

// closeOnExec keeps the watcher process from inheriting files and sockets that libraries opened. If the watcher had
// the launcher's socket, the launcher would believe that this process of the job still lives.
func closeOnExec() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// SendMessage sends a message. It may be called from any goroutine, and does nothing on nil. After an error, further
// calls send nothing and return the same error, because the watcher may have received half a message. The watcher still
// cleans up when this process ends.
func (w *Watcher) SendMessage(m WatcherMessage) error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sendError != nil {
		return w.sendError
	}
	line, err := json.Marshal(m)
	if err == nil {
		err = w.pipe.SetWriteDeadline(time.Now().Add(w.sendTimeout))
	}
	if err == nil {
		_, err = w.pipe.Write(append(line, '\n'))
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.sendError = fmt.Errorf("watcher, process %d: it accepts no messages, perhaps because it is "+
			"stopped", w.cmd.Process.Pid)
	case errors.Is(err, unix.EPIPE):
		w.sendError = fmt.Errorf("watcher, process %d: it has ended, perhaps by SIGKILL", w.cmd.Process.Pid)
	case err != nil:
		w.sendError = fmt.Errorf("watcher: %w", err)
	}
	return w.sendError
}

// Resume lets the watcher process continue if it is stopped (SIGSTOP). It is called when this process ends and the
// watcher must clean up.
func (w *Watcher) Resume() {
	if w != nil {
		_ = w.cmd.Process.Signal(unix.SIGCONT) // fails if the watcher has ended
	}
}

// FinishWatch ends the watcher process when there is nothing left to clean up. It sends Done and then kills the
// process: after a short run, the watcher might still be starting. It returns an error if the watcher process had
// ended, is stopped (SIGSTOP), or accepted no messages.
func (w *Watcher) FinishWatch() error {
	if w == nil {
		return nil
	}
	err := w.SendMessage(WatcherMessage{Done: true}) // if this process dies now, the watcher does nothing
	if err == nil && w.isStopped() {
		err = fmt.Errorf("watcher, process %d: it did nothing, because it is stopped; it is killed now",
			w.cmd.Process.Pid)
	}
	_ = w.cmd.Process.Kill() // fails if the watcher has ended by itself
	_ = w.cmd.Wait()         // returns an error because of SIGKILL
	if e := w.pipe.Close(); e != nil {
		err = errors.Join(err, fmt.Errorf("watcher: %w", e))
	}
	return err
}

// isStopped reports whether a signal such as SIGSTOP has suspended the watcher process.
func (w *Watcher) isStopped() bool {
	var state unix.Siginfo // stays zero if the process is not stopped
	err := unix.Waitid(unix.P_PID, w.cmd.Process.Pid, &state, unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && state.Signo != 0
}

// How long, and with which pauses, a watcher tries to remove files. Processes that are still ending may keep files open
// or create them again. The pauses double: a large job has thousands of watchers, and its end loads the servers.
const (
	cleanTimeout  = 20 * time.Second
	minCleanPause = 50 * time.Millisecond
	maxCleanPause = 3200 * time.Millisecond
)

// WatcherMain is the main function of a watcher process. It reads messages until in ends, cleans up, and returns an
// exit status: 0, or 1 if it could not end a document or remove files.
func WatcherMain(in io.Reader, stderr io.Writer) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE)
	return ServeWatcher(in, stderr, closeStderr, time.Sleep)
}

// ServeWatcher reads messages until in ends, and then cleans up. Before it waits for other watchers, it calls silence,
// which must close stderr: some launchers wait until all processes have closed it. sleep is time.Sleep, except in
// tests. Serve returns an exit status, see Main.
func ServeWatcher(in io.Reader, stderr io.Writer, silence func(), sleep func(time.Duration)) int {
	var order WatcherMessage
	var memory []rundir.SharedMemoryFile
	run := runState{running: map[int]*result.Case{}}
	for dec := json.NewDecoder(in); ; {
		var m WatcherMessage
		if err := dec.Decode(&m); err != nil {
			break // end of file; the run may have died while it wrote a line
		}
		if m.Done {
			return 0
		}
		if m.Dir != nil {
			order = m
		}
		if m.Inode != 0 && order.Dir != nil {
			order.Dir.Inode = m.Inode
		}
		memory = append(memory, m.Memory...)
		run.noteMessage(m)
	}
	if order.Dir == nil {
		return 0
	}
	gone, status := time.Now(), 0
	tell := func(err error) {
		if err != nil {
			_, _ = fmt.Fprintf(stderr, "h5perf: run %s: %v\n", order.Dir.RunID, err)
			status = 1
		}
	}
	if order.ClaimDelay == 0 {
		tell(run.endDocuments(order, stderr))
	}
	if order.RemoveDelay > 0 {
		tell(rundir.RemoveSegments(memory, order.Dir.FilePrefix()))
		silence()
		sleep(randomPause(2 * order.RemoveDelay))
	}
	if err := removeWithRetry(func() error { return order.Dir.Clean(order.Keep) }, sleep); err != nil {
		tell(fmt.Errorf("%w; 'h5perf clean %s' lists and removes the files that are "+
			"left", err, filepath.Dir(order.Dir.Path)))
	}
	// processes that were still ending may have created more
	tell(rundir.RemoveSegments(memory, order.Dir.FilePrefix()))
	if order.ClaimDelay > 0 {
		silence()
		sleep(time.Until(gone.Add(order.ClaimDelay)))
		tell(run.endDocuments(order, stderr))
	}
	return status
}

// closeStderr redirects standard error to /dev/null, because launchers wait until it is closed.
func closeStderr() {
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		_ = unix.Dup3(int(null.Fd()), int(os.Stderr.Fd()), 0) // if it fails, launchers wait for this process
	}
}

// removeWithRetry calls remove until it succeeds, or until the pauses between calls add up to cleanTimeout. It returns
// the last error.
func removeWithRetry(remove func() error, sleep func(time.Duration)) error {
	waited := time.Duration(0)
	for pause := minCleanPause; ; pause = min(2*pause, maxCleanPause) {
		err := remove()
		if err == nil || waited >= cleanTimeout {
			return err
		}
		random := randomPause(pause)
		sleep(random)
		waited += random
	}
}

// randomPause returns a random time between d/2 and d, so that watchers do not all act at the same time.
func randomPause(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }
