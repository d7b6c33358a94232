package rundir

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// folder creates a directory with a mode and, if uid is not 0, with an owner.
func folder(t *testing.T, path string, mode os.FileMode, uid int) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	if uid != 0 {
		if err := os.Chown(path, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestADirectoryThatOthersMayChangeIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give directories to others")
	}
	for name, c := range map[string]struct {
		mode, above os.FileMode
		uid         int
		want        string // "" is accepted
	}{
		"one's own":                       {mode: 0o755, above: 0o755},
		"of a group of one's own":         {mode: 0o775, above: 0o755},
		"sticky":                          {mode: 0o777 | os.ModeSticky, above: 0o755},
		"everybody may write":             {mode: 0o777, above: 0o755, want: "other users may write in"},
		"another user's":                  {mode: 0o755, above: 0o755, uid: 4711, want: "belongs to user 4711"},
		"another user's, sticky":          {mode: 0o777 | os.ModeSticky, above: 0o755, uid: 4711, want: "belongs to"},
		"below one that all may write in": {mode: 0o755, above: 0o777, want: "everybody may write in"},
		"below a sticky one":              {mode: 0o755, above: 0o777 | os.ModeSticky},
		"below one of a group":            {mode: 0o755, above: 0o775 | os.ModeSetgid},
	} {
		t.Run(name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "above", "base's")
			folder(t, base, c.mode, c.uid)
			folder(t, filepath.Dir(base), c.above, 0)
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(base, link); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{base, link} {
				err := CheckBase(path)
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v, want %q", path, err, c.want)
				}
				if err != nil && !strings.Contains(err.Error(), "chmod ") &&
					!strings.Contains(err.Error(), "mkdir -m 700 ") {
					t.Errorf("%v does not say what to do", err)
				}
				if _, e := NewDir(path, false, "id"); (e == nil) != (err == nil) {
					t.Errorf("%s: Place: %v", path, e)
				}
			}
		})
	}
	if err := CheckBase(filepath.Join(t.TempDir(), "missing")); err != nil {
		t.Errorf("a missing directory: %v", err)
	}
}

// With an ACL, the group bits are the maximum permissions of the users and groups that the ACL names.
func TestADirectoryWhoseACLNamesOthersIsRefused(t *testing.T) {
	base := folder(t, filepath.Join(t.TempDir(), "base"), 0o770, 0)
	if err := CheckBase(base); err != nil {
		t.Skipf("the group of this user is not its own: %v", err)
	}
	set := func(user uint32) {
		t.Helper()
		const owner, named, group, mask, other = 0x01, 0x02, 0x04, 0x10, 0x20
		list := binary.LittleEndian.AppendUint32(nil, 2) // version, then tag, permissions and ID of each entry
		for _, entry := range [][3]uint32{
			{owner, 7, 1<<32 - 1}, {named, 7, user}, {group, 0, 1<<32 - 1}, {mask, 7, 1<<32 - 1}, {other, 0, 1<<32 - 1},
		} {
			list = binary.LittleEndian.AppendUint16(list, uint16(entry[0]))
			list = binary.LittleEndian.AppendUint16(list, uint16(entry[1]))
			list = binary.LittleEndian.AppendUint32(list, entry[2])
		}
		if err := unix.Setxattr(base, "system.posix_acl_access", list, 0); err != nil {
			t.Skipf("no ACL on this file system: %v", err)
		}
	}
	set(uint32(os.Geteuid()))
	if err := CheckBase(base); err != nil {
		t.Errorf("an ACL that names the owner alone: %v", err)
	}
	set(65534)
	if err := CheckBase(base); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("error %v", err)
	}
	if err := os.Chmod(base, 0o750); err != nil { // as the error suggests
		t.Fatal(err)
	}
	if err := CheckBase(base); err != nil {
		t.Errorf("after chmod: %v", err)
	}
}

func TestADirectoryThatIsTakenIsNotAdvised(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give directories to others")
	}
	taken := folder(t, filepath.Join(t.TempDir(), userName(0)), 0o755, 4711)
	if err := CheckBase(taken); err == nil || !strings.HasSuffix(err.Error(), "mkdir -m 700 '"+taken+".h5perf'") {
		t.Errorf("%v", err)
	}
}

func TestAGroupOfOthersIsNotOnesOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give directories to other groups")
	}
	base := folder(t, filepath.Join(t.TempDir(), "base"), 0o775, 0)
	if err := os.Chown(base, 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := CheckBase(base); err == nil || !strings.Contains(err.Error(), "chmod go-w '") {
		t.Errorf("a directory of the group daemon: %v", err)
	}
	below := folder(t, filepath.Join(base, "mine"), 0o755, 0)
	if err := CheckBase(below); err != nil {
		t.Errorf("a directory of one's own in one of a group: %v", err)
	}
	if got := SharedParents(below); !slices.Contains(got, base) {
		t.Errorf("shared above: %v, want %s", got, base)
	}
}
