package rundir

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"h5perf/pkg/plain"
)

// CheckBase returns an error if another user can replace files in the directory base. MPI-IO and HDF5 open data files
// by their paths, so they could then overwrite other files of the user. The directory must belong to the user or to
// root. No other user may write there, unless the directory is sticky. The directories above must not be writable for
// everybody, unless they are sticky. The error says what to do. If base does not exist, CheckBase returns nil.
func CheckBase(base string) error {
	resolved, err := filepath.EvalSymlinks(base)
	if err != nil {
		return nil //nolint:nilerr // creating a file in it gives a better error
	}
	var s unix.Stat_t
	if err := unix.Stat(resolved, &s); err != nil {
		return &os.PathError{Op: "stat", Path: resolved, Err: err}
	}
	uid := uint32(os.Geteuid())
	switch {
	case s.Uid != uid && s.Uid != 0 && !isUnknownUser(s.Uid):
		return fmt.Errorf("directory for data files: %s belongs to %s, who could replace the files of this run: "+
			"name your own directory, created with: mkdir -m 700 %s", base, userName(s.Uid),
			plain.Quoted(siblingPathForUser(base)))
	case s.Mode&0o022 != 0 && s.Mode&unix.S_ISVTX == 0 && !onlyOwnerWrites(resolved, s, uid):
		return fmt.Errorf("directory for data files: other users may write in %s (mode %04o), and could replace "+
			"the files of this run: use chmod go-w %s, or chmod +t, or name your own "+
			"directory", base, s.Mode&0o7777, plain.Quoted(base))
	}
	for _, dir := range parentDirectories(base, resolved) {
		if err := unix.Stat(dir, &s); err == nil && s.Mode&0o002 != 0 && s.Mode&unix.S_ISVTX == 0 {
			return fmt.Errorf("directory for data files: everybody may write in %s (mode %04o), which contains %s, "+
				"and could replace it: use chmod +t %s, or name another "+
				"directory", dir, s.Mode&0o7777, base, plain.Quoted(dir))
		}
	}
	return nil
}

// SharedParents returns the directories above base in which a group or another user may replace the path to base.
func SharedParents(base string) (all []string) {
	absolute, err := filepath.Abs(base)
	resolved := absolute
	if err == nil {
		resolved, err = filepath.EvalSymlinks(absolute)
	}
	if err != nil {
		return nil
	}
	uid := uint32(os.Geteuid())
	for _, dir := range parentDirectories(absolute, resolved) {
		var s unix.Stat_t
		if unix.Stat(dir, &s) != nil {
			continue
		}
		writers := s.Mode&0o022 != 0 && s.Mode&unix.S_ISVTX == 0 && !onlyOwnerWrites(dir, s, uid)
		if writers || s.Uid != uid && s.Uid != 0 && !isUnknownUser(s.Uid) {
			all = append(all, dir)
		}
	}
	return all
}

// parentDirectories returns the directories above the paths, each once.
func parentDirectories(paths ...string) []string {
	var all []string
	seen := map[string]bool{}
	for _, path := range paths {
		for dir := filepath.Dir(path); !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			all = append(all, dir)
		}
	}
	return all
}

// onlyOwnerWrites reports whether no other user can write in a directory, although its group may write: many systems
// give each user a group of their own. If the directory has an ACL, the group bits of its mode do not show the rights
// of the group, but the mask of the ACL.
func onlyOwnerWrites(dir string, s unix.Stat_t, uid uint32) bool {
	if s.Mode&0o002 != 0 || s.Uid != uid {
		return false
	}
	if others, group := aclWriters(dir, uid); others {
		return false
	} else if !group {
		return true
	}
	owner, err := user.LookupId(strconv.Itoa(int(uid)))
	if err != nil || owner.Gid != strconv.Itoa(int(s.Gid)) {
		return false
	}
	group, err := user.LookupGroupId(owner.Gid)
	return err == nil && group.Name == owner.Username
}

// aclWriters reports whether the ACL of a directory lets other named users or groups write, and whether it lets the
// owning group write. Without an ACL, it returns false and true.
func aclWriters(dir string, uid uint32) (others, group bool) {
	const (
		named, groupOf, namedGroup, mask = 0x02, 0x04, 0x08, 0x10 // tags of entries, see acl(5)
		header, entry                    = 4, 8                   // bytes
		write                            = 2
	)
	list := make([]byte, 1<<16)
	n, err := unix.Getxattr(dir, "system.posix_acl_access", list)
	if err != nil || n < header {
		return false, true
	}
	for at := header; at+entry <= n; at += entry {
		tag := binary.LittleEndian.Uint16(list[at:])
		id := binary.LittleEndian.Uint32(list[at+4:])
		if binary.LittleEndian.Uint16(list[at+2:])&write == 0 {
			if tag == mask {
				return false, false // the mask takes the permission from all named entries and the group
			}
			continue
		}
		switch {
		case tag == named && id != uid && id != 0, tag == namedGroup:
			others = true
		case tag == groupOf:
			group = true
		}
	}
	return others, group
}

// isUnknownUser reports whether a user ID stands for all users that are unknown in this user namespace. Root may be one
// of them.
func isUnknownUser(uid uint32) bool {
	text, err := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil || strings.TrimSpace(string(text)) != strconv.Itoa(int(uid)) {
		return false
	}
	known, err := os.ReadFile("/proc/self/uid_map")
	var inside, outside, count uint64
	_, scanErr := fmt.Sscan(string(known), &inside, &outside, &count)
	return err == nil && scanErr == nil && (inside != 0 || outside != 0 || count != 1<<32-1)
}

// userName returns the name of a user, or "user" and the number if there is no name.
func userName(uid uint32) string {
	id := strconv.Itoa(int(uid))
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}

// siblingPathForUser returns a path, for use in an error message, of a directory next to dir that the user could create
// instead.
func siblingPathForUser(dir string) string {
	own := filepath.Join(filepath.Dir(dir), userName(uint32(os.Geteuid())))
	if _, err := os.Lstat(own); err == nil {
		own += ".h5perf"
	}
	return own
}
