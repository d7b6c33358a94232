//go:build cgo && !nompi

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/workload"
)

func TestTheDefaultRunMeasuresEveryAPI(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, t.TempDir(), nil, nil, "-D", "v")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	doc := l.document()
	if doc.State != result.Complete || doc.ExitStatus == nil || *doc.ExitStatus != 0 || len(doc.Cases) != 12 {
		t.Errorf("document is %s with %d cases, want complete with 12", doc.State, len(doc.Cases))
	}
	for _, c := range doc.Cases {
		if c.State != result.Complete || !c.Verified || len(c.Samples) != 2 || c.Effective.Calls == 0 {
			t.Errorf("case %+v", c)
		}
		for _, s := range c.Samples {
			create := s.ClassInterval(workload.Create)
			timed := create.Max > 0 && create.Max <= s.Access.Max
			if want := c.API == result.PHDF5 && s.Operation == "write"; timed != want {
				t.Errorf("%s %s: creation of datasets %+v of %+v", s.Operation, c.API, create, s.Access)
			}
		}
	}
	if doc.Job.Processes != 2 || len(doc.Job.Placement) != 1 || doc.Job.Placement[0].Ranks != "0-1" {
		t.Errorf("job %+v", doc.Job)
	}
	if n := strings.Count(l.stdout.String(), "Maximum Throughput"); n != 12*4 {
		t.Errorf("%d throughputs in the report, want 48", n)
	}
	for want, times := range map[string]int{
		"\nConditions: not synced, page cache kept before reads, position data":             1,
		"Note: Read: Before reading, the page cache of the clients held 100 % of the files": 12,
	} {
		if n := strings.Count(l.stdout.String(), want); n != times {
			t.Errorf("%q is in the report %d times, want %d", want, n, times)
		}
	}
	l.cleaned()
}

// The conformance suite of the engines tests the patterns themselves. These runs show that the engines do what the
// options ask for.
func TestEveryPatternIsVerifiedOnEveryAPI(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"-I -F 2 -d 3 -i 2", "-C -a 4K -T 1K", "-C -g -I -e 1K -B 256 --view transfer", "-C -g -e 1K -B 256",
		"-c -g -I -e 1K -B 256 -C", "-m -c -g -e 1K -B 256", "-c --chunk-size 48K -e 192K -B 64K -x 64K -X 64K",
		"-B 2 -e 8 -x 4 -d 2", "-B 2 -e 4 -x 4 -X 4 -g -I", "-B 2000 -e 8000 -x 4000 -X 4000 -i 3",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			n := 3
			if !isOpenMPI() { // its ranks poll: more ranks than processors take minutes
				n = 2
			}
			l := launch(t, n, t.TempDir(), nil, nil, append(strings.Fields(args), "-D", "v", "-p", fmt.Sprint(n))...)
			if status := l.wait(3 * startTime); status != 0 {
				t.Errorf("exit status %d", status)
			}
			doc := l.document()
			for _, c := range doc.Cases {
				if c.State != result.Complete || !c.Verified {
					t.Errorf("%s: %s, verified %v, %v", c.API, c.State, c.Verified, c.Error)
				}
				p := plan.Case{
					Parameters: doc.Parameters, Processes: c.Processes, TransferSize: c.TransferSize, API: c.API,
				}
				if want := p.DataCalls() * 2 * uint64(doc.Parameters.Iterations); c.Effective != nil &&
					c.Effective.Calls != want {
					t.Errorf("%s: %d data calls, and %d planned", c.API, c.Effective.Calls, want)
				}
			}
			l.cleaned()
		})
	}
}

func TestDocumentAndReportAreWhole(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	l := launch(t, 2, t.TempDir(), nil, nil, "--json", "-", "-o", out, "-D", "1", "-A", "posix")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	var doc result.Document
	if err := json.Unmarshal(l.stdout.Bytes(), &doc); err != nil || doc.State != result.Complete {
		t.Errorf("standard output is no complete document: %v", err)
	}
	text, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(text), "HDF5 Library: Version ") ||
		strings.Count(string(text), "Throughput") == 0 {
		t.Errorf("report file: %v\n%s", err, text)
	}
	if strings.Count(string(text), "==== Parameters ====") != 2 {
		t.Error("want the parameters of two ranks in the report")
	}
}

func TestAUsageErrorIsToldOnceAndMakesNoFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, env []string
		want      string
	}{
		{args: []string{"-e", "1KB"}, want: "1KB"},
		{args: []string{"-m", "-C"}, want: "-m with -C"},
		{env: []string{"HDF5_MPI_INFO==v"}, want: "=v"},
	} {
		t.Run(strings.Join(append(c.args, c.env...), " "), func(t *testing.T) {
			l := launch(t, 2, t.TempDir(), c.env, nil, c.args...)
			if status := l.wait(startTime); status != result.ExitUsage {
				t.Errorf("exit status %d, want %d", status, result.ExitUsage)
			}
			if n := strings.Count(l.stderr.String(), "h5perf: "); n != 1 ||
				!strings.Contains(l.stderr.String(), c.want) {
				t.Errorf("told %d times, want once, with %q", n, c.want)
			}
			if _, err := os.Lstat(l.json); !os.IsNotExist(err) {
				t.Errorf("there is a document: %v", err)
			}
			l.cleaned()
		})
	}
}

func TestHintsAndTheComponentOfMPIIOAreThoseAskedFor(t *testing.T) {
	t.Parallel()
	// The blank item made the C tool search for its end for ever.
	l := launch(t, 2, t.TempDir(), []string{"HDF5_MPI_INFO=  ;cb_nodes=1"}, nil, "-A", "mpiio", "-p", "2",
		"--io-component", "romio", "--hint", "romio_cb_write=enable")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	doc := l.document()
	if !strings.Contains(doc.Software.IOComponent, "ROMIO") {
		t.Errorf("component %q", doc.Software.IOComponent)
	}
	hint := result.KeyValue{Key: "romio_cb_write", Value: "enable"}
	asked := []result.KeyValue{{Key: "cb_nodes", Value: "1"}, hint}
	if !slices.Equal(doc.Parameters.Hints, asked) {
		t.Errorf("hints %v, want %v", doc.Parameters.Hints, asked)
	}
	if !strings.Contains(l.stdout.String(), "object has 2 items\ncb_nodes=1\n") {
		t.Error("the report does not show the hints")
	}
	if strings.HasPrefix(mpi.LibraryVersion(), "Open MPI v5") {
		// Open MPI does not pass hints on to its ROMIO, and the document says so.
		hint.Value = "automatic"
	}
	if !slices.Contains(doc.Cases[0].Effective.Hints, hint) {
		t.Errorf("hints in effect %v, want %v", doc.Cases[0].Effective.Hints, hint)
	}
	if !isOpenMPI() {
		l := launch(t, 2, t.TempDir(), nil, nil, "--io-component", "ompio")
		if status := l.wait(startTime); status != result.ExitUsage || !strings.Contains(l.stderr.String(), "ompio") {
			t.Errorf("exit status %d, want %d and the reason", status, result.ExitUsage)
		}
	}
}

func TestAPathThatWouldCrashMPIIOIsRefused(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), strings.Repeat("y", 220))
	if err := os.Mkdir(base, 0o755); err != nil {
		t.Fatal(err)
	}
	l := launch(t, 2, base, nil, nil, "-A", "mpiio", "-D", "v")
	switch status := l.wait(startTime); {
	case isOpenMPI() && (status != result.ExitFailed || !strings.Contains(l.stderr.String(), "its path has")):
		t.Errorf("exit status %d, want %d and the reason", status, result.ExitFailed)
	case !isOpenMPI() && status != 0:
		t.Errorf("exit status %d", status)
	}
	l.cleaned()
}

func TestRanksLeftOutSleep(t *testing.T) {
	t.Parallel()
	l := launch(t, 3, t.TempDir(), nil, nil, endless("-A", "posix", "-P", "2")...)
	l.working()
	ranks := l.ranks()
	worked := func() float64 { return cpuSeconds(t, ranks[0]) + cpuSeconds(t, ranks[1]) }
	before, others := cpuSeconds(t, ranks[2]), worked()
	l.within(endsWithin, "two seconds of work", func() bool { return worked() >= others+2 })
	used := cpuSeconds(t, ranks[2]) - before
	if all := worked() - others; used > all/8 { // a rank that does not sleep uses half of it
		t.Errorf("rank 2 used %.2f s of processor while the others used %.2f s", used, all)
	}
	if err := l.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	l.wait(endsWithin)
	l.cleaned()
}

// cpuSeconds returns the processor time that a process has used so far.
func cpuSeconds(t *testing.T, pid int) float64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(data[strings.LastIndex(string(data), ")")+1:]))
	var ticks float64
	for _, f := range fields[11:13] { // utime, stime: fields 14 and 15 of proc(5)
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return ticks / 100
}

func isOpenMPI() bool { return strings.HasPrefix(mpi.LibraryVersion(), "Open MPI") }

func TestTheLauncherOfAnotherMPIIsRefused(t *testing.T) {
	t.Parallel()
	other := "Open MPI"
	if isOpenMPI() {
		other = "MPICH"
	}
	l := launchBy(t, other, 2, t.TempDir(), nil, nil)
	if status := l.wait(startTime); status != result.ExitLaunch {
		t.Errorf("exit status %d, want %d", status, result.ExitLaunch)
	}
	if s := l.stderr.String(); !strings.Contains(s, "2 processes were launched") ||
		!strings.Contains(s, "start it with") {
		t.Error("the right launcher is not named")
	}
	if _, err := os.Lstat(l.json); !os.IsNotExist(err) {
		t.Errorf("there is a document: %v", err)
	}
	l.cleaned()
}

// A container or a wrapper may pass on only the variables of the tool.
func TestACleanedEnvironmentIsRefused(t *testing.T) {
	t.Parallel()
	cleaned := []string{"env", "-i", "HOME=" + t.TempDir(), beTool + "=1", "OMPI_MCA_ess_singleton_isolated=1"}
	l := launch(t, 2, t.TempDir(), nil, cleaned, "-D", "v")
	if status := l.wait(startTime); status != result.ExitLaunch {
		t.Errorf("exit status %d, want %d", status, result.ExitLaunch)
	}
	if s := l.stderr.String(); !strings.Contains(s, "2 processes were launched (seen on this node)") ||
		!strings.Contains(s, "keep the environment") {
		t.Error("it is not told what to do")
	}
	if _, err := os.Lstat(l.json); !os.IsNotExist(err) {
		t.Errorf("there is a document: %v", err)
	}

	dir := t.TempDir()
	cleaned = append(cleaned, "HDF5_PARAPREFIX="+dir)
	if l = launch(t, 1, dir, nil, cleaned, "-e", "256K", "-B", "4K", "-x", "64K", "-X",
		"64K"); l.wait(startTime) != result.ExitOK {
		t.Error("one process alone below a launcher does not measure")
	}
}

func TestCollectiveTransfersAreCounted(t *testing.T) {
	t.Parallel()
	for view, args := range map[string]string{"auto": "mpiio,phdf5", "transfer": "mpiio"} {
		l := launch(t, 2, t.TempDir(), nil, nil, "-A", args, "-C", "-I", "-p", "2", "-e", "256K", "-B", "4K", "-x",
			"64K", "-X", "64K", "--view", view)
		if status := l.wait(startTime); status != 0 {
			t.Errorf("exit status %d", status)
		}
		for _, c := range l.document().Cases {
			want := map[string]uint64{"auto": 2 * 2, "transfer": 2 * 2 * 4}[view] // ranks × ways (× transfers)
			if c.API == result.MPIIO && c.Effective.SetViews != want {
				t.Errorf("--view %s: %d set_views, want %d", view, c.Effective.SetViews, want)
			}
			for _, operation := range result.ValuesOf[result.Operation]() {
				u := c.CollectiveTransfers(operation)
				if (u != nil) != (c.API == result.PHDF5) ||
					u != nil && (2*u.Collective != c.Effective.Calls || u.Mixed+u.Independent != 0) {
					t.Errorf("%s: HDF5's account %+v of %d calls, want all collective", c.API, u, c.Effective.Calls)
				}
			}
		}
	}
}

// figure matches numbers that differ from run to run.
var figure = regexp.MustCompile(`\d+\.\d+`)

func TestTheReportsOfTwoRunsDifferInFiguresOnly(t *testing.T) {
	t.Parallel()
	var texts [2]string
	for i := range texts {
		l := launch(t, 2, t.TempDir(), nil, nil, "-D", "3,r,t", "-i", "2", "-p", "2")
		if status := l.wait(startTime); status != 0 {
			t.Errorf("exit status %d", status)
		}
		text := strings.ReplaceAll(plaintest.Unwrap(l.stdout.String()), l.base, "BASE")
		text = regexp.MustCompile(`h5perf-[0-9TZ]+-[0-9a-f]+`).ReplaceAllString(text, "RUN")
		text = regexp.MustCompile(`data_[0-9a-f]+_`).ReplaceAllString(text, "data_")
		text = regexp.MustCompile(`(?m)^ *(Caution|Note): .*\n`).ReplaceAllString(text, "") // about measured values
		texts[i] = regexp.MustCompile(` +#`).ReplaceAllString(figure.ReplaceAllString(text, "#"), " #")
	}
	if texts[0] != texts[1] {
		t.Errorf("reports differ:\n%s\n---\n%s", texts[0], texts[1])
	}
}

func TestAParallelRunIsRepeatedByAllProcesses(t *testing.T) {
	t.Parallel()
	first := launch(t, 2, t.TempDir(), nil, nil, "-A", "posix,mpiio", "-C", "-p", "2", "--label", "pair")
	if status := first.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	old := first.document()
	document := filepath.Join(t.TempDir(), "again.json")
	l := launch(t, 2, t.TempDir(), nil, nil, "rerun", first.json, "--", "--json", document)
	l.json = document
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	doc := l.document()
	if doc.RerunOf != old.RunID || len(doc.Cases) != len(old.Cases) || doc.Identity.Label != "pair" ||
		doc.Parameters.Hash() != old.Parameters.Hash() {
		t.Errorf("rerun of %s with %d cases: %+v", doc.RerunOf, len(doc.Cases), doc.Parameters)
	}
	if n := strings.Count(l.stderr.String(), "repeats run "+old.RunID); n != 1 {
		t.Errorf("it is told %d times", n)
	}
}

func TestTwoConfigurationsShareAParallelJob(t *testing.T) {
	t.Parallel()
	documents := t.TempDir()
	paths := [2]string{filepath.Join(documents, "a.json"), filepath.Join(documents, "b.json")}
	other := t.TempDir()
	l := launch(t, 2, t.TempDir(), nil, nil, "ab", "-i", "6", "--json-a", paths[0], "--json-b", paths[1], "--",
		"-A", "mpiio,phdf5", "-x", "256K", "-D", "v", "--", "HDF5_PARAPREFIX="+other, "-A", "mpiio,phdf5", "-x", "256K",
		"-C", "-D", "v")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	docs := l.arms(paths)
	for i, doc := range docs {
		mode, dir := result.ValuesOf[result.Mode]()[i], []string{l.base, other}[i]
		complete := doc.State == result.Complete && len(doc.Cases) == 4
		if !complete || doc.Parameters.Mode != mode || doc.Target.Directory != dir {
			t.Errorf("arm %d is %s with %d cases, %s, in %s", i, doc.State, len(doc.Cases), doc.Parameters.Mode,
				doc.Target.Directory)
		}
		for _, c := range doc.Cases {
			if len(c.Samples) != 12 || !c.Verified {
				t.Errorf("arm %d, %s: %d samples, verified %v", i, c.API, len(c.Samples), c.Verified)
			}
		}
	}
	if !strings.Contains(l.stdout.String(), "6 pairs") || strings.Count(l.stdout.String(), "8 points: ") != 1 {
		t.Error("standard output is not the comparison, once")
	}
	l.cleaned()
	l.base = other
	l.cleaned()
}
