package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/launcher"
	"h5perf/pkg/result"
)

const hydra = "PMI_SIZE=2 PMI_RANK=1 PMI_FD=12 MPI_LOCALNRANKS=2"

func words(line string) launcher.Getenv {
	return func(name string) string {
		for word := range strings.FieldsSeq(line) {
			if k, v, _ := strings.Cut(word, "="); k == name {
				return v
			}
		}
		return ""
	}
}

// judged tests the verdict of a check, and that its text contains all of want.
func judged(t *testing.T, c Check, verdict Verdict, want ...string) {
	t.Helper()
	if c.Verdict != verdict {
		t.Errorf("%s, want %s", c.Line(), verdict)
	}
	if c.Verdict != OK && c.Advice == "" {
		t.Errorf("%s, without advice", c.Line())
	}
	for _, w := range want {
		if !strings.Contains(c.Finding+" -> "+c.Advice, w) {
			t.Errorf("%s lacks %q", c.Line(), w)
		}
	}
}

func TestLaunch(t *testing.T) {
	l := NewLaunch(launcher.LaunchEvidence{Getenv: words(hydra), OwnEnvironment: true})
	if l.Rank != 1 || l.EnvironmentCleaned || !slices.Equal(l.SizeVariables, []SizeVariable{{"PMI_SIZE", 2}}) {
		t.Errorf("launch %+v", l)
	}
	judged(t, l.Check(errors.New("2 processes, MPI sees 1")), Problem, "2 processes", "sees only itself")
	l.Processes, l.Nodes = 2, 1
	judged(t, l.Check(nil), OK, "one job of 2 processes on 1 node", "Hydra mpiexec", "PMI-1")
	judged(t, NewLaunch(launcher.LaunchEvidence{Getenv: words(""), OwnEnvironment: true}).Check(nil), OK,
		"without a launcher")
	judged(t,
		NewLaunch(launcher.LaunchEvidence{
			Getenv: words(""), OwnEnvironment: true,
			Ancestors: []string{"orted"},
		}).Check(nil),
		Warning, "orted", "keep the environment")
}

func TestProcessors(t *testing.T) {
	job := func(cpus ...float64) result.Job {
		j := result.Job{Processes: 2 * len(cpus)}
		for _, n := range cpus {
			j.Placement = append(j.Placement, result.Host{Host: "n1", Count: 2, CPUs: n})
		}
		return j
	}
	judged(t, CheckProcessors(job(2, 2.5)), OK, "4 processes on 2 nodes may use 4.5")
	grouped := job(2, 2.5)
	grouped.Placement[1].Nodes = 3
	judged(t, CheckProcessors(grouped), OK, "4 processes on 4 nodes may use 9.5")
	judged(t, CheckProcessors(job(2, 0)), OK, "it is unknown", "n1")
	judged(t, CheckProcessors(job(2, 1)), Warning,
		"node n1 runs 2 processes on 1 processor;", "fewer processes on a node")
}

func TestMPI(t *testing.T) {
	judged(t, CheckMPI(result.Software{}), OK, "without MPI", "FLAVOUR")
	judged(t,
		CheckMPI(result.Software{MPI: "Open MPI v5.0.7, package: x", MPIStandard: "3.1", ThreadLevel: "multiple"}), OK,
		"Open MPI v5.0.7, compiled", "multiple")
	judged(t, CheckMPI(result.Software{MPI: "MPICH Version: 4.2\nmore", ThreadLevel: "funneled"}), Warning,
		"MPICH Version: 4.2,", "subfiling")
	judged(t, Ring{Bytes: []int{64, 4 << 20}, SlowestRank: 3, SlowestSeconds: 0.01}.AsCheck(4, 2), OK, "64 B and 4 MiB",
		"4 processes on 2 nodes", "rank 3")
	judged(t, Ring{Error: "nothing came"}.AsCheck(4, 2), Problem, "nothing came", "network")
	for _, step := range []string{StepInit, StepRing, StepCollectives, StepTarget} {
		judged(t, HungStepCheck(step, time.Minute, 2, "n1"), Problem, "1m0s", "process 2 (n1)")
	}
}

func TestHDF5(t *testing.T) {
	var none *HDF5
	judged(t, none.Check(false), Warning, "cannot measure")
	h := &HDF5{Version: "1.14.5", Library: "/lib/h5.so", Drivers: []string{"sec2", "mpio"}, Parallel: true}
	judged(t, h.Check(true), OK, "1.14.5", "parallel yes", "sec2 mpio", "missing (direct, subfiling)")
	judged(t, h.Check(false), OK, "missing (direct)")
	h.Error = "the HDF5 library is 1.10, but the program was compiled for 1.14"
	judged(t, h.Check(true), Problem, "compiled for 1.14")
}

func TestContainer(t *testing.T) {
	judged(t, CheckContainer(result.Machine{}), OK, "none")
	judged(t, CheckContainer(result.Machine{Container: "podman"}), OK, "podman")
	judged(t, CheckContainer(result.Machine{Container: "apptainer /a.sif", Image: &result.Image{Build: "abc+1"}}), OK,
		"/a.sif, image build abc+1", "H5PERF_IMAGE_DIGEST")
	judged(t, CheckContainer(result.Machine{Image: &result.Image{Digest: "sha256:1"}}), OK, "unknown kind", "sha256:1")
}

func TestSingleCopy(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"proc/sys/kernel/yama/ptrace_scope": "1\n", "proc/self/uid_map": "  0  1000  1\n", "dev/shm/x": "",
	} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := NewSingleCopy(root, []string{"UCX_TLS=tcp", "HOME=/"})
	if s.PtraceScope != "1" || !s.UserNamespace || !slices.Equal(s.Settings, []string{"UCX_TLS=tcp"}) {
		t.Errorf("%+v", s)
	}
	if s.FreeSharedMemory == 0 {
		t.Error("no room in /dev/shm")
	}
	s.FreeSharedMemory = 1 << 30
	s.Error = "process_vm_readv: operation not permitted"
	judged(t, s.Check("MPICH"), OK, "not permitted", "ptrace_scope is 1", "user namespace",
		"UCX_TLS=tcp") // no verdict on copies: MPI does not try them
	for setting, off := range map[string]bool{
		"OMPI_MCA_btl_vader_single_copy_mechanism=none": true, "OMPI_MCA_btl_vader_single_copy_mechanism=cma": false,
		"OMPI_MCA_smsc=^cma": true, "OMPI_MCA_smsc=": true, "OMPI_MCA_smsc=^xpmem": false, "OMPI_MCA_btl=^tcp": false,
		"UCX_TLS=all": false, "UCX_TLS=^cma": true, "UCX_TLS=^tcp": false,
		"MPICH_SMP_SINGLE_COPY_MODE=NONE": true, "MPICH_SMP_SINGLE_COPY_MODE=CMA": false,
	} {
		if s.Settings = []string{setting}; s.isDisabledInMPI() != off {
			t.Errorf("%s: off %v", setting, s.isDisabledInMPI())
		}
	}
	s.Settings = nil
	for _, library := range []string{"Open MPI v3.1.0", "Open MPI v4.1.4"} {
		judged(t, s.Check(library), Warning, "OMPI_MCA_btl_vader_single_copy_mechanism=none")
	}
	judged(t, s.Check("Open MPI v5.0.7"), Warning, "OMPI_MCA_smsc=^cma")
	judged(t, s.Check("MPICH Version: 4.2"), Warning, "UCX_TLS")
	s.Possible, s.FreeSharedMemory = true, 1<<20
	judged(t, s.Check("MPICH"), Warning, "/dev/shm", "--shm-size")
	s.FreeSharedMemory, s.ApartProcesses = 1<<30, 2
	judged(t, s.Check("MPICH"), Warning, "2 processes use a different /dev/shm", "--contain")
}

func TestSharedMemoriesDiffer(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	for _, root := range []string{one, other} {
		if is := NewSharedMemory(root); is != (SharedMemory{}) {
			t.Errorf("%+v where there is none", is)
		}
		if err := os.MkdirAll(filepath.Join(root, "dev/shm"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	is := NewSharedMemory(one)
	if is == (SharedMemory{}) || is != NewSharedMemory(one) || is == NewSharedMemory(other) {
		t.Errorf("%+v, again %+v, and another is %+v", is, NewSharedMemory(one), NewSharedMemory(other))
	}
}

func TestTargetIsTriedAndNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	var trial DirectoryTest
	calls := 0
	target := trial.Examine(dir, func(path string) SharedFileView {
		calls++
		visible, lock := SeesFile(path) // the same process has the lock, so it gets it again
		if !visible || lock != nil {
			t.Errorf("visible %v, lock %v", visible, lock)
		}
		return SharedFileView{AskedProcesses: 1, LocksDenied: 1}
	})
	if calls != 1 || target.Error != "" || target.FcntlError != "" || target.FlockError != "" {
		t.Errorf("%d calls, %+v", calls, target)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left %v: %v", left, err)
	}
	for _, c := range target.Checks(1) {
		if c.Verdict == Problem {
			t.Error(c.Line())
		}
	}
}

func TestATrialIsRemovedByAnother(t *testing.T) {
	dir := t.TempDir()
	var trial DirectoryTest
	target := trial.Examine(dir, func(string) SharedFileView {
		if err := trial.Remove(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left %v", left)
		}
		return SharedFileView{}
	})
	if target.LeftBehind != "" {
		t.Errorf("left %s", target.LeftBehind)
	}
}

func TestTargetsThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"/no/such": "no such file", file: "is not a directory", "/proc": "mkdir"} {
		var trial DirectoryTest
		calls := 0
		target := trial.Examine(dir, func(path string) SharedFileView {
			calls++
			if path != "" {
				t.Errorf("path %s", path)
			}
			return SharedFileView{}
		})
		if calls != 1 {
			t.Errorf("%s: the others were called %d times", dir, calls)
		}
		checks := target.Checks(1)
		last := checks[len(checks)-1]
		judged(t, last, Problem, want)
	}
}

func TestTargetsAreJudged(t *testing.T) {
	good := Target{
		Target: result.Target{Directory: "/d", Type: "ext4", SizeBytes: 1 << 40, FreeBytes: 1 << 39, FreeInodes: 5},
		Kind:   StorageLocal, DirectAlignment: 512,
	}
	for name, c := range map[string]struct {
		change  func(*Target)
		check   string
		verdict Verdict
		want    string
	}{
		"good":               {func(*Target) {}, "file system", OK, "ext4"},
		"memory":             {func(t *Target) { t.Kind = StorageMemory }, "file system", Warning, "storage"},
		"overlay":            {func(t *Target) { t.Kind = StorageOverlay }, "file system", Warning, "bind"},
		"local of two nodes": {func(*Target) {}, "file system", Warning, "all nodes share"},
		"of unknown size": {
			func(t *Target) { t.SizeBytes, t.FreeBytes = 0, 0 }, "free space", OK, "does not report its size",
		},
		"full":              {func(t *Target) { t.FreeBytes = 0 }, "free space", Problem, "h5perf clean"},
		"nearly full":       {func(t *Target) { t.FreeBytes = 1 << 20 }, "free space", Warning, "h5perf plan"},
		"no inodes counted": {func(t *Target) { t.FreeInodes = 0 }, "free space", OK, "does not report free inodes"},
		"exchange": {
			func(t *Target) { t.ExchangeError = "other users may write in /d: chmod go-w '/d'" },
			"neighbours", Problem, "chmod go-w",
		},
		"shared above": {func(t *Target) { t.SharedParents = []string{"/project"} }, "neighbours", OK, "/project"},
		"left":         {func(t *Target) { t.LeftBehind = "rm /d/x: busy" }, "files", Problem, "/d/x"},
		"alone":        {func(*Target) {}, "shared", OK, "only one process"},
		"seen": {
			func(t *Target) { t.Shared = SharedFileView{AskedProcesses: 2, LocksDenied: 2} }, "shared", OK,
			"all other processes (2)",
		},
		"not seen": {
			func(t *Target) { t.Shared = SharedFileView{AskedProcesses: 2, NotSeeingFile: 1, Error: "rank 3 (n2)"} },
			"shared", Problem,
			"rank 3 (n2)",
		},
		"locks": {
			func(t *Target) { t.Shared = SharedFileView{AskedProcesses: 2, LocksDenied: 2} }, "locks", OK,
			"2 other processes could not " +
				"get it",
		},
		"locks given twice": {
			func(t *Target) { t.Shared = SharedFileView{AskedProcesses: 2, LocksGrantedTwice: 2} }, "locks", Warning,
			"localflock",
		},
		"no fcntl": {func(t *Target) { t.FcntlError = "function not implemented" }, "locks", Warning, "-o flock"},
		"no flock": {
			func(t *Target) { t.FlockError = "function not implemented" }, "locks", Warning,
			"HDF5_USE_FILE_LOCKING=FALSE",
		},
		"no O_DIRECT": {
			func(t *Target) { t.DirectError = "open: invalid argument" }, "O_DIRECT", Warning,
			"do not use",
		},
		"O_DIRECT": {func(*Target) {}, "O_DIRECT", OK, "512"},
	} {
		target := good
		c.change(&target)
		checks := target.Checks(2)
		i := slices.IndexFunc(checks, func(x Check) bool { return x.Name == c.check })
		if i < 0 {
			t.Fatalf("%s: no check %s", name, c.check)
		}
		if name == "good" {
			checks = target.Checks(1)
		}
		t.Run(name, func(t *testing.T) { judged(t, checks[i], c.verdict, c.want) })
	}
}

func TestKindsOfFileSystems(t *testing.T) {
	for typ, want := range map[string]StorageKind{
		"tmpfs": StorageMemory, "ext4": StorageLocal, "lustre": StorageNetwork, "nfs4": StorageNetwork,
		"fuse.sshfs": StorageNetwork, "fuse.mfs": StorageNetwork,
		"fuseblk": StorageLocal, "overlay": StorageOverlay,
		"fuse.fuse-overlayfs": StorageOverlay, "xfs": StorageLocal,
	} {
		if got := storageKind(result.Target{Type: typ}); got != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
	}
}

func TestALockOfAnotherIsDenied(t *testing.T) {
	for err, want := range map[error]bool{unix.EAGAIN: true, unix.EACCES: true, unix.ENOSYS: false, nil: false} {
		if IsLockDenied(err) != want {
			t.Errorf("%v: %v", err, IsLockDenied(err))
		}
	}
}

func TestTheWorstVerdictCounts(t *testing.T) {
	var e Examination
	for _, c := range []struct{ next, want Verdict }{
		{OK, OK}, {Warning, Warning}, {OK, Warning}, {Problem, Problem}, {Warning, Problem},
	} {
		if e.AddCheck(Check{Name: string(c.next), Verdict: c.next}); e.Verdict != c.want {
			t.Errorf("%s after %s, want %s", e.Verdict, c.next, c.want)
		}
	}
	if s := e.Summary(); !strings.Contains(s, "Verdict: problem (problem)") {
		t.Errorf("summary %q", s)
	}
}
