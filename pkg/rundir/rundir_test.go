package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/workload"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func create(base string, mkdir bool, runID string) (*OpenDir, error) {
	d, err := NewDir(base, mkdir, runID)
	if err != nil {
		return nil, err
	}
	return d.Make()
}

func TestANameThatIsNotUTF8IsRefused(t *testing.T) {
	if _, err := NewDir("/tmp/\xff", false, "id"); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("error %v", err)
	}
}

func TestBaseFollowsThePrefixAndTheUser(t *testing.T) {
	for _, c := range []struct {
		name  string
		env   func(string) string
		dir   string
		mkdir bool
	}{
		{"no prefix: the current directory, without the user", env("USER", "anna"), ".", false},
		{"empty prefix is no prefix", env(ParallelPrefix, "", "USER", "anna"), ".", false},
		{"prefix and user", env(ParallelPrefix, "/scratch//x/", "USER", "anna"), "/scratch//x//anna", true},
		{"LOGIN where there is no USER", env(ParallelPrefix, "/scratch", "LOGIN", "bert"), "/scratch/bert", true},
		{"prefix alone", env(ParallelPrefix, "/scratch"), "/scratch", false},
		{
			"a user name that leads elsewhere is not used", env(ParallelPrefix, "/scratch", "USER", "../root"),
			"/scratch", false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if dir, mkdir := BaseDirectory(ParallelPrefix, c.env); dir != c.dir || mkdir != c.mkdir {
				t.Errorf("Base = %q, %v, want %q, %v", dir, mkdir, c.dir, c.mkdir)
			}
		})
	}
}

func TestCreateMakesOnlyTheLastComponentOfTheBase(t *testing.T) {
	prefix := t.TempDir()
	d, err := create(filepath.Join(prefix, "anna"), true, "id")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(prefix, "anna", "h5perf-id"); d.Path != want {
		t.Errorf("private directory %s, want %s", d.Path, want)
	}
	if info, err := os.Stat(d.Path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("private directory: %v, %v; want mode 0700", info, err)
	}
	if _, err := create(filepath.Join(prefix, "no", "such"), false, "id"); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing prefix: %v, want the system's text", err)
	}
}

func TestCreateRefusesADirectoryThatExists(t *testing.T) {
	base := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(base, "h5perf-id")); err != nil {
		t.Fatal(err)
	}
	if _, err := create(base, false, "id"); err == nil {
		t.Error("a link in the place of the private directory was followed")
	}
}

func TestCleanRemovesWhatTheRunMadeAndNothingElse(t *testing.T) {
	d, err := create(t.TempDir(), false, "id")
	if err != nil {
		t.Fatal(err)
	}
	for _, api := range []string{"posix", "mpiio", "phdf5", "hdf5"} {
		touch(t, d.DataPath("12", api))
	}
	for _, part := range []string{
		"m", "s", "b", "r", "g", "l", "o", "00000", "100000",
	} { // file drivers with several files
		touch(t, filepath.Join(d.Path, "data_12-"+part+".h5"))
	}
	for _, part := range []string{".config", "_1_of_2", "_02_of_10"} { // the driver subfiling
		touch(t, filepath.Join(d.Path, "data_1.h5.subfile_4711"+part))
	}
	touch(t, d.DataPath("12", "phdf5")+workload.ExternalSuffix)
	foreign := []string{
		"data_-r.h5", "data_.h5", "data_1-00.h5", "data_1-r.posix", "data_1-x.h5", "data_1.h5.bak",
		"data_1.h5.subfile_1.log", "data_1.posix.external", "data_1.posix.subfile_1.config", "data_x.posix", "other.h5",
	}
	for _, name := range foreign {
		touch(t, filepath.Join(d.Path, name))
	}
	err = d.Clean(false)
	if err == nil || !strings.HasSuffix(err.Error(), ": "+strings.Join(foreign, ", ")) {
		t.Errorf("Clean = %v, want an error that names what is left", err)
	}
	for _, name := range foreign {
		if err := os.Remove(filepath.Join(d.Path, name)); err != nil {
			t.Errorf("a foreign file was removed: %v", err)
		}
	}
	if err := d.Clean(false); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(d.Path); !os.IsNotExist(err) {
		t.Errorf("private directory is left: %v", err)
	}
	if err := d.Clean(false); err != nil {
		t.Errorf("second Clean: %v", err)
	}
}

func TestCleanKeepsDataWhenAsked(t *testing.T) {
	d, err := create(t.TempDir(), false, "id")
	if err != nil {
		t.Fatal(err)
	}
	touch(t, d.DataPath("1", "posix"))
	if err := d.Clean(true); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(d.DataPath("1", "posix")); err != nil {
		t.Errorf("data file: %v", err)
	}
	touch(t, filepath.Join(d.Path, "mine"))
	if names, err := d.DataFiles(); err != nil || !slices.Equal(names, []string{"data_id_1.posix"}) {
		t.Errorf("data files %v, %v", names, err)
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A user who can change a symbolic link must not be able to redirect libraries. The part of a path before .. may be a
// link, too.
func TestThePathOfThePrivateDirectoryHasNoLinks(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "far", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"one": "two", "two": "far/sub"} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	for base, want := range map[string]string{"one": "far/sub", "two/..": "far", "two/../sub/.": "far/sub"} {
		d, err := NewDir(top+"/"+base, false, "id")
		if err != nil || d.Path != filepath.Join(top, want, "h5perf-id") {
			t.Errorf("%s: %s, %v", base, d.Path, err)
		}
	}
	dir, mkdir := BaseDirectory(ParallelPrefix, env(ParallelPrefix, top+"/two/..", "USER", "anna"))
	if d, err := NewDir(dir, mkdir, "id"); err != nil || d.Path != filepath.Join(top, "far", "anna", "h5perf-id") {
		t.Errorf("%s, %v", d.Path, err)
	}
}

func TestADirectoryThatCannotBeHeldIsNotLeft(t *testing.T) {
	base := t.TempDir()
	d, err := NewDir(base, false, "id")
	if err != nil {
		t.Fatal(err)
	}
	d.Inode = 1 // the inode of another directory
	if _, err := d.Make(); !errors.Is(err, ErrReplaced) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
