// This file finds and removes the files in memory through which the processes of a job on one node communicate. MPI
// libraries remove them when a job ends, and leave them when its processes are killed: then they take memory until the
// node is booted.

package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// directory is where POSIX shared memory is on Linux.
const directory = "/dev/shm"

// prefixes are how the names of segments begin that belong to one job alone: those of Open MPI 4 (vader) and 5 (sm), of
// MPICH and of UCX. Others that a process has may be those of all jobs of the user.
var prefixes = []string{"vader_segment.", "sm_segment.", "mpich_shar_tmp", "ucx_shm_posix_"}

// semaphore is how the names of semaphores of Open MPI's MPI-IO begin. The base name of a data file follows.
const semaphore = "sem.OMPIO_"

// Segment is a file in shared memory.
type Segment struct {
	Name  string `json:"name"`
	Inode uint64 `json:"inode"`
}

// MappedSegments returns the segments of the job that this process has mapped, each once.
func MappedSegments() ([]Segment, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, fmt.Errorf("shared memory of this job: %w", err)
	}
	return segmentsInMaps(maps), nil
}

// segmentsInMaps finds the segments in the text of /proc/PID/maps; see proc(5).
func segmentsInMaps(maps []byte) []Segment {
	var all []Segment
	for line := range strings.Lines(string(maps)) {
		if !strings.Contains(line, directory+"/") {
			continue
		}
		// address, permissions, offset, device, inode, path; "(deleted)" follows the path of what is removed
		fields := strings.Fields(line)
		if len(fields) != 6 {
			continue
		}
		name, in := strings.CutPrefix(fields[5], directory+"/")
		inode, err := strconv.ParseUint(fields[4], 10, 64)
		if s := (Segment{name, inode}); in && err == nil && isJobSegment(name) && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// isJobSegment reports whether a name is that of a segment of one job.
func isJobSegment(name string) bool {
	return !strings.Contains(name, "/") &&
		slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// RemoveSegments removes segments that still are what they were, and the semaphores of data files whose names begin
// with stem. It removes only files of this user. What is gone is no error.
func RemoveSegments(segments []Segment, stem string) error {
	return removeSegmentsIn(directory, segments, stem)
}

func removeSegmentsIn(dir string, segments []Segment, stem string) error {
	for _, entry := range semaphores(dir, stem) {
		segments = append(segments, Segment{Name: entry})
	}
	var failures []error
	for _, s := range segments {
		var found unix.Stat_t
		path := filepath.Join(dir, s.Name)
		if filepath.Base(s.Name) != s.Name || unix.Lstat(path, &found) != nil {
			continue
		}
		regular, own := found.Mode&unix.S_IFMT == unix.S_IFREG, int(found.Uid) == os.Geteuid()
		if !regular || !own || s.Inode != 0 && found.Ino != s.Inode {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			failures = append(failures, fmt.Errorf("shared memory that the job left: %w", err))
		}
	}
	return errors.Join(failures...)
}

// semaphores returns the names of the semaphores of data files whose names begin with stem.
func semaphores(dir, stem string) (names []string) {
	entries, _ := os.ReadDir(dir) // a system without it has none
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), semaphore+stem) {
			names = append(names, e.Name())
		}
	}
	return names
}
