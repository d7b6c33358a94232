// Package output writes standard streams, and the files that users name. It holds what such a file may replace: nothing
// that h5perf has not made, unless the user insists, and never anything through a symbolic link.
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

// FileKind is a kind of output.
type FileKind struct {
	Name string                 // what it is, in words
	Own  func(head []byte) bool // reports whether h5perf has made the file of this kind that begins with head

	// Kept is why a file that is there is not replaced without force, even if h5perf made it; "": it may be.
	Kept string
	// Once: it is written once, from its beginning to its end, so that it may go to a device or a FIFO.
	Once bool
	// Public: everybody may read a new file, whatever the umask is.
	Public bool
}

// headBytes is how much of a file Own gets.
const headBytes = 4096

// Check returns an error if a file of the kind cannot be written to path, as things are now. Nothing that is there may
// be replaced but an empty file and one that h5perf has made, or with force any regular file. It changes nothing.
func (k FileKind) Check(path string, force bool) error {
	_, err := k.inspectPath(path, force)
	return err
}

// inspectPath is Check. It returns what is at path, or nil.
func (k FileKind) inspectPath(path string, force bool) (fs.FileInfo, error) {
	const other = "; name another file"
	block := func(mode fs.FileMode) bool { return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0 }
	if k.Once && isDescriptorPath(path) {
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
	case k.Once && mode&(fs.ModeDevice|fs.ModeNamedPipe) != 0:
	case !mode.IsRegular():
		err = errors.New("is not a regular file" + other)
	case force || info.Size() == 0 && mode&0o222 != 0:
	case mode&0o222 == 0:
		err = errors.New("is write-protected" + other + ", or replace it with --force")
	default:
		err = k.recognise(path)
	}
	return info, k.wrapError(path, err)
}

// checkDirectory returns an error if dir, in which a file is to be made, is no directory.
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

// isDescriptorPath reports whether path names an open file of this process, such as /dev/stdout. Those are links, which
// the system has made.
func isDescriptorPath(path string) bool {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	dir, name := filepath.Split(absolute)
	return dir == "/dev/fd/" || dir == "/proc/self/fd/" || dir == "/dev/" && strings.HasPrefix(name, "std")
}

// recognise returns an error if the file is not one of the kind that h5perf has made.
func (k FileKind) recognise(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	switch {
	case err != nil || k.Own(head):
	case k.Kept != "":
		err = fmt.Errorf("exists, and %s; name another file, or replace it with --force", k.Kept)
	default:
		err = fmt.Errorf("exists, and is not a %s of h5perf; name another file, or replace it with --force", k.Name)
	}
	return err
}

// wrapError adds kind and path to an error; nil stays nil.
func (k FileKind) wrapError(path string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == path {
		err = fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	return fmt.Errorf("%s %s: %w", k.Name, path, err)
}

// Write writes a file with what to writes, as a whole or not at all: it writes a new file beside it, syncs it, and
// renames it to path. The new file has the mode of one that it replaces. What Check refuses is left as it is.
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

// Create replaces a file by an empty one, as Write does, and returns it to be written.
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

// pendingFile is a file that is being written.
type pendingFile struct {
	*os.File
	path   string // where it belongs
	stream bool   // it is there already: a device or a FIFO
}

// openPending opens a new file, which has no place yet.
func (k FileKind) openPending(path string, force bool) (*pendingFile, error) {
	there, err := k.inspectPath(path, force)
	if err != nil {
		return nil, err
	}
	if there != nil && (!there.Mode().IsRegular() || k.Once && isDescriptorPath(path)) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		return &pendingFile{f, path, true}, k.wrapError(path, err)
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
	made := &pendingFile{f, path, false}
	if exact {
		if err := f.Chmod(mode); err != nil {
			return nil, k.wrapError(path, errors.Join(err, f.Close(), made.removeTemporary()))
		}
	}
	return made, nil
}

// moveIntoPlace gives the file its name.
func (f *pendingFile) moveIntoPlace() error {
	if f.stream {
		return nil
	}
	return os.Rename(f.Name(), f.path)
}

// removeTemporary removes a file that has no place.
func (f *pendingFile) removeTemporary() error {
	if f.stream {
		return nil
	}
	return os.Remove(f.Name())
}
