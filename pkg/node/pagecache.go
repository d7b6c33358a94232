// This file determines how much of a file is in the page cache of this machine, and drops files
// from it. It does not see the caches of servers, of devices and of other machines that use the same file
// system, nor what a FUSE or network file system caches outside of the page cache.

package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// DropPages writes a file to storage, because dirty pages cannot be dropped, and asks the system to drop it from the
// page cache. The system may keep pages that are mapped or locked in memory.
func DropPages(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("drop from the page cache: %w", err)
	}
	err = f.Sync()
	if err == nil {
		if err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
			err = &os.PathError{Op: "posix_fadvise", Path: path, Err: err}
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("drop from the page cache: %w", err)
	}
	return nil
}

// DropTreePages is like DropPages for all files of a directory and of those below it. It follows no links. It writes
// all files of the file system to storage, since the files may be very many.
func DropTreePages(dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == dir:
			return syncFileSystem(dir)
		case !entry.Type().IsRegular():
			return nil
		}
		f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
			return errors.Join(&os.PathError{Op: "posix_fadvise", Path: path, Err: err}, f.Close())
		}
		return f.Close()
	})
	if err != nil {
		return fmt.Errorf("drop from the page cache: %w", err)
	}
	return nil
}

// syncFileSystem writes all files of the file system of a directory to storage.
func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return errors.Join(&os.PathError{Op: "syncfs", Path: dir, Err: err}, f.Close())
	}
	return f.Close()
}

// IsInMemory reports whether a path is on a file system that keeps files in memory only: tmpfs, ramfs or
// hugetlbfs.
func IsInMemory(path string) (bool, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return false, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	switch uint32(s.Type) { // its width depends on the architecture
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.HUGETLBFS_MAGIC:
		return true, nil
	}
	return false, nil
}
