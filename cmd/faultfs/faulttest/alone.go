package faulttest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// alone in the environment tells that the tests have a mount namespace of their own.
const alone = "H5PERF_TEST_NAMESPACE"

// Alone starts the tests anew in a mount namespace of their own, in which they are root: anybody may mount there, and
// nothing that is mounted outlives them. Call it second in TestMain.
func Alone() {
	if os.Getenv(alone) != "" {
		return
	}
	if err := enter(); err != nil {
		fmt.Fprintln(os.Stderr, "tests in a mount namespace of their own:", err)
		os.Exit(1)
	}
}

// enter returns only where it fails.
func enter() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	environ := append(os.Environ(), alone+"=1")
	if os.Geteuid() == 0 {
		runtime.LockOSThread() // the namespace is that of this thread, and the program that it starts
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			return fmt.Errorf("unshare: %w", err)
		}
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return fmt.Errorf("private mounts: %w", err)
		}
		return unix.Exec(self, os.Args, environ)
	}
	unshare, err := exec.LookPath("unshare") // which a program of several threads cannot do itself with users
	if err != nil {
		return err
	}
	return unix.Exec(unshare, append([]string{unshare, "--user", "--map-root-user", "--mount", self}, os.Args[1:]...), environ)
}
