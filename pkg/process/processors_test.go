//go:build cgo

package process

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// tellProcessors makes the test binary print what it was started with.
const tellProcessors = "H5PERF_TELL_PROCESSORS"

func TestMain(m *testing.M) {
	if os.Getenv(tellProcessors) == "" {
		os.Exit(m.Run())
	}
	variable, set := os.LookupEnv("GOMAXPROCS")
	before := runtime.GOMAXPROCS(0)
	UseAllProcessors()
	fmt.Println(limited, before, runtime.GOMAXPROCS(0), set, variable, os.Args[1:], os.Getenv("LAST"))
}

// The variable of the user takes precedence, and the limit is visible to no other program.
func TestARunUsesFewProcessors(t *testing.T) {
	all := min(runtime.NumCPU(), 1<<20)
	for _, c := range []struct{ variable, want string }{
		{"", fmt.Sprintf("true %d %d false  [a b] z", min(2, all), all)},
		{"GOMAXPROCS=7", "false 7 7 true 7 [a b] z"},
		{"GOMAXPROCS=1", "false 1 1 true 1 [a b] z"},
		{"GOMAXPROCSX=7", fmt.Sprintf("true %d %d false  [a b] z", min(2, all), all)},
	} {
		cmd := exec.Command("/proc/self/exe", "a", "b")
		cmd.Env = []string{"PATH=/bin", tellProcessors + "=1", c.variable, "LAST=z"}
		if c.variable == "" {
			cmd.Env = []string{tellProcessors + "=1", "LAST=z"}
		}
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("with %q: %v, %q, want %q", c.variable, err, got, c.want)
		}
	}
}
