package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// unwindow makes the run of a document one of those that were made before there were windows. By the time of the
// slowest process, its throughputs are what they were by windows.
func unwindow(t *testing.T, path string) {
	t.Helper()
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	doc.Basis = result.BasisSlowest
	for i := range doc.Cases[0].Samples {
		doc.Cases[0].Samples[i].Access.Window = 0
	}
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
}

const bySlowest = "throughput is bytes divided by the time of the slowest process, not by the window"

func TestCompareSaysByWhichTime(t *testing.T) {
	dir := t.TempDir()
	old, now := stored(t, dir, 0, steady(1<<30, 10)...), stored(t, dir, 1, steady(1<<30, 10)...)
	if _, stdout, _ := said(t, "compare", old, now); strings.Contains(stdout, "slowest") {
		t.Errorf("by windows:\n%s", stdout)
	}
	if _, stdout, _ := said(t, "compare", "--basis", "slowest", old, now); !strings.Contains(stdout,
		bySlowest+" (as asked)\n") {
		t.Errorf("asked for:\n%s", stdout)
	}
	unwindow(t, old)
	status, stdout, stderr := said(t, "compare", old, now)
	why := "1 of 1 runs of OLD and 0 of 1 runs of NEW have no windows"
	if status != 0 || strings.Count(stdout, "slowest") != 1 || !strings.Contains(stdout, bySlowest+" ("+why+")\n") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	_, stdout, _ = said(t, "compare", "--json", old, now)
	var c history.Comparison
	if err := json.Unmarshal([]byte(stdout), &c); err != nil || c.Basis != result.BasisSlowest || c.BasisReason != why {
		t.Errorf("%v\n%s", err, stdout)
	}
	status, stdout, stderr = said(t, "compare", "--basis", "window", old, now)
	if status != 2 || stdout != "" || !strings.Contains(stderr, "basis window is refused: "+why) {
		t.Errorf("windows asked for: status %d, %s%s", status, stdout, stderr)
	}
}

func TestTrendSaysWhereTheDefinitionChanged(t *testing.T) {
	dir := t.TempDir()
	two := func(path string) {
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		doc.Cases = append(doc.Cases, doc.Cases[0])
		doc.Cases[1].API = "mpiio"
		if err := result.Write(path, doc); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 15 {
		path := stored(t, dir, i, steady(1e9, 5)...)
		if i < 12 {
			unwindow(t, path)
		}
		if i%12 > 1 { // 10 of the older definition, and one of windows
			two(path)
		}
	}
	status, stdout, stderr := said(t, "trend", dir)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	const changed = "basis window, c, /scratch, nightly: the definition of throughput changed here: "
	for _, want := range []string{
		"\nwrite, POSIX, 4 processes, 1 MiB, " + changed + "bytes divided by the time of the slowest process until " +
			"2026-03-12 02:00 (12 runs), and by the window since 2026-03-13 02:00 (3 runs)\n",
		"\nwrite, MPI-IO, 4 processes, 1 MiB, " + changed,
		"With --basis slowest, all runs", "too few runs", "no difference shown", "4 series: 0 with a lasting change",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, bySlowest) {
		t.Errorf("some are by windows:\n%s", stdout)
	}
	_, stdout, _ = said(t, "trend", "--basis", "slowest", dir)
	if !strings.Contains(stdout, bySlowest) || strings.Contains(stdout, "changed here") ||
		!strings.Contains(stdout, "2 series") {
		t.Errorf("by the slowest process:\n%s", stdout)
	}
	_, stdout, _ = said(t, "trend", "--csv", dir)
	if header, _, _ := strings.Cut(stdout, "\n"); !strings.Contains(header,
		"write_posix_4_1048576_slowest_bytes_per_second,write_posix_4_1048576_bytes_per_second,") {
		t.Errorf("columns %s", header)
	}
	status, stdout, stderr = said(t, "trend", "--basis", "window", dir)
	refused := "basis window is refused: " + filepath.Join(dir, "run00000.json") + " has no windows"
	if status != 2 || stdout != "" || !strings.Contains(stderr, refused) {
		t.Errorf("windows asked for: status %d, %s%s", status, stdout, stderr)
	}
}

// TestTrendTellsOnceOfAllPoints looks at two points whose definition changed in the same night.
func TestTrendTellsOnceOfAllPoints(t *testing.T) {
	dir := t.TempDir()
	for i := range 4 {
		path := stored(t, dir, i, 1e9)
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		doc.Cases = append(doc.Cases, doc.Cases[0])
		doc.Cases[1].API = "mpiio"
		if i < 3 {
			doc.Basis = result.BasisSlowest
		}
		if err := result.Write(path, doc); err != nil {
			t.Fatal(err)
		}
	}
	_, stdout, _ := said(t, "trend", dir)
	if strings.Count(stdout, "changed here") != 1 || !strings.Contains(stdout,
		"\n2 points: the definition of throughput changed here: bytes divided by the time of the slowest process "+
			"until 2026-03-03 02:00 (3 runs), and by the window since 2026-03-04 02:00 (1 run)\n") {
		t.Errorf("\n%s", stdout)
	}
}

func TestOnlyABasisIsABasis(t *testing.T) {
	path := stored(t, t.TempDir(), 0, 1e9)
	for _, words := range [][]string{{"compare", path, path}, {"trend", path}} {
		status, stdout, stderr := said(t, append(words, "--basis", "median")...)
		refused := `--basis "median": must be one of window, slowest`
		if status != 2 || stdout != "" || !strings.Contains(stderr, refused) {
			t.Errorf("%s: status %d, %s%s", words[0], status, stdout, stderr)
		}
		page, err := command.Page(words[0], "", form(words[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Options() {
			if o.Long == "basis" && strings.Join(o.Choices(), " ") != "window slowest" {
				t.Errorf("%s: choices %v", words[0], o.Choices())
			}
		}
	}
}

// TestDocumentsOfAllVersionsAreListed lists, compares and follows documents of all versions together.
func TestDocumentsOfAllVersionsAreListed(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join("..", "..", "..", "pkg", "result", "testdata")
	for name, from := range map[string]string{"1.json": "v1", "2.json": "v2"} {
		data, err := os.ReadFile(filepath.Join(kept, from, "parallel.json"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stored(t, dir, 300, steady(1e9, 10)...)
	for _, words := range [][]string{{"report", dir}, {"report", "--csv", dir}, {"trend", dir}} {
		status, stdout, stderr := said(t, words...)
		if status != 0 || stderr != "" {
			t.Errorf("%v: status %d, %s", words, status, stderr)
		}
		for _, want := range map[string][]string{
			"report": {"20261121T124733Z-19299c046d", "20261122T215422Z-0733518beb", "run00300"},
			"trend":  {"3 runs from 2026-11-21 12:47 to 2026-12-26 02:00; 0 not used", "basis slowest", "basis window"},
		}[words[0]] {
			if !strings.Contains(stdout, want) {
				t.Errorf("%v: no %q in\n%s", words, want, stdout)
			}
		}
	}
}
