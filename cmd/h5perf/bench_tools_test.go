//go:build cgo && !nompi && bench

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/rundir"
	"h5perf/pkg/units"
)

// directions holds the directions that a run measures, in order.
var directions = []string{"write", "read"}

// throughput matches the throughputs in the reports of all tools, in MB/s, for both directions and all APIs.
var throughput = regexp.MustCompile(`(?:Write|Read) \(\d+ iteration\(s\)\):\n +Maximum Throughput: +([0-9.]+) MB/s`)

// printed runs a program with additional environment variables, and returns its output. Its data files are in dir.
func printed(t *testing.T, dir string, environ []string, words ...string) string {
	t.Helper()
	cmd := exec.CommandContext(untilStopped, words[0], words[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "USER=", "LOGIN=", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		rundir.ParallelPrefix+"="+dir, "HDF5_PREFIX="+dir)
	cmd.Env = append(cmd.Env, environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// reported returns a measurer that returns all throughputs in the report of a tool.
func reported(dir string, environ []string, words ...string) measurer {
	return func(t *testing.T) (all []float64) {
		out := printed(t, dir, environ, words...)
		for _, found := range throughput.FindAllStringSubmatch(out, -1) {
			rate, err := strconv.ParseFloat(found[1], 64)
			if err != nil || rate == 0 {
				t.Fatalf("%s: throughput %q: %v", strings.Join(words, " "), found[1], err)
			}
			all = append(all, rate)
		}
		return all
	}
}

// built returns the path of a program that make has built.
func built(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("BENCH_BIN"), name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("BENCH_BIN: %v: run make bench, which builds it", err)
	}
	return path
}

// referenceOf returns the path of the program that a section compares with. An environment variable has the path.
// Without it, referenceOf prints a message and returns "".
func referenceOf(section, variable, what string) string {
	path := os.Getenv(variable)
	if path == "" {
		fmt.Fprintf(os.Stderr, "bench: %s: left out: %s names no %s to compare with\n", section, variable, what)
	}
	return path
}

// perturbed makes the C tools write to allocated memory. Otherwise all their buffers would map the same page of zeros.
var perturbed = []string{"MALLOC_PERTURB_=165"}

// each returns a case name for each element of a list.
func each(name string, of []string) (cases []string) {
	for _, o := range of {
		cases = append(cases, name+" "+o)
	}
	return cases
}

// TestBenchSerial compares throughputs with those of HDF5's own serial tool.
func TestBenchSerial(t *testing.T) {
	own, reference := built(t, "h5perf_serial"), "/usr/bin/h5perf_serial"
	inBenchDirs(t, func(dir, name string) {
		for _, api := range []string{
			"-A posix", "-A hdf5 -v sec2", "-A hdf5 -v stdio", "-A hdf5 -v core", "-A hdf5 -v split",
			"-A hdf5 -v family",
		} {
			for _, size := range benchSizes {
				x := units.FormatSize(size)
				args := append(strings.Fields(api), "-e", units.FormatSize(min(32<<20, max(1<<20, size<<12))), "-x", x,
					"-i", "3")
				compare(t, "serial", ratio, each(name+" "+api+" "+x, directions),
					reported(dir, perturbed, append([]string{reference}, args...)...),
					subject{
						"h5perf_serial : C tool, throughput", reported(dir, nil, append([]string{own}, args...)...),
					})
			}
		}
	})
}

// plane returns the options for a 2D geometry. Its transfers have size bytes, and the side of a block is a quarter of
// the longer side of a transfer.
func plane(size uint64, processes int) []string {
	block := uint64(1)
	for 4*block*4*block <= size {
		block *= 2
	}
	transfer := size / block
	side := transfer
	for side*side*uint64(processes) < min(16<<20, max(256<<10, size<<10)) {
		side *= 2
	}
	of := units.FormatSize
	return []string{"-e", of(side), "-B", of(block), "-x", of(transfer), "-X", of(transfer)}
}

// benchRanks returns the numbers of ranks for comparisons with other parallel programs.
func benchRanks(t *testing.T) (ranks []int) {
	t.Helper()
	words := setting("BENCH_RANKS", "2", func(list string) ([]string, error) { return strings.Fields(list), nil })
	for _, n := range words {
		count, err := strconv.Atoi(n)
		if err != nil {
			t.Fatalf("BENCH_RANKS: %v", err)
		}
		ranks = append(ranks, count)
	}
	return ranks
}

// TestBenchParallel compares throughputs with those of the C tool. H5PERF_REF has its path.
func TestBenchParallel(t *testing.T) {
	reference, own := referenceOf("parallel", "H5PERF_REF", "h5perf of HDF5"), built(t, "h5perf")
	if reference == "" {
		return
	}
	inBenchDirs(t, func(dir, name string) {
		for _, processes := range benchRanks(t) {
			n := fmt.Sprint(processes)
			for _, way := range []string{"", " -I", " -C", " -C -I", " -g", " -g -I", " -g -C", " -g -C -I"} {
				for _, size := range benchSizes {
					x := units.FormatSize(size)
					args := append(strings.Fields(way), "-p", n, "-i", "3")
					if strings.Contains(way, "-g") {
						args = append(args, plane(size, processes)...)
					} else {
						args = append(args, "-e", units.FormatSize(min(16<<20, max(256<<10, size<<10))), "-B", x, "-x",
							x, "-X", x)
					}
					of := func(environ []string, tool string) measurer {
						return reported(dir, environ, launcherOf(t, processes, append([]string{tool}, args...)...)...)
					}
					var cases []string
					for _, api := range []string{"posix", "mpiio", "phdf5"} {
						cases = append(cases,
							each(fmt.Sprintf("%s %s ranks %s%s %s", name, n, api, way, x), directions)...)
					}
					compare(t, "parallel", ratio, cases, of(perturbed, reference), subject{
						"h5perf : C tool, throughput", of(nil, own),
					})
				}
			}
		}
	})
}

// TestBenchViews compares one file view per dataset with one view per transfer, as the C tool sets them.
func TestBenchViews(t *testing.T) {
	own := built(t, "h5perf")
	inBenchDirs(t, func(dir, name string) {
		for _, pattern := range []string{
			"-I -e 128K -B 512 -x 4K -X 4K", "-I -e 2M -B 4K -x 64K -X 64K", "-g -e 512 -B 64 -x 512 -X 512",
			"-g -I -e 512 -B 64 -x 512 -X 512",
		} {
			view := func(view string) measurer {
				line := append([]string{own, "-A", "mpiio", "-C", "-p", "2", "-i", "3", "--view", view},
					strings.Fields(pattern)...)
				return reported(dir, nil, launcherOf(t, 2, line...)...)
			}
			compare(t, "views", ratio, each(name+" "+pattern, directions), view("transfer"), subject{
				"--view auto : transfer, throughput", view("auto"),
			})
		}
	})
}

// TestBenchFio compares throughputs with those of fio.
func TestBenchFio(t *testing.T) {
	own := built(t, "h5perf_serial")
	inBenchDirs(t, func(dir, name string) {
		for _, size := range benchSizes {
			x, bytes := units.FormatSize(size), units.FormatSize(min(256<<20,
				max(8<<20, size<<15))) // fio's times have a resolution of 1 ms
			compare(t, "fio", ratio, each(name+" "+x, directions), func(t *testing.T) (all []float64) {
				for _, direction := range directions {
					all = append(all, fio(t, dir, direction, size, bytes))
				}
				return all
			}, subject{
				"h5perf_serial -A posix : fio, throughput",
				reported(dir, nil, own, "-A", "posix", "-e", bytes, "-x", x, "-i", "3"),
			})
		}
	})
}

// fio returns the highest throughput of three rounds, in MB/s. For a write, the file is new.
func fio(t *testing.T, dir, direction string, size uint64, bytes string) (most float64) {
	t.Helper()
	file := filepath.Join(dir, "fio")
	for range 3 {
		if direction == "write" {
			_ = os.Remove(file)
		}
		out := printed(t, dir, nil, "fio", "--name=x", "--filename="+file, "--ioengine=psync", "--rw="+direction,
			fmt.Sprintf("--bs=%d", size), "--size="+bytes,
			"--fallocate=none", "--invalidate=0", "--gtod_reduce=1", "--output-format=terse", "--terse-version=3")
		fields := strings.Split(out[strings.Index(out, "3;fio"):], ";")
		at := map[string]int{"read": 6, "write": 47}[direction] // bandwidth in KiB/s (fio's HOWTO, terse output)
		rate, err := strconv.ParseFloat(fields[at], 64)
		if err != nil || rate == 0 {
			t.Fatalf("fio: %v\n%s", err, out)
		}
		most = max(most, rate/1024)
	}
	return most
}
