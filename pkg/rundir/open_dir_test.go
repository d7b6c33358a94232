package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// attacks holds what a user who may write in the parent directory can do to a private directory. trap contains files
// that must stay unchanged.
var attacks = map[string]func(t *testing.T, path, trap string) error{
	"exchanged": func(_ *testing.T, path, trap string) error {
		return unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, trap, unix.RENAME_EXCHANGE)
	},
	"replaced by a link": func(_ *testing.T, path, trap string) error {
		return errors.Join(os.Rename(path, path+".away"), os.Symlink(trap, path))
	},
	"replaced by a directory": func(_ *testing.T, path, trap string) error {
		return errors.Join(os.Rename(path, path+".away"), os.Rename(trap, path))
	},
	"replaced by a file": func(t *testing.T, path, _ string) error {
		err := os.Rename(path, path+".away")
		touch(t, path)
		return err
	},
	"moved away": func(_ *testing.T, path, _ string) error { return os.Rename(path, path+".away") },
}

// names returns the base names of all files in a directory and below it.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		all = append(all, filepath.Base(path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func TestNothingIsTouchedInADirectoryThatIsNotTheRuns(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			d, err := create(base, false, "id")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Base(d.DataPath("1", "posix"))
			trap := filepath.Join(base, "trap")
			if err := os.Mkdir(trap, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, foreign := range []string{file, ownerName} {
				touch(t, filepath.Join(trap, foreign))
			}
			if err := errors.Join(d.Create(file), d.WriteOwner(NewOwner(d.Dir, false))); err != nil {
				t.Fatal(err)
			}
			before := names(t, trap)
			if err := attack(t, d.Path, trap); err != nil {
				t.Fatal(err)
			}
			if err := d.CheckPath(); !errors.Is(err, ErrReplaced) {
				t.Errorf("Same = %v", err)
			}
			if err := d.Dir.Clean(false); err == nil && name != "moved away" {
				t.Error("another process cleaned a directory that is not the run's")
			}
			err = d.Clean(false)
			if !errors.Is(err, ErrReplaced) || !strings.Contains(err.Error(), "it is now "+base) {
				t.Errorf("Clean = %v, want where the directory is", err)
			}
			var after []string
			for _, path := range []string{trap, d.Path} {
				if info, err := os.Lstat(path); err == nil && info.IsDir() {
					after = names(t, path)
				}
			}
			after = slices.DeleteFunc(after, func(n string) bool { return n == "trap" || n == filepath.Base(d.Path) })
			before = slices.DeleteFunc(before, func(n string) bool { return n == "trap" })
			if !slices.Equal(after, before) {
				t.Errorf("in the foreign directory is %v, was %v", after, before)
			}
			if names, err := d.DataFiles(); err != nil || len(names) != 0 {
				t.Errorf("data files of the run are left: %v, %v", names, err)
			}
		})
	}
}

func TestFilesAreMadeOnceAndThroughNoLink(t *testing.T) {
	d, err := create(t.TempDir(), false, "id")
	if err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(t.TempDir(), "precious")
	touch(t, precious)
	for _, name := range []string{"a", "b", "c"} {
		if err := os.Symlink(precious, filepath.Join(d.Path, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Create("a"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create in the place of a link: %v", err)
	}
	if err := d.Truncate("b", 0); err == nil {
		t.Error("Truncate followed a link")
	}
	if _, err := d.readFile("c", 10); err == nil {
		t.Error("read followed a link")
	}
	if info, err := os.Stat(precious); err != nil || info.Size() != 1 {
		t.Errorf("the file behind the link: %v, %v", info, err)
	}
	if err := errors.Join(d.Create("own"), d.Create("own"), d.Truncate("own", 7), d.Remove("own"), d.Create("own"),
		d.Remove("own"), d.Remove("own")); err != nil {
		t.Error(err)
	}
}

func TestADirectoryOfAnotherUserIsNotHeld(t *testing.T) {
	d, err := create(t.TempDir(), false, "id")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(d.Path, 0o770); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Open(); !errors.Is(err, ErrReplaced) {
		t.Errorf("others may write there: %v", err)
	}
	other := Dir{Path: d.Path, RunID: "id", Inode: d.Inode + 1}
	if err := os.Chmod(d.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Open(); !errors.Is(err, ErrReplaced) {
		t.Errorf("another inode: %v", err)
	}
}

func TestTheOwnerIsReadAsAStrangersFile(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a FIFO": func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a link": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a large file": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
	} {
		base := t.TempDir()
		d := leave(t, base, nil)
		if err := make(filepath.Join(d.Path, ownerName)); err != nil {
			t.Fatal(err)
		}
		if all, err := FindLeftovers(base, env()); err != nil || len(all) != 1 || all[0].State != Unknown {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
}
