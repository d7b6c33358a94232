package cli_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
	"h5perf/pkg/units"
)

// variables returns a lookup function for an environment.
func variables(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { value, ok := env[name]; return value, ok }
}

// parseParallel runs a command line in an environment, and returns the request that the parallel tool gets.
func parseParallel(t *testing.T, env map[string]string, words ...string) cli.Measurement {
	t.Helper()
	var asked []cli.Measurement
	var stdout, stderr bytes.Buffer
	status := cli.Run(append([]string{"h5perf"}, words...), variables(env), &stdout, &stderr, cli.Tools{
		Parallel: func(p cli.Measurement) int {
			asked = append(asked, p)
			return 7
		},
	})
	if status != 7 || len(asked) != 1 || stdout.Len()+stderr.Len() > 0 {
		t.Fatalf("h5perf %q: status %d, asked %d times, %s%s", words, status, len(asked), &stdout, &stderr)
	}
	return asked[0]
}

func TestEveryOptionInEveryForm(t *testing.T) {
	for _, o := range []struct {
		short, long, value string
		want               cli.Measurement
	}{
		{
			"-a", "--align", "4k",
			cli.Measurement{Options: plan.Options{HDF5: option.HDF5{AlignmentBytes: new(uint64(4096))}}},
		},
		{"-A", "--api", "mpiio,phdf5", cli.Measurement{Options: plan.Options{Sizes: option.Sizes{APIs: []string{
			"mpiio",
			"phdf5",
		}}}}},
		{
			"-B", "--block-size", "2",
			cli.Measurement{Options: plan.Options{Sizes: option.Sizes{BlockSize: new(uint64(2))}}},
		},
		{"-c", "--chunk", "", cli.Measurement{Options: plan.Options{Sizes: option.Sizes{Chunked: true}}}},
		{"-C", "--collective", "", cli.Measurement{Options: plan.Options{Sizes: option.Sizes{Collective: true}}}},
		{"-d", "--num-dsets", "3", cli.Measurement{Options: plan.Options{Sizes: option.Sizes{Datasets: new(3)}}}},
		{
			"-D", "--debug", "3,t",
			cli.Measurement{Request: run.Request{Report: report.CReportOptions{Level: 3, Times: true}}},
		},
		{
			"-e", "--num-bytes", "37M",
			cli.Measurement{Options: plan.Options{Sizes: option.Sizes{BytesPerProcess: new(uint64(38797312))}}},
		},
		{"-F", "--num-files", "4", cli.Measurement{Options: plan.Options{Sizes: option.Sizes{Files: new(4)}}}},
		{"-g", "--geometry", "", cli.Measurement{Options: plan.Options{Sizes: option.Sizes{TwoD: true}}}},
		{
			"-i", "--num-iterations", "5",
			cli.Measurement{Options: plan.Options{Common: option.Common{Iterations: new(5)}}},
		},
		{"-I", "--interleaved", "", cli.Measurement{Options: plan.Options{Sizes: option.Sizes{Interleaved: true}}}},
		{"-m", "--mpi-posix", "", cli.Measurement{Options: plan.Options{MPIPosix: true}}},
		{"-o", "--output", "report.txt", cli.Measurement{Request: run.Request{Output: "report.txt"}}},
		{
			"-p", "--min-num-processes", "2",
			cli.Measurement{Options: plan.Options{Sizes: option.Sizes{MinProcesses: new(2)}}},
		},
		{
			"-P", "--max-num-processes", "8",
			cli.Measurement{Options: plan.Options{Sizes: option.Sizes{MaxProcesses: new(8)}}},
		},
		{
			"-T", "--threshold", "1G",
			cli.Measurement{Options: plan.Options{HDF5: option.HDF5{ThresholdBytes: new(uint64(1 << 30))}}},
		},
		{"-w", "--write-only", "", cli.Measurement{Options: plan.Options{Common: option.Common{WriteOnly: true}}}},
		{
			"-x", "--min-xfer-size", "1T",
			cli.Measurement{Options: plan.Options{Sizes: option.Sizes{MinTransferSize: new(uint64(1 << 40))}}},
		},
		{
			"-X", "--max-xfer-size", "1p",
			cli.Measurement{Options: plan.Options{Sizes: option.Sizes{MaxTransferSize: new(uint64(1 << 50))}}},
		},
		{"", "--report", "summary", cli.Measurement{Request: run.Request{Form: report.FormSummary}}},
		{"", "--json", "-", cli.Measurement{Request: run.Request{JSON: "-"}}},
		{"", "--view", "transfer", cli.Measurement{Options: plan.Options{MPIIO: option.MPIIO{View: "transfer"}}}},
		{"", "--chunk-size", "4K,8", cli.Measurement{Options: plan.Options{Sizes: option.Sizes{ChunkSize: []uint64{
			4096,
			8,
		}}}}},
		{
			"", "--hint", "a = b=c",
			cli.Measurement{
				Options: plan.Options{MPIIO: option.MPIIO{Hints: []units.KeyValue{{Key: "a", Value: "b=c"}}}},
			},
		},
		{
			"", "--sieve-buffer", "0",
			cli.Measurement{Options: plan.Options{HDF5: option.HDF5{SieveBufferBytes: new(uint64(0))}}},
		},
		{
			"", "--meta-block-size", "1M",
			cli.Measurement{Options: plan.Options{HDF5: option.HDF5{MetaBlockBytes: new(uint64(1 << 20))}}},
		},
		{
			"", "--chunk-cache", "4M",
			cli.Measurement{Options: plan.Options{HDF5: option.HDF5{ChunkCacheBytes: new(uint64(4 << 20))}}},
		},
		{
			"", "--driver", "subfiling",
			cli.Measurement{Options: plan.Options{HDF5: option.HDF5{Driver: "subfiling"}}},
		},
		{"", "--fill-time", "never", cli.Measurement{Options: plan.Options{HDF5: option.HDF5{FillTime: "never"}}}},
		{
			"", "--subfiling-threads", "2",
			cli.Measurement{Options: plan.Options{
				HDF5: option.HDF5{DriverSettings: &option.DriverSettings{
					SubfilingSettings: option.SubfilingSettings{SubfilingThreads: new(2)},
				}},
			}},
		},
		{
			"", "--io-component", "romio",
			cli.Measurement{Options: plan.Options{MPIIO: option.MPIIO{IOComponent: "romio"}}},
		},
		{"", "--deadline", "50m", cli.Measurement{Request: run.Request{Deadline: run.Deadline{In: 50 * time.Minute}}}},
		{
			"", "--deadline", "2026-11-24T06:00:00Z",
			cli.Measurement{
				Request: run.Request{Deadline: run.Deadline{At: time.Date(2026, 11, 24, 6, 0, 0, 0, time.UTC)}},
			},
		},
		{"", "--progress", "90s", cli.Measurement{Request: run.Request{Progress: new(90 * time.Second)}}},
	} {
		for _, form := range forms(o.short, o.long, o.value) {
			want := o.want
			want.Command = append([]string{"h5perf"}, form...)
			want.Given = []result.GivenParameter{{Name: strings.TrimPrefix(o.long, "--"), Value: o.value}}
			if d := cmp.Diff(want, parseParallel(t, nil, form...)); d != "" {
				t.Errorf("%q: %s", form, d)
			}
		}
	}
}

// forms returns the ways to write an option.
func forms(short, long, value string) [][]string {
	switch {
	case short == "":
		return [][]string{{long, value}, {long + "=" + value}}
	case value == "":
		return [][]string{{short}, {long}, {"parallel", short}, {short, "--"}}
	}
	return [][]string{{short, value}, {short + value}, {long, value}, {long + "=" + value}}
}

// Of a workload, the option was ignored: the run went on with another driver.
func TestADriverOptionOfAWorkloadCounts(t *testing.T) {
	if m := parseParallel(t, nil, "run", "particles", "-m"); !m.Options.MPIPosix {
		t.Errorf("%+v: -m does not count", m.Options)
	}
}

func TestFlagsCluster(t *testing.T) {
	want := cli.Measurement{
		Options: plan.Options{Sizes: option.Sizes{
			TwoD: true, Interleaved: true, Chunked: true,
			BytesPerProcess: new(uint64(4096)),
		}},
		Request: run.Request{
			Given: []result.GivenParameter{
				{Name: "geometry"}, {Name: "interleaved"}, {Name: "chunk"}, {Name: "num-bytes", Value: "4K"},
			},
		},
	}
	for _, words := range [][]string{{"-gIce4K"}, {"-gIce", "4K"}, {"-gI", "-ce4K"}, {"-g", "-I", "-c", "-e4K"}} {
		want.Command = append([]string{"h5perf"}, words...)
		if d := cmp.Diff(want, parseParallel(t, nil, words...)); d != "" {
			t.Errorf("%q: %s", words, d)
		}
	}
}

func TestTheGuidesCommandLines(t *testing.T) {
	for line, want := range map[string]plan.Options{
		"-B 2 -e 8 -p 3 -P 3 -x 4 -X 4": {
			Sizes: option.Sizes{
				BytesPerProcess: new(uint64(8)), MinTransferSize: new(uint64(4)),
				MaxTransferSize: new(uint64(4)),
			},
		},
		"-B 2 -e 4 -p 3 -P 3 -x 4 -X 4 -I": {
			Sizes: option.Sizes{
				BytesPerProcess: new(uint64(4)), MinTransferSize: new(uint64(4)),
				MaxTransferSize: new(uint64(4)), Interleaved: true,
			},
		},
		"-B 2 -e 4 -p 3 -P 3 -x 12 -X 12 -g": {
			Sizes: option.Sizes{
				BytesPerProcess: new(uint64(4)), MinTransferSize: new(uint64(12)),
				MaxTransferSize: new(uint64(12)), TwoD: true,
			},
		},
		"-B 2 -e 4 -p 3 -P 3 -x 12 -X 12 -g -I": {
			Sizes: option.Sizes{
				BytesPerProcess: new(uint64(4)), MinTransferSize: new(uint64(12)),
				MaxTransferSize: new(uint64(12)), TwoD: true, Interleaved: true,
			},
		},
	} {
		want.BlockSize, want.MinProcesses, want.MaxProcesses = new(uint64(2)), new(3), new(3)
		got := parseParallel(t, nil, strings.Fields(line)...)
		if d := cmp.Diff(want, got.Options); d != "" {
			t.Errorf("%s: %s", line, d)
		}
		if p, err := plan.New(got.Options, plan.JobFacts{Processes: 3}); err != nil || len(p.ProcessSteps) != 1 ||
			len(p.Notes) != 0 {
			t.Errorf("%s: %v, steps %v, notes %q", line, err, p.ProcessSteps, p.Notes)
		}
	}
}

func TestListsAddUpAndOfOthersTheLastCounts(t *testing.T) {
	got := parseParallel(t, nil, "-A", "posix", "-x", "4", "-D", "1,r", "-A", "phdf5", "-x", "8", "-D", "4", "-Dv",
		"--hint",
		"a=b", "--hint", "a=c")
	want := plan.Options{
		Sizes:  option.Sizes{APIs: []string{"posix", "phdf5"}, MinTransferSize: new(uint64(8))},
		Verify: true,
		MPIIO:  option.MPIIO{Hints: []units.KeyValue{{Key: "a", Value: "b"}, {Key: "a", Value: "c"}}},
	}
	if d := cmp.Diff(want, got.Options); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(report.CReportOptions{Level: 4, Raw: true}, got.Report); d != "" {
		t.Error(d)
	}
	if len(got.Given) != 9 || got.Given[4] != (result.GivenParameter{Name: "min-xfer-size", Value: "8"}) {
		t.Errorf("given %v", got.Given)
	}
}

func TestVariablesThatCountAsOptions(t *testing.T) {
	got := parseParallel(t,
		map[string]string{
			"HDF5_MPI_INFO": " a=b", "HDF5_NOCLEANUP": "", "HDF5_PARAPREFIX": "/data", "USER": "me", "HOME": "/",
		}, "-w")
	want := cli.Measurement{
		Options: plan.Options{
			Common:  option.Common{WriteOnly: true, Conditions: option.Conditions{Keep: true}},
			MPIInfo: new(" a=b"),
		},
		Request: run.Request{
			Command: []string{"h5perf", "-w"},
			Given: []result.GivenParameter{
				{Name: "write-only"},
				{Name: "HDF5_PARAPREFIX", Value: "/data"},
				{Name: "HDF5_NOCLEANUP"},
				{Name: "HDF5_MPI_INFO", Value: " a=b"},
				{Name: "USER", Value: "me"},
			},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzRun(f *testing.F) {
	for _, line := range []string{
		"", "-gIce4K", "--num-bytes=4K -x 2", "-x -1", "stray", "--", "-D 4,r,t,v", "-é", "--hint a=b", "-A posix,",
		"-h", "serial -e 16,16 -x 4,2", "serial -r 1,-2", "serial -h", "plan -x 4", "plan serial --json",
		"plan --json run -h",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var stdout, stderr bytes.Buffer
		asked := 0
		status := cli.Run(append([]string{"h5perf"}, strings.Split(line, " ")...),
			func(string) (string, bool) { return "", false }, &stdout, &stderr,
			cli.Tools{
				Parallel: func(cli.Measurement) int { asked++; return 0 },
				Serial:   func(cli.Measurement) int { asked++; return 0 },
				Doctor:   func(cli.Doctor) int { asked++; return 0 },
			})
		switch {
		case status == 0 && stderr.Len() == 0 && (asked == 1) != (stdout.Len() > 0): // a run, or help
		case status == result.ExitUsage && stderr.Len() > 0 && asked == 0 && stdout.Len() == 0:
		default:
			t.Errorf("%q: status %d, asked %d times, %s%s", line, status, asked, &stdout, &stderr)
		}
	})
}

func TestExamplesOfTheHelpCanBeMeasured(t *testing.T) {
	var help bytes.Buffer
	cli.Run([]string{"h5perf", "--help"}, variables(nil), &help, &help, cli.Tools{})
	examples := regexp.MustCompile(`(?m)^  mpiexec -n (\d+) h5perf (.*)$`).FindAllStringSubmatch(help.String(), -1)
	if len(examples) != 4 {
		t.Fatalf("%d examples in %s", len(examples), &help)
	}
	for _, e := range examples {
		size, err := strconv.Atoi(e[1])
		if err != nil {
			t.Fatal(err)
		}
		if p, err := plan.New(parseParallel(t, nil, strings.Fields(e[2])...).Options,
			plan.JobFacts{Processes: size}); err != nil ||
			len(p.Notes) > 0 {
			t.Errorf("%s: %v, notes %q", e[0], err, p.Notes)
		}
	}
}

func TestTheHelpListsTheWordsOfAnOption(t *testing.T) {
	either := func(e result.Enumerated) string { return strings.Join(e.Values(), "|") }
	for tool, options := range map[string]map[string]string{
		"h5perf": {
			"--sync": either(option.SyncMode("")), "--preset": either(option.Preset("")),
			"--order": either(option.CaseOrder("")), "--data": either(option.DataChoice("")),
			"--space-check": "on|off", "--spread": either(option.ProcessSpread("")),
		},
		"h5perf_serial": {"--order": "N,...|" + either(option.CaseOrder("")), "--sync": either(option.SyncMode(""))},
	} {
		var help bytes.Buffer
		cli.Run([]string{tool, "--help"}, variables(nil), &help, &help, cli.Tools{})
		for option, words := range options {
			if want := option + "=" + words; !slices.Contains(strings.Fields(help.String()), want) {
				t.Errorf("%s: no %s in the help", tool, want)
			}
		}
	}
}

// What the help of run shares with the parallel tool names no option that only that tool has.
func TestTheHelpOfRunNamesOptionsOfRun(t *testing.T) {
	var out bytes.Buffer
	cli.Run([]string{"h5perf", "run", "--help"}, variables(nil), &out, &out, cli.Tools{})
	has := map[string]bool{"-n": true, "-1": true} // of mpiexec, and a number
	head := regexp.MustCompile(`(?m)^ +(?:(-\w), )?(--[a-z-]+)`)
	for _, option := range head.FindAllStringSubmatch(out.String(), -1) {
		has[option[1]], has[option[2]] = true, true
	}
	named := regexp.MustCompile(`(?m)(?:^|[\s(,'])(--?[\w][a-z-]*)`).FindAllStringSubmatch(out.String(), -1)
	if len(named) < 100 {
		t.Fatalf("%d options in\n%s", len(named), out.String())
	}
	for _, option := range named {
		if !has[option[1]] {
			t.Errorf("the help names %s, which run does not have", option[1])
		}
	}
}

// The help of run is the same for all workloads, so it names the command that tells what one of them has.
func TestTheHelpOfRunNamesTheCommandForSizesAndChoices(t *testing.T) {
	for _, option := range []string{"-h", "--help"} {
		var out bytes.Buffer
		cli.Run([]string{"h5perf", "run", "metadata", option}, variables(nil), &out, &out, cli.Tools{})
		if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(text,
			"'h5perf workload about WORKLOAD' tells its sizes and choices.") {
			t.Errorf("%s: %s", option, text)
		}
	}
}

func TestTheHelpTellsTheSizesOfThePresets(t *testing.T) {
	var parallel, serial bytes.Buffer
	cli.Run([]string{"h5perf", "--help"}, variables(nil), &parallel, &parallel, cli.Tools{})
	cli.Run([]string{"h5perf_serial", "--help"}, variables(nil), &serial, &serial, cli.Tools{})
	size := units.FormatSize
	for _, name := range result.ValuesOf[option.Preset]() {
		job := plan.JobFacts{Processes: 1, Nodes: 1, MemoryBytes: 1 << 30}
		p, err := plan.New(plan.Options{Common: option.Common{Conditions: option.Conditions{Preset: name}}}, job)
		s, err2 := plan.New(
			plan.Options{
				Serial: &option.SerialSizes{},
				Common: option.Common{Conditions: option.Conditions{Preset: name}},
			},
			job,
		)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		l := p.Parameters
		line := fmt.Sprintf("-B %s -x %s -X %s", size(l.BlockSize), size(l.MinTransferSize), size(l.MaxTransferSize))
		walk := "-x " + size(s.Parameters.BufferExtent[0])
		if name != option.PresetStrict { // -e depends on the memory with strict
			line, walk = "-e "+size(l.BytesPerProcess)+" "+line, "-e "+size(s.Parameters.DatasetExtent[0])+" "+walk
		}
		for want, help := range map[string]string{line: parallel.String(), walk: serial.String()} {
			_, presets, _ := strings.Cut(help, "Presets: predefined sets")
			_, text, _ := strings.Cut(presets, "\n  "+string(name))
			if !strings.Contains(strings.Join(strings.Fields(text), " "), " "+want+".") {
				t.Errorf("%s: no %q in the help", name, want)
			}
		}
	}
}
