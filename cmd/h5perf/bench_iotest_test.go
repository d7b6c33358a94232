//go:build cgo && !nompi && bench

package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/workload"
)

// iotestCases are the cases of hdf5-iotest that are compared, and the workloads that do the same. Name is the place of
// the case in the nested loops of hdf5-iotest: dimensions, slowest one, layout, fill values, libver-bound-low, mode.
// Config has lines of the configuration.
var iotestCases = []struct{ name, config, own string }{
	{"2D step contiguous false earliest collective", "", "arrays"},
	{"2D step contiguous false earliest independent", "", "arrays --set mode=independent"},
	{"2D step contiguous true latest collective", "", "arrays --fill-time alloc --libver latest"},
	{
		"2D step contiguous true earliest collective", "alignment-increment=4096\nalignment-threshold=1024",
		"arrays --fill-time alloc --align 4K --threshold 1K",
	},
	{
		"2D step contiguous true earliest collective", "meta-block-size=65536",
		"arrays --fill-time alloc --meta-block-size 64K",
	},
	{"2D step contiguous false earliest collective", "scaling=strong", iotest + "--set scaling=strong"},
	{"2D step chunked false earliest collective", "", iotest + "--set layout=chunked"},
	{"2D array contiguous false earliest collective", "", iotest + "--set slow=array"},
	{"2D array chunked false earliest collective", "", iotest + "--set slow=array --set layout=chunked"},
	{"3D step contiguous false earliest collective", "", iotest + "--set rank=3"},
	{"3D step chunked false earliest collective", "", iotest + "--set rank=3 --set layout=chunked"},
	{"3D array contiguous false earliest collective", "", iotest + "--set rank=3 --set slow=array"},
	{"3D array chunked false earliest collective", "", iotest + "--set rank=3 --set slow=array --set layout=chunked"},
	{"4D step contiguous false earliest collective", "", iotest + "--set rank=4"},
	{"4D step chunked false earliest collective", "", iotest + "--set rank=4 --set layout=chunked"},
	{"4D array contiguous false earliest collective", "", iotest + "--set rank=4 --set slow=array"},
	{"4D array chunked false earliest collective", "", iotest + "--set rank=4 --set slow=array --set layout=chunked"},
}

const iotest = "testdata/peers/iotest.star --set mode=collective "

// TestBenchIotest compares files, and raw and observed rates, with those of hdf5-iotest. HDF5_IOTEST_REF has its path.
func TestBenchIotest(t *testing.T) {
	reference := referenceOf("iotest", "HDF5_IOTEST_REF", "program of hdf5-iotest")
	if reference == "" {
		return
	}
	inBenchDirs(t, func(dir, name string) {
		for _, n := range benchRanks(t) {
			for _, c := range iotestCases {
				own := append(strings.Fields(c.own), "--collective-metadata", "both")
				if !strings.Contains(c.own, "--fill-time") {
					own = append(own, "--fill-time", "never")
				}
				theirs := func(t *testing.T) []float64 { return runIotest(t, reference, dir, n, c.name, c.config) }
				theirs(t)
				compareFiles(t, dir, iotestFile(dir), false, n, own...)
				title := strings.TrimSpace(c.name + " " + strings.ReplaceAll(c.config, "\n", " "))
				compare(t, "iotest", ratio, bothDirections(fmt.Sprintf("%s %d ranks %s,", name, n, title)), theirs,
					subject{"h5perf : hdf5-iotest, rate", func(t *testing.T) (all []float64) {
						for _, s := range measureWorkload(t, dir, n, own...).Cases[0].Samples {
							raw, observed := s.ClassInterval(workload.Transfer).Max, s.Access.WindowSeconds
							all = append(all, float64(s.Bytes)/raw, float64(s.Bytes)/observed)
						}
						return all
					}})
				_ = os.Remove(iotestFile(dir))
			}
		}
	})
}

// bothDirections returns a case name for each rate of writes and reads.
func bothDirections(name string) []string {
	return append(each(name+" write", rateNames), each(name+" read", rateNames)...)
}

func iotestFile(dir string) string { return filepath.Join(dir, "iotest.h5") }

// runIotest runs a case of hdf5-iotest on n ranks, and returns the raw and the observed rates of the write and of the
// read, in bytes per second.
func runIotest(t *testing.T, reference, dir string, n int, name, more string) (rates []float64) {
	t.Helper()
	if err := os.Remove(iotestFile(dir)); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	table := filepath.Join(t.TempDir(), "iotest.csv")
	config := filepath.Join(filepath.Dir(table), "iotest.ini")
	lines := []string{
		"[DEFAULT]", "version=0", "steps=4", "arrays=25", "rows=100", "columns=200", "process-rows=1",
		fmt.Sprintf("process-columns=%d", n), "scaling=weak", "alignment-increment=1", "alignment-threshold=0",
		"meta-block-size=2048", "single-process=posix", "hdf5-file=" + iotestFile(dir), "csv-file=" + table,
		fmt.Sprintf("one-case=%d", iotestNumber(t, name, more)), more,
	}
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := printed(t, "", perturbed, launcherOf(t, n, reference, config)...)
	row := readRow(t, table)
	bytes := 4 * 25 * 100 * 200 * 8
	if !strings.Contains(more, "strong") {
		bytes *= n
	}
	for _, column := range []string{"write-max [s]", "write-phase-max [s]", "read-max [s]", "read-phase-max [s]"} {
		seconds, err := strconv.ParseFloat(row[column], 64)
		if err != nil || seconds == 0 {
			t.Fatalf("hdf5-iotest: %s is %q: %v\n%s", column, row[column], err, out)
		}
		rates = append(rates, float64(bytes)/seconds)
	}
	return rates
}

// readRow returns the only row of a table of hdf5-iotest, by the names of the columns.
func readRow(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("hdf5-iotest: %v: %q, want a heading and a row", err, rows)
	}
	row := map[string]string{}
	for i, column := range rows[0] {
		row[column] = rows[1][i]
	}
	return row
}

// iotestNumber returns the number that hdf5-iotest gives to a case, from 1. Where the configuration asks for an
// alignment or a size of metadata blocks, hdf5-iotest has a case without it, too, and that with it is meant.
func iotestNumber(t *testing.T, name, more string) int {
	t.Helper()
	words := strings.Fields(name)
	loops := [][]string{
		{"2D", "3D", "4D"}, {"step", "array"}, {"contiguous", "chunked"}, {"true", "false"},
	}
	number := 0
	for i, loop := range loops {
		number = number*len(loop) + indexOf(t, loop, words[i])
	}
	for _, option := range []string{"alignment", "meta-block-size"} {
		if strings.Contains(more, option) {
			number = number*2 + 1
		}
	}
	number = number*2 + indexOf(t, []string{"earliest", "latest"}, words[4])
	return number*2 + indexOf(t, []string{"independent", "collective"}, words[5]) + 1
}

func indexOf(t *testing.T, words []string, word string) int {
	t.Helper()
	i := slices.Index(words, word)
	if i < 0 {
		t.Fatalf("%q must be one of %q", word, words)
	}
	return i
}
