package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"h5perf/pkg/result"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

// Target describes the file system of a directory. Sizes are in bytes. Its free space is the space that this user may
// use.
func Target(dir string) result.Target {
	t := result.Target{Directory: resolveLinks(dir)}
	f, err := os.Open(t.Directory)
	if err != nil {
		return t
	}
	defer func() { _ = f.Close() }()
	var s unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &s) == nil {
		unit := uint64(s.Frsize) // the kernel counts in fragments if there are any
		t.SizeBytes, t.FreeBytes, t.FreeInodes = s.Blocks*unit, s.Bavail*unit, s.Ffree
	}
	if m := mountOfFile(f); m != nil {
		t.MountPoint, t.Source, t.Type, t.Options = m.Mountpoint, m.Source, m.FSType, mountOptions(m)
	}
	return t
}

// resolveLinks returns the absolute path of dir. If dir exists, it also resolves symbolic links.
func resolveLinks(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	return dir
}

// mountOfFile returns the mount of an open file, or nil if it is not known. It identifies the mount by its number: a
// path is not enough, because several file systems can be mounted at the same path.
func mountOfFile(f *os.File) *mountinfo.Info {
	id, err := strconv.Atoi(firstValue(fmt.Sprintf("/proc/self/fdinfo/%d", f.Fd()), ":", "mnt_id"))
	if err != nil {
		return nil
	}
	mounts, err := mountinfo.GetMounts(func(m *mountinfo.Info) (skip, stop bool) { return m.ID != id, m.ID == id })
	if err != nil || len(mounts) == 0 {
		return nil
	}
	return mounts[0]
}

// mountOptions returns the options of the mount, then those of the file system except rw and ro.
func mountOptions(m *mountinfo.Info) string {
	all := strings.Split(m.Options, ",")
	for o := range strings.SplitSeq(m.VFSOptions, ",") {
		if o != "" && o != "rw" && o != "ro" { // for rw and ro, the option of the mount counts
			all = append(all, o)
		}
	}
	return strings.Join(all, ",")
}
