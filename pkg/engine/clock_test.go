//go:build cgo

package engine_test

import (
	"testing"
	"time"

	"h5perf/pkg/test/kerneltest"
)

// An interval measured with the clock of data calls is at least as long as an inner interval measured with the system's
// clock, and at most as long as an outer one.
func TestTheClockOfCallsAgreesWithTheSystems(t *testing.T) {
	for name, tick := range map[string]uint64{"counter": kerneltest.Tick(), "system": 0} {
		outer := time.Now()
		begin := kerneltest.Ticks(tick)
		inner := time.Now()
		for time.Since(inner) < 50*time.Millisecond {
		}
		within := time.Since(inner)
		end := kerneltest.Ticks(tick)
		around := time.Since(outer)
		const tolerance = 1e-3
		took := time.Duration(kerneltest.Nanoseconds(tick, end-begin))
		if float64(took) < (1-tolerance)*float64(within) || float64(took) > (1+tolerance)*float64(around) {
			t.Errorf("%s: %v for what took %v to %v", name, took, within, around)
		}
	}
}

// Times are correct even if their product with the tick duration needs more than 64 bits.
func TestLongTimesInTicks(t *testing.T) {
	if ns := kerneltest.Nanoseconds(1<<31, 1<<50); ns != 1<<49 {
		t.Errorf("2^50 ticks of half a nanosecond are %d ns", ns)
	}
}
