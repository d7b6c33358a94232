package provenance

import (
	"runtime"
	"testing"
	"time"
)

func TestMemoryCopyIsPlausible(t *testing.T) {
	if rate := MemoryCopy(); rate < 1e8 || rate > 1e14 {
		t.Errorf("%g bytes per second", rate)
	}
}

// Other work on the processors must not look like slow memory.
func TestTimeInWhichTheThreadDoesNotRunIsNotCounted(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const pause = 100 * time.Millisecond
	start := threadTime()
	time.Sleep(pause)
	if passed := threadTime() - start; passed < 0 || passed > pause/2 {
		t.Errorf("%v of its own time in a pause of %v", passed, pause)
	}
}
