package report

import (
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/workload"
)

// staggered returns a run whose windows are longer than the time of the slowest process, by this factor. In the first
// case they are equal.
func staggered(p result.Parameters, longer float64) result.Document {
	doc := run(p)
	for i := range doc.Cases {
		for k := range doc.Cases[i].Samples {
			s := &doc.Cases[i].Samples[k]
			s.Access.WindowSeconds = s.Access.Max
			for k := range s.Classes {
				s.Classes[k].WindowSeconds = 2 * s.Classes[k].Max
			}
			if i > 0 {
				s.Access.WindowSeconds *= longer
			}
		}
	}
	return doc
}

func TestOneLineTellsWhereTheWindowDiffers(t *testing.T) {
	p := parameters()
	p.APIs = []string{"posix", "mpiio"}
	options := CReportOptions{Level: 4, Raw: true, Times: true}
	alike := plaintest.Unwrap(printed(t, run(p), options))
	for _, c := range []struct {
		longer float64
		line   string
	}{
		{1, ""},
		{1.05, ""}, // 4.8 % less throughput
		{1.25, "Note: In 14 of 16 results, throughput differs by more than 5 % from bytes divided by the window " +
			"from the start of the first process to the end of the last process. The average by the window is: " +
			"2 processes, 131072 bytes, MPIO Write 102.40 MB/s; 2 processes, 131072 bytes, MPIO Read 204.80 MB/s; " +
			"2 processes, 262144 bytes, POSIX Write 102.40 MB/s; 2 processes, 262144 bytes, POSIX Read 204.80 MB/s; " +
			"2 processes, 262144 bytes, MPIO Write 102.40 MB/s; 2 processes, 262144 bytes, MPIO Read 204.80 MB/s; " +
			"1 process, 131072 bytes, POSIX Write 102.40 MB/s; 1 process, 131072 bytes, POSIX Read 204.80 MB/s; " +
			"and 6 more.\n"},
	} {
		if got := plaintest.Unwrap(printed(t, staggered(p, c.longer), options)); got != alike+c.line {
			t.Errorf("windows %g times as long: after the same report\n%s\nwant\n%s", c.longer,
				strings.TrimPrefix(got, alike), c.line)
		}
	}
}

func TestTheWindowWithSyncIsComparedWhereTheRunSyncs(t *testing.T) {
	p := parameters()
	p.WriteOnly, p.APIs, p.MinProcesses, p.MinTransferSize = true, []string{"posix"}, 2, p.MaxTransferSize
	doc := run(p)
	for k := range doc.Cases[0].Samples {
		s := &doc.Cases[0].Samples[k]
		durable := slowest(1)
		durable.WindowSeconds = 2
		s.AccessAndSync = &durable
		figurestest.SetTime(s, workload.Sync, slowest(0.5))
	}
	const want = ": 2 processes, 262144 bytes, POSIX Write with sync 32.00 MB/s.\n"
	if got := plaintest.Unwrap(printed(t, doc, CReportOptions{})); !strings.HasSuffix(got, want) {
		t.Errorf("no %q at the end of\n%s", want, got)
	}
}

func TestACaseWithoutFiguresHasNoneByTheWindow(t *testing.T) {
	doc := staggered(parameters(), 2)
	for i := range doc.Cases {
		doc.Cases[i].State = result.Failed
	}
	if got := printed(t, doc, CReportOptions{}); strings.Contains(got, "by the window is:") {
		t.Errorf("%s", got)
	}
}
