package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ownerName is the file in which a run says whose the directory is.
const ownerName = "run.json"

// Owner is the first process of a run.
type Owner struct {
	RunID string `json:"run_id"`
	Host  string `json:"host"`
	Keep  bool   `json:"keep,omitempty"` // its data files are to stay when it ends

	// Which process it is: a number alone means nothing on another machine, in another container, or later.
	Boot      string `json:"boot_id"`
	Namespace string `json:"pid_namespace"`
	PID       int    `json:"pid"`
	Started   string `json:"start_time"` // in the kernel's own units
}

// NewOwner is this process.
func NewOwner(d Dir, keep bool) Owner {
	o := Owner{RunID: d.RunID, Keep: keep, PID: os.Getpid()}
	o.Host, _ = os.Hostname() // what is not known stays empty, and is never taken for known
	o.Boot, o.Namespace = here()
	o.Started = started(o.PID)
	return o
}

// here is the machine since it was booted, and the namespace of process numbers.
func here() (boot, namespace string) {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ = os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(id)), namespace
}

// started is when a process was started, or "" where there is none, or one that has ended with all its threads and only waits
// for its parent to take notice.
func started(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	const startTime = 22 - 3 // the field, counted from the first one after the name, which may hold anything
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= startTime {
		return ""
	}
	if threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid)); fields[0] == "Z" && len(threads) <= 1 {
		return ""
	}
	return fields[startTime]
}

// Sign leaves the owner in the directory.
func (d Dir) Sign(o Owner) error {
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("owner of %s: %w", d.Path, err)
	}
	f, err := os.OpenFile(filepath.Join(d.Path, ownerName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("owner of a private directory: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("owner of %s: %w", d.Path, err)
	}
	return nil
}

// State is what is known of the run that a directory belongs to.
type State string

// A run is Running while its first process is there, and Ended when that is gone, as far as this machine can tell. Of a run
// on another machine or in another container, or of one that could not sign its directory, it is Unknown.
const (
	Running State = "running"
	Ended   State = "ended"
	Unknown State = "unknown"
)

// owner reads who signed the directory, and finds out whether that process is still there.
func (d Dir) owner() (Owner, State) {
	var o Owner
	data, err := os.ReadFile(filepath.Join(d.Path, ownerName))
	if errors.Is(err, fs.ErrNotExist) || err != nil || json.Unmarshal(data, &o) != nil || o.RunID != d.RunID {
		return Owner{}, Unknown
	}
	boot, namespace := here()
	switch {
	case boot == "" || namespace == "" || o.Started == "" || o.Boot != boot || o.Namespace != namespace:
		return o, Unknown
	case started(o.PID) == o.Started:
		return o, Running
	}
	return o, Ended
}
