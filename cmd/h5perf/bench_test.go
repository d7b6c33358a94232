//go:build cgo && !nompi && bench

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Settings of the benchmarks. benchRounds is the minimum number of pairs of each case; if it is enough for an interval,
// one more pair is measured for warm-up. benchMore is how long further pairs are measured while an interval is wide.
// benchSizes holds the transfer sizes, benchDirs the directories for data files. The last setting is the file to which
// each comparison is appended as a line of JSON.
var (
	benchRounds = setting("BENCH_ROUNDS", "7", strconv.Atoi)
	benchMore   = setting("BENCH_MORE", "10s", time.ParseDuration)
	benchSizes  = setting("BENCH_SIZES", "64 4K 1M", func(list string) (sizes []uint64, err error) {
		for word := range strings.FieldsSeq(list) {
			size, e := units.ParseSize(word)
			sizes, err = append(sizes, size), errors.Join(err, e)
		}
		return sizes, err
	})
	benchDirs = setting("BENCH_DIRS", "/dev/shm", func(list string) ([]string, error) {
		return strings.Fields(list), nil
	})
	benchJSON = setting("BENCH_JSON", "", func(path string) (string, error) { return path, nil })
)

const (
	level = 0.95 // confidence level of intervals
	wide  = 0.03 // an interval is wide if it is longer than twice this part of the median
)

// comparison compares the cost of a subject with that of its base. The two values of a pair are measured one right
// after the other. Median is the median over the pairs. Low and High are its 95 % interval, if there are enough pairs.
type comparison struct {
	Section string   `json:"section"`
	Case    string   `json:"case"`
	Subject string   `json:"subject"`
	Unit    string   `json:"unit"` // unit of the terms
	Median  float64  `json:"median"`
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Pairs   int      `json:"pairs"`
}

// terms says how to compare the two values of a pair: by their ratio, or by their difference in some unit.
type terms struct {
	unit string
	of   func(base, value float64) float64
}

var (
	ratio        = terms{"ratio", func(base, value float64) float64 { return value / base }}
	milliseconds = terms{"milliseconds more", func(base, value float64) float64 { return 1e3 * (value - base) }}
	mebibytes    = terms{"MiB more", func(base, value float64) float64 { return (value - base) / (1 << 20) }}
)

func (by terms) isWide(e stats.Estimate) bool {
	return by.unit == ratio.unit && e.HasInterval() && e.High-e.Low > 2*wide*e.Median
}

// untilStopped is cancelled by the first SIGINT or SIGTERM, so that files are removed.
var untilStopped, _ = signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)

// measurer measures a subject, and returns a value for each case.
type measurer func(t *testing.T) []float64

// subject is compared with a base.
type subject struct {
	name    string
	measure measurer
}

// compare measures the base and all subjects in each round, in random order. It prints the cost of each subject in each
// case. While an interval is wide, it adds rounds, if there are enough rounds for intervals.
func compare(t *testing.T, section string, by terms, cases []string, base measurer, subjects ...subject) {
	t.Helper()
	fmt.Fprintf(os.Stderr, "bench: %s: %s\n", section, strings.Join(cases, ", "))
	all := append([]subject{{measure: base}}, subjects...)
	costs := make([][]float64, len(subjects)*len(cases))
	warmup := 0
	if benchRounds >= stats.MinSamples(level) {
		warmup = 1
	}
	unsettled := func(c []float64) bool { return by.isWide(stats.Median(c, level)) }
	for round, start := 0, time.Now(); round < warmup+benchRounds || time.Since(start) < benchMore &&
		slices.ContainsFunc(costs, unsettled); round++ {
		if err := untilStopped.Err(); err != nil {
			t.Fatalf("%s: %v", section, err)
		}
		values := make([][]float64, len(all))
		for _, i := range rand.Perm(len(all)) {
			if values[i] = all[i].measure(t); len(values[i]) != len(cases) {
				t.Fatalf("%s: %d values of %d cases %v", section, len(values[i]), len(cases), cases)
			}
		}
		for i := range costs {
			if round >= warmup {
				costs[i] = append(costs[i], by.of(values[0][i%len(cases)], values[1+i/len(cases)][i%len(cases)]))
			}
		}
	}
	for i, c := range costs {
		e := stats.Median(c, level)
		cost := comparison{
			Section: section, Case: cases[i%len(cases)], Subject: subjects[i/len(cases)].name, Unit: by.unit,
			Median: e.Median, Pairs: e.N,
		}
		if e.HasInterval() {
			cost.Low, cost.High = &e.Low, &e.High
		}
		tell(t, cost, by.isWide(e))
	}
}

var (
	width = []int{9, 43, 52, 17, 8} // of the columns except the last one
	told  = map[string][]float64{}  // medians of each subject
)

func row(cells ...string) {
	for i, w := range width {
		fmt.Printf("%-*s ", w, cells[i])
	}
	fmt.Println(cells[len(width)])
}

// tell prints a comparison as a row of the table, and appends it to the file. The first call prints the heading. At the
// end of the section, it prints the median over all cases for each subject.
func tell(t *testing.T, c comparison, wide bool) {
	t.Helper()
	if len(told) == 0 {
		row("section", "subject", "case", "unit", "median", "95 % interval")
		t.Cleanup(func() {
			for _, subject := range slices.Sorted(maps.Keys(told)) {
				medians := told[subject]
				row(c.Section, subject, fmt.Sprintf("the median of %d cases", len(medians)), c.Unit,
					fmt.Sprintf("%.3f", stats.SampleMedian(medians)), "")
			}
		})
	}
	told[c.Subject] = append(told[c.Subject], c.Median)
	interval := "of too few pairs"
	if c.Low != nil {
		interval = fmt.Sprintf("%.3f to %.3f of %d", *c.Low, *c.High, c.Pairs)
		if wide {
			interval += ", wide"
		}
	}
	row(c.Section, c.Subject, c.Case, c.Unit, fmt.Sprintf("%.3f", c.Median), interval)
	if benchJSON == "" {
		return
	}
	line, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(benchJSON, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// inBenchDirs calls body with a new directory for data files in each directory of benchDirs.
func inBenchDirs(t *testing.T, body func(dir, name string)) {
	t.Helper()
	for _, base := range slices.Compact(slices.Clone(benchDirs)) {
		dir := filepath.Join(base, fmt.Sprintf("h5perf-bench-%d", os.Getpid()))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		body(dir, base)
	}
}
