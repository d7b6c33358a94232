package faulttest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// alone is set in the environment of tests that have a mount namespace of their own.
const alone = "H5PERF_TEST_NAMESPACE"

// Alone restarts the tests in a mount namespace of their own, in which they are root. There any user may
// mount, and no mount outlives the tests. It must be called second in TestMain.
func Alone() {
	if os.Getenv(alone) != "" {
		return
	}
	if err := enter(); err != nil {
		fmt.Fprintln(os.Stderr, "tests in a mount namespace of their own:", err)
		os.Exit(1)
	}
}

// enter returns only if it fails.
func enter() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	environ := append(os.Environ(), alone+"=1")
	if os.Geteuid() == 0 {
		runtime.LockOSThread() // the namespace is that of this thread and of the program that it starts
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			return fmt.Errorf("unshare: %w", err)
		}
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return fmt.Errorf("private mounts: %w", err)
		}
		return unix.Exec(self, os.Args, environ)
	}
	unshare, err := exec.LookPath("unshare") // a program of several threads cannot create a user namespace
	if err != nil {
		return err
	}
	return unix.Exec(unshare, append([]string{unshare, "--user", "--map-root-user", "--mount", self}, os.Args[1:]...),
		environ)
}
