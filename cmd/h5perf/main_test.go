//go:build cgo

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"h5perf/cmd/faultfs/faulttest"
	"h5perf/pkg/mpi"
	"h5perf/pkg/watch"
)

// beTool makes the test binary the tool, so that tests can launch it for real.
const beTool = "H5PERF_BE_TOOL"

// crashes makes the tool crash.
const crashes = "H5PERF_CRASHES"

// tellMemory makes each process of the tool write its memory, in bytes, to a file in this directory.
const tellMemory = "H5PERF_TELL_MEMORY"

func TestMain(m *testing.M) {
	if watches := len(os.Args) == 2 && os.Args[1] == watch.Argument; watches || os.Getenv(beTool) != "" {
		if os.Getenv(crashes) != "" {
			go panic("as the test asked")
			select {}
		}
		status := program(os.Args)
		if dir := os.Getenv(tellMemory); dir != "" {
			writeMemory(dir, watches)
		}
		mpi.Exit(status)
	}
	faulttest.Main()
	faulttest.Alone() // tests mount small, read-only and faulty file systems
	os.Exit(m.Run())
}

// writeMemory writes the peak of the private memory of this process. The memory of programs and libraries is not
// included.
func writeMemory(dir string, watches bool) {
	status, _ := os.ReadFile("/proc/self/status")
	bytes := func(key string) (n int) {
		_, after, _ := strings.Cut(string(status), "\n"+key+":")
		_, _ = fmt.Sscan(after, &n)
		return n << 10
	}
	name := "rank"
	if watches {
		name = "watcher"
	}
	own := bytes("VmHWM") - bytes("RssFile")
	_ = os.WriteFile(filepath.Join(dir, fmt.Sprint(name, os.Getpid())), []byte(strconv.Itoa(own)), 0o600)
}
