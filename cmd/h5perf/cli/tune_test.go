package cli_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli"
	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// tuned runs tune with these arguments, and returns its request.
func tuned(words ...string) (p *cli.Measurement, status int, text string) {
	var out bytes.Buffer
	keep := func(m cli.Measurement) int { p = &m; return 0 }
	status = cli.Run(append([]string{"h5perf", "tune"}, words...), variables(nil), &out, &out, cli.Tools{
		Parallel: keep, Serial: keep,
	})
	return p, status, out.String()
}

// proposed returns the request of tune, and the names of its changes in a job.
func proposed(t *testing.T, job plan.JobFacts, words ...string) (p *cli.Measurement, names []string) {
	t.Helper()
	p, status, text := tuned(words...)
	if status != 0 || p == nil || p.Tuning == nil {
		t.Fatalf("%q: exit status %d, %s", words, status, text)
	}
	names, _, err := p.Tuning.ProposeChanges(*p, job)
	if err != nil {
		t.Fatal(err)
	}
	return p, names
}

func TestTuneProposesChanges(t *testing.T) {
	job := plan.JobFacts{Processes: 4, Nodes: 2}
	settings, hints := "fill-time=never", "romio_cb_write=enable"
	for _, c := range []struct {
		words        string
		there, never []string
	}{
		{
			"arrays -- --size tiny",
			[]string{"stripe=-1,4M", "layout=both-chunked-collective", "cb_nodes=4", settings, hints},
			[]string{"collective=on", "driver=subfiling", "cb_nodes=8"},
		},
		{"checkpoint", []string{"calls=together", "mode=independent"}, []string{"collective=on"}},
		{"", []string{"layout=both-chunked-collective"}, []string{"chunk=on"}},
		{
			"-- -C -x 64K -X 64K",
			[]string{"collective=on", "chunk=on", "cb_nodes=1", settings, hints},
			[]string{"layouts"},
		},
		{"-- --fill-time alloc -e 1M", []string{"align=1M"}, []string{settings}},
		{"--try settings -- -e 1M", []string{settings}, []string{hints, "chunk=on"}},
		{
			"--try align=4K,64K --try hints --try align=64K -- -e 1M",
			[]string{"align=4K", "align=64K", hints},
			[]string{settings},
		},
	} {
		_, names := proposed(t, job, strings.Fields(c.words)...)
		for _, want := range c.there {
			if !slices.Contains(names, want) {
				t.Errorf("%s: no %s in %q", c.words, want, names)
			}
		}
		for _, name := range names {
			if slices.Contains(c.never, name) {
				t.Errorf("%s: %s is among the changes", c.words, name)
			}
		}
		if slices.Sort(names); len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%s: %q", c.words, names)
		}
	}
	_, names := proposed(t, job, "--try", "align="+strings.Repeat("4K,8K,", 20)+"16K", "--", "-e", "1M")
	if len(names) != 3 {
		t.Errorf("%q", names)
	}
}

// The arms of a stage have what their changes say, and data of the size of the stage.
func TestTuneMakesArmsOfStages(t *testing.T) {
	job := plan.JobFacts{Processes: 4, Nodes: 2}
	p, names := proposed(t, job, "particles", "--try", "layouts", "--try", "align=1M", "--try", "cb_nodes=2", "--json",
		"t.json", "--seed", "3", "--", "--size", "tiny", "--preset", "standard")
	layout := slices.Index(names, "layout=dumps-chunked-collective")
	trial := []int{layout, slices.Index(names, "align=1M"), slices.Index(names, "cb_nodes=2")}
	if slices.Contains(trial, -1) {
		t.Fatalf("changes %q", names)
	}
	stage := command.TuneStage{Name: result.TuneHalf, Iterations: 9, Size: 0.5}
	one, sized, err := p.Tuning.Arm(*p, stage, "a, b", trial, job)
	if err != nil {
		t.Fatal(err)
	}
	made, err := plan.New(one.Options, job)
	if err != nil {
		t.Fatal(err)
	}
	s := made.Parameters
	if sized != "particles=8192" || s.Workload.Layout != "dumps, chunked, collective" || *s.AlignmentBytes != 1<<20 ||
		len(s.Hints) != 1 || s.Iterations != 9 || s.Conditions.Order != option.OrderRandom ||
		option.ValueOrZero(s.Conditions.Warmup) != 0 {
		t.Errorf("%s, layout %s, parameters %+v", sized, s.Workload.Layout, s)
	}
	if one.JSON != "t-half-a-b.json" || one.Variant != "a, b" || one.Tune.Stage != result.TuneHalf {
		t.Errorf("request %+v", one.Request)
	}
	stage = command.TuneStage{Name: result.TuneSearch, Iterations: 2, Size: 1}
	same, sized, err := p.Tuning.Arm(*p, stage, "as it is", nil, job)
	if err != nil || sized != "" || same.Options.Workload.Recorded != nil {
		t.Errorf("%s, %v", sized, err)
	}
}

func TestTuneThreadsAreForSubfiling(t *testing.T) {
	for words, want := range map[string][2]bool{
		"-- -e 1M":                               {false, true},
		"--try align=1M -- -e 1M":                {false, false},
		"--try driver=subfiling -- -e 1M":        {true, true},
		"--try align=1M -- --driver subfiling":   {true, true},
		"--try hints --try settings -- -x 1M -C": {false, false},
	} {
		p, status, text := tuned(strings.Fields(words)...)
		if status != 0 {
			t.Fatalf("%s: %s", words, text)
		}
		without := p.UsesThreads()
		p.Tuning.Subfiling = true
		if with := p.UsesThreads(); without != want[0] || with != want[1] {
			t.Errorf("%s: threads without and with subfiling in HDF5: %v, %v", words, without, with)
		}
	}
}

func TestTuneRefusesMistakes(t *testing.T) {
	for words, want := range map[string]string{
		"-- -e 1M -- -e 2M":         "tune needs one configuration, after the only --, not 2",
		"-- serial":                 "tune measures with the parallel tool and run; for the serial tool, use vary",
		"--try nosuch=1 -- -e 1M":   `--try nosuch=1: "nosuch" is neither an option nor an MPI-IO hint`,
		"--try align -- -e 1M":      `--try "align" is neither layouts, settings nor hints`,
		"--try json=x -- -e 1M":     "--try json: all variants must have the same --json",
		"particles -- -e 1M":        `unknown option "-e"`,
		"-- -e 1M --sweep x=1K,2K":  "--sweep after --: tune chooses the values itself",
		"-- -A posix,phdf5":         "-A: one API is measured",
		"-i 3 -- -e 1M":             `unknown option "-i"; tune chooses how often it measures; limit it by --runs or`,
		"--size tiny":               "write the options of the runs after --",
		"-- -e 1M --report summary": "--report and -o: the comparison is always printed",
		"-- -e 1M --json x":         "--json: each variant has a document",
		"--runs 0 -- -e 1M":         "--runs: a search needs at least 2 measurements",
		"--time soon -- -e 1M":      "--time",
		"--time 1ns -- -e 1M":       "\"1ns\" is too short for any run: give 1s or more",
		"-- -e 1M -i 3":             "--num-iterations after --: tune chooses how often it measures; limit it by",
		"-- -e 1M --warmup 1":       "--warmup after --: tune chooses how often it measures",
		"-- -e 1M --seed 3":         "--seed after --: the order is that of all variants: give --seed before --",
		"-- -e 1M --textfile x":     "--textfile after --: tune publishes nothing",
		"--resume a --results a --": "--resume and --results: --resume stores the documents, too",
	} {
		_, status, text := tuned(strings.Fields(words)...)
		if status != result.ExitUsage || !strings.Contains(text, want) {
			t.Errorf("%s: exit status %d, %q", words, status, text)
		}
	}
}
