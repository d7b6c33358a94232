// Package watch is the watcher of a run: a second process on each node, which outlives the processes of the run however
// they end. When the process that started it is gone without a word, it ends the document and removes the data files.
//
// The watcher is the same executable in a session of its own, so that signals to the job's process group pass it by; it
// ends when the pipe on its standard input does.
package watch

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// Argument is the only argument of a process that is to be a watcher.
const Argument = "h5perf-watch"

// Message is what the run tells its watcher; only the fields that are set count.
type Message struct {
	Dir       *rundir.Dir    `json:"dir,omitempty"`       // the private directory
	Keep      bool           `json:"keep,omitempty"`      // with Dir: data files stay
	Documents []string       `json:"documents,omitempty"` // with Dir: the files with the run's document, if this watcher is to end it
	Deputy    time.Duration  `json:"deputy,omitempty"`    // with Documents: so long it leaves them to the watcher on the node of rank 0; 0 is that one
	Of        int            `json:"of,omitempty"`        // number of the case that one of the next three is of
	Case      *result.Case   `json:"case,omitempty"`      // a case has begun
	Sample    *result.Sample `json:"sample,omitempty"`    // a sample was measured
	Warmup    bool           `json:"warmup,omitempty"`    // with Sample: it was to warm up
	Written   bool           `json:"written,omitempty"`   // a case is in the document, with its end
	Error     *result.Error  `json:"error,omitempty"`     // something went wrong, the process may not live to tell
	Done      bool           `json:"done,omitempty"`      // the run has ended and left nothing to do
}

// Watcher is the run's end of the pipe.
type Watcher struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// Start starts a watcher.
func Start(order Message) (*Watcher, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("watcher: %w", err)
	}
	cmd := exec.Command(exe, Argument)
	cmd.Stderr = os.Stderr
	cmd.Dir = "/" // not in the way of an unmount
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := closeOnExec(); err != nil {
		return nil, fmt.Errorf("watcher: %w", err)
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("watcher: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("watcher: %w", err)
	}
	w := &Watcher{cmd, pipe}
	return w, w.Tell(order)
}

// closeOnExec keeps what libraries opened from the watcher: with an MPI launcher's socket in it, the launcher would take the
// process for alive.
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

// Tell sends a message. It may be called from any goroutine, and does nothing on nil.
func (w *Watcher) Tell(m Message) error {
	if w == nil {
		return nil
	}
	line, err := json.Marshal(m)
	if err == nil {
		_, err = w.pipe.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("watcher: %w", err)
	}
	return nil
}

// Done lets the watcher go, which then has nothing to do, and waits for it.
func (w *Watcher) Done() error {
	if w == nil {
		return nil
	}
	if err := w.Tell(Message{Done: true}); err != nil {
		return err
	}
	if err := w.pipe.Close(); err != nil {
		return fmt.Errorf("watcher: %w", err)
	}
	if err := w.cmd.Wait(); err != nil {
		return fmt.Errorf("watcher: %w", err)
	}
	return nil
}

// How long a watcher goes on trying to remove what processes that are still dying may hold or make anew.
const (
	cleanFor   = 20 * time.Second
	cleanEvery = 50 * time.Millisecond
)

// Main is the watcher as a process of its own. It returns an exit status.
func Main(in io.Reader, stderr io.Writer) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE)
	return Serve(in, stderr, hush)
}

// Serve does what a watcher is ordered, until in ends, and then what is left to do. It calls hush, with which it has said all
// that others wait for, before a deputy begins to wait. It returns an exit status.
func Serve(in io.Reader, stderr io.Writer, hush func()) int {
	var order Message
	run := state{running: map[int]*result.Case{}}
	for dec := json.NewDecoder(in); ; {
		var m Message
		if err := dec.Decode(&m); err != nil {
			break // end of file, or of the process in the middle of a line
		}
		if m.Done {
			return 0
		}
		if m.Dir != nil {
			order = m
		}
		run.note(m)
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
		tell(run.end(order, stderr))
	}
	if err := clean(*order.Dir, order.Keep); err != nil {
		tell(fmt.Errorf("%w; 'h5perf clean %s' lists and removes what is left", err, filepath.Dir(order.Dir.Path)))
	}
	if order.Deputy > 0 {
		hush()
		time.Sleep(time.Until(gone.Add(order.Deputy)))
		tell(run.end(order, stderr))
	}
	return status
}

// hush lets go of standard error, for whose end launchers wait.
func hush() {
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		_ = unix.Dup3(int(null.Fd()), int(os.Stderr.Fd()), 0) // if it fails they wait
	}
}

// clean removes the data files, again and again while something is in the way.
func clean(dir rundir.Dir, keep bool) error {
	deadline := time.Now().Add(cleanFor)
	for {
		err := dir.Clean(keep)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(cleanEvery)
	}
}
