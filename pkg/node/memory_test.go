package node

import (
	"runtime"
	"testing"
	"time"
)

func TestMemoryCopyIsPlausible(t *testing.T) {
	if rate := MemoryCopyRate(); rate < 1e8 || rate > 1e14 {
		t.Errorf("%g bytes per second", rate)
	}
}

// Other work on the processors must not lower the measured rate.
func TestTimeInWhichTheThreadDoesNotRunIsNotCounted(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const work = 20 * time.Millisecond
	start := threadTime()
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for begin := threadTime(); threadTime()-begin < work; {
		}
	}()
	<-worked
	if passed := threadTime() - start; passed < 0 || passed > work/2 {
		t.Errorf("%v of its own time while another thread worked for %v", passed, work)
	}
}
