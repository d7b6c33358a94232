// Package pagecache looks into the page cache of this machine for files, and drops files from it. Caches of servers and of
// devices, and those of other machines that use the same file system, are not seen; nor is what a FUSE or network file
// system keeps elsewhere than in the page cache.
package pagecache

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Drop makes a file durable, for dirty pages stay, and asks the system to drop it from the page cache. It may still refuse:
// pages that are mapped or locked stay.
func Drop(path string) error {
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

// InMemory tells whether a path is on a file system that keeps files in memory only: tmpfs, ramfs or hugetlbfs.
func InMemory(path string) (bool, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return false, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	switch uint32(s.Type) { // its width is not that of the constants everywhere
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.HUGETLBFS_MAGIC:
		return true, nil
	}
	return false, nil
}
