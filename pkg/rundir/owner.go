package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// ownerName is the name of the file that identifies the run of the directory.
const ownerName = "run.json"

// RunOwner identifies the first process of the run to which a private directory belongs.
type RunOwner struct {
	RunID string `json:"run_id"`
	Host  string `json:"host"`
	Keep  bool   `json:"keep,omitempty"` // data files are kept when the run ends

	// Identity of the process. The PID alone is not unique, since machines, containers and boots reuse it.
	Boot      string `json:"boot_id"`
	Namespace string `json:"pid_namespace"`
	PID       int    `json:"pid"`
	Started   string `json:"start_time"` // in clock ticks after boot
}

// NewOwner returns the owner for this process. keep says whether the data files must be kept.
func NewOwner(d Dir, keep bool) RunOwner {
	o := RunOwner{RunID: d.RunID, Keep: keep, PID: os.Getpid()}
	o.Host, _ = os.Hostname() // unknown values stay empty, and then match nothing
	o.Boot, o.Namespace = bootAndNamespace()
	o.Started = processStartTime(o.PID)
	return o
}

// bootAndNamespace returns the boot ID of this machine, and the PID namespace of this process. Unknown values are "".
func bootAndNamespace() (boot, namespace string) {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ = os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(id)), namespace
}

// processStartTime returns the start time of a process, in clock ticks after boot. It returns "" if the process does
// not exist, or is a zombie without other threads.
func processStartTime(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// starttime is field 22 in proc(5). The first field after the process name, which may contain blanks, is field 3.
	const startTime = 22 - 3
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= startTime {
		return ""
	}
	if threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid)); fields[0] == "Z" && len(threads) <= 1 {
		return ""
	}
	return fields[startTime]
}

// WriteOwner writes the owner into the directory. It returns an error if the directory already has an owner.
func (h *OpenDir) WriteOwner(o RunOwner) error {
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("owner of %s: %w", h.Path, err)
	}
	f, err := h.openFile(ownerName, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY)
	if err != nil {
		return fmt.Errorf("owner of a private directory: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("owner of %s: %w", h.Path, err)
	}
	return nil
}

// RunState is the state of the run to which a directory belongs.
type RunState string

// A run is Running while its first process exists, and then Ended. It is Unknown if this machine cannot find out: the
// run is on another machine or in another container, or has not written its owner.
const (
	Running RunState = "running"
	Ended   RunState = "ended"
	Unknown RunState = "unknown"
)

// maxOwnerBytes is the maximum size of the owner file.
const maxOwnerBytes = 1 << 16

// readOwner reads the owner of the directory, and checks whether its process still exists.
func (h *OpenDir) readOwner() (RunOwner, RunState) {
	var o RunOwner
	data, err := h.readFile(ownerName, maxOwnerBytes)
	if err != nil || json.Unmarshal(data, &o) != nil || o.RunID != h.RunID {
		return RunOwner{}, Unknown
	}
	return o, o.state()
}

// state returns the state of the process.
func (o RunOwner) state() RunState {
	boot, namespace := bootAndNamespace()
	switch {
	case boot == "" || namespace == "" || o.Started == "" || o.Boot != boot || o.Namespace != namespace:
		return Unknown
	case processStartTime(o.PID) == o.Started:
		return Running
	}
	return Ended
}
