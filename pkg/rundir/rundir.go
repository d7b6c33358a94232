// Package rundir creates and removes the private directory of a run, which contains its data files. The directory has a
// unique name, so a run never opens a file that existed before. Only files with names that a run can have used are
// removed.
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
	"h5perf/pkg/workload"
)

// Names of the environment variables with the directory for data files. HDF5's h5perf uses the same variables.
const (
	ParallelPrefix = "HDF5_PARAPREFIX"
	SerialPrefix   = "HDF5_PREFIX"
)

// Prefixes of the names of private directories and of data files.
const (
	dirPrefix  = "h5perf-"
	dataPrefix = "data_"
)

// NewRunID returns a unique identifier: the time in UTC, and 40 random bits as hexadecimal digits.
func NewRunID(now time.Time) string {
	random := make([]byte, 5)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(random)
}

// BaseDirectory returns the directory in which private directories are created. The environment variable with the name
// variable contains the path of a directory. The result is its subdirectory with the name in the variable USER or
// LOGIN, or the directory itself if neither is set. If variable is not set, the result is the current directory. mkdir
// reports whether the last component may be created.
func BaseDirectory(variable string, getenv func(string) string) (dir string, mkdir bool) {
	p := getenv(variable)
	if p == "" {
		return ".", false
	}
	for _, user := range []string{getenv("USER"), getenv("LOGIN")} {
		if user != "" && !strings.ContainsRune(user, '/') && user != "." && user != ".." {
			return p + "/" + user, true // not cleaned: the part before .. may be a symbolic link
		}
	}
	return p, false
}

// Dir is the private directory of a run.
type Dir struct {
	Path  string `json:"path"`
	RunID string `json:"run_id"`
	Inode uint64 `json:"inode,omitempty"` // inode of the directory; 0 before it is created
}

// ResolveLinks returns a path to the same file without symbolic links. If the path does not exist, ResolveLinks returns
// it unchanged: opening it gives a better error.
func ResolveLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// NewDir returns the private directory of a run, but does not create it. If mkdir is set and base does not exist,
// NewDir creates base. If base cannot be created, NewDir uses its parent, as the C tool does. It returns an error if
// others can change the contents of base; see CheckBase. The returned path contains no symbolic link that existed
// before: libraries open files by this path, and a user who can change a link could redirect them.
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
	if !utf8.ValidString(resolved) { // the watcher and the document store the path as JSON, which must be UTF-8
		return Dir{}, fmt.Errorf("directory %q: its name is not valid UTF-8", resolved)
	}
	if err := CheckBase(resolved); err != nil { // the directory may have changed since the first check
		return Dir{}, err
	}
	return Dir{Path: filepath.Join(resolved, dirPrefix+runID), RunID: runID}, nil
}

// Make creates the directory and opens it. It returns an error if the directory exists.
func (d Dir) Make() (*OpenDir, error) {
	if err := os.Mkdir(d.Path, 0o700); err != nil {
		return nil, fmt.Errorf("private directory for data files: %w", err)
	}
	h, err := d.Open()
	if err != nil {
		return nil, errors.Join(err, os.Remove(d.Path))
	}
	return h, nil
}

// DataPath returns the path of a data file of an API. name consists of letters, digits and underscores, and is usually
// a number from 1. No other run has a file with the same base name. This is necessary because libraries use the base
// name for shared memory and semaphores, whose names all users of a node share.
func (d Dir) DataPath(name, api string) string {
	return filepath.Join(d.Path, d.FilePrefix()+name+result.APIOf(api).Suffix)
}

// FilePrefix returns the prefix that the names of all data files of the run have in common.
func (d Dir) FilePrefix() string {
	return dataPrefix + d.RunID[strings.LastIndexByte(d.RunID, '-')+1:] + "_"
}

// dataNamePattern splits the name of a data file into three parts: a part that HDF5 file drivers with several files add
// before the suffix, the suffix of the API, and a part that the driver subfiling or the engine of HDF5 adds after it.
// Open MPI tests locks on a file with the suffix .locktest.N, and leaves this file if it is killed during the test. In
// files of releases before 0.2, the name has no part of the run ID.
var dataNamePattern = regexp.MustCompile(`^` + dataPrefix + `(?:[0-9A-Za-z]+_[0-9A-Za-z_]+|[0-9]+)` +
	`(-(?:[msbrglo]|[0-9]{5,}))?` +
	`(\.[a-z0-9]+)` +
	`(\.subfile_[0-9]+(?:_[0-9]+_of_[0-9]+|\.config)|` + regexp.QuoteMeta(workload.ExternalSuffix) + `)?` +
	`(?:\.locktest\.[0-9]+|` + regexp.QuoteMeta(workload.ObjectsSuffix) + `)?$`)

// isObjectsDir reports whether name is that of a directory for objects that are files.
func isObjectsDir(name string) bool { return strings.HasSuffix(name, workload.ObjectsSuffix) }

// isDataFile reports whether name is a possible name of a data file, for any API that this release knows.
func isDataFile(name string) bool {
	part := dataNamePattern.FindStringSubmatch(name)
	return part != nil && slices.ContainsFunc(result.APIs, func(a result.API) bool {
		return a.Suffix == part[2] && (a.HDF5 || part[1] == "" && part[3] == "")
	})
}
