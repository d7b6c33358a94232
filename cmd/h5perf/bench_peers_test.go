//go:build cgo && !nompi && bench

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h5perf/pkg/result"
)

// rateNames are the rates that an application reports. The raw rate is that of the calls which transfer data. The
// observed rate counts the other calls, too.
var rateNames = []string{"raw", "observed"}

// measureWorkload runs a workload with the API phdf5 on n ranks, and returns its document. Its data files are in dir.
func measureWorkload(t *testing.T, dir string, n int, words ...string) result.Document {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	line := append([]string{built(t, "h5perf"), "run"}, words...)
	line = append(line, "-A", "phdf5", "-q", "--report", "none", "--json", path)
	printed(t, dir, nil, launcherOf(t, n, line...)...)
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Cases) != 1 || doc.Cases[0].State != result.Complete {
		t.Fatalf("%s: cases %+v", strings.Join(line, " "), doc.Cases)
	}
	return doc
}

// compareFiles runs a workload, and fails if h5dump sees a difference between its file and the file of an application:
// a name, type, extent, property, offset or size. The values are not compared. Sizes of compressed data, which depend
// on the values, are not compared if filtered is true.
func compareFiles(t *testing.T, dir, theirs string, filtered bool, n int, words ...string) {
	t.Helper()
	measureWorkload(t, dir, n, append(words, "--keep")...)
	kept := filepath.Join(dir, "h5perf-*")
	ours, err := filepath.Glob(filepath.Join(kept, "data_*.h5"))
	if err != nil || len(ours) != 1 {
		t.Fatalf("%v: want one file: %v", ours, err)
	}
	want, got := dumpHeader(t, theirs, filtered), dumpHeader(t, ours[0], filtered)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("%s: the file differs from that of the application at line %d of 'h5dump -p -H':\n%q\nwant\n%q",
				strings.Join(words, " "), i, got[min(i, len(got)):min(i+3, len(got))],
				want[min(i, len(want)):min(i+3, len(want))])
		}
	}
	if err := os.RemoveAll(filepath.Dir(ours[0])); err != nil {
		t.Fatal(err)
	}
}

// compressedSize matches what h5dump says about the storage of a compressed dataset.
var compressedSize = regexp.MustCompile(`SIZE \d+ \(.* ?COMPRESSION\)`)

// dumpHeader returns the lines in which h5dump describes an HDF5 file, and at the end the size of the file.
func dumpHeader(t *testing.T, path string, filtered bool) []string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(printed(t, "", nil, "h5dump", "-p", "-H", path), "\n")[1:] // without the name of the file
	if !filtered {
		return append(lines, fmt.Sprintf("file of %d bytes", info.Size()))
	}
	for i, line := range lines {
		lines[i] = compressedSize.ReplaceAllString(line, "SIZE of compressed data")
	}
	return lines
}
