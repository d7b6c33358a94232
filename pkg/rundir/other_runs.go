package rundir

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// recentChange is how recently a run on another node must have changed its directory, or a file in it, to count as
// active. Nothing else shows that it is active.
const recentChange = 10 * time.Minute

// maxTreeEntries limits the search in the tree: if it has more entries, Neighbours does not search its subdirectories.
const maxTreeEntries = 200

// OtherRuns returns the paths of the private directories of other runs that are active, or may be active on other
// nodes. It searches the base directory of this run. If tree is the directory with one base for each user, it also
// searches tree and the bases of other users on the same file system. It skips directories that it cannot read.
func (d Dir) OtherRuns(tree string, now time.Time) (paths []string) {
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
			name := dirNamePattern.FindStringSubmatch(e.Name())
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

// deviceNumber returns the device of a directory, without waiting for a file server. If the device is unknown, it
// returns zeros.
func deviceNumber(path string) [2]uint32 {
	var s unix.Statx_t
	const flags = unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT | unix.AT_STATX_DONT_SYNC
	if unix.Statx(unix.AT_FDCWD, path, flags, 0, &s) != nil {
		return [2]uint32{}
	}
	return [2]uint32{s.Dev_major, s.Dev_minor}
}
