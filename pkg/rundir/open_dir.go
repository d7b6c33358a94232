package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"h5perf/pkg/plain"
)

// OpenDir is a private directory that this process holds open. Its methods use the open directory rather than its path:
// they work even if another user renames or replaces the directory. They follow no symbolic links.
type OpenDir struct {
	Dir
	file         *os.File
	createdFiles map[string]bool // names of files that Create or a library created and Remove did not remove
	borrowed     bool            // file belongs to another OpenDir, which closes it
}

// ErrReplaced is the error about a path that no longer leads to the private directory of the run.
var ErrReplaced = errors.New("is no longer the directory that this run created")

// Open opens the directory. It returns an error if the path is a symbolic link, or leads to an inode other than
// d.Inode. It also returns an error if the directory belongs to another user, or if others may write in it.
func (d Dir) Open() (*OpenDir, error) {
	file, err := os.OpenFile(d.Path, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s %w: it is now a link or a file: %w", d.Path, ErrReplaced, err)
	}
	if err != nil {
		return nil, fmt.Errorf("private directory for data files: %w", err)
	}
	h := &OpenDir{Dir: d, file: file, createdFiles: map[string]bool{}}
	if err := h.checkIdentity(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return h, nil
}

// checkIdentity returns an error if the open directory is not the private directory of the run.
func (h *OpenDir) checkIdentity() error {
	var s unix.Stat_t
	if err := unix.Fstat(h.fd(), &s); err != nil {
		return h.pathError("fstat", "", err)
	}
	switch {
	case h.Inode != 0 && s.Ino != h.Inode:
		return fmt.Errorf("%s %w: it has inode %d, not %d", h.Path, ErrReplaced, s.Ino, h.Inode)
	case int(s.Uid) != os.Geteuid() || s.Mode&0o022 != 0:
		return fmt.Errorf("%s %w: it belongs to user %d and has mode %#o", h.Path, ErrReplaced, s.Uid, s.Mode&0o7777)
	}
	h.Inode = s.Ino
	return nil
}

// CheckPath returns an error if the path no longer leads to the open directory.
func (h *OpenDir) CheckPath() error {
	var held, found unix.Stat_t
	if err := unix.Fstat(h.fd(), &held); err != nil {
		return h.pathError("fstat", "", err)
	}
	if err := unix.Lstat(h.Path, &found); err != nil {
		return fmt.Errorf("%s %w: lstat: %w", h.Path, ErrReplaced, err)
	}
	if found.Dev != held.Dev || found.Ino != held.Ino {
		return fmt.Errorf("%s %w: it has inode %d on device %#x, not %d on %#x", h.Path, ErrReplaced,
			found.Ino, found.Dev, held.Ino, held.Dev)
	}
	return nil
}

// Handle returns the open directory. The caller must not close it.
func (h *OpenDir) Handle() *os.File { return h.file }

// Share returns the directory for another rank of this process, without opening it again. The result must not be used
// after h is closed.
func (h *OpenDir) Share() *OpenDir {
	return &OpenDir{Dir: h.Dir, file: h.file, createdFiles: map[string]bool{}, borrowed: true}
}

// Close closes the directory. No other method may be called after Close.
func (h *OpenDir) Close() error {
	if h.borrowed {
		return nil
	}
	return h.file.Close()
}

func (h *OpenDir) fd() int { return int(h.file.Fd()) }

// pathError wraps the error of a system call for a file in the directory.
func (h *OpenDir) pathError(call, name string, err error) error {
	return &os.PathError{Op: call, Path: filepath.Join(h.Path, name), Err: err}
}

func (h *OpenDir) openFile(name string, flags int) (*os.File, error) {
	fd, err := unix.Openat(h.fd(), name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, h.pathError("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(h.Path, name)), nil
}

// readFile returns the content of a regular file of at most limit bytes.
func (h *OpenDir) readFile(name string, limit int64) ([]byte, error) {
	f, err := h.openFile(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return nil, errors.Join(err, fmt.Errorf("%s is not a regular file of at most %d bytes", f.Name(), limit))
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// Create creates an empty file, or an empty directory for objects that are files (workload.ObjectsSuffix). If Create
// has created the file before, it does nothing. If another file of this name exists, it returns an error. The file has
// no storage yet: a library that opens it can still choose the storage, as hints of MPI-IO do on Lustre.
func (h *OpenDir) Create(name string) error {
	if h.createdFiles[name] {
		return nil
	}
	err := h.createFile(name)
	h.createdFiles[name] = err == nil
	return err
}

// CreateOrEmpty creates an empty file like Create. If Create or CreateOrEmpty has created the file before,
// CreateOrEmpty truncates it.
func (h *OpenDir) CreateOrEmpty(name string) error {
	switch {
	case !h.createdFiles[name]:
		return h.Create(name)
	case isObjectsDir(name):
		return h.emptyDirectory(h.fd(), name)
	}
	return h.Truncate(name, 0)
}

// MarkCreated records that a library has created files for this run, beside those of Create.
func (h *OpenDir) MarkCreated(names []string) {
	for _, name := range names {
		h.createdFiles[name] = true
	}
}

func (h *OpenDir) createFile(name string) error {
	if isObjectsDir(name) {
		if err := unix.Mkdirat(h.fd(), name, 0o700); err != nil {
			return h.pathError("mkdir", name, err)
		}
		return nil
	}
	err := unix.Mknodat(h.fd(), name, unix.S_IFREG|0o600, 0)
	if errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EOPNOTSUPP) {
		f, err := h.openFile(name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY) // for file systems without mknod
		if err != nil {
			return err
		}
		return f.Close()
	}
	if err != nil {
		return h.pathError("mknod", name, err)
	}
	return nil
}

// Truncate sets the size of a file.
func (h *OpenDir) Truncate(name string, bytes uint64) error {
	f, err := h.openFile(name, unix.O_WRONLY)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(int64(bytes)), f.Close())
}

// Remove removes a file, or a directory for objects with all that is in it. If it does not exist, Remove returns nil.
func (h *OpenDir) Remove(name string) error {
	flags := 0
	if isObjectsDir(name) && isDataFile(name) {
		if err := h.emptyDirectory(h.fd(), name); err != nil && !errors.Is(err, syscall.ENOENT) {
			return err
		}
		flags = unix.AT_REMOVEDIR
	}
	if err := unix.Unlinkat(h.fd(), name, flags); err != nil && !errors.Is(err, syscall.ENOENT) {
		return h.pathError("unlink", name, err)
	}
	delete(h.createdFiles, name)
	return nil
}

// emptyDirectory removes all that is in a directory of the directory with the descriptor in. It follows no links.
func (h *OpenDir) emptyDirectory(in int, name string) error {
	fd, err := unix.Openat(in, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return h.pathError("open", name, err)
	}
	f := os.NewFile(uintptr(fd), filepath.Join(h.Path, name))
	defer func() { _ = f.Close() }()
	const some = 1024 // names at once: there may be millions
	for removed := false; ; {
		entries, err := f.ReadDir(some)
		removed = removed || len(entries) > 0
		for _, e := range entries {
			flags := 0
			if e.IsDir() {
				if err := h.emptyDirectory(fd, e.Name()); err != nil {
					return err
				}
				flags = unix.AT_REMOVEDIR
			}
			if err := unix.Unlinkat(fd, e.Name(), flags); err != nil && !errors.Is(err, syscall.ENOENT) {
				return h.pathError("unlink", filepath.Join(name, e.Name()), err)
			}
		}
		switch {
		case errors.Is(err, io.EOF) && !removed:
			return nil
		case errors.Is(err, io.EOF): // a directory that changes may not tell all names
			removed = false
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return h.pathError("seek", name, err)
			}
		case err != nil:
			return h.pathError("read", name, err)
		}
	}
}

// CheckWritable returns an error if this process cannot create files in the directory.
func (h *OpenDir) CheckWritable() error {
	if err := unix.Faccessat(h.fd(), ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("data files cannot be created: %w", h.pathError("access", "", err))
	}
	return nil
}

// listEntries returns the entries of the directory, sorted by name. It returns none if the directory was removed.
func (h *OpenDir) listEntries() ([]fs.DirEntry, error) {
	fd, err := unix.Openat(h.fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, syscall.ENOENT) {
		return nil, nil
	}
	if err != nil {
		return nil, h.pathError("open", "", err)
	}
	f := os.NewFile(uintptr(fd), h.Path)
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(-1)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// DataFiles returns the names of the existing data files, sorted.
func (h *OpenDir) DataFiles() (names []string, err error) {
	entries, err := h.listEntries()
	if err != nil {
		return nil, fmt.Errorf("data files may be left: %w", err)
	}
	for _, e := range entries {
		if isDataFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// RemoveDataFiles removes only the data files. It is for a process that cannot know whether others still need the
// directory.
func (h *OpenDir) RemoveDataFiles() error {
	names, err := h.DataFiles()
	all := []error{err}
	for _, name := range names {
		all = append(all, h.Remove(name))
	}
	return errors.Join(all...)
}

// Clean removes the data files of the run, and then the directory. Files that the run cannot have created stay, and the
// error names them. If keep is set, data files stay, too. If the path now leads to another directory, Clean removes
// nothing there. Clean can be called again, also by another process.
func (h *OpenDir) Clean(keep bool) error {
	var err error
	if !keep {
		err = h.RemoveDataFiles()
	}
	entries, readErr := h.listEntries()
	if err = errors.Join(err, readErr); err != nil {
		return err
	}
	var foreign []string
	kept := false
	for _, e := range entries {
		if isDataFile(e.Name()) {
			kept = true
		} else if e.Name() != ownerName {
			foreign = append(foreign, e.Name())
		}
	}
	switch {
	case len(foreign) > 0:
		return fmt.Errorf("%s is not removed, because it holds files that this run did not create: %s", h.Path,
			plain.VisibleLine(strings.Join(foreign, ", ")))
	case kept:
		return nil
	}
	if err := h.Remove(ownerName); err != nil {
		return err
	}
	return h.removeDirectory()
}

// removeDirectory removes the directory, which must be empty. If the directory does not exist any more, it returns nil.
func (h *OpenDir) removeDirectory() error {
	var s unix.Stat_t
	if unix.Fstat(h.fd(), &s) == nil && s.Nlink == 0 {
		return nil // removed already
	}
	if err := h.CheckPath(); err != nil {
		where, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", h.fd()))
		return fmt.Errorf("%w; the data files are removed, but their empty directory remains: it is now %s", err,
			plain.VisibleLine(where))
	}
	if err := os.Remove(h.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Clean opens the directory and removes what the run has left there: see OpenDir.Clean. If the directory does not
// exist, Clean returns nil.
func (d Dir) Clean(keep bool) error {
	h, err := d.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(h.Clean(keep), h.Close())
}
