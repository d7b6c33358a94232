package mpi

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"h5perf/pkg/units"
)

// Processors are those that a process may use.
type Processors struct {
	CPUs   string  // on which it may run, such as "0-3,8"; "" is not known
	Quotas []Quota `json:",omitempty"` // of the control groups that it is in, the outermost first
}

// Quota is the processor time that all processes of a control group may use together.
type Quota struct {
	Group string  // identifies the group on its node
	CPUs  float64 // seconds of processor time per second
}

// OwnProcessors returns the processors that this thread may use. Quotas that cannot be read are left out.
func OwnProcessors() (Processors, error) { return readProcessors("/") }

// readProcessors returns the processors of the thread that the files below root describe.
func readProcessors(root string) (Processors, error) {
	allowed, err := allowedProcessors(root)
	return Processors{CPUs: onlineProcessors(root, allowed), Quotas: readQuotas(root)}, err
}

// allowedProcessors returns the list of processors on which this thread may run, in the format of /proc
// (Cpus_allowed_list).
func allowedProcessors(root string) (string, error) {
	const key = "Cpus_allowed_list:"
	file := filepath.Join(root, "proc/thread-self/status")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("processors of this process: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, key); found {
			return strings.TrimSpace(value), nil
		}
	}
	return "", fmt.Errorf("processors of this process: no %s in %s", key, file)
}

// onlineProcessors returns a list of processors without those that are not online: where nobody has bound a process,
// its list may have all that the machine could have.
func onlineProcessors(root, list string) string {
	text, _ := os.ReadFile(filepath.Join(root, "sys/devices/system/cpu/online"))
	there, err := units.ParseRanges(strings.TrimSpace(string(text)))
	all, listErr := units.ParseRanges(list)
	if err != nil || listErr != nil || len(there) == 0 {
		return list
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(n int) bool { return !slices.Contains(there, n) })
	if len(kept) == len(all) {
		return list
	}
	return units.FormatRanges(kept)
}

// GrantedProcessors returns how many processors of this node the control groups of this process leave to it and to the
// others of its groups, such as those of a job of a batch system. It returns 0 if they say nothing about it.
func GrantedProcessors() float64 { return grantedProcessors("/") }

// grantedProcessors returns the processors that the control groups in the files below root leave.
func grantedProcessors(root string) (cpus float64) {
	least := func(n float64) {
		if n > 0 && (cpus == 0 || n < cpus) {
			cpus = n
		}
	}
	for _, g := range controlGroups(root, "cpuset") {
		for at := path.Clean("/" + g.path); ; at = path.Dir(at) {
			list := cpusetProcessors(filepath.Join(g.mount, at))
			if list != "" || at == "/" {
				there, _ := units.ParseRanges(onlineProcessors(root, list))
				least(float64(len(there)))
				break
			}
		}
	}
	for _, q := range readQuotas(root) {
		least(q.CPUs)
	}
	return cpus
}

// cpusetProcessors returns the list of processors of a group, of either version; "" if it has none.
func cpusetProcessors(dir string) string {
	for _, name := range []string{"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

// readQuotas returns the quotas of the control groups of this process, the outermost first. A container may see a group
// by a path from outside of it. Then only the part of the path that exists below the mount counts, up to the mount
// itself, which is the container's own group.
func readQuotas(root string) []Quota {
	var all []Quota
	for _, g := range controlGroups(root, "cpu") {
		read := readQuotaV2
		if g.first {
			read = readQuotaV1
		}
		all = append(all, quotasOfGroup(g.mount, g.path, read)...)
	}
	return all
}

// controlGroup is a control group that this process is in.
type controlGroup struct {
	mount string // of its hierarchy
	path  string // below the mount
	first bool   // of version 1
}

// controlGroups returns the groups of this process that may limit what a controller controls.
func controlGroups(root, controller string) (all []controlGroup) {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number of the hierarchy, controllers, path
		if len(fields) < 3 {
			continue
		}
		mounts, first := []string{"."}, fields[0] != "0"
		if first {
			mounts = []string{controller, "cpu,cpuacct"}
			if !slices.Contains(strings.Split(fields[1], ","), controller) {
				continue
			}
		}
		for _, mount := range mounts {
			mount = filepath.Join(root, "sys/fs/cgroup", mount)
			if _, err := os.Stat(mount); err == nil {
				all = append(all, controlGroup{mount, fields[2], first})
				break
			}
		}
	}
	return all
}

// quotasOfGroup returns the quotas of a group below a mount and of those around it, the outermost first.
func quotasOfGroup(mount, group string, read func(dir string) (cpus float64, ok bool)) []Quota {
	var all []Quota
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		dir := filepath.Join(mount, at)
		if cpus, ok := read(dir); ok {
			all = append(all, Quota{groupIdentity(dir, at), cpus})
		}
		if at == "/" {
			slices.Reverse(all)
			return all
		}
	}
}

// groupIdentity returns a text that is the same for all processes of a node that are in the group, and for no others.
func groupIdentity(dir, group string) string {
	var is unix.Stat_t
	_ = unix.Stat(dir, &is) // without it the path must do
	return fmt.Sprintf("%s %d %d", group, is.Dev, is.Ino)
}

// readQuotaV2 reads the quota of a group of version 2: "max" or microseconds, and the period.
func readQuotaV2(dir string) (cpus float64, ok bool) {
	text, _ := os.ReadFile(filepath.Join(dir, "cpu.max"))
	quota, period, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return quotaShare(quota, period)
}

// readQuotaV1 reads the quota of a group of version 1: microseconds, or -1 for none.
func readQuotaV1(dir string) (cpus float64, ok bool) {
	quota, _ := os.ReadFile(filepath.Join(dir, "cpu.cfs_quota_us"))
	period, _ := os.ReadFile(filepath.Join(dir, "cpu.cfs_period_us"))
	return quotaShare(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

// quotaShare returns a quota divided by its period, and whether there is one.
func quotaShare(quota, period string) (cpus float64, ok bool) {
	q, err := strconv.ParseUint(quota, 10, 63)
	p, periodErr := strconv.ParseUint(period, 10, 63)
	if err != nil || periodErr != nil || q == 0 || p == 0 {
		return 0, false
	}
	return float64(q) / float64(p), true
}

// usableProcessors returns how many processors the processes of a node may use all together: those that any of them may
// run on, and of each control group no more than its quota. It returns 0 if that is not known of all of them.
func usableProcessors(all []Processors) float64 {
	_, n := mergeProcessors(all)
	return n
}

// mergeProcessors returns what usable returns, and the processors that any of the processes may run on, ascending; nil
// and 0 if that is not known of all of them.
func mergeProcessors(all []Processors) (run []int, n float64) {
	var free []int // of processes in no group that is left
	var groups []Quota
	members := map[Quota][]Processors{}
	for _, p := range all {
		list, err := units.ParseRanges(p.CPUs)
		if err != nil || len(list) == 0 {
			return nil, 0
		}
		if len(p.Quotas) == 0 {
			free = append(free, list...)
			continue
		}
		group := p.Quotas[0]
		if members[group] == nil {
			groups = append(groups, group)
		}
		members[group] = append(members[group], Processors{p.CPUs, p.Quotas[1:]})
	}
	run = sortDistinct(free)
	n = float64(len(run))
	for _, group := range groups {
		list, sum := mergeProcessors(members[group])
		if list == nil {
			return nil, 0
		}
		run = append(run, list...)
		n += min(sum, group.CPUs)
	}
	run = sortDistinct(run)
	return run, min(n, float64(len(run)))
}

// sortDistinct returns the numbers, ascending, each once.
func sortDistinct(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
