package cli_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/figures"
	"h5perf/pkg/metrics"
	"h5perf/pkg/option"
	"h5perf/pkg/page"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/resulttest"
	"h5perf/pkg/usage"
)

// invented is an API that no release has.
var invented = result.API{
	Name: "invented", Label: "Invented API", CLabel: "INV", Suffix: ".inv", LowerAPI: result.POSIX, Parallel: true,
	PlainFiles: true, PenIndex: 5,
}

// inventedRun returns a run through POSIX, the invented API and MPI-IO, read back from its document.
func inventedRun(t *testing.T) figures.Run {
	t.Helper()
	r := figurestest.Sweep()
	r.Parameters.APIs = []string{result.POSIX, invented.Name, result.MPIIO}
	r.Cases = nil
	for i, api := range r.Parameters.APIs {
		r.PutCase(figurestest.Case(2, 4096, api, 1000-float64(i)*250, 8))
	}
	path := filepath.Join(t.TempDir(), "run.json")
	if err := result.Write(path, r.Document); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.Document, err = result.Read(path); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkShown checks that all outputs from documents show the invented API under its own name.
func checkShown(t *testing.T, label, clabel string) {
	t.Helper()
	r := inventedRun(t)
	runs := []figures.Run{r}

	var text bytes.Buffer
	c := report.NewCReport(&text, r.Document, report.CReportOptions{})
	c.BeginCase(r.Cases[1])
	if want := "        IO API = " + clabel + "\n"; c.Err() != nil || !strings.Contains(text.String(), want) {
		t.Errorf("report: no %q in\n%s", want, &text)
	}

	text.Reset()
	if err := report.WriteTables(&text, runs); err != nil || strings.Count(text.String(), " "+label+" ") < 4 {
		t.Errorf("table: %v, less than 4 %q in\n%s", err, label, &text)
	}
	text.Reset()
	if err := report.WriteCSV(&text, runs); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(slices.DeleteFunc(rows,
		func(row []string) bool { return !slices.Contains(row, invented.Name) })); n != 16 {
		t.Errorf("CSV: %d rows of %s, want those of 16 samples", n, invented.Name)
	}

	text.Reset()
	if err := page.Write(&text, page.Content{Runs: runs}); err != nil ||
		!strings.Contains(text.String(), ">"+label+"</text>") ||
		!strings.Contains(text.String(), "<td>"+label+"</td><td>write</td>") {
		t.Errorf("page: %v, no %q among the highest throughputs or the results", err, label)
	}
	checkPictures(t, runs, label)

	path := filepath.Join(t.TempDir(), "run.prom")
	if err := metrics.WriteTextfile(path, false, r.Document, false); err != nil {
		t.Fatal(err)
	}
	families, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(families), `h5perf_samples{api="`+invented.Name+`",`); n != 2 {
		t.Errorf("metrics: %d points of %s, want those of 2 directions", n, invented.Name)
	}
}

// checkPictures checks that an API has its own line and its own pen in the pictures with a line for each API.
func checkPictures(t *testing.T, runs []figures.Run, label string) {
	t.Helper()
	for _, f := range page.Pictures(page.Content{Runs: runs}) {
		if f.Name != "throughput" {
			continue
		}
		series := f.Panels[0].Series
		at := slices.IndexFunc(series, func(s page.Series) bool { return s.Key.Name == label })
		if len(series) != 3 || at < 0 || len(series[at].Points) == 0 {
			t.Errorf("page: picture %s has %d lines, none of them with points of %s", f.Name, len(series), label)
			continue
		}
		for i, s := range series {
			if i != at && s.Key.Colour == series[at].Key.Colour && s.Key.Marker == series[at].Key.Marker {
				t.Errorf("page: picture %s draws %s as %s", f.Name, label, s.Key.Name)
			}
		}
		if !slices.ContainsFunc(f.Keys, func(k page.LegendKey) bool { return k.Name == label }) {
			t.Errorf("page: picture %s does not tell which line is of %s", f.Name, label)
		}
	}
}

func TestAnAPIOfTheTableIsHandledEverywhere(t *testing.T) {
	resulttest.AddAPI(t, result.POSIX, invented)
	checkShown(t, invented.Label, invented.CLabel)

	p, err := plan.New(plan.Options{Sizes: option.Sizes{APIs: []string{"mpiio", "Invented", "posix"}}},
		plan.JobFacts{Processes: 1})
	if err != nil || !slices.Equal(p.Parameters.APIs, []string{"posix", "invented", "mpiio"}) {
		t.Errorf("plan: %v, measures %v", err, p.Parameters.APIs)
	}
	_, err = plan.New(plan.Options{Serial: &option.SerialSizes{APIs: []string{"invented"}}},
		plan.JobFacts{Processes: 1})
	if _, ok := errors.AsType[*usage.Error](err); !ok {
		t.Errorf("plan: the serial tool does not measure it, error %v", err)
	}

	place, err := rundir.NewDir(t.TempDir(), false, "id")
	if err != nil {
		t.Fatal(err)
	}
	d, err := place.Make()
	if err == nil {
		err = d.Create(filepath.Base(d.DataPath("1", invented.Name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	if names, err := d.DataFiles(); err != nil || !slices.Equal(names, []string{"data_id_1.inv"}) {
		t.Errorf("run directory: %v, data files %v", err, names)
	}
	if err := d.Clean(false); err != nil {
		t.Errorf("run directory: %v", err)
	}

	r := inventedRun(t)
	if first := r.LayerRatios()[0]; first.Name() != "Invented API : POSIX" {
		t.Errorf("layers: the first is %s", first.Name())
	}
	var stdout, stderr bytes.Buffer
	lookup := func(string) (string, bool) { return "", false }
	status := cli.Run([]string{"h5perf", "--help"}, lookup, &stdout, &stderr, cli.Tools{})
	help := strings.Join(strings.Fields(stdout.String()), " ")
	if status != 0 || !strings.Contains(help, "APIs: posix, invented, mpiio, phdf5 (default: all).") {
		t.Errorf("help: status %d, the API is not in\n%s", status, &stdout)
	}
}

func TestAnAPIThatIsNotKnownIsShownUnderItsOwnName(t *testing.T) {
	checkShown(t, invented.Name, invented.Name)
	r := inventedRun(t)
	if ratios := r.LayerRatios(); slices.ContainsFunc(ratios, func(r figures.Ratio) bool {
		return r.Upper.Case.API == invented.Name
	}) {
		t.Errorf("layers: a ratio to a layer that it is not known to lie on, %+v", ratios)
	}
	_, err := plan.New(plan.Options{Sizes: option.Sizes{APIs: []string{invented.Name}}}, plan.JobFacts{Processes: 1})
	if _, ok := errors.AsType[*usage.Error](err); !ok ||
		!strings.Contains(err.Error(), "of this tool, which measures posix, mpiio, phdf5") {
		t.Errorf("plan: error %v, want one that names the APIs", err)
	}
}
