// Package rundir is the private directory in which a run keeps its data files: made by the run under a name of its own, so
// that nothing which was there before is ever opened, and emptied of just the names that the run can have made.
package rundir

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"h5perf/pkg/result"
)

// Variables of the environment that place the data files (HDF5's h5perf has the same).
const (
	ParallelPrefix = "HDF5_PARAPREFIX"
	SerialPrefix   = "HDF5_PREFIX"
)

// prefix begins the name of each private directory; file names begin with dataPrefix.
const (
	prefix     = "h5perf-"
	dataPrefix = "data_"
)

// NewRunID makes an identifier that no other run has: the time in UTC, and random digits.
func NewRunID(now time.Time) string {
	random := make([]byte, 5)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(random)
}

// Base is the directory for private directories: that of the variable, in it one named after USER, else LOGIN, and without
// the variable the current directory. mkdir tells whether the last component may be made.
func Base(variable string, getenv func(string) string) (dir string, mkdir bool) {
	p := getenv(variable)
	if p == "" {
		return ".", false
	}
	for _, user := range []string{getenv("USER"), getenv("LOGIN")} {
		if user != "" && !strings.ContainsRune(user, '/') && user != "." && user != ".." {
			return filepath.Join(p, user), true
		}
	}
	return filepath.Clean(p), false
}

// Dir is the private directory of a run.
type Dir struct {
	Path  string
	RunID string
}

// Place chooses the private directory of a run, and makes nothing but base, with mkdir, when that is missing; where it
// cannot be made its parent is used, as the C tool does.
func Place(base string, mkdir bool, runID string) (Dir, error) {
	base, err := filepath.Abs(base)
	if err != nil {
		return Dir{}, fmt.Errorf("current directory: %w", err)
	}
	if !utf8.ValidString(base) { // JSON, in which the watcher and the document have it, cannot hold another
		return Dir{}, fmt.Errorf("directory %q: its name is not valid UTF-8", base)
	}
	if mkdir {
		if err := os.Mkdir(base, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			base = filepath.Dir(base)
		}
	}
	return Dir{Path: filepath.Join(base, prefix+runID), RunID: runID}, nil
}

// Make makes the directory, which must not be there.
func (d Dir) Make() error {
	if err := os.Mkdir(d.Path, 0o700); err != nil {
		return fmt.Errorf("private directory for data files: %w", err)
	}
	return nil
}

// File is the path of data file k, from 1, of an API.
func (d Dir) File(k int, api string) string {
	return filepath.Join(d.Path, fmt.Sprintf("%s%d%s", dataPrefix, k, result.APIOf(api).Suffix))
}

// Data are the names of the data files that are there, in their order.
func (d Dir) Data() (names []string, err error) {
	entries, err := os.ReadDir(d.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("data files may be left: %w", err)
	}
	for _, e := range entries {
		if isData(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// RemoveData removes the data files and leaves the rest, for a process that cannot know whether others still need it.
func (d Dir) RemoveData() error {
	return d.remove(isData)
}

// Clean removes the data files of the run, and then the directory. What the run cannot have made stays, and is named in the
// error. With keep, data files stay. It can be called again, also by another process.
func (d Dir) Clean(keep bool) error {
	err := d.remove(func(name string) bool { return !keep && isData(name) })
	entries, readErr := os.ReadDir(d.Path)
	if errors.Is(readErr, fs.ErrNotExist) {
		return nil
	}
	var foreign []string
	kept := false
	for _, e := range entries {
		if isData(e.Name()) {
			kept = true
		} else if e.Name() != ownerName {
			foreign = append(foreign, e.Name())
		}
	}
	switch {
	case len(foreign) > 0:
		return errors.Join(err, fmt.Errorf("%s is left, for it holds what this run did not make: %s", d.Path, strings.Join(foreign, ", ")))
	case kept && keep || err != nil:
		return err
	}
	for _, path := range []string{filepath.Join(d.Path, ownerName), d.Path} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// remove removes the files of the directory whose names are chosen.
func (d Dir) remove(chosen func(name string) bool) error {
	entries, err := os.ReadDir(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data files may be left: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !chosen(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(d.Path, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// dataName splits the name of a data file: what HDF5 file drivers that keep a file in several put in front of the
// suffix, the suffix of the API, and what the driver subfiling puts behind it. Open MPI tries locks on a file beside
// the data file, and leaves it when it is killed meanwhile.
var dataName = regexp.MustCompile(`^` + dataPrefix + `[0-9]+` +
	`(-(?:[msbrglo]|[0-9]{5,}))?` +
	`(\.[a-z0-9]+)` +
	`(\.subfile_[0-9]+(?:_[0-9]+_of_[0-9]+|\.config))?` +
	`(?:\.locktest\.[0-9]+)?$`)

// isData reports whether a file of this name is a data file of an API that this release knows.
func isData(name string) bool {
	part := dataName.FindStringSubmatch(name)
	return part != nil && slices.ContainsFunc(result.APIs, func(a result.API) bool {
		return a.Suffix == part[2] && (a.HDF5 || part[1] == "" && part[3] == "")
	})
}
