package output_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/output"
)

var (
	own  = func(head []byte) bool { return bytes.HasPrefix(head, []byte("ours")) }
	kind = output.FileKind{Name: "report", IsOwn: own, WrittenOnce: true}
)

// ways holds the two ways to write a file.
var ways = map[string]func(path string, force bool) error{
	"Write": func(path string, force bool) error {
		return kind.Write(path, force, func(w io.Writer) error {
			_, err := io.WriteString(w, "ours, new")
			return err
		})
	},
	"Create": func(path string, force bool) error {
		f, err := kind.Create(path, force)
		if err != nil {
			return err
		}
		_, err = io.WriteString(f, "ours, new")
		return errors.Join(err, f.Close())
	},
}

// put creates a file with a mode.
func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestWhatMayBeReplaced(t *testing.T) {
	for _, c := range []struct {
		text  string
		mode  fs.FileMode
		wrong string // "" if it may be replaced without force
	}{
		{text: "", mode: 0o640},
		{text: "ours, old", mode: 0o600},
		{text: "ours, old", mode: 0o644},
		{text: "foreign", mode: 0o600, wrong: "exists, and is not a report of h5perf"},
		{text: "ours, old", mode: 0o444, wrong: "is write-protected"},
		{text: "", mode: 0o400, wrong: "is write-protected"},
	} {
		for way, write := range ways {
			for _, force := range []bool{false, true} {
				path := filepath.Join(t.TempDir(), "report.txt")
				put(t, path, c.text, c.mode)
				checked, err := kind.Check(path, force), write(path, force)
				info, e := os.Lstat(path)
				text, e2 := os.ReadFile(path)
				if e != nil || e2 != nil || info.Mode() != c.mode {
					t.Errorf("%s of %q with mode %v: %v, mode %v", way, c.text, c.mode, errors.Join(e, e2), info.Mode())
				}
				want := "ours, new"
				if c.wrong != "" && !force {
					want = c.text
					for _, err := range []error{checked, err} {
						if err == nil || !strings.Contains(err.Error(), "report "+path+": "+c.wrong) ||
							!strings.Contains(err.Error(), "--force") {
							t.Errorf("%s of %q: %v, want %q", way, c.text, err, c.wrong)
						}
					}
				} else if checked != nil || err != nil {
					t.Errorf("%s of %q, force %v: %v, %v", way, c.text, force, checked, err)
				}
				if string(text) != want {
					t.Errorf("%s of %q, force %v: holds %q, want %q", way, c.text, force, text, want)
				}
				alone(t, filepath.Dir(path), 1)
			}
		}
	}
}

// alone checks the number of files in a directory, to find temporary files.
func alone(t *testing.T, dir string, want int) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != want {
		t.Errorf("%s holds %v, %v", dir, entries, err)
	}
}

func TestLinksAndDirectoriesAreRefusedEvenByForce(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	put(t, target, "ours, old", 0o600)
	links := map[string]string{"link": target, "dangling": filepath.Join(dir, "none"), "null": os.DevNull}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"link": "is a symbolic link", "dangling": "is a symbolic link", "null": "is a symbolic link",
		".": "is a directory", "missing/report": "missing: no such file or directory",
		"target/report": "target is not a directory",
	} {
		path := dir + "/" + name
		for way, write := range ways {
			for _, force := range []bool{false, true} {
				for _, err := range []error{kind.Check(path, force), write(path, force)} {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s of %s, force %v: %v, want %q", way, name, force, err, want)
					}
				}
			}
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "ours, old" {
		t.Errorf("the target of the link holds %q, %v", text, err)
	}
	alone(t, dir, 1+len(links))
}

func TestWhatIsWrittenOnceMayGoToAStream(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for way, write := range ways {
		got := make(chan string)
		go func() {
			text, err := os.ReadFile(fifo)
			if err != nil {
				t.Error(err)
			}
			got <- string(text)
		}()
		if err := errors.Join(kind.Check(fifo, false), write(fifo, false)); err != nil {
			t.Errorf("%s: %v", way, err)
		}
		if text := <-got; text != "ours, new" {
			t.Errorf("%s: %q came through the FIFO", way, text)
		}
		if err := write(os.DevNull, false); err != nil {
			t.Error(err)
		}
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "redirected"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteString("before "); err != nil {
		t.Fatal(err)
	}
	if err := ways["Write"](fmt.Sprintf("/proc/self/fd/%d", f.Fd()), false); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(f.Name()); err != nil || string(text) != "before ours, new" {
		t.Errorf("the open file holds %q, %v", text, err)
	}
	again := kind
	again.WrittenOnce = false
	for _, path := range []string{fifo, os.DevNull, "/dev/stdout"} {
		if err := again.Check(path, true); err == nil {
			t.Errorf("%s takes what is written again and again", path)
		}
	}
}

func TestAFailureLeavesWhatWasThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.txt")
	put(t, path, "ours, old", 0o600)
	failure := errors.New("as the test asked")
	if err := kind.Write(path, false, func(io.Writer) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "ours, old" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	alone(t, filepath.Dir(path), 1)
}

func TestANewFileForEverybodyIsReadableWhateverTheUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	public := kind
	public.Public = true
	for of, want := range map[*output.FileKind]fs.FileMode{&kind: 0o600, &public: 0o644} {
		path := filepath.Join(t.TempDir(), "new")
		if err := of.Write(path, false, func(io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("mode %v, %v; want %v", info.Mode(), err, want)
		}
	}
}

func TestWhereNoFileCanBeMadeIsNamed(t *testing.T) {
	k := output.FileKind{Name: "page", IsOwn: func([]byte) bool { return true }}
	err := k.Write("/proc/x.html", false, func(io.Writer) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "page /proc/x.html: no new file can be created in /proc: ") ||
		strings.Contains(err.Error(), "/.x.html") {
		t.Errorf("error %v", err)
	}
}

// A mistake of the user must not destroy the file system on a disk.
func TestABlockDeviceIsRefusedEvenByForce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "disk")
	const ram0 = 1 << 8
	if err := unix.Mknod(path, unix.S_IFBLK|0o600, ram0); err != nil {
		t.Skipf("no device can be made: %v", err)
	}
	for _, once := range []bool{false, true} {
		k := output.FileKind{Name: "page", IsOwn: own, WrittenOnce: once}
		for _, force := range []bool{false, true} {
			if err := k.Check(path, force); err == nil || !strings.Contains(err.Error(), "is a block device") {
				t.Errorf("once %v, force %v: %v", once, force, err)
			}
		}
	}
}
