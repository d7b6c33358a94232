package rundir

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/workload"
)

// leave creates a private directory with a data file. change changes its owner before it is written.
func leave(t *testing.T, base string, change func(*RunOwner)) *OpenDir {
	t.Helper()
	d, err := create(base, false, NewRunID(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		o := NewOwner(d.Dir, false)
		change(&o)
		if err := d.WriteOwner(o); err != nil {
			t.Fatal(err)
		}
	}
	touch(t, d.DataPath("1", "posix"))
	return d
}

// ended returns the PID and the start time of a process that has ended.
func ended(t *testing.T) (pid int, start string) {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid, start = cmd.Process.Pid, processStartTime(cmd.Process.Pid)
	if start == "" {
		t.Fatal("a process that runs has no start time")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if processStartTime(pid) != "" {
		t.Fatal("a process that was killed, and is not waited for, counts as one that runs")
	}
	_ = cmd.Wait() // killed
	return pid, start
}

func TestWhatEndedRunsHaveLeftIsFoundAndKnown(t *testing.T) {
	pid, start := ended(t)
	for _, c := range []struct {
		name  string
		owner func(*RunOwner)
		state RunState
		why   string // an hour after the last change; "" means removable
	}{
		{"a run that goes on", func(*RunOwner) {}, Running, "the run is still active"},
		{"a run that has ended", func(o *RunOwner) { o.PID, o.Started = pid, start }, Ended, ""},
		{"another process has its number", func(o *RunOwner) { o.Started = "1" }, Ended, ""},
		{"before the machine was booted", func(o *RunOwner) { o.Boot = "earlier" }, Unknown, "changed recently"},
		{"in another container", func(o *RunOwner) { o.Namespace = "pid:[1]" }, Unknown, "changed recently"},
		{"of another run", func(o *RunOwner) { o.RunID = "other" }, Unknown, "changed recently"},
		{"with files to keep", func(o *RunOwner) { o.PID, o.Started, o.Keep = pid, start, true }, Ended, "keep its " +
			"data files; to remove them: rm -r '/"},
		{"not signed", nil, Unknown, "changed recently"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := t.TempDir()
			d := leave(t, base, c.owner)
			all, err := FindLeftovers(base, env())
			if err != nil || len(all) != 1 {
				t.Fatalf("found %v, %v", all, err)
			}
			l := all[0]
			if l.Dir != d.Dir || l.State != c.state || len(l.Data) != 1 || len(l.Foreign) != 0 {
				t.Errorf("found %+v, want %s, %s with one data file", l, d.Path, c.state)
			}
			now := time.Now()
			if why := l.WhyNotRemovable(os.Geteuid(), now.Add(-time.Hour)); (why == "") != (c.why == "") ||
				!strings.Contains(why, c.why) {
				t.Errorf("not removable for %q, want %q", why, c.why)
			}
			if why := l.WhyNotRemovable(os.Geteuid(), now.Add(time.Hour)); l.State == Unknown && why != "" {
				t.Errorf("long after the last change not removable for %q", why)
			}
			if why := l.WhyNotRemovable(os.Geteuid()+1, now.Add(time.Hour)); why == "" {
				t.Error("another user's is removable")
			}
		})
	}
}

func TestFilesInDirectoriesOfObjectsCount(t *testing.T) {
	base := t.TempDir()
	d := leave(t, base, nil)
	name := filepath.Base(d.DataPath("objects", "posix")) + workload.ObjectsSuffix
	if err := d.Create(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(d.Path, name, "g"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"a", "g/b", "g/c"} {
		if err := os.WriteFile(filepath.Join(d.Path, name, file), make([]byte, 8192), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	changed := time.Now().Add(time.Hour).Truncate(time.Second)
	if err := os.Chtimes(filepath.Join(d.Path, name, "g/b"), changed, changed); err != nil {
		t.Fatal(err)
	}
	all, err := FindLeftovers(base, env())
	if err != nil || len(all) != 1 {
		t.Fatalf("found %v, %v", all, err)
	}
	if l := all[0]; l.Files != 4 || l.Bytes < 3*8192 || !l.Changed.Equal(changed) || len(l.Foreign) != 0 {
		t.Errorf("found %+v, want 4 files, changed at %v", l, changed)
	}
}

func TestOnlyPrivateDirectoriesAreFound(t *testing.T) {
	base := t.TempDir()
	d := leave(t, base, nil)
	own := filepath.Join(base, "anna")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	below := leave(t, own, nil)
	for _, name := range []string{"h5perf-mine", "h5perf-20260101T000000Z-0123456789x", "data"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(d.Path, filepath.Join(base, "h5perf-20260101T000000Z-0123456789")); err != nil {
		t.Fatal(err)
	}
	touch(t, filepath.Join(base, "h5perf-20260101T000000Z-abcdefabcd"))
	all, err := FindLeftovers(base, env("USER", "anna"))
	if err != nil || len(all) != 2 || all[0].Dir != d.Dir || all[1].Dir != below.Dir {
		t.Errorf("found %+v, %v; want %s and %s", all, err, d.Path, below.Path)
	}
	if err := os.Rename(own, filepath.Join(base, "berta")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(base, "berta"), own); err != nil {
		t.Fatal(err)
	}
	if all, err := FindLeftovers(base, env("USER", "anna")); err != nil || len(all) != 1 {
		t.Errorf("found %+v, %v; want no directory behind a link", all, err)
	}
}

func TestForeignFilesKeepADirectory(t *testing.T) {
	pid, start := ended(t)
	base := t.TempDir()
	d := leave(t, base, func(o *RunOwner) { o.PID, o.Started = pid, start })
	touch(t, filepath.Join(d.Path, "thesis.h5"))
	if err := os.Symlink("/etc/passwd", d.DataPath("2", "posix")); err != nil {
		t.Fatal(err)
	}
	all, err := FindLeftovers(base, env())
	if err != nil || len(all) != 1 {
		t.Fatalf("found %v, %v", all, err)
	}
	if why := all[0].WhyNotRemovable(os.Geteuid(), time.Now()); !strings.Contains(why, "thesis.h5") ||
		!strings.Contains(why, filepath.Base(d.DataPath("2", "posix"))) {
		t.Errorf("not removable for %q, want what is foreign", why)
	}
}

func TestKeptDirectoriesStayOnlyWithData(t *testing.T) {
	d, err := create(t.TempDir(), false, "id")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteOwner(NewOwner(d.Dir, true)); err != nil {
		t.Fatal(err)
	}
	touch(t, d.DataPath("1", "posix"))
	if err := d.Clean(true); err != nil {
		t.Error(err)
	}
	if o, state := d.readOwner(); !o.Keep || state != Running {
		t.Errorf("owner %+v, %s", o, state)
	}
	if err := os.Remove(d.DataPath("1", "posix")); err != nil {
		t.Fatal(err)
	}
	if err := d.Clean(true); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(d.Path); !os.IsNotExist(err) {
		t.Errorf("an empty directory is kept: %v", err)
	}
}

func TestADirectoryThatCannotBeLookedIntoKeepsNoOtherFromBeingFound(t *testing.T) {
	base := t.TempDir()
	leave(t, base, nil)
	odd := leave(t, base, nil)
	if err := os.Chmod(odd.Path, 0o777); err != nil {
		t.Fatal(err)
	}
	all, err := FindLeftovers(base+"/", env()) // each once, also if base ends with a slash
	if err != nil || len(all) != 2 {
		t.Fatalf("%d directories, %v", len(all), err)
	}
	for _, l := range all {
		why := l.WhyNotRemovable(os.Geteuid(), time.Now().Add(time.Hour))
		if strings.Contains(why, "has mode 0777") != (l.Dir.Path == odd.Path) {
			t.Errorf("%s: %q", l.Dir.Path, why)
		}
	}
}
