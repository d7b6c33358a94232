package cli_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

// ab runs ab with these arguments, and returns the requests that the tools get.
func ab(words ...string) (p *cli.Measurement, s *cli.Measurement, status int, text string) {
	var out bytes.Buffer
	status = cli.Run(append([]string{"h5perf", "ab"}, words...),
		variables(map[string]string{"HDF5_PARAPREFIX": "/both", "HDF5_NOCLEANUP": ""}), &out, &out,
		cli.Tools{
			Parallel: func(asked cli.Measurement) int { p = &asked; return 0 },
			Serial:   func(asked cli.Measurement) int { s = &asked; return 0 },
		})
	return p, s, status, out.String()
}

func TestTwoConfigurationsAreAskedFor(t *testing.T) {
	a, _, status, text := ab("-i", "7", "--seed", "5", "--json-a", "a.json", "--json-b", "b.json", "--results", "tree",
		"--",
		"HDF5_PARAPREFIX=/a b", "-A", "mpiio", "--label", "x", "--", "-A", "mpiio", "-C", "-i", "3", "--spread",
		"nodes")
	if status != 0 || a == nil {
		t.Fatalf("exit status %d, %s", status, text)
	}
	b := a.Others[0]
	if a.Options.Collective || !b.Options.Collective || *a.Options.Iterations != 7 || *b.Options.Iterations != 7 ||
		!slices.Equal(b.Options.APIs, []string{"mpiio"}) {
		t.Errorf("options %+v and %+v", a.Options, b.Options)
	}
	if a.Getenv("HDF5_PARAPREFIX") != "/a b" || len(b.Variables) != 0 || !a.Options.Keep ||
		!b.Options.Keep {
		t.Errorf("variables %v and %v", a.Variables, b.Variables)
	}
	if a.JSON != "a.json" || b.JSON != "b.json" || a.Results != "tree" || b.Results != "tree" ||
		a.Identity.Label != "x" || b.Identity.Label != "" {
		t.Errorf("requests %+v and %+v", a.Request, b.Request)
	}
	if s := [2]option.ProcessSpread{a.Options.Spread, b.Options.Spread}; s[0] != "" || s[1] != "nodes" {
		t.Errorf("spreads %q", s)
	}
	for _, o := range []plan.Options{a.Options, b.Options} {
		if o.Order != option.OrderRandom || *o.Seed != 5 {
			t.Errorf("order %q, seed %d", o.Order, *o.Seed)
		}
	}
	if !slices.ContainsFunc(a.Environ(), func(e string) bool { return e == "HDF5_PARAPREFIX=/a b" }) {
		t.Errorf("environment of A %q", a.Environ())
	}
}

func TestTwoConfigurationsOfTheSerialTool(t *testing.T) {
	_, s, status, text := ab("--", "serial", "-A", "hdf5", "--", "HDF5_PREFIX=/b", "serial", "-A", "hdf5", "-v", "core")
	if status != 0 || s == nil || s.Others[0].Options.HDF5.Driver != "core" ||
		s.Others[0].Getenv("HDF5_PREFIX") != "/b" {
		t.Errorf("exit status %d, %s, %+v", status, text, s)
	}
}

func TestTwoChoicesOfAWorkload(t *testing.T) {
	a, _, status, text := ab("-i", "4", "--seed", "5", "--", "run", "particles", "--set", "mode=independent", "--",
		"run", "particles", "--set", "mode=collective", "-i", "3")
	if status != 0 || a == nil {
		t.Fatalf("exit status %d, %s", status, text)
	}
	for want, w := range map[string]plan.Options{"independent": a.Options, "collective": a.Others[0].Options} {
		if w.Workload.Workload != "particles" || w.Workload.Set["mode"] != want || *w.Iterations != 4 || *w.Seed != 5 ||
			w.Order != option.OrderRandom || !w.InTurns {
			t.Errorf("%+v", w)
		}
	}
}

func TestARunThatIsRefusedNamesTheHelpOfItsCommand(t *testing.T) {
	a, _, _, _ := ab("--", "-i", "3", "--", "-i", "3")
	_, s, _, _ := ab("--", "serial", "--", "serial")
	serial := func(words ...string) func(io.Writer, error) int {
		return cli.Measurement{
			Request: run.Request{Command: words}, Options: plan.Options{Serial: &option.SerialSizes{}},
		}.PrintUsageError
	}
	for want, refuse := range map[string][]func(io.Writer, error) int{
		"h5perf ab":     {a.PrintUsageError, s.PrintUsageError},
		"h5perf":        {cli.Measurement{Request: run.Request{Command: []string{"/opt/h5perf"}}}.PrintUsageError},
		"h5perf serial": {serial("h5perf", "serial")},
		"h5perf_serial": {serial("h5perf_serial")},
	} {
		for _, refuse := range refuse {
			var out bytes.Buffer
			if status := refuse(&out, errors.New("-e 7: no")); status != result.ExitUsage ||
				out.String() != "h5perf: -e 7: no\nSee '"+want+" -h'.\n" {
				t.Errorf("%s: exit status %d, %s", want, status, &out)
			}
		}
	}
}

func TestTwoConfigurationsAreRefused(t *testing.T) {
	for line, want := range map[string]string{
		"":                                     "ab needs two configurations",
		"-- -i 3":                              "ab needs two configurations",
		"--launch A=/opt/a/bin/h5perf -- -i 3": "--launch: give it twice",
		"--launch A=/opt/a/bin/h5perf --launch A=/opt/b/bin/h5perf -- -i 3": "--launch: A is given twice",
		"--launch C=/opt/a/bin/h5perf -- -i 3":                              "give A=COMMAND or B=COMMAND",
		"-i 0 --launch A=a --launch B=b -- -e 1M":                           "-i 0: each is launched at least once",
		"--launch A=a --launch B=b":                                         "ab --launch needs the arguments of both",
		"--launch A=a --launch B=b -- -i 3 --json x":                        "--json: there is a document of each",
		"--launch A=a --launch B=b -- -i 3 --results=x":                     "--results: give it before --",
		"--launch A=a --launch B=b -- -i 3 --report c":                      "--report: ab always prints its",
		"--launch A=a --launch B=b --json-a x -- -i 3":                      "there is a document of each launch",
		"--fail-on-worse 5 -- -i 3 -- -i 3":                                 "--fail-on-worse needs --launch",
		"-- -- -- -i 3":                                                     "ab needs two configurations",
		"-A posix -- --": "unknown option \"-A\"; write the options of the runs after --, as in: " +
			"h5perf ab",
		"--chunk 4 -- --":                        "unknown option \"--chunk\"; write the options of the runs after --",
		"--itrations 3 -- --":                    "unknown option \"--itrations\"; did you mean \"--num-iterations\"?",
		"-- serial -- -i 3":                      "one configuration uses the serial tool",
		"-- run particles -- -i 3":               "one configuration measures a workload and the other does not",
		"-- run particles -- serial":             "one configuration uses the serial tool",
		"-- run particles -- run":                "B: run needs a workload",
		"-- run particles --speed -- run":        "A: unknown option",
		"-- run a --io-component ompio -- run a": "--io-component: A and B run in one MPI job",
		"-- --speed -- -i 3":                     "A: unknown option",
		"-- -i 3 -- --speed":                     "B: unknown option",
		"-- -i 3 -- --help":                      "B: --help and --version cannot be used here",
		"-- PATH=/bin -- -i 3":                   "A: PATH cannot be set for one configuration alone",
		"-- -i 3 -- --json -":                    "B: --json -: standard output is for the comparison",
		"-- --report c -- -i 3":                  "A: --report c: ab always prints its comparison",
		"-- --json x -- --json ./x":              "A and B would write to the same file",
		"--json-a x --json-b x -- --":            "A and B would write to the same file",
		"-- --io-component ompio -- -i 1":        "--io-component: A and B run in one MPI job",
		"-i x -- --":                             `"x"`,
	} {
		p, s, status, text := ab(strings.Fields(line)...)
		if want != "" && (status != result.ExitUsage || !strings.Contains(text, want) || p != nil || s != nil) {
			t.Errorf("%s: exit status %d, %q, want %d and %q", line, status, text, result.ExitUsage, want)
		}
	}
	if _, _, status, text := ab("--help"); status != 0 || !strings.Contains(text, "Usage: h5perf ab") ||
		strings.Count(strings.Join(strings.Fields(text), " "), "Not with --launch") != 3 {
		t.Errorf("exit status %d\n%s", status, text)
	}
}
