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
		{"write=1M", 0, "floor of writes, 1.00 MiB/s: met: the median of the lower ends of the 95 % intervals is "},
		{"write=1M,read=1M", 0, "floor of reads, 1.00 MiB/s: met: "},
		{"write=1M,read=1T", 1, "floor of reads, 1.00 TiB/s: not met: the median of the lower ends of the 95 % "},
		{"write=1M", 0, ", the lowest of 3 APIs)"},
		{"mpiio:read=1M", 0, "floor of reads through MPI-IO, 1.00 MiB/s: met: "},
		{"posix:read:1M=1T", 1, "floor of reads of 1 MiB through POSIX, 1.00 TiB/s: not met: the lower end of the "},
		{"read:1M=1M,read:64K=1M,read=1M", 0, "floor of reads of 64 KiB, 1.00 MiB/s: met: the lower end of the 95 % "},
		{"hdf5:read=1M", 1, "floor of reads through serial HDF5, 1.00 MiB/s: not met: the documents have no such "},
		{"read:3K=1M", 1, "floor of reads of 3 KiB, 1.00 MiB/s: not met: the documents have no such throughput"},
		{"read:1M=1G,read:1024K=2G", 2, `"read:1024K=2G" is not a floor`},
		{"posix:1M=1G", 2, "is not a floor"},
		{"read:1X=1G", 2, "is not a floor"},
		{"read:0=1G", 2, "is not a floor"},
		{"read:1M:2M=1G", 2, "is not a floor"},
		{"posix=1G", 2, "is not a floor"},
		{":read=1G", 2, "is not a floor"},
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
		!strings.Contains(stderr, "not met: no throughput of POSIX is valid: 3 are warm") {
		t.Errorf("warm reads: status %d, %s", status, stderr)
	}
}

// The text must not say that a floor was missed by a throughput that looks the same.
func TestAFloorThatIsMissedNarrowlyIsTold(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases = []result.Case{figurestest.Case(2, 1<<20, result.POSIX, 1<<20, 8)}
	for k := range r.Cases[0].Samples {
		s := &r.Cases[0].Samples[k]
		s.Marks, s.AccessAndSync = nil, nil
		s.Access.WindowSeconds = float64(s.Bytes) / (0.9996 * (1 << 30))
	}
	const want = "floor of reads, 1.00 GiB/s: not met: the lower end of the 95 % interval is 1.00 GiB/s, 0.04 % " +
		"below it (POSIX, 2 processes, 1 MiB)"
	status, _, stderr := said(t, "report", "--min", "read=1G", saved(t, r))
	if status != 1 || !strings.Contains(stderr, want+"\n") {
		t.Errorf("status %d, %s, want %s", status, stderr, want)
	}
	for k := range r.Cases[0].Samples {
		if k%4 < 2 {
			r.Cases[0].Samples[k].Access.WindowSeconds *= 0.9
		}
	}
	status, _, stderr = said(t, "report", "--min", "read=1G", saved(t, r))
	if status != 1 || !strings.Contains(stderr, want+"; the median, 1.06 GiB/s, reaches it: more iterations (-i)") {
		t.Errorf("status %d, %s", status, stderr)
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
