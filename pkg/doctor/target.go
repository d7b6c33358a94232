package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"h5perf/pkg/node"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/units"
)

// Target describes the file system of a directory, and the results of tests in a private directory there.
type Target struct {
	result.Target
	Kind StorageKind `json:"kind,omitempty"` // absent if the directory does not exist
	// Why a file could not be created, written and read. The features below were then not tested.
	Error string `json:"error,omitempty"`
	// Why a run would refuse this directory: other users could replace its files.
	ExchangeError string `json:"exchange_error,omitempty"`
	// parent directories that a group or another user may write to
	SharedParents []string `json:"shared_above,omitempty"`
	FcntlError    string   `json:"fcntl_error,omitempty"`  // why fcntl granted no lock
	FlockError    string   `json:"flock_error,omitempty"`  // why flock granted no lock, or that it granted two
	DirectError   string   `json:"direct_error,omitempty"` // why O_DIRECT does not work
	// Smallest power of two, at least 512, that O_DIRECT accepts as size and as alignment of the offset. 0 means none.
	DirectAlignment int            `json:"direct_alignment_bytes"`
	LeftBehind      string         `json:"left,omitempty"` // what could not be removed, and why
	Shared          SharedFileView `json:"shared"`
}

// SharedFileView says how other processes see the file that the first process created and locked. Only the last process
// of each node is asked.
type SharedFileView struct {
	AskedProcesses    int    `json:"asked"`            // number of processes that were asked
	NotSeeingFile     int    `json:"do_not_see_it"`    // number of these processes that do not see the file
	LocksDenied       int    `json:"lock_denied"`      // number of locks that were denied, which is correct
	LocksGrantedTwice int    `json:"lock_given_twice"` // number of locks that were wrongly granted a second time
	Error             string `json:"error,omitempty"`  // error of the first process that does not see the file
}

// StorageKind is the kind of storage of a file system.
type StorageKind string

// Kinds of file systems.
const (
	StorageMemory  StorageKind = "memory"
	StorageNetwork StorageKind = "network"
	StorageOverlay StorageKind = "overlay" // the writable layer of a container
	StorageLocal   StorageKind = "local"   // also file systems of unknown type
)

// networkTypes holds the types of network and parallel file systems, except those that use FUSE.
var networkTypes = []string{
	"nfs", "nfs4", "lustre", "beegfs", "beegfs_nodev", "gpfs", "ceph", "cifs", "smb3", "9p", "pvfs2", "wekafs", "panfs",
	"afs", "virtiofs", "ocfs2", "gfs2", "daos",
}

// storageKind returns the kind of a file system, by its type in the mount table.
func storageKind(m result.Target) StorageKind {
	if m.IsInMemory() {
		return StorageMemory
	}
	switch {
	case slices.Contains(networkTypes, m.Type):
		return StorageNetwork
	case m.Type == "overlay", m.Type == "fuse.fuse-overlayfs", m.Type == "aufs":
		return StorageOverlay
	case strings.HasPrefix(m.Type, "fuse") && m.Type != "fuseblk":
		return StorageNetwork
	}
	return StorageLocal
}

// freeBytes returns the free space, in bytes, of the file system that contains path. The result 0 means no free space,
// or that it is not known.
func freeBytes(path string) uint64 {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}

// DirectoryTest tests the file system of a directory: it creates a private directory there, with a test file.
type DirectoryTest struct {
	mu               sync.Mutex
	privateDirectory string // path of the private directory, or "" if there is none
}

// Examine describes the file system of a directory and tests it with a file. While the test file is locked, it calls
// the function others with the path of the file; others returns what other processes see. If the test fails, others is
// called with an empty path. Examine removes the file and the private directory before it returns.
func (trial *DirectoryTest) Examine(dir string, others func(path string) SharedFileView) Target {
	t := Target{Target: node.Target(dir)}
	info, err := os.Stat(t.Directory)
	switch {
	case err != nil:
		t.Error = err.Error()
	case !info.IsDir():
		t.Error = t.Directory + " is not a directory"
	default:
		t.Kind = storageKind(t.Target)
		t.ExchangeError, t.SharedParents = errorText(rundir.CheckBase(t.Directory)), rundir.SharedParents(t.Directory)
		if path, err := trial.makeDirectory(t.Directory); err != nil {
			t.Error = err.Error()
		} else {
			t.Error = errorText(t.tryFile(path, func() { t.Shared = others(path) }))
			t.LeftBehind = errorText(trial.Remove())
		}
	}
	if t.Error != "" {
		others("")
	}
	return t
}

// makeDirectory creates the private directory in dir. It returns the path for the test file.
func (trial *DirectoryTest) makeDirectory(dir string) (string, error) {
	trial.mu.Lock()
	defer trial.mu.Unlock()
	var err error
	trial.privateDirectory, err = os.MkdirTemp(dir, "h5perf-doctor-")
	return trial.filePath(), err
}

func (trial *DirectoryTest) filePath() string { return filepath.Join(trial.privateDirectory, "file") }

// Remove removes the test file and the private directory, if they exist. It may be called from any goroutine, for
// example when the process ends early.
func (trial *DirectoryTest) Remove() error {
	trial.mu.Lock()
	defer trial.mu.Unlock()
	if trial.privateDirectory == "" {
		return nil
	}
	err := errors.Join(ignoreMissing(os.Remove(trial.filePath())), ignoreMissing(os.Remove(trial.privateDirectory)))
	if err == nil {
		trial.privateDirectory = ""
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// tryFile creates a file, writes and reads it, opens it with O_DIRECT, and locks it. While the file is locked, it calls
// the function locked once. If tryFile returns an error, locked was not called.
func (t *Target) tryFile(path string, locked func()) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // the data are not needed any more
	if err := writeAndRead(f); err != nil {
		return err
	}
	t.FlockError = errorText(checkFlock(path))
	t.DirectAlignment, err = directAlignment(path)
	t.DirectError = errorText(err)
	t.FcntlError = errorText(unix.FcntlFlock(f.Fd(), unix.F_SETLK, wholeFile()))
	locked() // closing any other descriptor of the file would release the lock
	return nil
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func wholeFile() *unix.Flock_t { return &unix.Flock_t{Type: unix.F_WRLCK} }

// trialBytes is the size of the test file.
const trialBytes = 4096

func writeAndRead(f *os.File) error {
	wrote, read := make([]byte, trialBytes), make([]byte, trialBytes)
	for i := range wrote {
		wrote[i] = byte(i * 7)
	}
	if _, err := f.WriteAt(wrote, 0); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if _, err := f.ReadAt(read, 0); err != nil {
		return err
	}
	if string(read) != string(wrote) {
		return fmt.Errorf("%s: the data read differ from the data written", f.Name())
	}
	return nil
}

// checkFlock tests flock. It returns an error if the file cannot be locked, or if a second lock through another
// descriptor is granted.
func checkFlock(path string) error {
	one, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = one.Close() }()
	two, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = two.Close() }()
	if err := unix.Flock(int(one.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	if err := unix.Flock(int(two.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		return errors.New("flock granted a second exclusive lock on the same file")
	}
	return nil
}

// directAlignment opens a file with O_DIRECT. It returns the smallest power of two n, from 512 bytes to 1 MiB, for
// which it can write and read n bytes at offset n.
func directAlignment(path string) (int, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("open with O_DIRECT: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	const most = 1 << 20
	memory, err := unix.Mmap(-1, 0, most, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return 0, fmt.Errorf("mmap of a buffer: %w", err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	for n := 512; n <= most; n *= 2 {
		for _, call := range []func(int, []byte, int64) (int, error){unix.Pwrite, unix.Pread} {
			var done int
			if done, err = call(fd, memory[:n], int64(n)); err == nil && done != n {
				err = fmt.Errorf("moved %d of %d bytes", done, n)
			}
			if err != nil {
				break
			}
		}
		if err == nil {
			return n, nil
		}
	}
	return 0, err
}

// SeesFile reports whether this process sees a file that another process created and locked. lock is the error of an
// attempt of this process to lock the file.
func SeesFile(path string) (visible bool, lock error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	return true, unix.FcntlFlock(f.Fd(), unix.F_SETLK, wholeFile())
}

// IsLockDenied reports whether lock, the error of an attempt to lock a file, means that another process holds the lock.
func IsLockDenied(lock error) bool {
	return errors.Is(lock, unix.EAGAIN) || errors.Is(lock, unix.EACCES)
}

// minFreeBytes is a threshold in bytes: with less free space, even runs with default options may fail.
const minFreeBytes = 64 << 20

// Checks returns the checks of the target for a job on the given number of nodes.
func (t Target) Checks(nodes int) []Check {
	system := Check{Name: "file system", Verdict: OK}
	if t.Type == "" && t.Error != "" {
		system.Verdict, system.Finding = Problem, t.Error
		system.Advice = "name a directory that exists on all nodes: as the argument of doctor, in HDF5_PARAPREFIX " +
			"for a run, or in H5PERF_DIR for a batch script"
		return []Check{system}
	}
	system.Finding = fmt.Sprintf("%s is on %s (%s) at %s, %s, options %s", t.Directory, t.Type, t.Source, t.MountPoint,
		t.Kind, t.Options)
	switch {
	case t.Kind == StorageMemory:
		system.Verdict, system.Advice = Warning, "results would show the speed of memory; name a directory on storage"
	case t.Kind == StorageOverlay:
		system.Verdict, system.Advice = Warning, "results would show the speed of the container's own layer; bind "+
			"a directory of the host (apptainer --bind, docker and podman -v) and name that directory"
	case t.Kind == StorageLocal && nodes > 1 && t.Shared.NotSeeingFile == 0 && t.Shared.AskedProcesses == 0:
		system.Verdict, system.Advice = Warning, "the job has several nodes, so the directory must be on a file "+
			"system that all nodes share"
	}
	checks := []Check{system, t.checkSpace(), t.checkFiles()}
	if t.Error != "" {
		return checks
	}
	return append(checks, t.checkOtherUsers(), t.checkShared(), t.checkLocks(), t.checkDirect())
}

// checkOtherUsers checks whether other users of the machine could replace files in the directory.
func (t Target) checkOtherUsers() Check {
	c := Check{Name: "neighbours", Verdict: OK, Finding: "no other user can replace the files of a run"}
	switch {
	case t.ExchangeError != "":
		c.Verdict, c.Finding = Problem, t.ExchangeError
		c.Advice = "follow the instruction above; h5perf refuses to run here until then"
	case len(t.SharedParents) > 0:
		c.Finding = "a group or another user may write in a parent directory: " + strings.Join(t.SharedParents, ", ")
		c.Advice = "runs detect a replaced directory; if you do not trust these users, ask the owner to set the " +
			"sticky bit (chmod +t)"
	}
	return c
}

func (t Target) checkSpace() Check {
	c := Check{Name: "free space", Verdict: OK}
	c.Finding = fmt.Sprintf("%s of %s free for this user", units.FormatBytes(float64(t.FreeBytes)),
		units.FormatBytes(float64(t.SizeBytes)))
	if t.FreeInodes > 0 {
		c.Finding += fmt.Sprintf(", %d inodes", t.FreeInodes)
	} else {
		c.Finding += "; the file system does not report free inodes"
	}
	switch {
	case t.SizeBytes == 0:
		c.Finding = "the file system does not report its size"
	case t.FreeBytes == 0:
		c.Verdict, c.Advice = Problem, "remove files (h5perf clean lists files left behind by runs that ended), or "+
			"name another directory"
	case t.FreeBytes < minFreeBytes:
		c.Verdict, c.Advice = Warning, "h5perf plan shows how much space a run needs; h5perf clean lists files "+
			"left behind by runs that ended"
	}
	return c
}

func (t Target) checkFiles() Check {
	c := Check{Name: "files", Verdict: OK, Finding: "created, written, synced, read and removed"}
	switch {
	case t.Error != "":
		c.Verdict, c.Finding = Problem, t.Error
		c.Advice = "check permissions, quotas and free space; in a container, check that the directory is not " +
			"bound read-only"
	case t.LeftBehind != "":
		c.Verdict, c.Finding = Problem, "the test file could not be removed: "+t.LeftBehind
		c.Advice = "remove it by hand"
	}
	return c
}

// checkShared checks whether other processes see the test file.
func (t Target) checkShared() Check {
	c := Check{Name: "shared", Verdict: OK}
	s := t.Shared
	switch {
	case s.AskedProcesses == 0:
		c.Finding = "not checked, because there is only one process"
	case s.NotSeeingFile > 0:
		c.Verdict = Problem
		c.Finding = fmt.Sprintf("%d of %s do not see the file that the first process created: %s",
			s.NotSeeingFile, otherProcessesText(s.AskedProcesses), s.Error)
		c.Advice = "name a directory on a file system that all nodes share; in containers, bind it on all nodes"
	default:
		c.Finding = fmt.Sprintf("all other processes (%d) see the file that the first process created",
			s.AskedProcesses)
	}
	return c
}

// checkLocks checks locks: MPI-IO uses fcntl, HDF5 uses flock.
func (t Target) checkLocks() Check {
	c := Check{Name: "locks", Verdict: OK, Finding: "fcntl and flock work"}
	var found, advice []string
	if t.FcntlError != "" {
		found = append(found, "fcntl does not work: "+t.FcntlError)
		advice = append(advice,
			"MPI-IO needs fcntl locks for atomic and some strided access: mount the file system with locks "+
				"(Lustre: -o flock), or use independent contiguous access only")
	}
	if t.FlockError != "" {
		found = append(found, "flock does not work: "+t.FlockError)
		advice = append(advice, "HDF5 may refuse to open files: set HDF5_USE_FILE_LOCKING=FALSE")
	}
	if t.FcntlError == "" && t.Shared.LocksGrantedTwice > 0 {
		found = append(found,
			fmt.Sprintf("%d of %s also got the fcntl lock that the first process held", t.Shared.LocksGrantedTwice,
				otherProcessesText(t.Shared.AskedProcesses)))
		advice = append(advice,
			"locks work only within a node: mount the file system with coherent locks (Lustre: -o flock, not "+
				"localflock)")
	}
	if len(found) > 0 {
		c.Verdict, c.Finding, c.Advice = Warning, strings.Join(found, "; "), strings.Join(advice, "; ")
	} else if t.Shared.LocksDenied > 0 {
		c.Finding += fmt.Sprintf("; while the first process held a lock, %s could not get it, as expected",
			otherProcessesText(t.Shared.LocksDenied))
	}
	return c
}

func otherProcessesText(n int) string { return units.Count(n, "other process", "other processes") }

func (t Target) checkDirect() Check {
	c := Check{Name: "O_DIRECT", Verdict: OK, Finding: fmt.Sprintf("works with sizes and offsets that are "+
		"multiples of %d bytes", t.DirectAlignment)}
	if t.DirectError != "" {
		c.Verdict, c.Finding = Warning, "does not work: "+t.DirectError
		c.Advice = "do not use --direct or the file driver direct here; use --sync and --cold to avoid measuring memory"
	}
	return c
}
