// Package rundir makes and removes the private directory of a run, which holds its data files. It has a unique name, so
// that no file that existed before is ever opened. Only files with names that the run can have made are removed.
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

// Variables of the environment with the directory for data files. HDF5's h5perf has the same variables.
const (
	ParallelPrefix = "HDF5_PARAPREFIX"
	SerialPrefix   = "HDF5_PREFIX"
)

// Prefixes of the names of private directories and of data files.
const (
	prefix     = "h5perf-"
	dataPrefix = "data_"
)

// NewRunID returns a unique identifier: the time in UTC, and 40 random bits in hexadecimal digits.
func NewRunID(now time.Time) string {
	random := make([]byte, 5)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(random)
}

// BaseDirectory returns the directory in which private directories are made: in the directory that the variable names,
// the one that is named after USER, else LOGIN. Without the variable it is the current directory. mkdir reports whether
// the last component may be created.
func BaseDirectory(variable string, getenv func(string) string) (dir string, mkdir bool) {
	p := getenv(variable)
	if p == "" {
		return ".", false
	}
	for _, user := range []string{getenv("USER"), getenv("LOGIN")} {
		if user != "" && !strings.ContainsRune(user, '/') && user != "." && user != ".." {
			return p + "/" + user, true // not cleaned: what is before .. may be a symbolic link
		}
	}
	return p, false
}

// Dir is the private directory of a run.
type Dir struct {
	Path  string `json:"path"`
	RunID string `json:"run_id"`
	Inode uint64 `json:"inode,omitempty"` // of the directory; 0: it is not made yet
}

// ResolveLinks returns a path that leads to the same place and through no symbolic link. A path that leads nowhere is
// returned as it is: who uses it gets a better error.
func ResolveLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// NewDir returns the private directory of a run, and does not create it. With mkdir it creates base if that does not
// exist. If base cannot be created, its parent is used, as in the C tool. It returns an error if others can change what
// base contains; see CheckBase. The path that is returned leads through no symbolic link that was there before:
// libraries open files by it, and who can change a link could lead them elsewhere.
func NewDir(base string, mkdir bool, runID string) (Dir, error) {
	if mkdir {
		if err := os.Mkdir(base, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			base = base[:strings.LastIndexByte(base, '/')+1]
		}
	}
	if err := CheckBase(base); err != nil {
		return Dir{}, err
	}
	resolved, err := filepath.Abs(ResolveLinks(base))
	if err != nil {
		return Dir{}, fmt.Errorf("current directory: %w", err)
	}
	if !utf8.ValidString(resolved) { // the watcher and the document have it in JSON, which can hold only UTF-8
		return Dir{}, fmt.Errorf("directory %q: its name is not valid UTF-8", resolved)
	}
	if err := CheckBase(resolved); err != nil { // it may have changed meanwhile
		return Dir{}, err
	}
	return Dir{Path: filepath.Join(resolved, prefix+runID), RunID: runID}, nil
}

// Make creates the directory, and holds it. It is an error if the directory exists.
func (d Dir) Make() (*Held, error) {
	if err := os.Mkdir(d.Path, 0o700); err != nil {
		return nil, fmt.Errorf("private directory for data files: %w", err)
	}
	h, err := d.Hold()
	if err != nil {
		return nil, errors.Join(err, os.Remove(d.Path))
	}
	return h, nil
}

// DataPath returns the path of a data file of an API. name consists of letters, digits and underscores, and is usually
// a number from 1. The base name of the path is that of no other run: libraries name what all users of a node share
// after it.
func (d Dir) DataPath(name, api string) string {
	return filepath.Join(d.Path, d.Stem()+name+result.APIOf(api).Suffix)
}

// Stem returns how the names of all data files of the run begin.
func (d Dir) Stem() string {
	return dataPrefix + d.RunID[strings.LastIndexByte(d.RunID, '-')+1:] + "_"
}

// dataName splits the name of a data file into three parts: what HDF5 file drivers that split a file put in front of
// the suffix, the suffix of the API, and what the driver subfiling puts after it. Open MPI tests locks on a file with
// the suffix .locktest.N, and leaves this file if it is killed at that time. The name of the run is missing in what
// releases before 0.2 have left.
var dataName = regexp.MustCompile(`^` + dataPrefix + `(?:[0-9A-Za-z]+_[0-9A-Za-z_]+|[0-9]+)` +
	`(-(?:[msbrglo]|[0-9]{5,}))?` +
	`(\.[a-z0-9]+)` +
	`(\.subfile_[0-9]+(?:_[0-9]+_of_[0-9]+|\.config))?` +
	`(?:\.locktest\.[0-9]+)?$`)

// isDataFile reports whether a file of this name is a data file of an API that this release knows.
func isDataFile(name string) bool {
	part := dataName.FindStringSubmatch(name)
	return part != nil && slices.ContainsFunc(result.APIs, func(a result.API) bool {
		return a.Suffix == part[2] && (a.HDF5 || part[1] == "" && part[3] == "")
	})
}
