package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/moby/sys/mountinfo"
)

// Traffic is a number of bytes that were read from storage, and written to it.
type Traffic struct{ Read, Written uint64 }

// TrafficMeter reads the kernel's counters of the bytes that move between this node and the file system of a directory.
// Only differences between two readings have a meaning.
type TrafficMeter struct {
	root string // of proc and sys
	// readNode returns the traffic of all programs of this node with the file system; nil: no counter is known.
	readNode func() (Traffic, bool)
	// countsCalls is set if readNode counts the bytes of calls, as with Lustre, and not those that reach the storage.
	countsCalls bool
}

// NewTrafficMeter returns a meter for the file system of a directory. handle is the directory if it is already open;
// nil: it is opened for a moment. The meter knows the counters of block devices, NFS and Lustre. For other file
// systems, and if the directory cannot be opened, its reading OfNode is never known.
func NewTrafficMeter(dir string, handle *os.File) *TrafficMeter {
	none := &TrafficMeter{root: "/"}
	if handle == nil {
		f, err := os.Open(dir)
		if err != nil {
			return none
		}
		defer func() { _ = f.Close() }()
		handle = f
	}
	m := mountOfFile(handle)
	if m == nil {
		return none
	}
	return newMountMeter("/", m)
}

// newMountMeter returns a meter for a mounted file system. root is the directory with proc and sys.
func newMountMeter(root string, mount *mountinfo.Info) *TrafficMeter {
	m := &TrafficMeter{root: root}
	switch {
	case mount.FSType == "nfs" || mount.FSType == "nfs4":
		m.readNode = func() (Traffic, bool) {
			return parseMountStats(readWholeFile(filepath.Join(root, "proc/self/mountstats")), mount.Mountpoint)
		}
	case mount.FSType == "lustre":
		_, name, _ := strings.Cut(mount.Source, ":/")
		name, _, _ = strings.Cut(name, "/")
		m.countsCalls = true
		m.readNode = func() (Traffic, bool) { return readLustreClient(root, name) }
	case mount.Major != 0: // the file system is on a block device
		device := wholeDevice(root, fmt.Sprintf("%d:%d", mount.Major, mount.Minor))
		m.readNode = func() (Traffic, bool) {
			return parseDiskStats(readWholeFile(filepath.Join(root, "proc/diskstats")), device)
		}
	}
	return m
}

// OfNode returns the traffic of all programs of this node with the file system. known is false if the kernel does not
// tell it.
func (m *TrafficMeter) OfNode() (t Traffic, known bool) {
	if m.readNode == nil {
		return Traffic{}, false
	}
	return m.readNode()
}

// OfProcess returns the traffic of this process with all file systems, counted as OfNode counts it. Bytes written count
// when the process changes a page of the page cache, not when the kernel writes the page.
func (m *TrafficMeter) OfProcess() (t Traffic, known bool) {
	return parseProcessIO(readWholeFile(filepath.Join(m.root, "proc/self/io")), m.countsCalls)
}

// DirtyBytes returns how many bytes of all file systems are in the memory of this node and not yet on storage.
func (m *TrafficMeter) DirtyBytes() uint64 {
	sum := uint64(0)
	for _, key := range []string{"Dirty", "Writeback", "NFS_Unstable"} {
		sum += parseKibibytes(firstValue(filepath.Join(m.root, "proc/meminfo"), ":", key))
	}
	return sum
}

// wholeDevice returns the number, such as 8:0, of the device that a partition is part of. It returns the number of any
// other device as it is.
func wholeDevice(root, number string) string {
	dir, err := filepath.EvalSymlinks(filepath.Join(root, "sys/dev/block", number))
	if err != nil {
		return number
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err != nil {
		return number
	}
	if whole := strings.TrimSpace(readWholeFile(filepath.Join(filepath.Dir(dir), "dev"))); whole != "" {
		return whole
	}
	return number
}

// sectorBytes is the unit of /proc/diskstats, whatever the sectors of the device are.
const sectorBytes = 512

// parseDiskStats finds the bytes of a device, such as 8:0, in the text of /proc/diskstats.
func parseDiskStats(text, device string) (t Traffic, found bool) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 10 || words[0]+":"+words[1] != device {
			continue
		}
		t, found = parseTraffic(words[5], words[9])
		return Traffic{sectorBytes * t.Read, sectorBytes * t.Written}, found
	}
	return Traffic{}, false
}

// parseMountStats finds the bytes that a mount of NFS has exchanged with its server, in the text of
// /proc/self/mountstats. If several file systems are mounted at the same place, the last one is on top.
func parseMountStats(text, mountPoint string) (t Traffic, found bool) {
	mountPoint = strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`, "\n", `\012`).Replace(mountPoint)
	here := false
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) > 4 && words[0] == "device":
			here = words[4] == mountPoint
		case here && len(words) > 6 && words[0] == "bytes:":
			t, found = parseTraffic(words[5], words[6])
		}
	}
	return t, found
}

// readLustreClient returns the sum of the bytes of calls over all mounts of the Lustre file system name on this node.
func readLustreClient(root, name string) (sum Traffic, found bool) {
	for _, dir := range []string{"sys/kernel/debug/lustre", "proc/fs/lustre", "sys/fs/lustre"} {
		paths, _ := filepath.Glob(filepath.Join(root, dir, "llite", name+"-*", "stats"))
		for _, path := range paths {
			if text := readWholeFile(path); text != "" {
				t := parseLustreStats(text)
				sum, found = Traffic{sum.Read + t.Read, sum.Written + t.Written}, true
			}
		}
		if found {
			break
		}
	}
	return sum, found
}

// parseLustreStats parses the text of a file llite/*/stats. A line is missing while its sum is 0. Example:
// "read_bytes 8 samples [bytes] 4096 1048576 4210688": the last number is the sum, or the sum of squares follows it.
func parseLustreStats(text string) (t Traffic) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 7 {
			continue
		}
		sum, _ := strconv.ParseUint(words[6], 10, 64)
		switch words[0] {
		case "read_bytes":
			t.Read = sum
		case "write_bytes":
			t.Written = sum
		}
	}
	return t
}

// parseProcessIO parses the text of /proc/self/io: the bytes of calls, or else the bytes that reached the storage or
// will reach it.
func parseProcessIO(text string, ofCalls bool) (t Traffic, found bool) {
	read, written := "read_bytes", "write_bytes"
	if ofCalls {
		read, written = "rchar", "wchar"
	}
	values := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		values[key] = strings.TrimSpace(value)
	}
	return parseTraffic(values[read], values[written])
}

// parseTraffic parses two numbers. valid is false if one of them is not a number.
func parseTraffic(read, written string) (t Traffic, valid bool) {
	var errs [2]error
	t.Read, errs[0] = strconv.ParseUint(read, 10, 64)
	t.Written, errs[1] = strconv.ParseUint(written, 10, 64)
	if errs[0] != nil || errs[1] != nil {
		return Traffic{}, false
	}
	return t, true
}

// readWholeFile returns the text of a file of the kernel, or "" if it cannot be read.
func readWholeFile(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}
