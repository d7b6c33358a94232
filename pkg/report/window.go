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

// maxDifference is a threshold: if the printed average throughput and the average computed from the window differ by a
// larger ratio, this is reported.
const maxDifference = 0.05

// maxWindowRates is the largest number of results that Close lists.
const maxWindowRates = 8

// compareWithWindow compares the printed average throughput with the one computed from the window, the time from the
// first start to the last end on any process. If they differ too much, it records the direction of the case for Close.
// name is the name of its result block.
func (b resultBlocks) compareWithWindow(name string, c result.Case) {
	if len(b.samples) == 0 {
		return
	}
	b.results++
	var bytes, slowest, seconds float64
	for _, s := range b.samples {
		bytes, slowest, seconds = bytes+float64(s.Bytes), slowest+s.ThroughputInterval().Max, seconds+s.Seconds()
	}
	if seconds <= 0 || math.Abs(slowest/seconds-1) <= maxDifference {
		return
	}
	place := fmt.Sprintf("%d bytes", c.TransferSize)
	if !b.serial {
		place = units.Count(c.Processes, "process", "processes") + ", " + place
	}
	b.windowRates = append(b.windowRates,
		fmt.Sprintf("%s, %s %s %s MB/s", place, b.apiName(c.API), name, formatThroughput(bytes, seconds)))
}

// Close ends the report. It writes how many bytes were compared with the written data, if any were. It also writes a
// note about throughputs that differ by more than 5 % from those computed from windows, and the table of calls if they
// were counted.
func (t *CReport) Close() {
	if t.compared > 0 {
		t.addWrappedText(plain.NoteLine("", comparedText(t.compared)))
	}
	t.writeWindowRates()
	run := figures.Run{Document: t.doc}
	run.Cases = t.counted
	writeCalls(&t.buffer, &run)
	t.compared, t.windowRates, t.counted = 0, nil, nil
	t.flush()
}

// comparedText returns a sentence about how many bytes were compared with the written data.
func comparedText(bytes uint64) string {
	return units.FormatBytes(float64(bytes)) + " of read data were compared with the written data, and are equal."
}

// writeWindowRates writes a note about the throughputs, computed from windows, that differ much from the printed ones.
func (t *CReport) writeWindowRates() {
	n := len(t.windowRates)
	if n == 0 {
		return
	}
	names := strings.Join(t.windowRates[:min(n, maxWindowRates)], "; ")
	if n > maxWindowRates {
		names += fmt.Sprintf("; and %d more", n-maxWindowRates)
	}
	t.addWrappedText(plain.NoteLine("",
		fmt.Sprintf("In %d of %s, throughput differs by more than %g %% from bytes divided by %s. "+
			"The average by the window is: %s.", n, units.Count(t.results, "result", "results"), 100*maxDifference,
			figures.WindowMeaning,
			names)))
}
