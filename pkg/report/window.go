package report

import (
	"fmt"
	"math"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// differ is the difference from the printed average throughput above which the average by the window is printed, too.
const differ = 0.05

// shownApart is the number of results that Close names.
const shownApart = 8

// compare remembers a direction of a case if its average throughput by the window is not about the printed one. name is
// that of the block with the time on which throughput rests.
func (b blocks) compare(name string, c result.Case) {
	if b.reason != "" || len(b.samples) == 0 {
		return
	}
	b.results++
	var bytes, slowest, seconds float64
	for _, s := range b.samples {
		bytes, slowest, seconds = bytes+float64(s.Bytes), slowest+s.Measured().Max, seconds+s.Seconds()
	}
	if seconds <= 0 || math.Abs(slowest/seconds-1) <= differ {
		return
	}
	place := fmt.Sprintf("%d bytes", c.TransferSize)
	if !b.serial {
		place = units.Count(c.Processes, "process", "processes") + ", " + place
	}
	b.apart = append(b.apart, fmt.Sprintf("%s, %s %s %s MB/s", place, b.api(c.API), name, throughput(bytes, seconds)))
}

// Close ends the report. It writes how many bytes were compared with the written data, if any were, and one line if
// throughputs by the window differ from printed ones by more than 5 %.
func (t *Text) Close() {
	if t.compared > 0 {
		t.tell(plain.Note("", equal(t.compared)))
	}
	t.closeApart()
	t.compared, t.apart = 0, nil
	t.flush()
}

// equal returns how many bytes were compared with the written data, in a sentence.
func equal(bytes uint64) string {
	return units.FormatBytes(float64(bytes)) + " of read data were compared with the written data, and are equal."
}

// closeApart writes which throughputs by the window differ from printed ones.
func (t *Text) closeApart() {
	n := len(t.apart)
	if n == 0 {
		return
	}
	names := strings.Join(t.apart[:min(n, shownApart)], "; ")
	if n > shownApart {
		names += fmt.Sprintf("; and %d more", n-shownApart)
	}
	t.tell(plain.Note("", fmt.Sprintf("In %d of %s, throughput differs by more than %g %% from bytes divided by %s. "+
		"The average by the window is: %s.", n, units.Count(t.results, "result", "results"), 100*differ, figures.Window,
		names)))
}
