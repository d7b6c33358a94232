package rundir

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// recentChange is how long ago a run that goes on has changed its directory, or a file in it, at most. Of runs on other
// nodes nothing else shows that they go on.
const recentChange = 10 * time.Minute

// maxTreeEntries is the number of entries of a directory up to which those below it are looked at, too.
const maxTreeEntries = 200

// Neighbours returns the paths of the private directories of other runs that go on, or may go on elsewhere, beside that
// of this run: in the same base, and, if tree is the directory in which each user has a base, in tree and in those of
// the others on the same file system. What cannot be read is left out.
func (d Dir) Neighbours(tree string, now time.Time) (paths []string) {
	bases := []string{filepath.Dir(d.Path)}
	own := deviceNumber(bases[0])
	if tree != "" {
		bases = append(bases, tree)
		if entries, err := os.ReadDir(tree); err == nil && len(entries) <= maxTreeEntries {
			for _, e := range entries {
				if path := filepath.Join(tree, e.Name()); e.IsDir() && path != bases[0] && deviceNumber(path) == own {
					bases = append(bases, path)
				}
			}
		}
	}
	for _, base := range bases {
		entries, err := os.ReadDir(base)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := runNames.FindStringSubmatch(e.Name())
			if name == nil || !e.IsDir() || name[1] == d.RunID {
				continue
			}
			l, err := examineDir(Dir{Path: filepath.Join(base, e.Name()), RunID: name[1]})
			if err == nil && (l.State == Running || l.State == Unknown && now.Sub(l.Changed) < recentChange) {
				paths = append(paths, l.Dir.Path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// deviceNumber returns the device that a directory is on, without waiting for a file server; zeros if it is not known.
func deviceNumber(path string) [2]uint32 {
	var s unix.Statx_t
	const flags = unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT | unix.AT_STATX_DONT_SYNC
	if unix.Statx(unix.AT_FDCWD, path, flags, 0, &s) != nil {
		return [2]uint32{}
	}
	return [2]uint32{s.Dev_major, s.Dev_minor}
}
