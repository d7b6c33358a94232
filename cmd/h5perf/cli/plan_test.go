package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/test/plaintest"
)

// runPlan runs plan with these arguments, and returns its exit status and its output.
func runPlan(words ...string) (int, string) {
	var out bytes.Buffer
	status := cli.Run(append([]string{"h5perf", "plan"}, words...), variables(nil), &out, &out, cli.Tools{})
	return status, out.String()
}

// The plan must not loop over processes: a few nanoseconds per process and case would add up to minutes.
func TestThePlanOfManyProcessesTakesNoMinute(t *testing.T) {
	for pattern, processes := range map[string]string{"-I": "2147483647", "-gI": "1000000"} {
		before := processor(t)
		_, text := runPlan("-P", processes, "-i", "1000", pattern, "-e", "16", "--assume", "1G")
		if !strings.Contains(text, "with up to "+processes+" processes") {
			t.Error(text)
		}
		if used := processor(t) - before; used > time.Minute {
			t.Errorf("%s: %v of the processor", pattern, used)
		}
	}
}

// A run would be refused before it touches a file, and so is its plan.
func TestThePlanOfAWorkloadThatWouldHangIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uneven.star")
	if err := os.WriteFile(path, []byte(`"""Rank 1 waits for one that does not come."""
def write(job):
    f = job.create("f")
    if job.rank == 1:
        job.fence()
    f.close()
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for processes, want := range map[string]int{"1": 0, "2": 2, "8": 2} {
		status, text := runPlan("run", path, "-P", processes)
		if status != want || strings.Contains(text, "ranks would wait for one another for ever") != (want != 0) {
			t.Errorf("%s processes: exit status %d, want %d\n%s", processes, status, want, text)
		}
	}
}

// processor returns the processor time that this process has used.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestThePlanAssumesTheMediansOfADocument(t *testing.T) {
	point := func(processes int, transfer uint64, seconds ...float64) result.Case {
		c := result.Case{
			API: "posix", State: result.Complete, Processes: processes, TransferSize: transfer,
			Samples: []result.Sample{},
		}
		for i, s := range seconds {
			for _, operation := range result.ValuesOf[result.Operation]() {
				c.Samples = append(c.Samples, result.Sample{
					Operation: operation, Iteration: i + 1, Bytes: 1 << 20, Access: result.Interval{WindowSeconds: s},
				})
			}
		}
		return c
	}
	p, err := plan.New(plan.Options{Sizes: option.Sizes{APIs: []string{"posix"}}}, plan.JobFacts{Processes: 2})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.json")
	doc := result.Document{
		SchemaVersion: result.Version, State: result.Complete, Kind: "parallel", Parameters: p.Parameters,
		Cases: []result.Case{
			point(2, 256<<10, 1, 2, 8), // 1, 1/2 and 1/8 MiB/s
			point(1, 4<<10, 4, 4),
		},
	}
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want float64 // seconds to write 1 MiB
	}{
		{"-P 2 -p 2 -e 512K -x 256K -X 256K", 2},  // the median of the same case
		{"-P 1 -e 1M -x 512K -B 512K -X 512K", 4}, // the median of all cases: 1/8, 1/4, 1/4, 1/2, 1
	} {
		status, text := runPlan(append(strings.Fields(c.args), "-A", "posix", "-w", "--json", "--assume", path)...)
		var got struct {
			Least struct {
				Seconds float64 `json:"seconds"`
			} `json:"least"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != 0 || got.Least.Seconds != c.want {
			t.Errorf("%s: status %d, %v, %g seconds, want %g: %s", c.args, status, err, got.Least.Seconds, c.want, text)
		}
	}
	if status, text := runPlan("-A", "posix,mpiio", "--assume", path); status != result.ExitUsage ||
		!strings.Contains(text, "has no throughput of MPI-IO, write") {
		t.Errorf("status %d: %s", status, text)
	}
	_, text := runPlan("run", "arrays", "-A", "posix", "--assume", path)
	if !strings.Contains(plaintest.Unwrap(text), "run.json is of a sweep of transfer sizes, and the plan is of the "+
		"workload arrays: its rates may differ") {
		t.Error(text)
	}
	if _, text := runPlan("-A", "posix", "--assume", path); strings.Contains(text, "its rates may differ") {
		t.Error(text)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, text := runPlan("--assume", path); status != result.ExitUsage || !strings.Contains(text, path) {
		t.Errorf("status %d: %s", status, text)
	}
}

func TestTheExampleOfThePlansHelpWorks(t *testing.T) {
	_, help := runPlan("-h")
	example := regexp.MustCompile(`(?m)^  h5perf plan (.*)$`).FindStringSubmatch(help)
	if example == nil {
		t.Fatal(help)
	}
	if status, text := runPlan(strings.Fields(example[1])...); status != 0 || !strings.Contains(text, "Time:") {
		t.Errorf("status %d: %s", status, text)
	}
}

// fitsATerminal checks that no line of text is wider than a terminal.
func fitsATerminal(t *testing.T, of, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > plain.MaxLineWidth {
			t.Errorf("%s: a line of %d characters: %s", of, n, line)
		}
	}
}

func TestPlansFitATerminal(t *testing.T) {
	for _, name := range script.ProfileNames() {
		_, text := runPlan("run", name, "--assume", "../../../results/examples/parallel.json")
		fitsATerminal(t, name, text)
	}
}

func TestTheListOfWorkloadsFitsATerminal(t *testing.T) {
	var out, errs bytes.Buffer
	status := cli.Run(strings.Fields("h5perf workload list"), variables(nil), &out, &errs, cli.Tools{})
	if status != 0 || errs.Len() > 0 {
		t.Fatalf("exit status %d, %s", status, &errs)
	}
	fitsATerminal(t, "workload list", out.String())
	for _, name := range script.ProfileNames() {
		if !strings.Contains("\n"+out.String(), "\n"+name+" ") {
			t.Errorf("no line begins with %s:\n%s", name, &out)
		}
	}
}
