//go:build slurm

package rig_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The rig is process 1 of a process namespace, with mounts of its own. However it ends, even by SIGKILL,
// nothing of the cluster outlives it. The process that starts it creates its directory and removes it.

// where is the environment variable that holds the directory of the rig.
const where = "H5PERF_RIG"

// inside runs the tests in a rig of their own, and returns their exit status.
func inside() (status int, err error) {
	runtime.LockOSThread() // the death of the parent is that of its thread
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return 1, fmt.Errorf("rig that ends with its starter: %w", err)
	}
	dir, release, err := directory()
	if err != nil {
		return 1, err
	}
	exe, err := os.Executable()
	if err != nil {
		return 1, err
	}
	cmd := exec.Command(exe, os.Args[1:]...)
	cmd.Env = append(os.Environ(), where+"="+dir)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	err = cmd.Run()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		status, err = max(1, exit.ExitCode()), nil
	}
	return status, errors.Join(err, release())
}

// base begins the paths of the directories of rigs. It is not in /tmp, because each host has a /tmp of its
// own.
const base = "/var/tmp/h5slurm-"

// directory creates the directory of the rig, and removes those of rigs that were killed: nobody holds
// their locks.
func directory() (dir string, remove func() error, err error) {
	all, _ := filepath.Glob(base + "*") // the pattern is right
	for _, old := range all {
		if lock, err := lock(old); err == nil {
			err = os.RemoveAll(old)
			if err = errors.Join(err, lock.Close()); err != nil {
				return "", nil, err
			}
		}
	}
	if dir, err = os.MkdirTemp(filepath.Dir(base), filepath.Base(base)); err != nil {
		return "", nil, err
	}
	held, err := lock(dir)
	if err != nil {
		return "", nil, err
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), held.Close()) }, nil
}

// lock locks a directory until the file is closed. It fails if somebody else holds the lock.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock of %s: %w", dir, err), f.Close())
	}
	return f, nil
}

// furnish gives the namespaces of this process a /proc, a /run/netns and an /etc of their own, and creates
// a user in the rig that the machine does not have. The whole of /etc is mounted: a mount on a single file
// would end when the machine replaces that file.
func furnish() error {
	script := `
set -eu
mount --make-rprivate /
mount -t proc proc /proc
mkdir -p /run/netns
mount -t tmpfs netns /run/netns
cp -a /etc "$1/etc"
mount --bind "$1/etc" /etc
useradd -M -d "$3" -s /bin/bash "$2"
`
	out, err := exec.Command("sh", "-c", script, "sh", site.dir, site.user, site.home).CombinedOutput()
	if err != nil {
		return fmt.Errorf("namespaces of the rig: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
