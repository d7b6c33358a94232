//go:build cgo && !nompi && bench

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// mdtestPhases are the phases of mdtest, with the classes of steps that do the same.
var mdtestPhases = []struct {
	name, title string
	operation   result.Operation
	counted     workload.StepClass // its objects are the files
	classes     []workload.StepClass
}{
	{
		"create", "File creation", result.OperationWrite, workload.Create,
		[]workload.StepClass{workload.Create, workload.Transfer, workload.ObjectClose},
	},
	{"stat", "File stat", result.OperationRead, workload.Stat, []workload.StepClass{workload.Stat}},
	{
		"read", "File read", result.OperationRead, workload.Open,
		[]workload.StepClass{workload.Open, workload.Transfer, workload.ObjectClose},
	},
	{"remove", "File removal", result.OperationWrite, workload.Unlink, []workload.StepClass{workload.Unlink}},
}

// TestBenchMdtest compares the files per second of each phase with those of mdtest. MDTEST_REF has its path. mdtest
// gives the system a path of three parts for each file, and calls lseek before each transfer; h5perf gives the name in
// a directory that is open, and does so for a hundred files before it goes on to what comes next.
func TestBenchMdtest(t *testing.T) {
	reference := referenceOf("mdtest", "MDTEST_REF", "program of mdtest")
	if reference == "" {
		return
	}
	const files, bytes = 10000, 32
	inBenchDirs(t, func(dir, name string) {
		for _, n := range benchRanks(t) {
			line := []string{
				"env", "-C", dir, reference, "-a", "POSIX", "-F", "-u", "-n", fmt.Sprint(files), "-w", fmt.Sprint(bytes), "-e",
				fmt.Sprint(bytes), "-i", "3", "-d", ".",
			}
			own := []string{
				built(t, "h5perf"), "run", "testdata/peers/mdtest.star", "-A", "posix", "-i", "3", "-q", "--report",
				"none", "--set", fmt.Sprint("files=", files), "--set", fmt.Sprint("bytes=", bytes), "--json",
			}
			var cases []string
			for _, phase := range mdtestPhases {
				cases = append(cases, fmt.Sprintf("%s %d ranks %s", name, n, phase.name))
			}
			compare(t, "mdtest", ratio, cases, func(t *testing.T) []float64 {
				return mdtestRates(t, printed(t, dir, nil, launcherOf(t, n, line...)...))
			}, subject{"h5perf : mdtest, files per second", func(t *testing.T) []float64 {
				path := filepath.Join(t.TempDir(), "run.json")
				printed(t, dir, nil, launcherOf(t, n, append(own, path)...)...)
				doc, err := result.Read(path)
				if err != nil {
					t.Fatal(err)
				}
				return filesPerSecond(t, doc.Cases[0].Samples)
			}})
		}
	})
}

// mdtestRates returns the highest rate of each phase.
func mdtestRates(t *testing.T, out string) (rates []float64) {
	t.Helper()
	for _, phase := range mdtestPhases {
		part := regexp.MustCompile(phase.title + ` +([0-9.]+)`).FindStringSubmatch(out)
		if part == nil {
			t.Fatalf("no rate of %q in %s", phase.title, out)
		}
		rate, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		rates = append(rates, rate)
	}
	return rates
}

// filesPerSecond returns the highest rate of each phase in samples.
func filesPerSecond(t *testing.T, samples []result.Sample) []float64 {
	t.Helper()
	rates := make([]float64, len(mdtestPhases))
	for i, phase := range mdtestPhases {
		for _, s := range samples {
			var files, seconds float64
			for _, class := range s.Classes {
				if class.Class == result.ClassOf(phase.counted) {
					files = float64(class.Objects)
				}
			}
			for _, class := range phase.classes {
				seconds += s.ClassInterval(class).Max
			}
			if s.Operation == phase.operation && seconds > 0 {
				rates[i] = max(rates[i], files/seconds)
			}
		}
		if rates[i] == 0 {
			t.Fatalf("no files of phase %s in %+v", phase.name, samples)
		}
	}
	return rates
}
