package command_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/units"
)

// arm returns the record of one of two configurations that were measured in turns. It has these throughputs.
func arm(t *testing.T, name result.Arm, mode result.Mode, throughputs ...float64) history.Record {
	t.Helper()
	records, _, err := history.Load(stored(t, t.TempDir(), int(name[0]), throughputs...))
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	r := records[0]
	r.RunID, r.Pair = string(name),
		&result.Pair{Arm: name, PartnerRunID: map[result.Arm]string{"A": "B", "B": "A"}[name]}
	r.Command = strings.Fields("h5perf ab -i 8 -- -A mpiio -- HDF5_PARAPREFIX=/b -A mpiio -C")
	r.Parameters.Mode = mode
	return r
}

func TestAComparisonOfTwoConfigurationsSpeaksOfAAndB(t *testing.T) {
	fast, slow := make([]float64, 8), make([]float64, 8)
	for i := range fast {
		fast[i] = 1e9 * (1 + float64(i)/1000)
		slow[i] = 0.88 * fast[i]
	}
	for verdict, throughputs := range map[string][2][]float64{
		"B is 12 % slower": {fast, slow}, "B is 13.6 % faster": {slow, fast}, "no difference shown": {fast, fast},
	} {
		a := arm(t, "A", "independent", throughputs[0]...)
		b := arm(t, "B", "collective", throughputs[1]...)
		text, err := command.Comparison([]history.Record{a, b}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"A: -A mpiio; 1 run, ", "B: HDF5_PARAPREFIX=/b -A mpiio -C; 1 run, ",
			"differs: mode: independent in A, collective in B", "\n" + verdict + " ", "1 point: ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if other := regexp.MustCompile(`(?i)\b(OLD|NEW|better|worse)\b`).FindString(text); other != "" {
			t.Errorf("%q in\n%s", other, text)
		}
	}
}

// Calls explain a difference where times are noise.
func TestAComparisonTellsHowCallsDiffer(t *testing.T) {
	counted := func(name result.Arm, writes, bytes uint64) history.Record {
		r := arm(t, name, "independent", 1e9, 1.1e9)
		for i := range r.Cases {
			for k := range r.Cases[i].Samples {
				r.Cases[i].Samples[k].Calls = []result.FunctionCalls{
					{API: "posix", Function: "pwrite", Kind: result.CallWrite, Calls: writes, Bytes: bytes},
				}
			}
		}
		return r
	}
	for _, c := range []struct {
		a, b history.Record
		want string
	}{
		{counted("A", 128, 1<<20), counted("B", 2, 1<<20), "iteration: POSIX writes: 128 in A, 2 in B\n"},
		{counted("A", 128, 1<<20), counted("B", 128, 1<<20), "iteration: as many of each kind on both sides\n"},
		{counted("A", 128, 1<<20), arm(t, "B", "independent", 1e9, 1.1e9), ""},
	} {
		text, err := command.Comparison([]history.Record{c.a, c.b}, nil)
		if err != nil || !strings.Contains(plaintest.Unwrap(text), c.want) ||
			c.want == "" && strings.Contains(text, "calls of all") {
			t.Errorf("%v: no %q in\n%s", err, c.want, text)
		}
	}
}

func TestAComparisonOfFewIterationsSpeaksOfIterations(t *testing.T) {
	a, b := arm(t, "A", "independent", 1e9, 1.1e9), arm(t, "B", "independent", 1e9, 1.1e9)
	text, err := command.Comparison([]history.Record{a, b}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Caution: There are too few iterations: ", " iterations.", "  too few iterations  "} {
		if !strings.Contains(plaintest.Unwrap(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, none := range []string{"too few values", "Each interval", "The intervals"} {
		if strings.Contains(text, none) {
			t.Errorf("%q, without any interval of a difference, in\n%s", none, text)
		}
	}
}

func TestAComparedPointHasBothTransferSizes(t *testing.T) {
	a, b := arm(t, "A", "independent", 1e9, 1.1e9), arm(t, "B", "independent", 1e9, 1.1e9)
	b.Cases[0].TransferSize, b.Cases[0].BufferBytes = 64<<10, 64<<10
	text, err := command.Comparison([]history.Record{a, b}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if size := units.FormatBytes(float64(a.Cases[0].BufferBytes)); !strings.Contains(plaintest.Unwrap(text),
		", "+size+" -> 64 KiB") {
		t.Errorf("the point has not both sizes\n%s", text)
	}
}

func TestAPageShowsTheComparisonOfTwoConfigurations(t *testing.T) {
	fast, slow := make([]float64, 8), make([]float64, 8)
	for i := range fast {
		fast[i] = 1e9 * (1 + float64(i)/1000)
		slow[i] = 0.88 * fast[i]
	}
	a, b := arm(t, "A", "independent", fast...), arm(t, "B", "collective", slow...)
	b.Started = a.Started.Add(-time.Hour) // so that B is read first
	text, err := command.Comparison([]history.Record{a, b}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	other := arm(t, "C", "independent", fast...) // its partner is missing
	other.RunID, other.Pair = "other", &result.Pair{Arm: "B", PartnerRunID: "missing"}
	for _, r := range []history.Record{b, other, a} {
		if err := result.Write(filepath.Join(dir, r.RunID+".json"), r.Document); err != nil {
			t.Fatal(err)
		}
	}
	out := t.TempDir()
	file := filepath.Join(out, "x.html")
	if status, _, stderr := said(t, "report", "--html", file, "--png", out, dir); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content := html.UnescapeString(string(page))
	var cells []string
	for i, block := range regexp.MustCompile(`(?m)^B is 12 % slower .*$`).FindAllString(plaintest.Unwrap(text), -1) {
		more := regexp.MustCompile(` {2,}`).Split(block, -1)
		cells = append(cells, more[min(2*i, 2):]...) // a second block repeats verdict and point
	}
	if len(cells) < 6 || !strings.Contains(content, "<tr><td>"+strings.Join(cells, "</td><td>")+"</td>") {
		t.Errorf("the page lacks the row %q", cells)
	}
	for _, want := range []string{
		"<dt>A</dt><dd>-A mpiio; 1 run, ", "<dt>B</dt><dd>HDF5_PARAPREFIX=/b -A mpiio -C; 1 run, ",
		"<li>differs: mode: independent in A, collective in B</li>", ">B is 12 % slower</text>",
		"1 point: 0 with a faster B",
	} {
		if !strings.Contains(content, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	if n := strings.Count(content, `<section id="difference-`); n != 1 {
		t.Errorf("%d pairs on the page, want 1", n)
	}
	if all, err := filepath.Glob(filepath.Join(out, "difference-a-*.png")); err != nil || len(all) != 1 {
		t.Errorf("%v: pictures %v", err, all)
	}
}

func TestThePictureOfAComparisonBeginsWithTheDifferencesThatAreShown(t *testing.T) {
	values := make([]float64, 12)
	for i := range values {
		values[i] = 1e9 * (1 + float64(i)/1000)
	}
	// pair returns a case of A and B, in which B is slower.
	pair := func(operation result.Operation, mebibytes uint64, ratio float64) (cases [2]result.Case) {
		for i, r := range []float64{1, ratio} {
			slower := slices.Clone(values)
			for k := range slower {
				slower[k] *= r
			}
			c := arm(t, "A", "independent", slower...).Cases[0]
			c.TransferSize, c.BufferBytes = mebibytes<<20, mebibytes<<20
			for k := range c.Samples {
				c.Samples[k].Operation = operation
			}
			cases[i] = c
		}
		return cases
	}
	a, b := arm(t, "A", "independent", values...), arm(t, "B", "collective", values...)
	a.Cases, b.Cases = nil, nil
	for _, cases := range [][2]result.Case{
		pair(result.OperationWrite, 1, 1), pair(result.OperationWrite, 2, 0.9), pair(result.OperationWrite, 4, 0.8),
		pair(result.OperationRead, 1, 0.7),
	} {
		a.Cases, b.Cases = append(a.Cases, cases[0]), append(b.Cases, cases[1])
	}
	dir := t.TempDir()
	for _, r := range []history.Record{a, b} {
		if err := result.Write(filepath.Join(dir, r.RunID+".json"), r.Document); err != nil {
			t.Fatal(err)
		}
	}
	status, content, stderr := said(t, "report", "--html", "-", dir)
	var got []string
	texts := regexp.MustCompile(`>(B is \d+ % slower|no difference shown|[-+][\d.]+ %( \([-+][\d.]+ % to .*\)))</text>`)
	for _, m := range texts.FindAllStringSubmatch(html.UnescapeString(content), -1) {
		got = append(got, strings.TrimSuffix(m[1], m[2]))
	}
	want := []string{
		"B is 20 % slower", "-20.0 %", "B is 10 % slower", "-10.0 %", "no difference shown", "+0.0 %",
		"B is 30 % slower", "-30.0 %",
	}
	if status != 0 || !slices.Equal(got, want) {
		t.Errorf("status %d, %s: texts %q, want %q", status, stderr, got, want)
	}
}
