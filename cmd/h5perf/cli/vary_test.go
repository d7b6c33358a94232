package cli_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// varied runs vary with these arguments, and returns its request.
func varied(words ...string) (p *cli.Measurement, status int, text string) {
	var out bytes.Buffer
	keep := func(m cli.Measurement) int { p = &m; return 0 }
	status = cli.Run(append([]string{"h5perf", "vary"}, words...), variables(nil), &out, &out, cli.Tools{
		Parallel: keep, Serial: keep,
	})
	return p, status, out.String()
}

// variantsOf returns the requests of vary that are measured in turns, and their names.
func variantsOf(t *testing.T, words ...string) (all []cli.Measurement, names []string) {
	t.Helper()
	p, status, text := varied(words...)
	if status != 0 || p == nil {
		t.Fatalf("%q: exit status %d, %s", words, status, text)
	}
	all, err := p.AllInTurns()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		names = append(names, one.Variant)
	}
	return all, names
}

func TestLayoutsAreVaried(t *testing.T) {
	all, names := variantsOf(t, "layout=given-chunked,both-chunked", "cb_nodes=2", "--json", "a/l.json",
		"--seed", "4", "--", "arrays", "--size", "tiny", "--textfile", "x.prom")
	var paths []string
	for i, one := range all {
		paths = append(paths, one.JSON)
		made, err := plan.New(one.Options, plan.JobFacts{Processes: 4, Nodes: 2})
		if err != nil {
			t.Fatal(err)
		}
		if w := made.Parameters.Workload; w.Name != "arrays" || (w.Layout != "") != (i > 0 && i < 5) ||
			!slices.Equal(made.Parameters.APIs, []string{result.PHDF5}) || len(w.Sizes) != 5 {
			t.Errorf("parameters %+v", made.Parameters)
		}
		if c := made.Parameters.Conditions; c.Order != option.OrderRandom || option.ValueOrZero(c.Seed) != 4 ||
			made.Parameters.Iterations != 11 {
			t.Errorf("order %s, seed %d, %d iterations", c.Order, c.Seed, made.Parameters.Iterations)
		}
		if (one.Textfile != "") != (i == 0) {
			t.Errorf("%s: metrics in %q", one.Variant, one.Textfile)
		}
		if !slices.ContainsFunc(one.Given, func(g result.GivenParameter) bool { return g.Name == "api" }) ||
			slices.ContainsFunc(one.Given, func(g result.GivenParameter) bool { return g.Name == "layout" }) !=
				(i > 0 && i < 5) {
			t.Errorf("given: %v", one.Given)
		}
	}
	if !slices.Equal(names, []string{
		"as it is", "layout=given-chunked-independent", "layout=given-chunked-collective",
		"layout=both-chunked-independent", "layout=both-chunked-collective", "cb_nodes=2",
	}) || paths[0] != "a/l-as-it-is.json" || paths[3] != "a/l-layout=both-chunked-independent.json" ||
		paths[5] != "a/l-cb_nodes=2.json" {
		t.Errorf("layouts %q in %q", names, paths)
	}
}

func TestOptionsHintsAndSizesAreVaried(t *testing.T) {
	all, names := variantsOf(t, "align=64K,1M", "cb_nodes=1", "sync=close", "cells=3", "-i", "5", "--", "particles")
	if !slices.Equal(names, []string{"as it is", "align=64K", "align=1M", "cb_nodes=1", "sync=close", "cells=3"}) {
		t.Errorf("variants %q", names)
	}
	o := func(i int) plan.Options { return all[i].Options }
	if *o(1).HDF5.AlignmentBytes != 64<<10 || *o(2).HDF5.AlignmentBytes != 1<<20 || o(0).HDF5.AlignmentBytes != nil ||
		o(3).MPIIO.Hints[0].Key != "cb_nodes" || o(4).Sync != option.SyncClose || o(5).Workload.Set["cells"] != "3" ||
		*o(5).Iterations != 5 {
		t.Errorf("options %+v", all)
	}
	all, names = variantsOf(t, "collective=on", "chunk-size=4K", "--", "-c", "-A", "mpiio", "-w")
	if !slices.Equal(names, []string{"as it is", "collective=on", "chunk-size=4K"}) || !o(1).Collective ||
		o(0).Collective || o(0).APIs[0] != result.MPIIO || o(2).ChunkSize[0] != 4096 || *o(2).Iterations != 9 {
		t.Errorf("variants %q, %d iterations", names, *o(2).Iterations)
	}
}

func TestAVariantThatIsGivenTwiceIsMeasuredOnce(t *testing.T) {
	_, names := variantsOf(t, "align=4K,4K", "align=4K", "--", "-w")
	if !slices.Equal(names, []string{"as it is", "align=4K"}) {
		t.Errorf("variants %q", names)
	}
}

// Each setting and each hint is in the list of variants once for each value, except those that the configuration sets.
func TestAllSettingsAndHintsAreVaried(t *testing.T) {
	_, names := variantsOf(t, "settings", "hints", "--", "--align", "2M", "--with", "chunk-io=multi")
	for _, want := range []string{"fill-time=never", "collective-metadata=both", "chunk-cache=16M", "cb_nodes=1"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %q", want, names)
		}
	}
	_, serial := variantsOf(t, "settings", "--", "serial")
	for name, lists := range map[string][2]bool{
		"align=1M": {false, true}, "chunk-io=link": {false, true}, "small-data-block=64K": {true, true},
		"sieve-buffer=1M": {false, true}, "collective-metadata=both": {true, true},
	} {
		if slices.Contains(names, name) != lists[0] || slices.Contains(serial, name) != lists[1] {
			t.Errorf("%s: parallel %q, serial %q", name, names, serial)
		}
	}
}

func TestVariantsThatCannotBeAreRefused(t *testing.T) {
	for words, want := range map[string]string{
		"":                                 "vary needs something to vary: layouts, settings, hints, or NAME=VALUE",
		"setting":                          `"setting" is neither layouts, settings nor hints, and has no value`,
		"align=":                           `"align=" is neither`,
		"align=1x":                         "align=1x: -a, --align: ",
		"layout=contiguous-3 -- arrays":    `layout=contiguous-3: "contiguous-3" is no layout`,
		"layout=dump -- arrays":            "a form (given, dumps, arrays, both), a storage (",
		"layout=chunked-4x0 -- arrays":     "the extent of chunks has numbers from 1 on",
		"layouts -- -x 4K":                 "layouts: only the data of a workload have several layouts",
		"hints -- serial":                  "hints: the serial tool does not use MPI-IO",
		"json=x":                           "json: all variants must have the same --json",
		"api=posix":                        "api: all variants must have the same --api",
		"collective=yes -- -w":             "--collective is on or off; write collective=on",
		"aling=4K -- -w":                   `neither an option nor an MPI-IO hint; did you mean "align"?`,
		"align=4K -- -A posix,phdf5":       "-A: one API is measured",
		"align=4K -- -w -- -w":             "vary needs one configuration, after the only --, not 2",
		"align=4K -- -i 3":                 "--num-iterations after --: all variants have the same number",
		"align=4K -- --seed 3":             "--seed after --: the order is that of all variants",
		"align=4K --time 1ns":              "\"1ns\" is too short for any run: give 1s or more",
		"align=4K -- --order given":        "--order: the variants are measured in turns",
		"align=4K -- -o x":                 "--report and -o: the comparison is always printed",
		"align=4K -- --json x":             "--json: each variant has a document; give --json before --",
		"align=4K --time 1m -- --warmup 0": "--time with --warmup 0",
		"align=4K --json -":                "--json -: standard output is for the comparison",
		"align=4K --size tiny":             "write the options of the runs after --",
		"align=4K -- --help":               "--help and --version cannot be used after --",
	} {
		if p, status, text := varied(strings.Fields(words)...); p != nil || status != result.ExitUsage ||
			!strings.Contains(text, want) || !strings.Contains(text, "See 'h5perf vary -h'.") {
			t.Errorf("%s: exit status %d, %s, want %q", words, status, text, want)
		}
	}
	sizes := make([]string, 78)
	for i := range sizes {
		sizes[i] = fmt.Sprint(1+i, "K")
	}
	p, _, _ := varied("align=" + strings.Join(sizes, ","))
	if _, err := p.AllInTurns(); err == nil || err.Error() != "79 variants: at most 78 can be measured in turns" {
		t.Errorf("error %v", err)
	}
}
