//go:build cgo && !nompi

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"

	"golang.org/x/sys/unix"
)

// loopDisk mounts an ext4 file system from a sparse file. The file is on a tmpfs with less space. It needs the real
// root user, because a user namespace has no block devices.
func loopDisk(t *testing.T, size, room string) string {
	t.Helper()
	if users, _ := os.ReadFile("/proc/self/uid_map"); strings.Join(strings.Fields(string(users)),
		" ") != "0 0 4294967295" {
		t.Skip("block devices need root, not root of a user namespace")
	}
	image := filepath.Join(mount(t, "tmpfs", "tmpfs", "size="+room), "image")
	run := func(name string, args ...string) {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v (on Debian: apt-get install e2fsprogs mount)\n%s", name, args, err, out)
		}
	}
	run("truncate", "-s", size, image)
	run("mkfs.ext4", "-q", "-O", "^has_journal", "-E", "lazy_itable_init=0,nodiscard",
		image) // it survives errors of its device
	dir := t.TempDir()
	run("mount", "-o", "loop,nodiscard,errors=continue", image, dir) // unmounting removes the loop device
	unmount(t, dir)
	if err := os.Remove(filepath.Join(dir, "lost+found")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestADiskWithoutInodesFailsTheCase(t *testing.T) {
	t.Parallel()
	for _, way := range fewest {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			base := mount(t, "tmpfs", "tmpfs",
				"size=64M,nr_inodes=3") // the root directory, the private directory, and its owner file
			l := launch(t, 2, base, nil, nil, small(way, "--space-check", "off")...)
			l.failed()
			l.eachFails(1+strings.Count(way, ","), "o space left", "NO_SPACE", "Not enough space")
		})
	}
}

func TestADiskThatIsFullLaterFailsTheCase(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			base := loopDisk(t, "256M", "24M")
			l := launch(t, 2, base, nil, nil,
				append(strings.Fields(way), "-p", "2", "-e", "32M", "-x", "1M", "-X", "1M", "-B", "1M",
					"--sync", "close", "--space-check", "off")...)
			if e := l.failed(); e.Phase != "sync" || e.Operation != "write" {
				t.Errorf("error %s, want one of making data durable", figures.FailureDuringRun(e))
			}
		})
	}
}

func TestAStalledDeviceEndsTheRun(t *testing.T) {
	t.Parallel()
	const freeze, thaw = 0xC0045877, 0xC0045878 // FIFREEZE, FITHAW of linux/fs.h
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			base := loopDisk(t, "128M", "256M")
			l := launch(t, 2, base, nil, nil, endless(append(strings.Fields(way), "--timeout", hangTimeout)...)...)
			l.working()
			dir, err := os.Open(base)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = dir.Close() }()
			if err := unix.IoctlSetPointerInt(int(dir.Fd()), freeze, 0); err != nil {
				t.Fatal(err)
			}
			thawed := false
			melt := func() {
				if !thawed {
					thawed = true
					if err := unix.IoctlSetPointerInt(int(dir.Fd()), thaw, 0); err != nil {
						t.Error(err)
					}
				}
			}
			defer melt()
			if e := l.hung(); !strings.Contains(e.Message, "hangs: "+base) {
				t.Errorf("error %s, want one that names what hangs", figures.FailureDuringRun(e))
			}
			melt()
			l.fails(endsWithin)
			l.cleaned()
			l.within(endsWithin, "the end of all ranks", func() bool { return l.alive() == 0 })
		})
	}
}

var readOnly = regexp.MustCompile(`[Rr]ead-only file ?system|Read-only file or filesystem|MPI_ERR_READ_ONLY`)

func TestAFileSystemThatTurnsReadOnlyFailsTheRun(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			base := mount(t, "tmpfs", "tmpfs", "size=64M")
			l := launch(t, 2, base, nil, nil, endless(append(strings.Fields(way), "--timeout", patience)...)...)
			l.working()
			l.within(startTime, "a moment without open files", func() bool {
				return unix.Mount("", base, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") == nil
			})
			// Depending on the call that failed, the message of MPI-IO is that of the system, or the name of its own
			// error class.
			if e := l.hung(); !readOnly.MatchString(e.Message) {
				t.Errorf("error %s, want one of a read-only file system", figures.FailureDuringRun(e))
			}
			if err := unix.Mount("", base, "", unix.MS_REMOUNT,
				""); err != nil { // the watcher tries again for a while
				t.Fatal(err)
			}
			l.failed()
		})
	}
}

func TestAFileThatAnotherTruncatesFailsTheRun(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"-A posix", "-A mpiio -C -I", "-A phdf5"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			l := launch(t, 2, t.TempDir(), nil, nil,
				endless(append(strings.Fields(way), "-D", "v", "--timeout", patience)...)...)
			l.working()
			l.within(startTime, "the end of the run", func() bool {
				files, _ := filepath.Glob(filepath.Join(l.base, "*", "data_*"))
				for _, path := range files {
					_ = os.Truncate(path, 4096) // it may not exist any more
				}
				select {
				case <-l.ended:
					return true
				default:
					return false
				}
			})
			l.failed()
		})
	}
}

func TestADirectoryThatIsRemovedFailsTheRun(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			l := launch(t, 2, t.TempDir(), nil, nil,
				endless(append(strings.Fields(way), "--timeout", patience)...)...)
			l.working()
			l.within(endsWithin, "an empty directory", func() bool {
				dirs, _ := filepath.Glob(filepath.Join(l.base, "*"))
				for _, dir := range dirs {
					_ = os.RemoveAll(dir) // a new file may appear in between
				}
				return len(dirs) == 0
			})
			// If only some of the ranks can open the file, MPI_File_open of Open MPI does not return, and ROMIO tells
			// the other ranks only that opening failed. ROMIO also has its own message for a missing file.
			e := l.failed()
			texts := []string{"o such file", "File does not exist", "hangs: " + l.base, "open failed on a remote node"}
			if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(e.Message, text) }) {
				t.Errorf("error %s, want one of what is not there, or of a call that waits for it",
					figures.FailureDuringRun(e))
			}
		})
	}
}
