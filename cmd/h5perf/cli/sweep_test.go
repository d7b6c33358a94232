package cli_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// plannedSweep returns the plan of a command line with --sweep, and the values of its parts.
func plannedSweep(t *testing.T, words ...string) (made plan.Plan, values []string) {
	t.Helper()
	m := parseParallel(t, nil, words...)
	made, err := plan.New(m.Options, plan.JobFacts{Processes: 2, Nodes: 1})
	if err != nil {
		t.Fatalf("%q: %v", words, err)
	}
	for _, part := range made.Parts {
		values = append(values, result.ValuesText(part.Values))
	}
	return made, values
}

func TestEachValueOfASweepMakesCases(t *testing.T) {
	made, values := plannedSweep(t, "run", "particles", "--size", "tiny", "--sweep", "mode", "--sweep", "dumps=3,4",
		"--sweep", "align=1M", "-i", "3", "-A", "phdf5,mpiio")
	if !slices.Equal(values, []string{
		"mode=collective, dumps=3, align=1M", "mode=collective, dumps=4, align=1M",
		"mode=independent, dumps=3, align=1M", "mode=independent, dumps=4, align=1M",
	}) {
		t.Errorf("parts %q", values)
	}
	if n := made.NumCases(); n != 8 {
		t.Errorf("%d cases", n)
	}
	i := 0
	for c := range made.Cases() {
		p := c.Parameters
		if !slices.Equal(c.Values, made.Parts[i/2].Values) || p.Iterations != 3 || p.AlignmentBytes == nil ||
			*p.AlignmentBytes != 1<<20 || !slices.Contains(p.Workload.Sizes, c.Values[1]) ||
			!slices.Contains(p.Workload.Chosen, c.Values[0]) {
			t.Errorf("case %d: %v, %+v", i, c.Values, p)
		}
		i++
	}
}

func TestASweepOfTheToolsHasCasesOfOptionsSettingsAndHints(t *testing.T) {
	made, values := plannedSweep(t, "-A", "phdf5", "--sweep", "collective=off,on", "--sweep", "e=256K,512K",
		"--sweep", "cb_nodes=1,2", "-x", "128K", "-X", "128K")
	if len(values) != 8 || values[7] != "collective=on, e=512K, cb_nodes=2" {
		t.Fatalf("parts %q", values)
	}
	first, last := made.Parts[0].Plan.Parameters, made.Parts[7].Plan.Parameters
	if first.Mode != result.ModeIndependent || last.Mode != result.ModeCollective || first.BytesPerProcess != 256<<10 ||
		last.BytesPerProcess != 512<<10 || !slices.Equal(last.Hints, []result.KeyValue{{Key: "cb_nodes", Value: "2"}}) {
		t.Errorf("first %+v\nlast %+v", first, last)
	}
	_, values = plannedSweep(t, "-A", "mpiio", "--sweep", "cb_config_list=http://me:secret@host/,*:1")
	if len(values) != 2 || strings.Contains(values[0], "secret") {
		t.Errorf("a password is in the values: %q", values)
	}
	_, values = plannedSweep(t, "-A", "phdf5", "--sweep", "align")
	if !slices.Equal(values, []string{"align=1", "align=4K", "align=1M"}) {
		t.Errorf("values of a setting: %q", values)
	}
}

func TestAWrongSweepIsRefused(t *testing.T) {
	const layouts = "layout=given-chunked-independent,given-chunked-collective"
	for line, want := range map[string]string{
		"run particles --sweep dumps=3,":                "is not a name and its values",
		"run particles --sweep dumps=3 --sweep dumps=4": "dumps is given twice",
		"run particles --sweep dumps=3,3":               "3 is given twice",
		"run particles --sweep json=a,b":                "must have the same --json",
		"run particles --sweep num-iterations=1,2":      "must have the same --num-iterations",
		"run particles --align 1M --sweep align=2M":     "align is given, too",
		"--sweep fast=1,2":                              `"fast" is neither an option nor an MPI-IO hint`,
		"run particles --set dumps=3 --sweep dumps=4":   "with dumps=4: --set: dumps is given twice",
		"run arrays --sweep mode --layout both-chunked-independent": "with mode=collective: mode=collective and " +
			"--layout both-chunked-independent contradict each other: ",
		"run mesh --size tiny --sweep chunk_x=4,8 --layout given-chunked-collective": "with chunk_x=8: --layout " +
			"given-chunked-collective makes it the same as with chunk_x=4: leave one of them out",
		"run particles --sweep dumps":                         "write its values, such as dumps=1,2: ",
		"run arrays --sweep layout":                           "such as " + layouts + ": ",
		"run particles --sweep mode=cooperative":              "with mode=cooperative",
		"-e 1M --sweep x=" + strings.Repeat("64,", 2) + "128": "64 is given twice",
	} {
		status, text := runPlan(strings.Fields(line)...)
		if status != 2 || !strings.Contains(text, want) {
			t.Errorf("%s: exit status %d, %s", line, status, text)
		}
	}
	if status, text := runPlan("run", "arrays", "--size", "tiny", "--sweep", layouts); status != 0 {
		t.Errorf("exit status %d, %s", status, text)
	}
	status, text := runPlan("run", "particles", "--size", "tiny", "--sweep", "mode", "-P", "4")
	if status != 0 || !strings.Contains(text, "6, with up to 4 processes") {
		t.Errorf("exit status %d, %s", status, text)
	}
}
