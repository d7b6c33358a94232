//go:build cgo && !nompi && bench

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// peerEdges has the number of rows and columns of the datasets for each form of the C program peer that is compared.
// With 2048, a rank has 16 MiB of a block. Forms whose transfers are of single elements have less.
var peerEdges = map[string]int{
	"block": 2048, "slab": 2048, "subset": 2048, "irregular": 2048, "ghost": 2048, "several": 1024, "structure": 1024,
	"fields": 512, "strided": 512, "points": 512, "member": 512, "series": 1024,
}

// peerDumps is the number of files of each case. The fastest counts: in a virtual machine, memory that the host has taken
// back is slow when it is first used, and which file gets it depends on what the program did before.
const peerDumps = 4

// benchForms holds the forms to compare.
var benchForms = setting("BENCH_FORMS",
	"block slab subset irregular ghost several structure fields strided points member series",
	func(list string) ([]string, error) {
		forms := strings.Fields(list)
		for _, form := range forms {
			if peerEdges[form] == 0 {
				return nil, fmt.Errorf("there is no form %q", form)
			}
		}
		return forms, nil
	})

// TestBenchWorkloads compares the times of the transfers of workloads with those of a plain program in C that does the
// same.
func TestBenchWorkloads(t *testing.T) {
	own, program := built(t, "h5perf"), compilePeer(t, "peer.c", "-O2")
	inBenchDirs(t, func(dir, name string) {
		for _, form := range benchForms {
			for _, api := range []struct{ own, peer, layout string }{
				{"phdf5", "hdf5", "all"}, {"mpiio", "mpiio", "contiguous"},
			} {
				edge := strconv.Itoa(peerEdges[form])
				base := func(t *testing.T) []float64 {
					return peerTimes(t, program, api.peer, filepath.Join(dir, "peer"), edge, form, api.layout)
				}
				compare(t, "workloads", ratio, peerCases(fmt.Sprint(name, " ", api.own, " ", form), api.layout), base,
					subject{"h5perf : plain program, time of transfers", func(t *testing.T) []float64 {
						return workloadTimes(t, own, api.own, dir, edge, form, api.layout)
					}})
			}
		}
	})
}

// sameHeap makes the C library give memory back to the system by a fixed rule. Its own rule changes with the order in
// which blocks were freed: then some processes have new pages for HDF5's buffer in each call, and others do not.
var sameHeap = []string{"MALLOC_TRIM_THRESHOLD_=268435456"}

// peerCases returns the names of the cases of a form, in the order in which both programs do them.
func peerCases(name, layout string) (cases []string) {
	layouts := []string{layout}
	if layout == "all" {
		layouts = []string{"contiguous", "chunked"}
	}
	for _, direction := range directions {
		for _, l := range layouts {
			for _, mode := range []string{"independent", "collective"} {
				cases = append(cases, strings.Join([]string{name, l, mode, direction}, " "))
			}
		}
	}
	return cases
}

// peerTime matches a line of the C program peer; its group is a time in seconds.
var peerTime = regexp.MustCompile(`(?m)^(?:write|read) \w+ \w+ \w+ ([0-9.]+)$`)

// peerTimes runs the C program peer in a new directory, and returns the seconds of each case.
func peerTimes(t *testing.T, program, api, dir, edge, form, layout string) (all []float64) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	out := printed(t, dir, sameHeap, launcherOf(t, peerRanks, program, api, dir, edge,
		strconv.Itoa(peerDumps), form, layout, "all")...)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, found := range peerTime.FindAllStringSubmatch(out, -1) {
		seconds, err := strconv.ParseFloat(found[1], 64)
		if err != nil || seconds == 0 {
			t.Fatalf("time %q: %v", found[0], err)
		}
		all = append(all, seconds)
	}
	return all
}

// workloadTimes runs the workload that describes the C program peer, and returns the seconds of each case: those of the
// slowest rank in the transfers of the fastest dump.
func workloadTimes(t *testing.T, program, api, dir, edge, form, layout string) (all []float64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	printed(t, dir, sameHeap, launcherOf(t, peerRanks, program, "run", peerScript, "-A", api, "-i", "1", "--json", path,
		"--set", "edge="+edge, "--set", "form="+form, "--set", "layout="+layout,
		"--set", fmt.Sprint("dumps=", peerDumps))...)
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range doc.Cases[0].Samples {
		dumps := sample.Dumps
		if len(dumps) == 0 {
			t.Fatalf("%s: no dumps of %s", path, sample.Operation)
		}
		for files := range slices.Chunk(dumps, peerDumps) {
			var times []float64
			for _, dump := range files {
				for _, class := range dump.Classes {
					if class.Class == result.ClassOf(workload.Transfer) {
						times = append(times, class.Max)
					}
				}
			}
			all = append(all, slices.Min(times))
		}
	}
	return all
}
