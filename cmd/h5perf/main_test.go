//go:build cgo

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/test/faultfs/faulttest"
	"h5perf/pkg/watch"
)

// beTool makes the test binary act as the tool, so that tests can launch it.
const beTool = "H5PERF_BE_TOOL"

const crashes = "H5PERF_CRASHES"

// tellMemory makes each process of the tool write its memory in bytes, and its number of threads, to a file in this
// directory.
const tellMemory = "H5PERF_TELL_MEMORY"

func TestMain(m *testing.M) {
	if watches := len(os.Args) == 2 && os.Args[1] == watch.Argument; watches || os.Getenv(beTool) != "" {
		if os.Getenv(crashes) != "" {
			go panic("as the test asked")
			select {}
		}
		dir := os.Getenv(tellMemory)
		if dir != "" && watches { // the watcher is killed at the end of the run
			go func() {
				for ; ; time.Sleep(10 * time.Millisecond) {
					writeMemory(dir, "watcher")
				}
			}()
		}
		status := runProgram(os.Args)
		if dir != "" && !watches {
			writeMemory(dir, "rank")
		}
		mpi.Exit(status)
	}
	faulttest.Main()
	faulttest.Alone() // tests mount small, read-only and faulty file systems
	os.Exit(m.Run())
}

// writeMemory writes the peak of the private memory of this process, and its number of threads. The memory of programs
// and libraries is not included.
func writeMemory(dir, name string) {
	status, _ := os.ReadFile("/proc/self/status")
	number := func(key string) (n int) {
		_, after, _ := strings.Cut(string(status), "\n"+key+":")
		_, _ = fmt.Sscan(after, &n)
		return n
	}
	own := (number("VmHWM") - number("RssFile")) << 10
	text := fmt.Sprintf("%d %d", own, number("Threads"))
	name = fmt.Sprint(name, os.Getpid())
	part := dir + "." + name // outside of dir, so that nobody reads a partial file
	_ = os.WriteFile(part, []byte(text), 0o600)
	_ = os.Rename(part, filepath.Join(dir, name))
}
