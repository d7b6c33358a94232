package cli_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// askedLayouts runs layouts with these arguments, and returns its request.
func askedLayouts(words ...string) (p *cli.Measurement, status int, text string) {
	var out bytes.Buffer
	status = cli.Run(append([]string{"h5perf", "layouts"}, words...), variables(nil), &out, &out, cli.Tools{
		Parallel: func(asked cli.Measurement) int { p = &asked; return 0 },
	})
	return p, status, out.String()
}

func TestLayoutsAreAskedFor(t *testing.T) {
	p, status, text := askedLayouts("--size", "tiny", "--forms", "given,both", "--layout", "chunked", "--json",
		"a/l.json",
		"--textfile", "x.prom", "--seed", "4")
	if status != 0 || p == nil {
		t.Fatalf("exit status %d, %s", status, text)
	}
	all, left, err := p.SplitByLayout(plan.JobFacts{Processes: 4, Nodes: 2})
	if err != nil || len(left) != 0 {
		t.Fatalf("left out %v; %v", left, err)
	}
	var paths, names []string
	for _, one := range all {
		paths, names = append(paths, one.JSON), append(names, one.Options.Workload.Recorded.Variant)
		made, err := plan.New(one.Options, plan.JobFacts{Processes: 4, Nodes: 2})
		if err != nil {
			t.Fatal(err)
		}
		if w := made.Parameters.Workload; w.Name != "arrays" || w.Variant != one.Options.Workload.Recorded.Variant ||
			!slices.Equal(made.Parameters.APIs, []string{result.PHDF5}) || len(w.Sizes) != 5 {
			t.Errorf("parameters %+v", made.Parameters)
		}
		if c := made.Parameters.Conditions; c.Order != option.OrderRandom || option.ValueOrZero(c.Seed) != 4 ||
			made.Parameters.Iterations != 11 {
			t.Errorf("order %s, seed %d, %d iterations", c.Order, c.Seed, made.Parameters.Iterations)
		}
	}
	if !slices.Equal(names, []string{
		"as it is", "given, chunked, independent", "given, chunked, collective", "both, chunked, independent",
		"both, chunked, collective",
	}) || paths[0] != "a/l-as-it-is.json" || paths[3] != "a/l-both-chunked-independent.json" {
		t.Errorf("layouts %q in %q", names, paths)
	}
	if all[0].Textfile != "x.prom" || all[1].Textfile != "" {
		t.Errorf("metrics in %q and %q", all[0].Textfile, all[1].Textfile)
	}
	if slices.ContainsFunc(p.Given, func(g result.GivenParameter) bool { return g.Name == "forms" }) {
		t.Errorf("given: %v, which run does not know", p.Given)
	}
}

func TestLayoutsThatCannotBeAreRefused(t *testing.T) {
	for words, want := range map[string]string{
		"--layout contiguous --chunk-extent 3": "--chunk-extent without chunks",

		"--forms dump":          `--forms "dump": must be one of given, dumps, arrays, both; did you mean "dumps"?`,
		"--mode x":              `--mode "x": must be one of independent, collective`,
		"--chunk-extent 4,0":    "--chunk-extent: must be at least 1 in each dimension",
		"-A posix":              "-A: layouts measures only HDF5",
		"--order given":         "--order: the variants are measured in turns",
		"-o x":                  "--report and -o: layouts always prints its comparison",
		"--json -":              "--json -: standard output is for the comparison",
		"--memory-factor 2 --x": "--x",
	} {
		if p, status, text := askedLayouts(strings.Fields(words)...); p != nil || status != result.ExitUsage ||
			!strings.Contains(text, want) || !strings.Contains(text, "See 'h5perf layouts -h'.") {
			t.Errorf("%s: exit status %d, %s, want %q", words, status, text, want)
		}
	}
	p, _, _ := askedLayouts("--forms", "given", "--layout", "contiguous", "--set", "mode=nothing")
	_, _, err := p.SplitByLayout(plan.JobFacts{Processes: 1})
	if err == nil || !strings.Contains(err.Error(), `the choice mode "nothing": must be one of`) {
		t.Errorf("error %v", err)
	}
}
