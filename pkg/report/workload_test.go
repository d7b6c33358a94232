package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/workload"
)

// ofWorkload returns the report about a run of a workload.
func ofWorkload(t *testing.T, doc result.Document) string {
	t.Helper()
	cases := doc.Cases
	doc.Cases, doc.State = nil, result.Running // the same as when the report begins
	var b bytes.Buffer
	r := NewReport(&b, doc, CReportOptions{})
	r.WriteHeader()
	for _, c := range cases {
		r.BeginCase(c)
		r.BeginFile("/scratch/data")
		r.EndCase(c)
	}
	r.Close()
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReportOfAWorkload(t *testing.T) {
	doc := figurestest.Workload().Document
	for i := range doc.Cases {
		doc.Cases[i].Verified = true
	}
	text := ofWorkload(t, doc)
	golden(t, "workload.txt", text+"\n"+ofWorkload(t, figurestest.WorkloadFailed().Document))
	if n := strings.Count(text, "\n"); n > 32 {
		t.Errorf("%d lines are more than a screen", n)
	}
	if !Output.IsOwn([]byte(text)) || !Output.IsOwn([]byte(printed(t, run(parameters()), CReportOptions{}))) {
		t.Error("a report is not recognized as one")
	}
}

func TestAReportSaysIfIterationsAreTheFewest(t *testing.T) {
	doc := figurestest.Workload().Document
	doc.Parameters.Conditions.MinSeconds = new(1.0)
	if text := ofWorkload(t, doc); !strings.Contains(text, " on 1 node, at least 8 iterations with POSIX") {
		t.Error(text)
	}
}

// The table of a run, its summary and its lines all tell the rate of what writes read back.
func TestTheRateOfWhatIsReadBackIsTold(t *testing.T) {
	r := figurestest.Workload()
	none := ofWorkload(t, r.Document) + summary(t, r) + writtenLines(t, r)
	if strings.Contains(none, "read back rate") || strings.Contains(none, "read_back") ||
		strings.Contains(none, "read back in") {
		t.Errorf("a rate without such reads:\n%s", none)
	}
	for _, c := range r.Cases {
		for i := range c.Samples {
			if s := &c.Samples[i]; c.API == result.PHDF5 && s.Operation == result.OperationWrite {
				s.ReadBackBytes = 3 << 30
				s.Classes = append(s.Classes, result.ClassTime{
					Class: result.ClassOf(workload.ReadBack), Interval: result.Interval{Max: 1.5},
				})
			}
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"run":     {ofWorkload(t, r.Document), "\nNote: Data read back in writes: HDF5 2.00 GiB/s, the bytes divided"},
		"summary": {summary(t, r), "read back rate"},
		"rate":    {summary(t, r), "2.00 GiB/s"},
		"lines":   {writtenLines(t, r), "\nphdf5 read_back 4 vpic 2 2 2 "},
	} {
		if n := strings.Count(c.text, c.want); n != 1 {
			t.Errorf("%s: %q is there %d times in\n%s", name, c.want, n, c.text)
		}
	}
}

// writtenLines returns what WriteLines writes about a run.
func writtenLines(t *testing.T, r figures.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteLines(&b, []figures.Run{r}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarksOfALineStandBelowTheirHeading(t *testing.T) {
	doc := figurestest.Workload().Document
	doc.Parameters.MinProcesses = 1
	for i := range doc.Cases {
		doc.Cases[i].Samples = doc.Cases[i].Samples[:3]
		for k := range doc.Cases[i].Samples {
			doc.Cases[i].Samples[k].Marks = []result.Mark{result.MarkImplausible, result.MarkStaggered}
		}
	}
	column := -1
	for line := range strings.Lines(ofWorkload(t, doc)) {
		if i := strings.Index(line, "  marks\n"); i >= 0 {
			column = i + 2
		}
		for _, mark := range []string{"implausible", "staggered"} {
			if i := strings.Index(line, mark); column >= 0 && i >= 0 && i != column &&
				i != column+len("implausible, ") && !strings.HasPrefix(line, "Caution") {
				t.Errorf("a mark at %d, but its heading is at %d: %s", i, column, line)
			}
		}
	}
	if column < 0 {
		t.Error("no heading")
	}
}

func TestAReportTellsInALineThatDumpsBecomeSlower(t *testing.T) {
	const head = "Note: The last dumps are slower than the first ones: "
	r := figurestest.Dumped(figurestest.Workload(), 8, 2)
	text := ofWorkload(t, r.Document)
	if n := strings.Count(plaintest.Unwrap(text), "\n"+head+r.DumpSlowdown()+"."+"\n"); n != 1 ||
		r.DumpSlowdown() == "" {
		t.Errorf("%d times %q in\n%s", n, r.DumpSlowdown(), text)
	}
	if text := ofWorkload(t, figurestest.Dumped(figurestest.Workload(), 8, 1).Document); strings.Contains(text, head) {
		t.Errorf("dumps that do not become slower:\n%s", text)
	}
}

func TestAReportHasUnitsPerSecond(t *testing.T) {
	doc := figurestest.Workload().Document
	for k := range doc.Cases[0].Samples {
		doc.Cases[0].Samples[k].Handled = []result.HandledUnits{{Unit: "samples", Number: 1000}}
	}
	r := figures.Run{Document: doc}
	text := ofWorkload(t, doc)
	for _, words := range r.UnitRateSentences() {
		if !strings.Contains(plaintest.Unwrap(text), "\nNote: "+words+"\n") {
			t.Errorf("no %q in\n%s", words, text)
		}
	}
	if n := strings.Count(text, "these samples per second"); n != 2 {
		t.Errorf("samples per second %d times, want of writes and of reads", n)
	}
}

func TestACaseOfAWorkloadWithoutIterationsHasAnErrorAndNoFigure(t *testing.T) {
	doc := figurestest.WorkloadFailed().Document
	doc.Cases[0].State, doc.Cases[0].Samples = result.Skipped, nil
	doc.Cases[0].Reason = "3 processes cannot divide the grid"
	doc.Cases[2].Samples = nil
	text := ofWorkload(t, doc)
	for _, want := range []string{
		"skipped: 3 processes cannot divide the grid\n",
		"error: MPI_File_write_at /scratch/all.mpio: no space left on device (rank 3)\n",
		"interrupted: stopped by SIGTERM (rank 0)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "B/s") || strings.Contains(text, "longer") {
		t.Errorf("a figure in\n%s", text)
	}
}

func TestAReportThatCannotBeWrittenSaysSo(t *testing.T) {
	r := NewReport(full{}, figurestest.Workload().Document, CReportOptions{})
	r.WriteHeader()
	r.Close()
	if err := r.Err(); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
