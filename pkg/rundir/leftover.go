package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/plain"
)

// LeftoverDir describes an existing private directory.
type LeftoverDir struct {
	Dir          Dir
	Owner        RunOwner
	State        RunState
	UID          uint32    // user who owns the directory
	Changed      time.Time // last change of the directory or of a file in it
	Data         []string  // names of the data files, and of the directories of objects
	Files        int       // number of data files, with those in directories of objects
	Bytes        uint64    // disk space of the data files, and of the directories of objects
	Foreign      []string  // names of files that the run cannot have created
	ExamineError string    // why the directory could not be examined
}

// dirNamePattern matches the names of private directories.
var dirNamePattern = regexp.MustCompile(`^` + dirPrefix + `([0-9]{8}T[0-9]{6}Z-[0-9a-f]{10})$`)

// FindLeftovers returns the private directories in base, and those in the subdirectory of base that is named after the
// user, if it exists. It does not follow symbolic links.
func FindLeftovers(base string, getenv func(string) string) ([]LeftoverDir, error) {
	dirs := []string{base}
	if own, _ := BaseDirectory("base", func(name string) string {
		if name == "base" {
			return base
		}
		return getenv(name)
	}); own != base {
		if info, err := os.Lstat(own); err == nil && info.IsDir() {
			dirs = append(dirs, own)
		}
	}
	var all []LeftoverDir
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("directory of data files: %w", err)
		}
		for _, e := range entries {
			name := dirNamePattern.FindStringSubmatch(e.Name())
			if name == nil || !e.IsDir() {
				continue
			}
			left, err := examineDir(Dir{Path: filepath.Join(dir, e.Name()), RunID: name[1]})
			if errors.Is(err, fs.ErrNotExist) {
				continue // its run has just ended
			}
			if err != nil {
				return nil, err
			}
			all = append(all, left)
		}
	}
	return all, nil
}

// examineDir examines a private directory. If the directory belongs to another user, the result contains only the owner
// and the time of change, since this user could not remove anything there.
func examineDir(d Dir) (LeftoverDir, error) {
	info, err := os.Lstat(d.Path)
	if err != nil {
		return LeftoverDir{}, err
	}
	l := LeftoverDir{Dir: d, Changed: info.ModTime(), UID: info.Sys().(*syscall.Stat_t).Uid, State: Unknown}
	if int(l.UID) != os.Geteuid() {
		return l, nil
	}
	h, err := d.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return LeftoverDir{}, err
	}
	if err != nil {
		l.ExamineError = err.Error()
		return l, nil
	}
	defer func() { _ = h.Close() }()
	l.Dir = h.Dir
	l.Owner, l.State = h.readOwner()
	entries, err := h.listEntries()
	if err != nil {
		return LeftoverDir{}, fmt.Errorf("private directory of a run: %w", err)
	}
	for _, e := range entries {
		var s unix.Stat_t
		err := unix.Fstatat(h.fd(), e.Name(), &s, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return LeftoverDir{}, fmt.Errorf("private directory of a run: %w", h.pathError("stat", e.Name(), err))
		}
		if changed := time.Unix(s.Mtim.Unix()); changed.After(l.Changed) {
			l.Changed = changed
		}
		switch {
		case isDataFile(e.Name()) && (s.Mode&unix.S_IFMT == unix.S_IFREG ||
			isObjectsDir(e.Name()) && s.Mode&unix.S_IFMT == unix.S_IFDIR):
			l.Data = append(l.Data, e.Name())
			if err := l.addFiles(filepath.Join(h.Path, e.Name())); err != nil {
				return LeftoverDir{}, fmt.Errorf("private directory of a run: %w", err)
			}
		case e.Name() != ownerName:
			l.Foreign = append(l.Foreign, e.Name())
		}
	}
	return l, nil
}

// addFiles adds a data file, or all that is in a directory of objects, to the number of files, their disk space and the
// time of the last change. It leaves out what vanishes meanwhile.
func (l *LeftoverDir) addFiles(path string) error {
	return filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = e.Info()
		}
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if !e.IsDir() {
			l.Files++
		}
		if info.ModTime().After(l.Changed) {
			l.Changed = info.ModTime()
		}
		l.Bytes += uint64(info.Sys().(*syscall.Stat_t).Blocks) * 512 // st_blocks has this unit, see stat(2)
		return nil
	})
}

// WhyNotRemovable returns why the directory must not be removed, or "" if it can be removed. It must not be removed if
// its run is active, if it belongs to a user other than uid, if its data files must be kept, or if it contains files
// that are not from the run. If the state of the run is unknown, the directory can be removed if its last change was
// before the given time.
func (l LeftoverDir) WhyNotRemovable(uid int, before time.Time) (why string) {
	switch {
	case l.State == Running:
		return "the run is still active"
	case uid != int(l.UID):
		return "it belongs to another user"
	case l.ExamineError != "":
		return plain.VisibleLine(l.ExamineError)
	case l.Owner.Keep && len(l.Data) > 0:
		return fmt.Sprintf("the run was asked to keep its data files; to remove them: rm -r %s",
			plain.Quoted(l.Dir.Path))
	case l.State == Unknown && !l.Changed.Before(before):
		return "the run may be active on another node, and its files changed recently"
	case len(l.Foreign) > 0:
		return "it holds files that no run creates: " + plain.VisibleLine(strings.Join(l.Foreign, ", "))
	}
	return ""
}
