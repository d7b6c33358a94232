package node

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/moby/sys/mountinfo"
)

func TestTargetAgreesWithSystemTools(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "/dev/shm", "/proc", "/"} {
		got := Target(dir)
		if got.Directory != dir {
			t.Errorf("%s: directory %s", dir, got.Directory)
		}
		for _, c := range []struct{ column, got string }{
			{"TARGET", got.MountPoint}, {"SOURCE", got.Source}, {"FSTYPE", got.Type},
		} {
			if want := findmnt(t, dir, c.column); want != c.got {
				t.Errorf("%s: %s %q, want %q", dir, c.column, c.got, want)
			}
		}
		for option := range strings.SplitSeq(findmnt(t, dir, "OPTIONS"), ",") {
			if !strings.Contains(","+got.Options+",", ","+option+",") {
				t.Errorf("%s: no option %q in %q", dir, option, got.Options)
			}
		}
		fields := strings.Fields(output(t, "stat", "--file-system", "--format=%b %S", dir))
		if want := number(t, fields[0]) * number(t, fields[1]); want != got.SizeBytes {
			t.Errorf("%s: %d bytes, want %d", dir, got.SizeBytes, want)
		}
		if got.FreeBytes > got.SizeBytes {
			t.Errorf("%s: %d bytes of %d are free", dir, got.FreeBytes, got.SizeBytes)
		}
	}
	if got := Target("/dev/shm"); got.FreeBytes == 0 || got.FreeInodes == 0 {
		t.Errorf("/dev/shm: %d bytes and %d inodes free", got.FreeBytes, got.FreeInodes)
	}
}

// findmnt returns a column of the output of findmnt for a directory. If mounts cover each other, each has a line, and
// the last line is the visible one.
func findmnt(t *testing.T, dir, column string) string {
	t.Helper()
	lines := strings.Split(output(t, "findmnt", "--kernel", "--noheadings", "--nofsroot", "--target", dir,
		"--output", column), "\n")
	return lines[len(lines)-1]
}

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTargetFollowsLinks(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/dev/shm", link); err != nil {
		t.Fatal(err)
	}
	got := Target(link)
	if got.Directory != "/dev/shm" || got.MountPoint != "/dev/shm" || got.Type != "tmpfs" {
		t.Errorf("%+v", got)
	}
}

func TestTargetIsAbsolute(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if got := Target("."); got.Directory != dir {
		t.Errorf("directory %s, want %s", got.Directory, dir)
	}
}

func TestTargetThatIsMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	got := Target(dir)
	if got.Directory != dir || got.Type != "" || got.SizeBytes != 0 {
		t.Errorf("%+v", got)
	}
}

func TestOptionsOfMountAndFileSystem(t *testing.T) {
	m := &mountinfo.Info{Options: "ro,nosuid,relatime", VFSOptions: "rw,flock,lazystatfs"}
	if got, want := mountOptions(m), "ro,nosuid,relatime,flock,lazystatfs"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
