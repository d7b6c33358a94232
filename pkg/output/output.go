// Package output writes standard streams, and the files that users name. It protects existing files: it replaces a file
// that h5perf did not create only if the user forces it, and follows no symbolic link except for paths such as
// /dev/stdout.
package output

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// FileKind describes a kind of output file, such as a document.
type FileKind struct {
	Name  string                 // name for messages
	IsOwn func(head []byte) bool // reports whether head is the start of such a file of h5perf

	// RefusalReason is the reason in the error for an existing file that IsOwn does not accept; "" for the usual
	// reason.
	RefusalReason string
	// WrittenOnce: the file is written once, from start to end, so that it may also be a device or a FIFO.
	WrittenOnce bool
	// Public: everybody may read a new file, regardless of the umask.
	Public bool
}

// headBytes is the largest number of bytes that IsOwn gets.
const headBytes = 4096

// Check returns an error if Write or Create would refuse to write to path. They replace only an empty file or a file
// that h5perf created; if force is true, they replace any regular file. Check changes nothing.
func (k FileKind) Check(path string, force bool) error {
	_, err := k.inspectPath(path, force)
	return err
}

// inspectPath does the same as Check, and also returns information about the file at path, or nil if the file does not
// exist.
func (k FileKind) inspectPath(path string, force bool) (fs.FileInfo, error) {
	const other = "; name another file"
	block := func(mode fs.FileMode) bool { return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0 }
	if k.WrittenOnce && isDescriptorPath(path) {
		info, err := os.Stat(path)
		if err == nil && block(info.Mode()) {
			err = errors.New("is a block device" + other)
		}
		return info, k.wrapError(path, err)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return nil, k.wrapError(path, checkDirectory(filepath.Dir(path)))
	case err != nil:
		return nil, k.wrapError(path, err)
	}
	switch mode := info.Mode(); {
	case block(mode):
		err = errors.New("is a block device" + other)
	case mode.IsDir():
		err = errors.New("is a directory" + other)
	case mode&fs.ModeSymlink != 0:
		err = errors.New("is a symbolic link, and links are not followed; name the file itself")
	case k.WrittenOnce && mode&(fs.ModeDevice|fs.ModeNamedPipe) != 0:
	case !mode.IsRegular():
		err = errors.New("is not a regular file" + other)
	case force || info.Size() == 0 && mode&0o222 != 0:
	case mode&0o222 == 0:
		err = errors.New("is write-protected" + other + ", or replace it with --force")
	default:
		err = k.checkIsOwn(path)
	}
	return info, k.wrapError(path, err)
}

// checkDirectory returns an error if dir, in which a file is to be created, is not a directory.
func checkDirectory(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", dir)
	}
	if err != nil {
		return fmt.Errorf("%w; create the directory or name another file", err)
	}
	return nil
}

// isDescriptorPath reports whether path names an open file of this process, such as /dev/stdout. Such a path is a
// symbolic link that the system made, so it may be followed.
func isDescriptorPath(path string) bool {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	dir, name := filepath.Split(absolute)
	return dir == "/dev/fd/" || dir == "/proc/self/fd/" || dir == "/dev/" && strings.HasPrefix(name, "std")
}

// checkIsOwn returns an error if the file is not one of this kind that h5perf created.
func (k FileKind) checkIsOwn(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	switch {
	case err != nil || k.IsOwn(head):
	case k.RefusalReason != "":
		err = fmt.Errorf("exists, and %s; name another file, or replace it with --force", k.RefusalReason)
	default:
		err = fmt.Errorf("exists, and is not a %s of h5perf; name another file, or replace it with --force", k.Name)
	}
	return err
}

// wrapError adds the kind and the path to an error; nil stays nil.
func (k FileKind) wrapError(path string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == path {
		err = fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	return fmt.Errorf("%s %s: %w", k.Name, path, err)
}

// Write writes a file, completely or not at all. The function to produces its content. Write writes a new file in the
// same directory, syncs it, and renames it to path. The new file has the mode of the file that it replaces. If Check
// refuses path, Write returns the error and changes nothing.
func (k FileKind) Write(path string, force bool, to func(io.Writer) error) error {
	f, err := k.openPending(path, force)
	if err != nil {
		return err
	}
	err = to(f.File)
	if err == nil && !f.stream {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = f.moveIntoPlace()
	}
	if err != nil {
		return k.wrapError(path, errors.Join(err, f.removeTemporary()))
	}
	return nil
}

// Create makes an empty file at path and returns it, open for writing. It replaces an existing file under the same
// conditions as Write.
func (k FileKind) Create(path string, force bool) (*os.File, error) {
	f, err := k.openPending(path, force)
	if err != nil {
		return nil, err
	}
	if err := f.moveIntoPlace(); err != nil {
		return nil, k.wrapError(path, errors.Join(err, f.Close(), f.removeTemporary()))
	}
	return f.File, nil
}

// unrenamedFile is an open file with a temporary name, before it is renamed to its final path.
type unrenamedFile struct {
	*os.File
	path   string // final path
	stream bool   // it has its path already: a device, a FIFO or a descriptor
}

// openPending creates a temporary file in the directory of path. If path is a device, a FIFO or a descriptor, it opens
// path itself.
func (k FileKind) openPending(path string, force bool) (*unrenamedFile, error) {
	there, err := k.inspectPath(path, force)
	if err != nil {
		return nil, err
	}
	if there != nil && (!there.Mode().IsRegular() || k.WrittenOnce && isDescriptorPath(path)) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		return &unrenamedFile{f, path, true}, k.wrapError(path, err)
	}
	mode, exact := fs.FileMode(0o644), k.Public
	if there != nil {
		mode, exact = there.Mode().Perm(), true
	}
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("no new file can be created in %s: %w", filepath.Dir(path), e.Err)
	}
	if err != nil {
		return nil, k.wrapError(path, err)
	}
	made := &unrenamedFile{f, path, false}
	if exact {
		if err := f.Chmod(mode); err != nil {
			return nil, k.wrapError(path, errors.Join(err, f.Close(), made.removeTemporary()))
		}
	}
	return made, nil
}

// moveIntoPlace renames a temporary file to its path.
func (f *unrenamedFile) moveIntoPlace() error {
	if f.stream {
		return nil
	}
	return os.Rename(f.Name(), f.path)
}

// removeTemporary removes a temporary file that was not renamed to its path.
func (f *unrenamedFile) removeTemporary() error {
	if f.stream {
		return nil
	}
	return os.Remove(f.Name())
}
