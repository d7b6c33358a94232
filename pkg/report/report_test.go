package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/test/resulttest"
	"h5perf/pkg/workload"
)

// parameters returns the parameters of the default run on two processes.
func parameters() result.Parameters {
	return result.Parameters{
		APIs: []string{"posix", "mpiio", "phdf5"}, MinProcesses: 1, MaxProcesses: 2,
		BytesPerProcess: 256 << 10, BlockSize: 128 << 10, MinTransferSize: 128 << 10, MaxTransferSize: 256 << 10,
		Iterations: 1, Files: 1, Datasets: 1,
		Geometry: "1D", Pattern: "contiguous", Mode: "independent", Layout: "contiguous",
		Conditions: option.Conditions{
			Sync: "none", Order: "given", Data: "position", Shift: new(0), Warmup: new(0),
			SpaceCheck: new(true),
		},
		HDF5Settings: result.HDF5Settings{Driver: "mpio"},
	}
}

// square returns the parameters of a two-dimensional run with two files, two datasets per file, and two iterations.
func square() result.Parameters {
	p := parameters()
	p.APIs, p.MinProcesses, p.Geometry, p.Layout = []string{"posix"}, 2, "2D", "chunked"
	p.BytesPerProcess, p.BlockSize, p.MinTransferSize, p.MaxTransferSize = 4<<10, 512, 1<<10, 2<<10
	p.Iterations, p.Files, p.Datasets = 2, 2, 2
	return p
}

// run returns a complete run with all cases of its parameters. The results are invented.
func run(p result.Parameters) result.Document {
	doc := result.Document{
		Parameters: p, Software: result.Software{HDF5: "1.2.3"}, Job: result.Job{Processes: p.MaxProcesses},
	}
	for n := p.MaxProcesses; n >= p.MinProcesses; n /= 2 {
		for x := p.MinTransferSize; x <= p.MaxTransferSize; x *= 2 {
			for _, api := range p.APIs {
				doc.Cases = append(doc.Cases, complete(p, n, x, api))
			}
		}
	}
	return doc
}

func complete(p result.Parameters, processes int, transfer uint64, api string) result.Case {
	c := result.Case{
		Processes: processes, TransferSize: transfer, API: api, State: result.Complete, Bytes: 64 << 20,
	}
	for k := range p.Iterations {
		for i, operation := range result.ValuesOf[result.Operation]() {
			if p.WriteOnly && operation == "read" {
				continue
			}
			unit := float64(1+k) / float64(1+i) // the first iteration is the fastest, and reads are twice as fast
			s := result.Sample{
				Operation: operation, Iteration: 1 + k, Bytes: c.Bytes,
				Access: slowest(0.5 * unit), OpenClose: slowest(unit),
				Classes: []result.ClassTime{
					{Class: "file open", Interval: slowest(0.125 * unit)},
					{Class: "transfer", Interval: slowest(0.25 * unit)},
					{Class: "file close", Interval: slowest(0.0625 * unit)},
				},
			}
			if operation == "read" { // by default, reads find the data in the page cache
				s.Cache, s.Marks = &result.Cache{Method: "cachestat", MaxResident: 1, MeanResident: 1},
					[]result.Mark{result.MarkWarm}
			}
			c.Samples = append(c.Samples, s)
		}
	}
	return c
}

func slowest(seconds float64) result.Interval {
	return result.Interval{WindowSeconds: seconds, Max: seconds, Mean: 0.75 * seconds, Min: 0.5 * seconds, MaxRank: 1}
}

// write writes the whole report about a document. path returns the name of data file k of an API, counted from 1.
func write(w io.Writer, doc result.Document, options CReportOptions, path func(k int, api string) string) error {
	t := NewCReport(w, doc, options)
	t.WriteHeader()
	for _, c := range doc.Cases {
		t.BeginCase(c)
		for range iterations(c) {
			for k := range doc.Parameters.Files {
				t.BeginFile(path(k+1, c.API))
			}
		}
		t.EndCase(c)
	}
	t.Close()
	return t.Err()
}

// iterations returns the number of iterations that began in a case.
func iterations(c result.Case) int {
	n := 0
	for _, s := range c.Samples {
		n = max(n, s.Iteration)
	}
	if c.Error != nil {
		n = max(n, c.Error.Iteration)
	}
	return n
}

func dataFile(k int, api string) string { return fmt.Sprintf("/scratch/%s_%d", api, k) }

func printed(t *testing.T, doc result.Document, options CReportOptions) string {
	t.Helper()
	options.InfoBytes = 256
	var b bytes.Buffer
	if err := write(&b, doc, options, dataFile); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares a text with a file in testdata. With -update it writes the file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	resulttest.Golden(t, filepath.Join("testdata", name), text)
}

func TestDefault(t *testing.T) {
	golden(t, "default.txt", printed(t, run(parameters()), CReportOptions{}))
}

func TestTwoDimensionsWithTimes(t *testing.T) {
	p := square()
	p.Mode = "collective"
	golden(t, "times.txt", printed(t, run(p), CReportOptions{Times: true}))
}

func TestEverything(t *testing.T) {
	p := square()
	p.APIs, p.Pattern, p.Driver, p.MaxTransferSize = []string{"mpiio", "phdf5"}, "interleaved", "mpiposix", 1<<10
	p.HintsSet, p.Hints = true, []result.KeyValue{
		{Key: "cb_nodes", Value: "2"}, {Key: "striping_unit", Value: "1048576"},
	}
	doc := run(p)
	doc.GivenParameters = []result.GivenParameter{{Name: "HDF5_PARAPREFIX", Value: "/scratch"}}
	golden(t, "everything.txt", printed(t, doc, CReportOptions{Level: 4, Raw: true, Times: true}))
}

func TestFilesPerProcess(t *testing.T) {
	p := parameters()
	p.FilesPerProcess, p.APIs, p.MinProcesses, p.MinTransferSize = true, []string{"phdf5"}, 2, p.MaxTransferSize
	golden(t, "files-per-process.txt", printed(t, run(p), CReportOptions{Level: 4}))
}

func TestWriteOnly(t *testing.T) {
	p := parameters()
	p.WriteOnly, p.HintsSet, p.APIs, p.MinTransferSize = true, true, []string{"posix"}, p.MaxTransferSize
	golden(t, "write-only.txt", printed(t, run(p), CReportOptions{Level: 3}))
}

func TestAnErrorThatComesAgainIsCounted(t *testing.T) {
	doc := run(parameters())
	for i := range doc.Cases {
		doc.Cases[i].State, doc.Cases[i].Samples = result.Failed, nil
		doc.Cases[i].Error = &result.Error{
			Phase: "transfer", Message: fmt.Sprintf("pwrite /scratch/posix_%d: no space left on device", i),
		}
	}
	text := printed(t, doc, CReportOptions{})
	for want, n := range map[string]int{
		"error: ": len(doc.Cases), "error: pwrite /scratch/posix_0: no space left on device (rank 0)\n": 1,
		"error: pwrite: no space left on device (as before, 2 times so far)\n": 1,
	} {
		if strings.Count(text, want) != n {
			t.Errorf("%q is not there %d times in\n%s", want, n, text)
		}
	}
}

func TestACaseWithoutResultsHasNoFigure(t *testing.T) {
	p := parameters()
	p.MinProcesses, p.MinTransferSize = 2, p.MaxTransferSize
	doc := run(p)
	doc.Cases[0].State = result.Failed
	doc.Cases[0].Error = &result.Error{
		Phase: "transfer", Operation: "write", Iteration: 1, Rank: 1,
		Message: "pwrite /scratch/posix_1: no space left\non device\n",
	}
	doc.Cases[1].State, doc.Cases[1].Reason = result.Skipped, "no room"
	doc.Cases[1].Samples = nil
	doc.Cases[2].State, doc.Cases[2].Samples = result.Interrupted, nil
	text := printed(t, doc, CReportOptions{Level: 3, Raw: true, Times: true})
	golden(t, "failed.txt", text)
	if _, body, _ := strings.Cut(text, "dataset size:"); strings.Contains(body, "MB/s") ||
		strings.Contains(body, "Time") {
		t.Errorf("figures in\n%s", body)
	}
}

func TestAnInterruptedCaseHasTheFiguresOfItsCompleteIterations(t *testing.T) {
	p := parameters()
	p.Iterations = 3
	p.MinProcesses, p.MinTransferSize = 2, p.MaxTransferSize
	doc := run(p)
	c := &doc.Cases[0]
	c.State, c.Error, c.Samples = result.Interrupted, &result.Error{Phase: result.PhaseSignal, Message: "stopped"},
		c.Samples[:4]
	text := printed(t, doc, CReportOptions{})
	for _, want := range []string{
		"Write (2 iteration(s)):", "Caution: Write: Only 2 of 3 iterations count: interrupted: stopped (rank 0).\n",
		"Caution: Read: Only 2 of 3 iterations count: interrupted: stopped (rank 0).\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "iterations count"); n != 2 {
		t.Errorf("%d times fewer iterations, want only in the first case", n)
	}
}

func TestTheTimeOfCreationIsToldWhereDatasetsAreFilledThen(t *testing.T) {
	for _, c := range []struct {
		layout result.Layout
		fill   option.FillTime
		driver option.Driver
		told   bool
	}{
		{"chunked", "", "mpio", true},
		{"chunked", "never", "mpio", false},
		{"chunked", "", "mpiposix", false},
		{"contiguous", "", "mpio", false},
		{"contiguous", "alloc", "mpio", true},
	} {
		p := parameters()
		p.Layout, p.FillTime, p.Driver = c.layout, c.fill, c.driver
		doc := run(p)
		for i := range doc.Cases {
			for j := range doc.Cases[i].Samples {
				if s := &doc.Cases[i].Samples[j]; s.Operation == "write" {
					figurestest.SetTime(s, workload.Create, s.Access)
				}
			}
		}
		if told := strings.Contains(printed(t, doc, CReportOptions{}), "to create the datasets"); told != c.told {
			t.Errorf("%+v: told %v", c, told)
		}
	}
}

func TestLevelsBelowThree(t *testing.T) {
	p := parameters()
	p.MaxProcesses, p.MinProcesses = 3, 3
	doc := run(p)
	none := printed(t, doc, CReportOptions{})
	one := printed(t, doc, CReportOptions{Level: 1})
	if two := printed(t, doc, CReportOptions{Level: 2}); one != two {
		t.Errorf("level 2 differs from level 1\n%s", cmp.Diff(one, two))
	}
	header, rest, _ := strings.Cut(none, "\n\n")
	var want strings.Builder
	for rank := range 3 {
		want.WriteString(strings.ReplaceAll(header, "rank 0:", fmt.Sprintf("rank %d:", rank)) + "\n\n")
	}
	for line := range strings.SplitAfterSeq(rest, "\n") {
		want.WriteString(line)
		for api, name := range map[string]string{"POSIX": "posix", "MPIO": "mpiio", "PHDF5": "phdf5"} {
			if strings.Contains(line, "IO API = "+api) {
				for rank := range 3 {
					fmt.Fprintf(&want, "rank %d: data filename=%s\n", rank, dataFile(1, name))
				}
			}
		}
	}
	if d := cmp.Diff(want.String(), one); d != "" {
		t.Errorf("level 1 (-want +got)\n%s", d)
	}
}

func TestTheFiguresAreThoseOfTheSlowestProcess(t *testing.T) {
	p := parameters()
	p.MinProcesses, p.MinTransferSize, p.APIs, p.Iterations = 2, p.MaxTransferSize, []string{"posix"}, 3
	doc := run(p)
	for i, seconds := range []float64{4, 1, 1} { // their mean is 2
		doc.Cases[0].Samples[2*i].Access = result.Interval{
			WindowSeconds: seconds, Max: seconds, Mean: seconds / 2, Min: seconds / 4,
		}
	}
	text := printed(t, doc, CReportOptions{Times: true}) // 64 MB in each iteration
	want := "            Write (3 iteration(s)):\n" +
		"                Maximum Throughput:  64.00 MB/s (  1.000 s)\n" +
		"                Average Throughput:  32.00 MB/s (  2.000 s)\n" +
		"                Minimum Throughput:  16.00 MB/s (  4.000 s)\n"
	if !strings.Contains(text, want) {
		t.Errorf("no\n%sin\n%s", want, text)
	}
}

func TestATimeOfNothingGivesNoThroughput(t *testing.T) {
	p := parameters()
	p.MinProcesses, p.MinTransferSize, p.APIs = 2, p.MaxTransferSize, []string{"posix"}
	doc := run(p)
	doc.Cases[0].Samples[0].Access = result.Interval{}
	text := printed(t, doc, CReportOptions{})
	if strings.Count(text, "Throughput:    n/a MB/s\n") != 3 || strings.Contains(text, " 0.00 MB/s") ||
		strings.Contains(text, "+Inf") {
		t.Errorf("want n/a for one block in\n%s", text)
	}
}

func TestALowThroughputIsNotZero(t *testing.T) {
	for rate, want := range map[float64]string{0.00012: "0.00012", 0.0049: "0.0049", 0.005: "0.01", 3.456: "3.46"} {
		if got := formatThroughput(rate*megabyte, 1); got != want {
			t.Errorf("%g MB/s: %q, want %q", rate, got, want)
		}
	}
}

// broken is a writer that fails from the second call of Write on.
type broken struct{ writes int }

func (b *broken) Write(p []byte) (int, error) {
	b.writes++
	if b.writes > 1 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestAWriterThatFails(t *testing.T) {
	w := &broken{}
	err := write(w, run(parameters()), CReportOptions{}, dataFile)
	if err == nil || !strings.Contains(err.Error(), "report: disk full") {
		t.Errorf("error %v", err)
	}
	if w.writes != 2 {
		t.Errorf("%d writes, want none after the one that failed", w.writes)
	}
}

// one returns a run with one case on two processes, modified by change.
func one(change func(*result.Document)) result.Document {
	p := parameters()
	p.MinProcesses, p.MinTransferSize, p.APIs, p.Iterations = 2, p.MaxTransferSize, []string{"posix"}, 2
	doc := run(p)
	change(&doc)
	return doc
}

// Only lines that the C tools have, too, may be longer.
func TestCautionsAndNotesFitATerminal(t *testing.T) {
	for line := range strings.Lines(printed(t, one(func(doc *result.Document) {
		doc.Parameters.Verify, doc.Cases[0].Verified = true, true
		doc.Parameters.Hints = []result.KeyValue{{Key: "a_hint", Value: strings.Repeat("word ", 20)}}
		for k := range doc.Cases[0].Samples {
			doc.Cases[0].Samples[k].Marks = result.ValuesOf[result.Mark]()
		}
	}), CReportOptions{Times: true})) {
		if len(line) > plain.MaxLineWidth+1 {
			t.Errorf("a line of %d characters: %s", len(line)-1, line)
		}
	}
}

func TestConditionsCautionsAndNotes(t *testing.T) {
	samples := func(doc *result.Document, change func(s *result.Sample)) {
		for i := range doc.Cases[0].Samples {
			change(&doc.Cases[0].Samples[i])
		}
	}
	for _, c := range []struct {
		name   string
		change func(*result.Document)
		want   []string // lines
		none   []string // lines that must be missing
	}{
		{"default", func(*result.Document) {}, []string{
			"Conditions: not synced, page cache kept before reads, position data",
			"Caution: Writes are not synced: written data may still be in memory when the clock stops. Use --sync " +
				"close.",
			"Note: Only the page caches of clients are measured, not the caches of servers.",
			"            Caution: Read: 2 of 2 read samples are marked warm. The data were in the memory of the " +
				"client, so the result does not show the speed of the storage.",
			"            Note: Read: Before reading, the page cache of the clients held 100 % of the files " +
				"(cachestat).",
		}, []string{"Note: Write", "with sync"}},
		{"verified", func(doc *result.Document) {
			doc.Parameters.Verify, doc.Cases[0].Verified = true, true
		}, []string{
			"Note: 128 MiB of read data were compared with the written data, and are equal.",
		}, nil},
		{"synced", func(doc *result.Document) {
			doc.Parameters.Conditions.Sync, doc.Parameters.Conditions.Cold = "close", true
			samples(doc, func(s *result.Sample) {
				if s.Operation == "write" {
					s.AccessAndSync = &result.Interval{WindowSeconds: 1, Max: 1}
					figurestest.SetTime(s, workload.Sync, result.Interval{WindowSeconds: 0.5, Max: 0.5})
				} else {
					s.Cache, s.Marks = &result.Cache{Method: "mincore", MeanResident: 0.001, MaxResident: 0.004}, nil
				}
			})
		}, []string{
			"Conditions: synced before each file is closed, page cache dropped before reads, position data",
			"            Write with sync (2 iteration(s)):",
			"                Average Throughput:  64.00 MB/s (  1.000 s)",
			"            Write Sync (2 iteration(s)):",
			"                Maximum Accumulated Time using 1 file(s): 0.50000 s",
			"            Note: Read: Before reading, the page cache of the clients held 0.1 % of the files, at " +
				"most 0.4 % on one node (mincore).",
		}, []string{"not synced", "warm", "Read with sync"}},
		{"an estimate", func(doc *result.Document) {
			samples(doc, func(s *result.Sample) {
				if s.Operation == "read" {
					s.Cache, s.Marks = &result.Cache{Method: "mincore", Uncertainty: 0.00006}, nil
				}
			})
			doc.Cases[0].Samples[3].Cache.Uncertainty = 0.0012
		}, []string{
			"            Note: Read: Before reading, the page cache of the clients held 0 % of the files, at most " +
				"0 ± 0.12 % on one node (mincore).",
		}, []string{"warm"}},
		{"not to be trusted", func(doc *result.Document) {
			samples(doc, func(s *result.Sample) { s.Cache, s.Marks = nil, []result.Mark{result.MarkShort} })
			doc.Cases[0].Samples[0].Marks = []result.Mark{result.MarkShort, result.MarkImplausible}
			doc.Cases[0].Samples[3].Cache = &result.Cache{Method: "none", Reason: "mincore: no"}
		}, []string{
			"            Caution: Write: 2 of 2 samples are marked short. All samples of the point took less than " +
				"1 s together, so caches and chance have a large effect.",
			"            Caution: Write: 1 of 2 samples is marked implausible. The result is faster than the " +
				"processors of the job can copy memory, so it cannot be the speed of a file system.",
			"            Note: Read: Before reading, the part of the files in the page cache of the clients is " +
				"unknown: mincore: no.",
			"            Caution: Read: 2 of 2 samples are marked short.",
		}, nil},
		{"time limit", func(doc *result.Document) {
			s := &doc.Cases[0].Samples[0] // 16 of 64 MB in half a second; in the other iteration, 64 MB in one second
			s.Bytes, s.Limit = 16<<20, &result.ReachedTimeLimit{
				PlannedBytes: 64 << 20, LimitBytes: 8 << 20, AtLimit: slowest(0.25),
			}
		}, []string{
			"                Maximum Throughput:  64.00 MB/s (  1.000 s)",
			"                Average Throughput:  53.33 MB/s (  0.750 s)",
			"                Minimum Throughput:  32.00 MB/s (  0.500 s)",
			"            Note: Write: 1 of 2 iterations reached the time limit, with 32.00 MB/s of raw data " +
				"on average until then. All processes then continued to the same number of transfers.",
		}, []string{"Read: 1 of 2"}},
		{"latencies", func(doc *result.Document) {
			doc.Cases[0].Latencies = []result.Latency{{
				Operation: "read", Call: "pread", Count: 4096, Max: 0.5,
				Quantiles:    []result.Quantile{{Probability: 0.5, Seconds: 1e-5}, {Probability: 0.99, Seconds: 2e-3}},
				SlowestRanks: []result.SlowRank{{Rank: 1, Host: "n1", Mean: 0.001}},
				LongestCalls: []result.SlowRank{{Rank: 3, Host: "n2", Max: 0.5}},
			}}
		}, []string{
			"            Note: Read: 4096 calls of pread took: median 10 µs, 99 % within 2 ms, longest 500 ms (rank " +
				"3 on n2), slowest on average 1 ms (rank 1 on n1).",
		}, nil},
		{"open iterations", func(doc *result.Document) {
			doc.Parameters.Iterations, doc.Parameters.Conditions.MaxIterations = 1, new(100)
			doc.Cases[0].Warmup = doc.Cases[0].Samples[:1]
		}, []string{"            Write (2 iteration(s)):"}, []string{"(1 iteration(s))"}},
		{"stopped at the limit, too short", func(doc *result.Document) {
			doc.Parameters.Conditions.MinSeconds, doc.Parameters.Conditions.MaxIterations = new(1.0), new(2)
			doc.Cases[0].EndedBy = "cap"
		}, []string{ // the writes took 1.5 s
			"            Caution: Read: The case was stopped at the limit of 2 iterations: 750 ms were measured, not " +
				"1 s.",
		}, []string{"Write: The case"}},
		{"stopped at the limit, too wide", func(doc *result.Document) {
			c := &doc.Parameters.Conditions
			c.MinSeconds, c.RepeatUntil, c.MaxIterations = new(1.0), new(0.02), new(2)
			doc.Cases[0].EndedBy = "cap"
		}, []string{
			"            Caution: Write: The case was stopped at the limit of 2 iterations: there are too few " +
				"samples to show that the interval is at most 2 % wide.",
			"            Caution: Read: The case was stopped at the limit of 2 iterations: there are too few samples " +
				"to show that the interval is at most 2 % wide, and 750 ms were measured, not 1 s.",
		}, nil},
		{"ended by what was asked for", func(doc *result.Document) {
			doc.Parameters.Conditions.MinSeconds, doc.Parameters.Conditions.MaxIterations = new(0.5), new(100)
			doc.Cases[0].EndedBy = "seconds"
		}, nil, []string{"ended by"}},
		{"read only", func(doc *result.Document) {
			doc.Parameters.Conditions.ReadOnly = "/scratch/data_1.posix"
			doc.Cases[0].Samples = doc.Cases[0].Samples[1:2]
		}, []string{
			"Conditions: page cache kept before reads, data of another run, not verified, " +
				"reads only /scratch/data_1.posix",
			"Note: Only the page caches of clients are measured, not the caches of servers.",
		}, []string{"Write", "n/a"}},
	} {
		text := plaintest.Unwrap(printed(t, one(c.change), CReportOptions{Times: true}))
		for _, want := range c.want {
			if strings.Count(text, want+"\n") == 0 {
				t.Errorf("%s: no line %q in\n%s", c.name, want, text)
			}
		}
		for _, none := range c.none {
			if strings.Contains(text, none) {
				t.Errorf("%s: %q in\n%s", c.name, none, text)
			}
		}
	}
}
