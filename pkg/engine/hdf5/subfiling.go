//go:build cgo

package hdf5

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
)

// CheckRun returns an error if the library, MPI or the environment does not allow to measure the settings. MPI must be
// initialised. lookup is os.LookupEnv or does the same.
func CheckRun(settings option.HDF5, lookup func(string) (string, bool)) error {
	if settings.Driver != option.Subfiling {
		return nil
	}
	if err := h5.CheckSubfiling(); err != nil {
		return err
	}
	if level := mpi.ThreadLevel(); level != mpi.Multiple {
		return fmt.Errorf("--driver subfiling: MPI provides the thread level %s, but HDF5 needs %s: use an MPI "+
			"library that was built with it", level, mpi.Multiple)
	}
	return settings.CheckEnvironment(lookup)
}

// setSubfiling sets the subfiling driver in the access list.
func (s *session) setSubfiling() error {
	d := s.conf.DriverSettings
	if err := h5.CheckSubfiling(); err != nil {
		return fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
	}
	local, _ := mpi.Node(s.env.Comm)
	s.leader = local == 0
	files := 0
	if d.SubfilingFiles != nil {
		files = *d.SubfilingFiles
	}
	return h5.SetSubfiling(s.fapl, s.env.Comm.Handle(), s.env.MPIIO.Info(),
		*d.SubfilingStripeBytes, files, *d.SubfilingThreads)
}

// perNode is the environment variable for the number of I/O concentrators of a node. HDF5 has no other interface for
// it. It reads the variable whenever it opens a file.
const perNode = "H5FD_SUBFILING_IOC_PER_NODE"

// setConcentrators sets the number of I/O concentrators for the next file that is opened.
func (s *session) setConcentrators() error {
	if s.conf.Driver != option.Subfiling {
		return nil
	}
	return os.Setenv(perNode, strconv.Itoa(*s.conf.DriverSettings.SubfilingPerNode))
}

// subfiles returns the files that a data file consists of: the file itself, which is a stub that holds only the
// superblock; the subfiles; and the configuration file of the library, which lists them and is named after the inode of
// the stub. It returns the stub alone while there is no configuration file.
func (s *session) subfiles(path string) []string {
	all := []string{filepath.Base(path)}
	stub, err := s.env.Lstat(path)
	if err != nil {
		return all
	}
	config := fmt.Sprintf("%s.subfile_%d.config", path, stub.Ino)
	fd, err := s.env.OpenFile(config, unix.O_RDONLY)
	if err != nil {
		return all
	}
	f := os.NewFile(uintptr(fd), config)
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name := lines.Text(); name != "" && !strings.Contains(name, "=") {
			all = append(all, filepath.Base(name))
		}
	}
	return append(all, filepath.Base(config))
}

// syncSubfiles makes durable what the concentrators have written. A file must be synced on the node where it was
// written, so the first process of each node syncs all files. The barrier makes sure that the transfers of all
// processes have returned: then their data are written. Collective.
func (s *session) syncSubfiles(path string) error {
	s.env.Comm.Barrier()
	if !s.leader {
		return nil
	}
	return s.syncFiles(path)
}
