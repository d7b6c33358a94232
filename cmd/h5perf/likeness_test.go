//go:build cgo

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/result"
)

// made creates a file with a script of testdata. It uses the Python of the system, which has the packages for HDF5
// libraries.
func made(t *testing.T, script, dir string, more ...string) string {
	t.Helper()
	path := filepath.Join(dir, strings.Join(append([]string{script}, more...), "_")+".h5")
	args := append([]string{"testdata/files/" + script + ".py", path}, more...)
	if out, err := exec.Command("/usr/bin/python3", args...).CombinedOutput(); err != nil {
		t.Fatalf("%s.py: %v\n%s", script, err, out)
	}
	return path
}

// tool runs a command of the tool without MPI, and returns its output and exit status.
func tool(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), beTool+"=1")
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	_ = cmd.Run() // the exit status is returned below
	return out.String(), told.String(), cmd.ProcessState.ExitCode()
}

func TestWhatIsNoFileOfHDF5IsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("text"), []byte("a text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		in("none"): "no such file", dir: "is not a regular file", in("fifo"): "is not a regular file",
		in("text"):                      "H5Fopen: ",
		made(t, "hostile", dir, "many"): "more than 20000 groups and datasets, the limit",
	} {
		out, told, status := tool(t, "workload", "from", path)
		if status != result.ExitFailed || out != "" || !strings.Contains(told, want) || strings.Count(told, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q; want %q", path, status, out, told, want)
		}
	}
}

// What a workload cannot have is left out, and told. The rest of the file is not.
func TestWhatAWorkloadCannotHaveIsLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for what, want := range map[string][]string{
		"external": {
			"(all external data of a file are in one file here): another external file, of /other",
			"(HDF5 ignores them for external data): fill value, fill time and allocation time of /other",
			"(a dataset with storage in several parts of other files): /parts",
		},
		"compact": {"(more than 65524 bytes need a newer format of files): compact storage of /of65525"},
		"deep":    {"(more than 64 groups within one another; with all that is in it): /g/g/g"},
		"huge":    {"(a dataset of 2^62 bytes, or more): /huge"},
		"settings": {
			"(files begin with the superblock here): the user block of 8192 bytes",
			"(it is not the default of HDF5, which files have here): the strategy for space in the file",
			"(chunks that the filter cannot process are stored without it here): the mandatory flag of filter " +
				"deflate (1) of /mandatory",
			"(HDF5 sets up only the first one, and skips the others): another filter shuffle (2) of /twice",
		},
	} {
		out, told, status := tool(t, "workload", "from", made(t, "hostile", dir, what))
		for _, one := range want {
			if status != 0 || !strings.Contains(told, "left out "+one) || !strings.Contains(out, "def write(job):") {
				t.Errorf("%s: status %d, %s, want %s", what, status, told, one)
			}
		}
		if what == "external" && (strings.Count(out, ",), external = True,") != 2 ||
			strings.Contains(out, "collective")) {
			t.Errorf("not two datasets in an external file, written independently:\n%s", out)
		}
		if what == "compact" && strings.Count(out, "compact = True") != 1 {
			t.Errorf("not one dataset is compact:\n%s", out)
		}
		if what == "settings" && !strings.Contains(out, `fillvalue = b"`+strings.Repeat(`\x00`, 7)+`\xc0\xff\x3f`+
			strings.Repeat(`\x00`, 6)+`"`) {
			t.Errorf("the fill value has other bytes than 10 of a number:\n%s", out)
		}
	}
}

// A damaged file may cause an error, or may still be readable. Whatever the library does, the tool ends with status 0
// or 1, and prints something.
func TestDamagedFilesDoNotCrashTheTool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, err := os.ReadFile(made(t, "netcdf", dir))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	path, refused := filepath.Join(dir, "damaged.h5"), 0
	for round := range 12 {
		bad := bytes.Clone(good)
		if round%4 == 0 {
			bad = bad[:random.IntN(len(bad))]
		}
		for range random.IntN(60) {
			if len(bad) > 8 { // keeps the signature
				bad[8+random.IntN(len(bad)-8)] = byte(random.Uint32())
			}
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		out, told, status := tool(t, "workload", "from", path)
		switch {
		case status == result.ExitOK && strings.HasPrefix(out, `"""The like of damaged.h5`):
		case status == result.ExitFailed && out == "" && strings.HasPrefix(told, "h5perf: "):
			refused++
		default:
			t.Errorf("round %d: status %d, %.200q, %.500q", round, status, out, told)
		}
	}
	if refused == 0 {
		t.Error("no damaged file was refused")
	}
}

func TestTheCommandLineOfTheLikeOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, like := made(t, "matlab", dir), filepath.Join(dir, "like.star")
	out, told, status := tool(t, "workload", "from", path, "-o", like, "--decompose", "/matrix=block")
	if status != 0 || out != "" {
		t.Errorf("status %d, %q, %s", status, out, told)
	}
	text, err := os.ReadFile(like)
	want := "# each rank has a block\nBLOCKS = block()\n"
	if err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v\n%s", err, text)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{path, "-o", like}, "exists"},
		{[]string{path, "--decompose", "slap"}, `--decompose slap: "slap" must be one of slab, block, root, all, none`},
		{[]string{path, "--decompose", "/none=slab"}, "there is no dataset with elements at or below this path"},
		{[]string{}, "<HDF5-FILE> is missing"},
	} {
		out, told, status := tool(t, append([]string{"workload", "from"}, c.args...)...)
		if status != result.ExitUsage || out != "" || !strings.Contains(told, c.want) {
			t.Errorf("%v: status %d, %q, %q, want %q", c.args, status, out, told, c.want)
		}
	}
	if _, told, status := tool(t, "workload", "from", path, "-o", like, "--force"); status != 0 {
		t.Errorf("--force: status %d, %s", status, told)
	}
}
