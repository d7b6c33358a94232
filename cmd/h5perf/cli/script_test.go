package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

func TestMain(m *testing.M) {
	tool := func() {
		tools := cli.Tools{Parallel: planOnly, Serial: planSerialOnly, Library: library, Sleep: func(time.Duration) {}}
		os.Exit(cli.Run(os.Args, os.LookupEnv, os.Stdout, os.Stderr, tools))
	}
	testscript.Main(m, map[string]func(){"h5perf": tool, "h5perf_serial": tool})
}

// planOnly replaces the parallel tool, in a job of $JOB_SIZE processes. It prints the parameters of the plan, and
// measures nothing.
func planOnly(p cli.Measurement) int {
	size, err := strconv.Atoi(os.Getenv("JOB_SIZE"))
	if err != nil {
		size = 1
	}
	job := plan.JobFacts{Processes: size, HDF5: library()}
	var run plan.Plan
	if p.Options.Workload != nil {
		run, err = plan.New(p.Options, job)
	} else {
		run, err = plan.New(p.Options, job)
	}
	if err != nil {
		return p.PrintUsageError(os.Stderr, err)
	}
	return tell(run)
}

// library describes HDF5 1.10 without szip if $OLD_HDF5 is set, and otherwise an unknown HDF5 library.
func library() option.HDF5Library {
	if os.Getenv("OLD_HDF5") == "" {
		return option.HDF5Library{}
	}
	return option.HDF5Library{
		Version: "1.10.8", Libvers: []option.Libver{"earliest", "v18", "v110", "latest"},
		Filters: []string{"deflate", "fletcher32", "shuffle"},
	}
}

// planSerialOnly replaces the serial tool in the same way.
func planSerialOnly(s cli.Measurement) int {
	run, err := plan.New(s.Options, plan.JobFacts{Processes: 1, HDF5: library()})
	if err != nil {
		return s.PrintUsageError(os.Stderr, err)
	}
	return tell(run)
}

func tell(run plan.Plan) int {
	for _, c := range run.Cautions {
		_, _ = fmt.Fprintln(os.Stderr, c.Line(""))
	}
	for _, note := range run.Notes {
		_, _ = fmt.Fprintln(os.Stderr, note)
	}
	text, err := json.Marshal(run.Parameters)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(string(text))
	return 0
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"refused": refused,
		},
	})
}

// refused runs the tool and expects a usage error: exit status 2, and an empty standard output. Standard error must
// have one line with the error, perhaps an excerpt of a script, and a line that names the help.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("h5perf", args...)
	var exit *exec.ExitError
	if neg || !errors.As(err, &exit) || exit.ExitCode() != 2 {
		ts.Fatalf("h5perf %q: %v, want exit status 2", args, err)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("h5perf %q prints %s", args, out)
	}
	tool := "h5perf"
	for _, c := range cli.Commands() {
		if len(args) > 0 && c.Name == args[0] {
			tool = strings.TrimSpace(tool + " " + c.Name)
		}
	}
	lines := slices.DeleteFunc(strings.Split(ts.ReadFile("stderr"), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "  ") // a line of an excerpt
	})
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "h5perf: ") || lines[1] != "See '"+tool+" -h'." ||
		lines[2] != "" {
		ts.Fatalf("h5perf %q says %q, want an error in one line and where help is", args, lines)
	}
}
