package pagecache

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// file creates a file of a size in bytes. Its pages are in the page cache.
func file(t *testing.T, dir string, bytes int) string {
	t.Helper()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatWasWrittenIsInThePageCacheUntilItIsDropped(t *testing.T) {
	const bytes = 3<<20 + 100
	path := file(t, t.TempDir(), bytes) // on a disk: see InMemory
	if memory, err := InMemory(path); err != nil || memory {
		t.Fatalf("%s is on a file system in memory (%v): give another TMPDIR", path, err)
	}
	var before, after, part Residency
	if err := before.Look(path); err != nil || before.Ratio() != 1 || before.Bytes != bytes || before.Total != bytes {
		t.Errorf("after it was written: %+v, %v", before, err)
	}
	if err := Drop(path); err != nil {
		t.Fatal(err)
	}
	if err := after.Look(path); err != nil || after.Bytes != 0 || after.Total != bytes {
		t.Errorf("after it was dropped: %+v, %v", after, err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.ReadAt(make([]byte, 4096), 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := part.Look(path); err != nil || part.Bytes == 0 || part.Ratio() > 0.5 {
		t.Errorf("after a page was read: %+v, %v; want that and what was read ahead", part, err)
	}
}

func TestBothMethodsSeeTheSame(t *testing.T) {
	f, err := os.Open(file(t, t.TempDir(), 5<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, drop := range []bool{false, true} {
		if drop {
			if err := Drop(f.Name()); err != nil {
				t.Fatal(err)
			}
			if _, err := f.ReadAt(make([]byte, 1<<20), 2<<20); err != nil {
				t.Fatal(err)
			}
		}
		a, err := mincore(f, 5<<20)
		if err != nil {
			t.Fatal(err)
		}
		b, err := cachestat(f)
		if err != nil {
			t.Skipf("only mincore here: %v", err)
		}
		if a != b || a == 0 {
			t.Errorf("mincore sees %d bytes, cachestat %d", a, b)
		}
	}
}

func TestFilesAreAddedUp(t *testing.T) {
	r := Residency{Bytes: 1, Total: 3}
	if err := r.Look(file(t, t.TempDir(), 1000)); err != nil || r.Bytes != 1001 || r.Total != 1003 {
		t.Errorf("%+v, %v", r, err)
	}
	if ratio := (Residency{}).Ratio(); math.IsNaN(ratio) || ratio != 0 {
		t.Errorf("ratio %g of nothing", ratio)
	}
}

func TestAFileSystemInMemoryIsKnown(t *testing.T) {
	for dir, want := range map[string]bool{"/dev/shm": true, "/proc": false} {
		if got, err := InMemory(dir); err != nil || got != want {
			t.Errorf("%s: in memory %v, %v", dir, got, err)
		}
	}
	if _, err := InMemory("/no/such"); err == nil {
		t.Error("no error for a path that is not there")
	}
}

func TestAFileThatIsNotThereIsAnError(t *testing.T) {
	if err := (&Residency{}).Look("/no/such"); err == nil {
		t.Error("no error of Look")
	}
	if err := Drop("/no/such"); err == nil {
		t.Error("no error of Drop")
	}
}
