//go:build cgo && !nompi && bench

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/kerneltest"
)

// Input sizes for the computations.
var (
	benchRuns      = setting("BENCH_RUNS", "100000000", strconv.Atoi)
	benchSamples   = setting("BENCH_SAMPLES", "1000000", strconv.Atoi)
	benchDocuments = setting("BENCH_DOCUMENTS", "10000", strconv.Atoi)
)

// TestBenchPure measures the time of computations without transfers.
func TestBenchPure(t *testing.T) {
	alone := terms{"milliseconds", func(_, value float64) float64 { return 1e3 * value }}
	nothing := func(*testing.T) []float64 { return []float64{0} }
	takes := func(name, what string, body func()) {
		compare(t, "pure", alone, []string{what}, nothing, subject{name, func(*testing.T) []float64 {
			start := time.Now()
			body()
			return []float64{time.Since(start).Seconds()}
		}})
	}

	p := pattern.ParallelPattern{
		Processes: 64, BytesPerProcess: 1 << 16, TransferSize: 1 << 16, BlockSize: 1 << 6, TwoD: true,
		Interleaved: true,
	}
	spec, err := enginetest.NewSpec(mpi.Self{}, p.Sequence(3), p.BlockSize, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.UnmapMemory(spec.Buffer.Pool) }()
	program := spec.Program()
	k, err := engine.NewKernel(&spec.Env, &program.Moves[0])
	if err != nil {
		t.Fatal(err)
	}
	defer k.Free()
	takes("geometry", fmt.Sprintf("%d runs", benchRuns), func() {
		for n := 0; n < benchRuns; {
			n += int(kerneltest.Count(k))
		}
	})

	rng := rand.New(rand.NewPCG(1, 2))
	a, b := make([]float64, benchSamples/2), make([]float64, benchSamples/2)
	for i := range a {
		a[i], b[i] = 1+rng.Float64(), 1.01+rng.Float64()
	}
	samples := fmt.Sprintf("%d samples", benchSamples)
	takes("median and interval", samples, func() { stats.Median(slices.Concat(a, b), 0.95) })
	takes("paired comparison", samples, func() { stats.PairedTest(a, b, 0.95) })
	takes("comparison of independent samples", samples, func() { stats.IndependentTest(a, b, 0.95) })

	dir := t.TempDir()
	printed(t, dir, nil, built(t, "h5perf_serial"), "-A", "posix", "-e", "4K", "-x", "4K", "-i", "5", "--json",
		filepath.Join(dir, "one.json"))
	doc, err := result.Read(filepath.Join(dir, "one.json"))
	if err != nil {
		t.Fatal(err)
	}
	tree := t.TempDir()
	for i := range benchDocuments {
		doc.RunID, doc.Started = fmt.Sprintf("run%08d", i), doc.Started.Add(24*time.Hour)
		if err := result.Write(filepath.Join(tree, doc.RunID+".json"), doc); err != nil {
			t.Fatal(err)
		}
	}
	takes("trend", fmt.Sprintf("%d documents", benchDocuments), func() {
		printed(t, dir, nil, built(t, "h5perf"), "trend", tree)
	})
}
