package provenance

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

func TestMemoryCopyIsPlausible(t *testing.T) {
	if rate := MemoryCopy(); rate < 1e8 || rate > 1e14 {
		t.Errorf("%g bytes per second", rate)
	}
}

func TestOthersOnTheProcessorsDoNotCountAsSlowMemory(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	memory := make([]byte, copied)
	median := func() float64 {
		var rates []float64
		for range 15 {
			rates = append(rates, copySpeed(memory[:copied/2], memory[copied/2:]))
		}
		slices.Sort(rates)
		return rates[7]
	}
	quiet := median()
	var stop atomic.Bool
	ended := make(chan struct{})
	many := 4 * runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(many + 1))
	for range many {
		go func() {
			n := 0
			for !stop.Load() {
				n++
			}
			ended <- struct{}{}
		}()
	}
	busy := median()
	stop.Store(true)
	for range many {
		<-ended
	}
	t.Logf("%.3g bytes per second, with %d busy threads %.3g", quiet, many, busy)
	if busy < quiet/2 {
		t.Errorf("%g bytes per second, with %d busy threads %g", quiet, many, busy)
	}
}
