package plain_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/plain"
)

func TestARegularFileIsReadUpToItsBound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	link := path + ".link"
	if err := errors.Join(os.WriteFile(path, []byte("12345"), 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if text, err := plain.ReadText(name, 5); err != nil || string(text) != "12345" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := plain.ReadText(path, 4); err == nil || !strings.Contains(err.Error(), "more than 4 bytes") ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if _, err := plain.ReadText("/proc/self/maps", 4); err == nil ||
		!strings.Contains(err.Error(), "more than 4 bytes") {
		t.Errorf("a file that is longer than it says: %v", err)
	}
	if _, err := plain.ReadText(path+".none", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestAHoleIsNotReadToItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(path, []byte("{"), 0o600), os.Truncate(path, 1<<31)); err != nil {
		t.Fatal(err)
	}
	text, err := plain.ReadText(path, 1<<31)
	if err == nil || text != nil ||
		!strings.Contains(err.Error(), path+": is not a text file: it contains a NUL character") {
		t.Errorf("%d bytes, error %v", len(text), err)
	}
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil || used.Maxrss > 1<<20 {
		t.Errorf("%d KiB of memory were used (%v)", used.Maxrss, err)
	}
}

func TestWhatIsNoRegularFileIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := errors.Join(unix.Mkfifo(fifo, 0o600), os.Symlink("/dev/zero", link)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		fifo: "a FIFO", link: "a device", "/dev/zero": "a device", dir: "a directory",
	} {
		said := make(chan error, 1)
		go func() {
			_, err := plain.ReadText(path, 1<<40)
			said <- err
		}()
		select {
		case err := <-said:
			if err == nil || !strings.Contains(err.Error(), path+": is not a regular file but "+want) {
				t.Errorf("%s: error %v", path, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: not refused within a minute", path)
		}
	}
}
