//go:build cgo

package posix_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// directDir returns a directory on a file system that supports O_DIRECT.
func directDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.OpenFile(filepath.Join(dir, "probe"), os.O_CREATE|unix.O_DIRECT, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatalf("the directory for temporary files does not take O_DIRECT (%v): set TMPDIR to one on ext4 or xfs", err)
	}
	return dir
}

// direct prepares the engine for rank 0 of a pattern, with O_DIRECT.
func direct(t *testing.T, p pattern.ParallelPattern, dir string) (*enginetest.Session, enginetest.Spec, error) {
	t.Helper()
	spec, err := enginetest.NewSpec(mpi.Self{}, p.Sequence(0), p.BlockSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	spec.Dir, spec.UseODirect = dir, true
	s, err := enginetest.Prepare(posix.New(), spec)
	t.Cleanup(func() {
		if s != nil {
			err = s.Close()
		}
		if err := errors.Join(err, engine.UnmapMemory(spec.Buffer.Pool)); s != nil && err != nil {
			t.Error(err)
		}
	})
	return s, spec, err
}

func TestDirectDataAreReadBack(t *testing.T) {
	dir := directDir(t)
	enginetest.Run(t, mpi.Self{}, posix.New, enginetest.Options{
		Plain: true, Dir: dir,
		Variants: []enginetest.Variant{{Name: "direct", Set: func(p pattern.ParallelPattern, s *enginetest.Spec) bool {
			s.Dir, s.UseODirect = dir, true
			return p.TransferSize%4096 == 0 && p.BlockSize%1024 == 0 && s.Nest.RunBytes%4096 == 0
		}}},
	})
}

// The blocks of 4 KiB are interleaved. The trace of strace must show the planned calls, and no other access to the
// file.
func TestSystemCallsOfDirectFiles(t *testing.T) {
	p := pattern.ParallelPattern{
		Processes: 3, BlockSize: 4096, BytesPerProcess: 16384, TransferSize: 8192,
		Interleaved: true,
	}
	if dir := enginetest.Traced(); dir != "" {
		runtime.LockOSThread()
		s, spec, err := direct(t, p, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			if _, err := transfer(t, s, spec, filepath.Join(dir, name(0)), op); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	dir := directDir(t)
	path := filepath.Join(dir, name(0))
	trace := enginetest.Trace(t, dir, "openat,"+dataCalls+",write,read,fsync,fdatasync,mmap")
	for _, function := range []string{"pwrite64", "pread64"} {
		got, want := enginetest.DataCalls(t, trace, function, path), calls(4096, 0, 12288, 24576, 36864)
		if !slices.Equal(got, want) {
			t.Errorf("%s of (offset, bytes) %v, want %v", function, got, want)
		}
	}
	opened, others := 0, 0
	for line := range strings.Lines(trace) {
		switch {
		case !strings.Contains(line, path):
		case strings.HasPrefix(line, "openat(") && strings.Contains(line, "O_DIRECT"):
			opened++
		case !strings.HasPrefix(line, "pwrite64(") && !strings.HasPrefix(line, "pread64("):
			others++
			t.Errorf("another call: %s", line)
		}
	}
	if opened != 2 {
		t.Errorf("%d files were opened with O_DIRECT, want 2:\n%s", opened, trace)
	}
}

// strace makes the first call of each kind return half of its size.
func TestAShortDirectCallIsResumed(t *testing.T) {
	if dir := enginetest.Traced(); dir != "" {
		runtime.LockOSThread()
		s, spec, err := direct(t, pattern.ParallelPattern{
			Processes: 1, BytesPerProcess: 8192, TransferSize: 8192,
			BlockSize: 8192,
		}, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			progress, err := transfer(t, s, spec, filepath.Join(dir, name(0)), op)
			if want := (engine.Progress{Transfers: 1, Bytes: 8192, Calls: 2}); err != nil || progress != want {
				t.Errorf("progress of the %s: %+v with error %v, want %+v", op, progress, err, want)
			}
		}
		return
	}
	dir := directDir(t)
	path := filepath.Join(dir, name(0))
	const short = ":retval=4096:when=1"
	trace := enginetest.Trace(t, dir, dataCalls, "-P", path, "-e", "inject=pwrite64"+short, "-e",
		"inject=pread64"+short)
	for _, function := range []string{"pwrite64", "pread64"} {
		got, want := enginetest.DataCalls(t, trace, function, path), append(calls(8192, 0), calls(4096, 4096)...)
		if !slices.Equal(got, want) {
			t.Errorf("%s of (offset, bytes) %v, want %v", function, got, want)
		}
	}
}

func TestDirectRefusesWhatTheDeviceDoesNotTake(t *testing.T) {
	dir := directDir(t)
	for _, p := range []pattern.ParallelPattern{
		{Processes: 1, BytesPerProcess: 1000, TransferSize: 1000, BlockSize: 1000},
		{Processes: 1, BytesPerProcess: 8192, TransferSize: 4096, BlockSize: 256, Interleaved: true},
		{Processes: 2, BytesPerProcess: 4096, TransferSize: 4096, BlockSize: 256, Interleaved: true},
		{Processes: 2, BytesPerProcess: 1024, TransferSize: 2048, BlockSize: 128, TwoD: true, Interleaved: true},
	} {
		s, spec, err := direct(t, p, dir)
		if spec.Nest.RunBytes%4096 == 0 {
			if err != nil {
				t.Errorf("%+v, runs of %d bytes: %v", p, spec.Nest.RunBytes, err)
			}
			continue
		}
		if s != nil || !errors.Is(err, engine.ErrUnsupported) ||
			!strings.Contains(err.Error(), "the device requires multiples of") {
			t.Errorf("%+v, runs of %d bytes: %v", p, spec.Nest.RunBytes, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("files were made: %v, %v", files, err)
	}
}

// Files of /proc cannot be opened with O_DIRECT.
func TestAFileSystemWithoutDirectIsNamed(t *testing.T) {
	s, _, err := direct(t,
		pattern.ParallelPattern{Processes: 1, BytesPerProcess: 4096, TransferSize: 4096, BlockSize: 4096},
		"/proc")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Open("/proc/self/maps", workload.Read)
	var e *engine.CallError
	if !errors.As(err, &e) || e.Call != "open" || !errors.Is(err, syscall.EINVAL) ||
		!strings.Contains(err.Error(), "does not open files with O_DIRECT: leave out --direct") {
		t.Errorf("open with O_DIRECT in /proc: %v", err)
	}
}

// The file system is a ramfs, which does not support O_DIRECT. It is mounted in a mount namespace of the process.
func TestAFileSystemWithoutDirectIsFoundBeforeThereIsAFile(t *testing.T) {
	const mounted = "H5PERF_RAMFS"
	if dir := os.Getenv(mounted); dir != "" {
		s, _, err := direct(t, pattern.ParallelPattern{
			Processes: 1, BytesPerProcess: 4096, TransferSize: 4096,
			BlockSize: 4096,
		}, dir)
		if s != nil || !errors.Is(err, syscall.EINVAL) ||
			!strings.Contains(err.Error(),
				dir+": invalid argument: the file system does not open files with O_DIRECT: leave out --direct") {
			t.Errorf("prepare on ramfs: %v", err)
		}
		return
	}
	dir, mounts := t.TempDir(), "-m"
	if os.Geteuid() != 0 {
		mounts = "-rm"
	}
	cmd := exec.Command("unshare", mounts, "sh", "-c", `mount -t ramfs ramfs "$0" && exec "$@"`, dir, os.Args[0],
		"-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), mounted+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v (needs namespaces for mounts)\n%s", cmd, err, out)
	}
}

// strace makes the first write fail as on a device with larger sectors.
func TestACallThatTheDeviceDoesNotTakeSaysWhatToDo(t *testing.T) {
	if dir := enginetest.Traced(); dir != "" {
		runtime.LockOSThread()
		s, spec, err := direct(t, pattern.ParallelPattern{
			Processes: 1, BytesPerProcess: 4096, TransferSize: 4096,
			BlockSize: 4096,
		}, dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = transfer(t, s, spec, filepath.Join(dir, name(0)), workload.Write)
		if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "try multiples of 4096") {
			t.Errorf("a direct write that the system refuses: %v", err)
		}
		return
	}
	dir := directDir(t)
	enginetest.Trace(t, dir, dataCalls, "-P", filepath.Join(dir, name(0)), "-e", "inject=pwrite64:error=EINVAL")
}

// A listed move is refused if a run, unpacked memory, or its dataset does not have the alignment of the device.
func TestDirectListedMovesAreAligned(t *testing.T) {
	dir := directDir(t)
	dims := []uint64{4, 8192}
	for _, c := range []struct {
		name          string
		column, bytes uint64
		form          pattern.MemoryArrangement
		object        workload.Object
		refused       bool
	}{
		{"aligned", 4096, 4096, pattern.MemoryArrangement{}, workload.Object{Count: 1, Stride: 1}, false},
		{"a run elsewhere", 1, 4096, pattern.MemoryArrangement{}, workload.Object{Count: 1}, true},
		{"a run of another size", 0, 4095, pattern.MemoryArrangement{}, workload.Object{Count: 1}, true},
		{
			"memory elsewhere", 4096, 4096,
			pattern.MemoryArrangement{Kind: pattern.Ghost, GhostCells: 1},
			workload.Object{Count: 1},
			true,
		},
		{
			"packed memory", 4096, 4096,
			pattern.MemoryArrangement{Kind: pattern.Strided, StrideElements: 3},
			workload.Object{Count: 1},
			false,
		},
		{"a dataset elsewhere", 4096, 4096, pattern.MemoryArrangement{}, workload.Object{Count: 1, Base: 4097}, true},
		{
			"a second dataset elsewhere", 4096, 4096,
			pattern.MemoryArrangement{},
			workload.Object{Count: 2, Stride: 1<<15 + 1},
			true,
		},
	} {
		s, err := pattern.SelectHyperslab(dims, 1, pattern.Hyperslab{
			Start: []uint64{1, c.column}, Stride: []uint64{1, 1}, Count: []uint64{1, 1}, Block: []uint64{3, c.bytes},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := directListed(t, dir, c.object, s, c.form); errors.Is(err, engine.ErrUnsupported) != c.refused ||
			!c.refused && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// directListed writes the first dataset of a family with a listed move and O_DIRECT.
func directListed(t *testing.T, dir string, o workload.Object, s pattern.Selection,
	f pattern.MemoryArrangement,
) (err error) {
	t.Helper()
	slot, err := f.MemoryBytes(s)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := engine.MapMemory(slot)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { err = errors.Join(err, engine.UnmapMemory(pool)) }()
	stop, err := engine.NewStopFlag()
	if err != nil {
		t.Fatal(err)
	}
	env := engine.Env{Comm: mpi.Self{}, Stop: stop, Dir: dir, UseODirect: true}
	session, err := posix.New().Prepare(env, workload.Program{
		Files:   []workload.File{{Name: "data"}},
		Objects: []workload.Object{o},
		Moves: []workload.Move{{
			Listed: true, PlainSelection: s, Form: f,
			Buffer: workload.Buffer{Pool: pool, Slots: 1, SlotBytes: slot, Grain: 4096},
		}},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	for _, class := range []workload.StepClass{workload.FileOpen, workload.Transfer, workload.FileClose} {
		b := workload.Batch{
			Class: class, Path: filepath.Join(dir, "listed"), Count: 1, NumTransfers: 1,
			BeginsAndEnds: true,
		}
		if err := session.Do(&b); err != nil {
			return err
		}
	}
	return nil
}
