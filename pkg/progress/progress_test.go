package progress

import (
	"bytes"
	"os"
	"testing"
	"time"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

func TestLinesTellHowFarARunIs(t *testing.T) {
	var out bytes.Buffer
	b := &Bar{lines: lines{out: &out, total: 4 << 20}, end: make(chan struct{})}
	b.draw(time.Second)
	b.Begin(plan.Case{API: "mpiio", Processes: 2, Transfer: 4 << 10})
	b.Sample(result.Sample{Bytes: 512 << 10})
	b.Working(func() uint64 { return 256 << 10 }) // of each of two processes
	b.draw(time.Minute)
	b.lines.latest = 2 * time.Minute
	b.draw(time.Minute)
	b.draw(3 * time.Minute)
	b.lines.latest = 0
	b.Working(nil)
	b.Clear()
	b.Sample(result.Sample{Bytes: 8 << 20}) // a run that goes on until it has enough
	b.draw(time.Hour)
	b.Close()
	const want = "h5perf: 1s\n" +
		"h5perf: 1m0s, 25 % done, at this speed 3m0s more; at work: mpiio, processes: 2, transfer: 4K\n" +
		"h5perf: 1m0s, 25 % done, ends by its deadline in 1m0s; at work: mpiio, processes: 2, transfer: 4K\n" +
		"h5perf: 3m0s, 25 % done, ends by its deadline in 0s; at work: mpiio, processes: 2, transfer: 4K\n" +
		"h5perf: 1h0m0s; at work: mpiio, processes: 2, transfer: 4K\n"
	if out.String() != want {
		t.Errorf("%s, want\n%s", out.String(), want)
	}
}

func TestTicksMakeLinesUntilTheEnd(t *testing.T) {
	var out bytes.Buffer
	b := &Bar{lines: lines{out: &out, total: 1}, end: make(chan struct{})}
	tick, start := make(chan time.Time), time.Unix(0, 0)
	ended := make(chan struct{})
	go func() {
		b.update(tick, start)
		close(ended)
	}()
	tick <- start.Add(time.Minute)
	b.Close()
	<-ended
	if out.String() != "h5perf: 1m0s\n" {
		t.Errorf("%q", out.String())
	}
}

func TestNothingIsShownWithoutATerminalUnlessLinesAreAskedFor(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	if b := New(null, 1, 0, time.Time{}); b != nil {
		t.Error("a bar")
	}
	b := New(null, 1, time.Hour, time.Time{})
	if b == nil {
		t.Fatal("no lines")
	}
	b.Close()
}
