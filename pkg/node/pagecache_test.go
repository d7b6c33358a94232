package node

import (
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
	path := file(t, t.TempDir(), bytes) // on a disk: see IsInMemory
	if memory, err := IsInMemory(path); err != nil || memory {
		t.Fatalf("%s is on a file system in memory (%v): give another TMPDIR", path, err)
	}
	before, err := looker().Measure(ExaminedFile{Path: path})
	if err != nil || before.Ratio() != 1 || before.Bytes != bytes || before.Total != bytes {
		t.Errorf("after it was written: %+v, %v", before, err)
	}
	if err := DropPages(path); err != nil {
		t.Fatal(err)
	}
	if after, err := looker().Measure(ExaminedFile{Path: path}); err != nil || after.Bytes != 0 ||
		after.Total != bytes {
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
	if part, err := looker().Measure(ExaminedFile{Path: path}); err != nil || part.Bytes == 0 || part.Ratio() > 0.5 {
		t.Errorf("after a page was read: %+v, %v; want that and what was read ahead", part, err)
	}
}

func TestAllFilesOfADirectoryAreDropped(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "g", "h")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/no/such", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	files := []ExaminedFile{{Path: file(t, dir, 10000)}, {Path: file(t, below, 20000)}}
	if before, err := looker().Measure(files...); err != nil || before.Bytes != 30000 {
		t.Errorf("after they were written: %+v, %v", before, err)
	}
	if err := DropTreePages(dir); err != nil {
		t.Fatal(err)
	}
	if after, err := looker().Measure(files...); err != nil || after.Bytes != 0 {
		t.Errorf("after they were dropped: %+v, %v", after, err)
	}
	if err := DropTreePages(filepath.Join(dir, "none")); err == nil {
		t.Error("no error without the directory")
	}
}

func TestAFileSystemInMemoryIsKnown(t *testing.T) {
	for dir, want := range map[string]bool{"/dev/shm": true, "/proc": false} {
		if got, err := IsInMemory(dir); err != nil || got != want {
			t.Errorf("%s: in memory %v, %v", dir, got, err)
		}
	}
	if _, err := IsInMemory("/no/such"); err == nil {
		t.Error("no error for a path that is not there")
	}
}

func TestAFileThatIsNotThereIsAnError(t *testing.T) {
	if _, err := looker().Measure(ExaminedFile{Path: "/no/such"}); err == nil {
		t.Error("no error of Look")
	}
	if err := DropPages("/no/such"); err == nil {
		t.Error("no error of Drop")
	}
}
