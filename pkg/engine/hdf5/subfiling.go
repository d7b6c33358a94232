//go:build cgo

package hdf5

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
)

// CheckRun refuses settings that the library, MPI or the environment do not let measure. MPI is initialised; lookup is
// that of os.LookupEnv.
func CheckRun(settings hdf5conf.Settings, lookup func(string) (string, bool)) error {
	if settings.Driver != hdf5conf.Subfiling {
		return nil
	}
	if err := h5.CheckSubfiling(); err != nil {
		return err
	}
	if level := mpi.ThreadLevel(); level != mpi.Multiple {
		return fmt.Errorf("--driver subfiling: MPI gives the thread level %s, and HDF5 needs %s: "+
			"use an MPI that was built with it", level, mpi.Multiple)
	}
	return settings.CheckEnvironment(lookup)
}

// setSubfiling chooses the subfiling driver.
func (s *session) setSubfiling() error {
	d := s.conf.DriverSettings
	if err := h5.CheckSubfiling(); err != nil {
		return fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
	}
	local, _ := mpi.Node(s.spec.Comm)
	s.leader = local == 0
	files := 0
	if d.SubfilingFiles != nil {
		files = *d.SubfilingFiles
	}
	return h5.SetSubfiling(s.fapl, s.spec.Comm.Handle(), s.spec.MPIIO.Info(),
		*d.SubfilingStripeBytes, files, *d.SubfilingThreads)
}

// perNode is the variable with which alone the library can be told how many processes of a node are I/O concentrators.
// It reads it whenever it opens a file.
const perNode = "H5FD_SUBFILING_IOC_PER_NODE"

// setConcentrators says how many I/O concentrators the next file is to have.
func (s *session) setConcentrators() error {
	if s.conf.Driver != hdf5conf.Subfiling {
		return nil
	}
	return os.Setenv(perNode, strconv.Itoa(*s.conf.DriverSettings.SubfilingPerNode))
}

// subfiles are the files that a file consists of: itself, a stub that holds its superblock alone; the subfiles; and the
// library's list of these, which is named after the inode of the stub. Where there is none yet, it is the stub.
func subfiles(path string) []string {
	all := []string{path}
	var stub syscall.Stat_t
	if syscall.Stat(path, &stub) != nil {
		return all
	}
	config := fmt.Sprintf("%s.subfile_%d.config", path, stub.Ino)
	f, err := os.Open(config)
	if err != nil {
		return all
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name := lines.Text(); name != "" && !strings.Contains(name, "=") {
			all = append(all, filepath.Join(filepath.Dir(path), filepath.Base(name)))
		}
	}
	return append(all, config)
}

// syncSubfiles makes durable what concentrators have written for any process: each node's first process syncs all
// files, since a file is to be synced where it was written. Transfers return when their data are written.
func (s *session) syncSubfiles(path string) error {
	s.spec.Comm.Barrier()
	if !s.leader {
		return nil
	}
	for _, part := range subfiles(path) {
		if err := syncFile(part); err != nil {
			return err
		}
	}
	return nil
}
