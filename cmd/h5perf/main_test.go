package main

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/mpi"
	"h5perf/pkg/watch"
)

// beTool makes the test binary the tool, so that tests can launch it for real.
const beTool = "H5PERF_BE_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(beTool) != "" || len(os.Args) == 2 && os.Args[1] == watch.Argument {
		mpi.Exit(run(os.Args, os.Stdout, os.Stderr))
	}
	if os.Geteuid() != 0 { // tests mount small and read-only file systems: in a namespace anybody may
		fmt.Fprintln(os.Stderr, "tests:", becomeRoot())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// becomeRoot starts the tests anew as root of a user namespace. It returns only where that fails.
func becomeRoot() error {
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := append([]string{unshare, "--user", "--map-root-user", "--mount", self}, os.Args[1:]...)
	return unix.Exec(unshare, args, os.Environ())
}
