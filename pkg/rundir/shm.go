// This file finds and removes shared memory files, through which the processes of a job communicate on a node. MPI
// libraries remove them when a job ends, but not when its processes are killed. Then the files occupy memory until the
// node is rebooted.

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

// sharedMemoryDirectory is the directory of POSIX shared memory on Linux.
const sharedMemoryDirectory = "/dev/shm"

// segmentPrefixes holds the name prefixes of segments that belong to a single job: those of Open MPI 4 (vader) and 5
// (sm), of MPICH and of UCX. Other segments of a process may be shared by all jobs of the user.
var segmentPrefixes = []string{"vader_segment.", "sm_segment.", "mpich_shar_tmp", "ucx_shm_posix_"}

// semaphorePrefix is the name prefix of semaphores of Open MPI's MPI-IO. The base name of a data file follows it.
const semaphorePrefix = "sem.OMPIO_"

// SharedMemoryFile is a shared memory file.
type SharedMemoryFile struct {
	Name  string `json:"name"`
	Inode uint64 `json:"inode"`
}

// MappedSegments returns the segments of the job that this process has mapped, each once.
func MappedSegments() ([]SharedMemoryFile, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, fmt.Errorf("shared memory of this job: %w", err)
	}
	return segmentsInMaps(maps), nil
}

// segmentsInMaps returns the segments in the text of /proc/PID/maps; see proc(5).
func segmentsInMaps(maps []byte) []SharedMemoryFile {
	var all []SharedMemoryFile
	for line := range strings.Lines(string(maps)) {
		if !strings.Contains(line, sharedMemoryDirectory+"/") {
			continue
		}
		// address, permissions, offset, device, inode, path; "(deleted)" follows the path of a removed file
		fields := strings.Fields(line)
		if len(fields) != 6 {
			continue
		}
		name, in := strings.CutPrefix(fields[5], sharedMemoryDirectory+"/")
		inode, err := strconv.ParseUint(fields[4], 10, 64)
		if s := (SharedMemoryFile{name, inode}); in && err == nil && isJobSegment(name) && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// isJobSegment reports whether name is the name of a shared memory file that an MPI library or UCX has created for one
// job.
func isJobSegment(name string) bool {
	return !strings.Contains(name, "/") &&
		slices.ContainsFunc(segmentPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// RemoveSegments removes the segments whose inodes have not changed, and the semaphores of data files whose names begin
// with stem. It removes only files that belong to this user, and ignores files that no longer exist.
func RemoveSegments(segments []SharedMemoryFile, stem string) error {
	return removeSegmentsIn(sharedMemoryDirectory, segments, stem)
}

func removeSegmentsIn(dir string, segments []SharedMemoryFile, stem string) error {
	for _, entry := range semaphores(dir, stem) {
		segments = append(segments, SharedMemoryFile{Name: entry})
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
	entries, _ := os.ReadDir(dir) // without the directory, there are no semaphores
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), semaphorePrefix+stem) {
			names = append(names, e.Name())
		}
	}
	return names
}
