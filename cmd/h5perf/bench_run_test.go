//go:build cgo && !nompi && bench

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/result"
)

// elapsed returns a measurer of the time that a program takes.
func elapsed(dir string, words ...string) measurer {
	return func(t *testing.T) []float64 {
		start := time.Now()
		printed(t, dir, nil, words...)
		return []float64{time.Since(start).Seconds()}
	}
}

// beginning returns a measurer of the time from the start of a program to its first sample.
func beginning(dir string, words ...string) measurer {
	return func(t *testing.T) []float64 {
		path := filepath.Join(t.TempDir(), "run.json")
		start := time.Now()
		printed(t, dir, nil, append(words, "--json", path)...)
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return []float64{doc.Cases[0].Samples[0].Started.Sub(start).Seconds()}
	}
}

var benchJob = setting("BENCH_JOB", "64", strconv.Atoi)

// TestBenchStart compares the smallest runs with programs that do nothing, and the start of a large job with that of
// the C tool.
func TestBenchStart(t *testing.T) {
	own, serial, empty := built(t, "h5perf"), built(t, "h5perf_serial"), emptyProgram(t)
	dir := t.TempDir()
	compare(t, "start", milliseconds, []string{"one transfer"}, func(*testing.T) []float64 { return []float64{0} },
		subject{
			"h5perf_serial, time to the first open",
			beginning(dir, serial, "-A", "posix", "-e", "4K", "-x", "4K", "-w"),
		})
	for _, n := range []int{1, 2} {
		compare(t, "start", milliseconds, []string{fmt.Sprintf("%d ranks, one transfer", n)},
			elapsed(dir, launcherOf(t, n, empty, filepath.Join(dir, "data"))...),
			subject{
				"h5perf than an empty program, time",
				elapsed(dir,
					launcherOf(t, n, own, "-A", "posix", "-p", fmt.Sprint(n), "-x", "256K", "-X", "256K", "-w")...),
			})
	}
}

// TestBenchJob compares the default run of a large job with that of the C tool.
func TestBenchJob(t *testing.T) {
	reference, own := referenceOf("job", "H5PERF_REF", "h5perf of HDF5"), built(t, "h5perf")
	if reference == "" {
		return
	}
	inBenchDirs(t, func(dir, name string) {
		compare(t, "job", ratio, []string{fmt.Sprintf("%s %d ranks, default run", name, benchJob)},
			elapsed(dir, launcherOf(t, benchJob, reference)...),
			subject{"h5perf : C tool, time", elapsed(dir, launcherOf(t, benchJob, own)...)})
	})
}

// TestBenchDocuments compares the time to report or push the document of a large job with that of a program that does
// nothing.
func TestBenchDocuments(t *testing.T) {
	own, dir := built(t, "h5perf"), t.TempDir()
	document := filepath.Join(dir, "run.json")
	printed(t, "/dev/shm", nil,
		launcherOf(t, benchJob, own, "-e", "64K", "-B", "4K", "-x", "4K", "-X", "64K", "--latency", "--json",
			document)...)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status": "success", "data": []}`)) // it has no groups
	}))
	defer gateway.Close()
	compare(t, "documents", milliseconds, []string{fmt.Sprintf("%d ranks", benchJob)}, elapsed(dir, "true"),
		subject{"h5perf report than true, time", elapsed(dir, own, "report", document)},
		subject{"h5perf push than true, time", elapsed(dir, own, "push", "--pushgateway", gateway.URL, document)})
}

// TestBenchMemory compares the memory of a rank without its buffers, and that of its watcher, with the memory of an
// empty program.
func TestBenchMemory(t *testing.T) {
	empty := emptyProgram(t)
	for _, args := range [][]string{{"-p", "2"}, {"-p", "2", "-i", "20"}, {"-p", "4"}} {
		n, _ := strconv.Atoi(args[1])
		compare(t, "memory", mebibytes, []string{strings.Join(args, " ")}, func(t *testing.T) []float64 {
			return []float64{float64(emptyMemory(t, empty, n))}
		},
			subject{"rank and watcher than an empty program", func(t *testing.T) []float64 {
				rank, watcher := costOf(t, n, args...)
				return []float64{float64(rank.memory + watcher.memory)}
			}})
	}
}
