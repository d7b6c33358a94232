package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// FileSize holds the name and the size of a file.
type FileSize struct {
	Name  string // base name
	Bytes uint64
}

// FileSizes returns the sizes of the files with these names, in this order. The files are in the directory of the data
// file at path.
func (e *Env) FileSizes(path string, names []string) ([]FileSize, error) {
	var all []FileSize
	for _, name := range names {
		stat, err := e.Lstat(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			return nil, fmt.Errorf("size of a written file: %w", err)
		}
		all = append(all, FileSize{name, uint64(stat.Size)})
	}
	return all, nil
}

// Lstat returns the status of a data file, or of a file in the same directory. It does not follow symbolic links.
func (e *Env) Lstat(path string) (stat unix.Stat_t, err error) {
	at, name := e.dirfdAndName(path)
	err = RetryOnEINTR(func() error { return unix.Fstatat(at, name, &stat, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return stat, &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	return stat, nil
}

// OpenFile opens a data file, or a file in the same directory, and returns its descriptor. A new file gets mode 0600.
// OpenFile returns an error for a symbolic link; its other errors are those of open(2).
func (e *Env) OpenFile(path string, flags int) (fd int, err error) {
	at, name := e.dirfdAndName(path)
	err = RetryOnEINTR(func() (err error) {
		fd, err = unix.Openat(at, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		return err
	})
	return fd, err
}

// RemoveFile removes a data file, by its base name.
func (e *Env) RemoveFile(name string) error {
	at, name := e.dirfdAndName(filepath.Join(e.Dir, name))
	return RetryOnEINTR(func() error { return unix.Unlinkat(at, name, 0) })
}

// dirfdAndName returns the arguments of openat for a file: DirHandle and the base name, or AT_FDCWD and the path if
// there is no DirHandle.
func (e *Env) dirfdAndName(path string) (at int, name string) {
	if e.DirHandle == nil {
		return unix.AT_FDCWD, path
	}
	return int(e.DirHandle.Fd()), filepath.Base(path)
}

// RetryOnEINTR repeats a call as long as it returns EINTR.
func RetryOnEINTR(call func() error) error {
	for {
		if err := call(); err != unix.EINTR { //nolint:errorlint // system calls return EINTR without a wrapper
			return err
		}
	}
}
