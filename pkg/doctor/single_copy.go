package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"h5perf/pkg/units"
)

// SingleCopy describes single-copy transfers: one process of a node reads directly from the memory of another one (CMA,
// cross-memory attach). It holds whether they are possible, and the settings that matter for them.
type SingleCopy struct {
	// Processes could read the memory of another process on their node.
	Possible      bool   `json:"possible"`
	Error         string `json:"error,omitempty"`        // why it is not possible
	PtraceScope   string `json:"ptrace_scope,omitempty"` // setting of Yama; absent if the kernel has no Yama
	UserNamespace bool   `json:"user_namespace"`         // the process is in its own user namespace
	// Environment variables that select how MPI sends messages between processes of a node.
	Settings         []string `json:"settings,omitempty"`
	FreeSharedMemory uint64   `json:"shared_memory_free_bytes"` // free bytes of /dev/shm
	// Number of processes whose /dev/shm differs from that of the first process on their node.
	ApartProcesses int `json:"shared_memory_apart,omitempty"`
}

// SharedMemory identifies the /dev/shm that a process sees. The zero value means that there is no /dev/shm.
type SharedMemory struct{ Device, Inode uint64 }

// NewSharedMemory returns the identity of the directory dev/shm below root, which is / except in tests.
func NewSharedMemory(root string) SharedMemory {
	var is unix.Stat_t
	if err := unix.Stat(filepath.Join(root, "dev/shm"), &is); err != nil {
		return SharedMemory{}
	}
	return SharedMemory{is.Dev, is.Ino}
}

// copyVariablePrefixes holds prefixes of the environment variables for SingleCopy.Settings.
var copyVariablePrefixes = []string{
	"OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_smsc", "PRTE_MCA_smsc", "UCX_TLS", "UCX_POSIX_USE_PROC_LINK",
	"UCX_NET_DEVICES", "FI_PROVIDER", "MPIR_CVAR_CH4",
	"MPIR_CVAR_NOLOCAL", "MPICH_SMP_SINGLE_COPY",
}

// NewSingleCopy reads the settings for single-copy transfers from the environment and from files below root, which is /
// except in tests. It sets neither the result of the test, Possible and Error, nor ApartProcesses.
func NewSingleCopy(root string, environ []string) SingleCopy {
	scope, _ := os.ReadFile(filepath.Join(root, "proc/sys/kernel/yama/ptrace_scope"))
	users, _ := os.ReadFile(filepath.Join(root, "proc/self/uid_map"))
	s := SingleCopy{
		PtraceScope:      strings.TrimSpace(string(scope)),
		UserNamespace:    len(users) > 0 && strings.Join(strings.Fields(string(users)), " ") != "0 0 4294967295",
		FreeSharedMemory: freeBytes(filepath.Join(root, "dev/shm")),
	}
	for _, entry := range environ {
		for _, prefix := range copyVariablePrefixes {
			if strings.HasPrefix(entry, prefix) {
				s.Settings = append(s.Settings, entry)
				break
			}
		}
	}
	return s
}

// isDisabledInMPI reports whether an environment variable tells MPI not to use single-copy transfers (CMA) between the
// processes of a node.
func (s SingleCopy) isDisabledInMPI() bool {
	for _, entry := range s.Settings {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case strings.HasSuffix(name, "single_copy_mechanism") && value == "none",
			name == "OMPI_MCA_smsc" && (strings.HasPrefix(value, "^") && strings.Contains(value, "cma") || value == ""),
			name == "UCX_TLS" && !strings.Contains(value, "cma") && !strings.Contains(value, "all") &&
				!strings.HasPrefix(value, "^"),
			name == "UCX_TLS" && strings.HasPrefix(value, "^") && strings.Contains(value, "cma"),
			name == "MPICH_SMP_SINGLE_COPY_MODE" && value == "NONE":
			return true
		}
	}
	return false
}

// minSharedBytes is a threshold in bytes: with less free space in /dev/shm, MPI may fail.
const minSharedBytes = 16 << 20

// Check returns the check of single-copy transfers. library is the MPI library, as MPI_Get_library_version returns it.
func (s SingleCopy) Check(library string) Check {
	c := Check{Name: "single copy", Verdict: OK, Finding: "processes of this node can copy from " +
		"each other's memory (CMA)"}
	var advice []string
	if !s.Possible {
		c.Finding = "processes of this node cannot copy from each other's memory (CMA): " + s.Error
		var why []string
		if s.PtraceScope != "" && s.PtraceScope != "0" {
			why = append(why, "kernel.yama.ptrace_scope is "+s.PtraceScope)
		}
		if s.UserNamespace {
			why = append(why, "each container has its own user namespace")
		}
		if len(why) > 0 {
			c.Finding += " (" + strings.Join(why, "; ") + ")"
		}
		if !s.isDisabledInMPI() {
			c.Verdict = Warning
			advice = append(advice, disableCopyAdvice(library))
		}
	}
	if len(s.Settings) > 0 {
		c.Finding += "; environment: " + strings.Join(s.Settings, " ")
	}
	if s.FreeSharedMemory < minSharedBytes {
		c.Verdict = Warning
		c.Finding += fmt.Sprintf("; /dev/shm has %s free", units.FormatBytes(float64(s.FreeSharedMemory)))
		advice = append(advice,
			"make /dev/shm larger (--shm-size of docker and podman): MPI sends messages within a node through it")
	}
	if s.ApartProcesses > 0 {
		c.Verdict = Warning
		c.Finding += fmt.Sprintf("; %s a different /dev/shm than the first process of their node",
			units.Count(s.ApartProcesses, "process uses", "processes use"))
		advice = append(advice,
			"let the processes of a node share /dev/shm (apptainer without --contain); otherwise their messages go "+
				"over the network, or MPI_Init fails or hangs")
	}
	c.Advice = strings.Join(advice, "; ")
	return c
}

// disableCopyAdvice returns advice on how to disable single-copy transfers (CMA) in an MPI library.
func disableCopyAdvice(library string) string {
	switch {
	case strings.HasPrefix(library, "Open MPI v4"), strings.HasPrefix(library, "Open MPI v3"):
		return "set OMPI_MCA_btl_vader_single_copy_mechanism=none; otherwise Open MPI prints a warning on each " +
			"rank; messages then go through shared memory, which makes MPI-IO and HDF5 a little slower"
	case strings.HasPrefix(library, "Open MPI"):
		return "set OMPI_MCA_smsc=^cma; messages then go through shared memory"
	}
	return "if MPI_Init fails or hangs, set UCX_TLS=posix,self,tcp and UCX_POSIX_USE_PROC_LINK=n; messages then go " +
		"through shared memory"
}
