//go:build cgo && !nompi

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/result"
)

func TestCasesInARandomOrderAreReportedInTheOrderOfTheSweep(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, t.TempDir(), nil, nil, "--order", "random", "-i", "3", "--warmup", "1", "-D", "v")
	if status := l.wait(2 * startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	doc := l.document()
	if doc.Parameters.Conditions.Seed == nil || len(doc.Cases) != 12 {
		t.Fatalf("seed %v, %d cases", doc.Parameters.Conditions.Seed, len(doc.Cases))
	}
	turned := false
	for i, c := range doc.Cases {
		want := []string{"posix", "mpiio", "phdf5"}[i%3]
		if c.API != want || c.Processes != 2-i/6 || c.TransferSize != 128<<10<<(i/3%2) || c.State != result.Complete ||
			len(c.Samples) != 6 || len(c.Warmup) != 2 {
			t.Errorf("case %d is %s of %d processes, %d bytes: %s, %d samples", i, c.API, c.Processes, c.TransferSize,
				c.State, len(c.Samples))
		}
		turned = turned || i > 0 && c.Samples[0].Started.Before(doc.Cases[i-1].Samples[0].Started)
	}
	if !turned {
		t.Error("the cases were measured in the order of the sweep")
	}
	lines := regexp.MustCompile(`(?m)^Number of processors.*|IO API = [A-Z0-9]+|^Transfer Buffer Size: \d+`)
	text := strings.Join(lines.FindAllString(l.stdout.String(), -1), ", ")
	var want []string
	for processes := 2; processes >= 1; processes-- {
		want = append(want, fmt.Sprintf("Number of processors = %d", processes))
		for _, size := range []int{131072, 262144} {
			want = append(want, fmt.Sprintf("Transfer Buffer Size: %d", size), "IO API = POSIX", "IO API = MPIO",
				"IO API = PHDF5")
		}
	}
	if text != strings.Join(want, ", ") {
		t.Errorf("the report has\n%s, want\n%s", text, strings.Join(want, ", "))
	}
	l.cleaned()
}

func TestARunInRandomOrderThatIsCutShortKeepsAllSamples(t *testing.T) {
	t.Parallel()
	for signal, state := range map[syscall.Signal]result.State{
		syscall.SIGKILL: result.Failed, syscall.SIGTERM: result.Interrupted,
	} {
		t.Run(signal.String(), func(t *testing.T) {
			l := launch(t, 2, t.TempDir(), nil, nil, "--order", "random", "-p", "2", "-i", "10000", "-e", "1M", "-x",
				"1M", "-X", "1M", "-B", "1M")
			l.within(startTime, "some rounds", func() bool { return written(l.ranks()[0]) > 20<<20 })
			l.signal(0, signal)
			l.fails(startTime)
			doc := l.document()
			if doc.State != state || len(doc.Cases) != 3 {
				t.Fatalf("document is %s with %d cases, want %s with 3", doc.State, len(doc.Cases), state)
			}
			least, most, atWork := len(doc.Cases[0].Samples), len(doc.Cases[0].Samples), 0
			for i, c := range doc.Cases {
				if c.API != doc.Parameters.APIs[i] || c.State != result.Interrupted {
					t.Errorf("case %d is %s, %s, %v", i, c.API, c.State, c.Error)
				}
				if c.Error != nil {
					atWork++
				}
				least, most = min(least, len(c.Samples)), max(most, len(c.Samples))
			}
			if atWork != 1 {
				t.Errorf("%d cases have an error, want the one at work", atWork)
			}
			if least < 4 || most > least+2 {
				t.Errorf("between %d and %d samples, want some of all, of as many rounds", least, most)
			}
			l.cleaned()
		})
	}
}

// written returns the number of bytes that a process has written.
func written(pid int) (n int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "wchar: ")
	_, _ = fmt.Sscan(rest, &n)
	return n
}
