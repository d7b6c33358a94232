package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

func saved(t *testing.T, r figures.Run) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	if err := result.Write(path, r.Document); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFloorsAreHeld(t *testing.T) {
	r := figurestest.Sweep()
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
		}
	}
	path := saved(t, r)
	for _, c := range []struct {
		min    string
		status int
		told   string
	}{
		{"write=1M", 0, "floor of writes, 1.00 MiB/s: met: the highest median is "},
		{"write=1M,read=1M", 0, "floor of reads, 1.00 MiB/s: met: "},
		{"write=1M,read=1T", 1, "floor of reads, 1.00 TiB/s: not met: the highest median is "},
		{"write", 2, `"write" is not a floor`},
		{"write=", 2, "is not a floor"},
		{"open=1G", 2, "is not a floor"},
		{"write=1G,write=2G", 2, "is not a floor"},
		{"write=0G", 2, "is not a floor"},
		{"write=20", 2, "is not a floor"},
		{"write=NaNG", 2, "is not a floor"},
		{"write=0.5M", 0, "floor of writes, 512 KiB/s: met: "},
	} {
		for _, command := range [][]string{{"report", path}, {"compare", path, path}} {
			status, _, stderr := said(t, append(command, "--min", c.min)...)
			if status != c.status || !strings.Contains(stderr, c.told) {
				t.Errorf("%s --min %s: status %d, %s", command[0], c.min, status, stderr)
			}
		}
	}
	if status, _, stderr := said(t, "report", "--min", "read=1M", saved(t, figurestest.Sweep())); status != 1 ||
		!strings.Contains(stderr, "not met: no throughput is valid: ") || !strings.Contains(stderr, " warm") {
		t.Errorf("warm reads: status %d, %s", status, stderr)
	}
}

// A mark that all samples of a run have is in each line, since no other place shows it.
func TestLinesHaveAllMarks(t *testing.T) {
	r := figurestest.Sweep()
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = []result.Mark{result.MarkShared}
		}
	}
	status, stdout, _ := said(t, "report", "--lines", saved(t, r))
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, " shared ") {
			t.Errorf("status %d, %q", status, line)
		}
	}
}

func TestReportAsLines(t *testing.T) {
	status, stdout, _ := said(t, "report", "--lines", saved(t, figurestest.Failed()))
	const want = "# api op processes size GiB/s low high marks variant\n" +
		"posix - 4 64K - - - failed num-bytes=1M,sync=close\n" +
		"mpiio write 4 64K 0.006836 - - partial_3_of_8 num-bytes=1M,sync=close\n" +
		"mpiio read 4 64K 0.01367 - - partial_3_of_8,warm num-bytes=1M,sync=close\n" +
		"phdf5 - 4 64K - - - skipped num-bytes=1M,sync=close\n" +
		"posix - 4 256K - - - interrupted num-bytes=1M,sync=close\n"
	if status != 0 || stdout != want {
		t.Errorf("status %d\n%s, want\n%s", status, stdout, want)
	}
	untimed := figurestest.Serial()
	untimed.Cases[0].Samples[0].Access = result.Interval{}
	if _, stdout, _ = said(t, "report", "--lines", saved(t, untimed)); !strings.Contains(stdout, " - - - no_result ") ||
		strings.Contains(stdout, "complete") {
		t.Errorf("without throughput\n%s", stdout)
	}
}
