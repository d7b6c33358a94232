// Package node describes machine, file system and program, and asks what data the page cache has. What cannot be found
// out stays empty and never prevents a run.
package node

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"

	"golang.org/x/sys/unix"
)

// Machine describes the machine of this process.
func Machine() result.Machine {
	m := readMachine("/", os.Getenv)
	m.GrantedCPUs = mpi.GrantedProcessors()
	return m
}

// readMachine describes the machine whose files are below root.
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

// ticksPerSecond is the number of units of /proc/stat in a second: USER_HZ, which is 100 on all platforms that Go
// supports.
const ticksPerSecond = 100

// ProcessorTime returns for how long, in seconds since the start of this node, all of its processors together have
// worked for programs outside of the kernel, and for other virtual machines; and the number of logical processors that
// are online, whichever of them this process may use. The time is 0 where it is not known.
func ProcessorTime() (seconds float64, cpus int) { return readProcessorTime("/proc/stat") }

// readProcessorTime returns what ProcessorTime returns, of a file like /proc/stat: the sum of user, nice and steal in
// its line cpu, and the number of the lines cpu0, cpu1 and so on.
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
// below a directory like /sys/devices/system/cpu.
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

// parseKibibytes returns the number of bytes of a text such as "16384 kB", as in /proc/meminfo, or 0 for other
// texts.
func parseKibibytes(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// findContainer returns the name of the container runtime around this process, with the image if it is known.
// It returns "" if there is no trace of one.
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

// linesOfFile yields the lines of a file, or none if it cannot be read.
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
