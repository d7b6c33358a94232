package provenance

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestTheLastLevelOfCachesIsAddedUp(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct{ path, level, size, shared string }{
		{"cpu0/cache/index0", "1", "32K", "0"},
		{"cpu0/cache/index3", "3", "16384K", "0-1"},
		{"cpu1/cache/index0", "1", "32K", "1"},
		{"cpu1/cache/index3", "3", "16384K", "0-1"},
		{"cpu2/cache/index3", "3", "16384K", "2-3"},
	} {
		dir := filepath.Join(root, "devices/system/cpu", c.path)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"level": c.level, "size": c.size, "shared_cpu_list": c.shared} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := lastLevelCache(root); got != 32<<20 {
		t.Errorf("last level of %d bytes, want 32 MiB", got)
	}
	if got := lastLevelCache(t.TempDir()); got != 0 {
		t.Errorf("last level of %d bytes where none is told", got)
	}
}

func TestMemoryCopyIsMeasuredFastAndLeavesTheBindingAlone(t *testing.T) {
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	rate := MemoryCopy()
	if rate < 1e8 || rate > 1e14 {
		t.Errorf("%g bytes per second", rate)
	}
	if passed := time.Since(start); passed > 5*time.Second {
		t.Errorf("measured for %v", passed)
	}
	if err := unix.SchedGetaffinity(0, &after); err != nil || before != after {
		t.Errorf("binding %v, before %v: %v", after, before, err)
	}
	t.Logf("%.3g bytes per second in %v", rate, time.Since(start))
}
