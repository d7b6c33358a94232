// Package watch is a second process on each node, which cleans up after a run that was killed. When the process that
// started it ends without saying so, this watcher ends the document and removes the data files.
//
// The watcher is the same executable in a session of its own, so that signals to the job's process group do
// not reach it. It ends when its standard input does.
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

// Argument is the only argument of a process that is a watcher.
const Argument = "h5perf-watch"

// Message is a message of the run to its watcher. Only fields that are set count.
type Message struct {
	Dir  *rundir.Dir `json:"dir,omitempty"`  // the private directory
	Keep bool        `json:"keep,omitempty"` // with Dir: keep data files
	// the private directory is made, and has this inode
	Inode uint64 `json:"inode,omitempty"`
	// shared memory of the processes of the job on this node
	Memory []rundir.Segment `json:"memory,omitempty"`
	// with Dir: files of the run's document, if this watcher must end it
	Documents []string `json:"documents,omitempty"`
	// with Documents: how long to leave them to the watcher on the node of rank 0; 0 there
	Deputy time.Duration `json:"deputy,omitempty"`
	// with Dir: how long to leave the files at least to the watchers of rank 0 and of the deputy; 0 there
	Leave   time.Duration  `json:"leave,omitempty"`
	Of      int            `json:"of,omitempty"`      // number of the case of Case, Visit, Sample or Written
	Case    *result.Case   `json:"case,omitempty"`    // a case has begun
	Visit   bool           `json:"visit,omitempty"`   // a case that has begun is at work
	Sample  *result.Sample `json:"sample,omitempty"`  // a sample was measured
	Warmup  bool           `json:"warmup,omitempty"`  // with Sample: it was a warm-up
	Written bool           `json:"written,omitempty"` // the ended case is in the document
	Error   *result.Error  `json:"error,omitempty"`   // something failed, and the process may not live to report it
	Done    bool           `json:"done,omitempty"`    // the run has ended and there is nothing left to do
}

// Watcher is the run's end of the pipe. The methods of a nil Watcher do nothing.
type Watcher struct {
	cmd  *exec.Cmd
	pipe *os.File
	// sendTimeout is how long it may take to take a message. If it takes longer, it is stopped, or its node is
	// overloaded beyond all measure.
	sendTimeout time.Duration

	mu   sync.Mutex
	lost error // why the watcher gets no more messages
}

// sendTimeout is that of the watcher of a run.
const sendTimeout = time.Second

// Start starts a watcher.
func Start(order Message) (*Watcher, error) {
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
	_ = in.Close() // the watcher has its own
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watcher: %w", err), pipe.Close())
	}
	w := &Watcher{cmd: cmd, pipe: pipe, sendTimeout: sendTimeout}
	return w, w.SendMessage(order)
}

// closeOnExec keeps the watcher from inheriting what libraries opened. With a launcher's socket, the
// launcher would take the watcher for a living process of the job.
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

// SendMessage sends a message. It may be called from any goroutine, and does nothing on nil. After an error it sends no
// more: the watcher may have half a message, and waits for the end of the process, as it is to.
func (w *Watcher) SendMessage(m Message) error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost != nil {
		return w.lost
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
		w.lost = fmt.Errorf("watcher, process %d: it accepts no messages, perhaps because it is "+
			"stopped", w.cmd.Process.Pid)
	case errors.Is(err, unix.EPIPE):
		w.lost = fmt.Errorf("watcher, process %d: it has ended, perhaps by SIGKILL", w.cmd.Process.Pid)
	case err != nil:
		w.lost = fmt.Errorf("watcher: %w", err)
	}
	return w.lost
}

// Wake makes a watcher go on that is stopped, because this process ends and leaves work to it.
func (w *Watcher) Wake() {
	if w != nil {
		_ = w.cmd.Process.Signal(unix.SIGCONT) // fails if it has ended
	}
}

// EndWatch ends the watcher: there is nothing left to do. It tells it, and kills it: after a short run, a watcher would
// otherwise first start to the end. Done returns an error if the watcher had ended, is stopped, or took no messages.
func (w *Watcher) EndWatch() error {
	if w == nil {
		return nil
	}
	err := w.SendMessage(Message{Done: true}) // it ends by itself if this process ends now
	if err == nil && w.isStopped() {
		err = fmt.Errorf("watcher, process %d: it did nothing, because it is stopped; it is killed now",
			w.cmd.Process.Pid)
	}
	_ = w.cmd.Process.Kill() // fails if it has ended by itself
	_ = w.cmd.Wait()         // the signal is its end
	if e := w.pipe.Close(); e != nil {
		err = errors.Join(err, fmt.Errorf("watcher: %w", e))
	}
	return err
}

// isStopped reports whether the watcher is stopped by a signal.
func (w *Watcher) isStopped() bool {
	var state unix.Siginfo // stays zero if it is not
	err := unix.Waitid(unix.P_PID, w.cmd.Process.Pid, &state, unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && state.Signo != 0
}

// How long, and how often, a watcher tries to remove files that processes which are still dying may hold or create
// again. It doubles the pauses: a large job has thousands of watchers, and the servers are busy with its end.
const (
	cleanTimeout  = 20 * time.Second
	minCleanPause = 50 * time.Millisecond
	maxCleanPause = 3200 * time.Millisecond
)

// Main is the watcher as a process of its own. It reads messages from in until it ends, and returns an exit status:
// 0, or 1 if the watcher could not end a document or remove files.
func Main(in io.Reader, stderr io.Writer) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE)
	return Serve(in, stderr, closeStderr, time.Sleep)
}

// Serve reads messages from in until it ends, and then does what is left to do. Before it waits for other watchers it
// calls silence: it has written all that others wait for. sleep is time.Sleep. It returns an exit status.
func Serve(in io.Reader, stderr io.Writer, silence func(), sleep func(time.Duration)) int {
	var order Message
	var memory []rundir.Segment
	run := runState{running: map[int]*result.Case{}}
	for dec := json.NewDecoder(in); ; {
		var m Message
		if err := dec.Decode(&m); err != nil {
			break // end of file; the process may have ended in the middle of a line
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
	if order.Deputy == 0 {
		tell(run.endDocuments(order, stderr))
	}
	if order.Leave > 0 {
		tell(rundir.RemoveSegments(memory, order.Dir.Stem()))
		silence()
		sleep(randomPause(2 * order.Leave))
	}
	if err := removeWithRetry(func() error { return order.Dir.Clean(order.Keep) }, sleep); err != nil {
		tell(fmt.Errorf("%w; 'h5perf clean %s' lists and removes the files that are "+
			"left", err, filepath.Dir(order.Dir.Path)))
	}
	tell(rundir.RemoveSegments(memory, order.Dir.Stem())) // a dying process can make some until now
	if order.Deputy > 0 {
		silence()
		sleep(time.Until(gone.Add(order.Deputy)))
		tell(run.endDocuments(order, stderr))
	}
	return status
}

// closeStderr closes standard error, because launchers wait for its end.
func closeStderr() {
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		_ = unix.Dup3(int(null.Fd()), int(os.Stderr.Fd()), 0) // if it fails, they wait
	}
}

// removeWithRetry removes the data files. It tries again, for cleanTimeout, while something prevents it.
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

// randomPause returns a random time from half of d to d, so that watchers do not come at the same time.
func randomPause(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }
