// Package node describes the machine, the file system and the program, and measures how much of a file is in the page
// cache. A property that cannot be determined stays empty; it never prevents a run.
package node

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"

	"golang.org/x/sys/unix"
)

// Machine describes the machine on which this process runs. It reads the files of the system once.
func Machine() result.Machine { return readOnce() }

var readOnce = sync.OnceValue(func() result.Machine {
	m := readMachine("/", os.Getenv)
	m.GrantedCPUs = mpi.ProcessorLimit()
	return m
})

// readMachine describes the machine with the root directory root.
func readMachine(root string, getenv func(string) string) result.Machine {
	m := result.Machine{
		CPU:         firstValue(filepath.Join(root, "proc/cpuinfo"), ":", "model name", "cpu"), // POWER has "cpu"
		Cores:       numCores(filepath.Join(root, "sys/devices/system/cpu")),
		MemoryBytes: parseKibibytes(firstValue(filepath.Join(root, "proc/meminfo"), ":", "MemTotal")),
		OS:          strings.Trim(firstValue(filepath.Join(root, "etc/os-release"), "=", "PRETTY_NAME"), `"'`),
		Container:   findContainer(root, getenv),
		Image:       findImage(root, getenv),
	}
	_, m.CPUs = readProcessorTime(filepath.Join(root, "proc/stat"))
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Host, m.Kernel, m.Arch = unix.ByteSliceToString(u.Nodename[:]), unix.ByteSliceToString(u.Release[:]),
			unix.ByteSliceToString(u.Machine[:])
	}
	return m
}

// firstValue returns the value of the first line "key separator value" of a file with one of the keys, or
// "".
func firstValue(path, separator string, keys ...string) string {
	for line := range linesOfFile(path) {
		key, value, _ := strings.Cut(line, separator)
		for _, k := range keys {
			if strings.TrimSpace(key) == k {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}

// ticksPerSecond is the number of time units of /proc/stat in a second: USER_HZ, which is 100 on all platforms that Go
// supports.
const ticksPerSecond = 100

// ProcessorTime returns how much time all processors of this node together have spent, since it started, in user mode
// or for other virtual machines (steal), in seconds. It is 0 if it is not known. cpus is the number of logical
// processors that are online, even if this process may not use all of them.
func ProcessorTime() (seconds float64, cpus int) { return readProcessorTime("/proc/stat") }

// readProcessorTime returns the results of ProcessorTime from a file like /proc/stat: the sum of user, nice and steal
// in the line cpu, and the number of lines cpu0, cpu1 and so on.
func readProcessorTime(path string) (seconds float64, cpus int) {
	for line := range linesOfFile(path) {
		words := strings.Fields(line)
		if len(words) == 0 || !strings.HasPrefix(words[0], "cpu") {
			break
		}
		if words[0] != "cpu" {
			cpus++
			continue
		}
		for i, word := range words {
			n, err := strconv.ParseUint(word, 10, 64)
			if err == nil && (i == 1 || i == 2 || i == 8) {
				seconds += float64(n) / ticksPerSecond
			}
		}
	}
	return seconds, cpus
}

// numCores returns the number of cores that are online. It counts the different sets of processors that share a core,
// in a directory like /sys/devices/system/cpu.
func numCores(dir string) int {
	files, _ := filepath.Glob(filepath.Join(dir, "cpu[0-9]*", "topology", "thread_siblings_list"))
	different := map[string]bool{}
	for _, file := range files {
		for line := range linesOfFile(file) {
			different[line] = true
		}
	}
	return len(different)
}

// parseKibibytes parses a size such as "16384 kB", as in /proc/meminfo, into bytes. It returns 0 for any other text.
func parseKibibytes(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// findContainer returns the name of the container runtime in which this process runs, with the image if it is known. It
// returns "" if it detects none.
func findContainer(root string, getenv func(string) string) string {
	for _, runtime := range []string{"apptainer", "singularity"} {
		if image := getenv(strings.ToUpper(runtime) + "_CONTAINER"); image != "" {
			return runtime + " " + image
		}
	}
	for _, mark := range []struct{ path, runtime string }{{".dockerenv", "docker"}, {"run/.containerenv", "podman"}} {
		if _, err := os.Stat(filepath.Join(root, mark.path)); err == nil {
			return mark.runtime
		}
	}
	return getenv("container") // systemd's container interface; podman --read-only leaves no other trace
}

// linesOfFile yields the lines of a file. It yields none if the file cannot be read.
func linesOfFile(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		f, err := os.Open(path)
		if err != nil {
			return
		}
		defer func() { _ = f.Close() }()
		s := bufio.NewScanner(f)
		for s.Scan() && yield(s.Text()) {
		}
	}
}
