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

// Processors describes the processors that a process may use.
type Processors struct {
	CPUs   string  // list of those on which it may run, such as "0-3,8"; "" if unknown
	Quotas []Quota `json:",omitempty"` // quotas of its control groups, the outermost first
}

// Quota is the processor time that all processes of a control group may use together.
type Quota struct {
	Group string  // identifies the group on its node
	CPUs  float64 // seconds of processor time per second
}

// OwnProcessors returns the processors that this thread may use. Quotas that it cannot read are missing.
func OwnProcessors() (Processors, error) { return readProcessors("/") }

// readProcessors returns the processors that this thread may use, according to the files below root.
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

// onlineProcessors returns the processors of a list that are online. The kernel's list for a process that is not bound
// may contain all processors that the machine could have.
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

// ProcessorLimit returns how many processors of this node all processes in the control groups of this process may use
// together. A batch system makes such groups for its jobs. It returns 0 if the groups set no limit.
func ProcessorLimit() float64 { return processorLimit("/") }

// processorLimit does the same as ProcessorLimit, with the files below the directory root.
func processorLimit(root string) (cpus float64) {
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

// cpusetProcessors returns the list of processors of a control group of version 1 or 2; "" if it has none.
func cpusetProcessors(dir string) string {
	for _, name := range []string{"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

// readQuotas returns the quotas of the control groups of this process, the outermost first. In a container, the path of
// a group may be its path outside of the container. Then readQuotas uses only the part of the path that exists below
// the mount point, and the mount point itself, which is the container's own group.
func readQuotas(root string) []Quota {
	var all []Quota
	for _, g := range controlGroups(root, "cpu") {
		read := readQuotaV2
		if g.isVersion1 {
			read = readQuotaV1
		}
		all = append(all, quotasOfGroup(g.mount, g.path, read)...)
	}
	return all
}

// controlGroup is a control group to which this process belongs.
type controlGroup struct {
	mount      string // mount point of its hierarchy
	path       string // path below the mount point
	isVersion1 bool   // the group is of version 1
}

// controlGroups returns the control groups of this process in which a controller, such as cpu, may set limits.
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

// quotasOfGroup returns the quotas of a group below a mount point and of the groups that contain it, the outermost
// first.
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

// groupIdentity returns a string that identifies a control group on its node: it is the same for all processes in the
// group, and different for other groups.
func groupIdentity(dir, group string) string {
	var is unix.Stat_t
	_ = unix.Stat(dir, &is) // if it fails, only the path identifies the group
	return fmt.Sprintf("%s %d %d", group, is.Dev, is.Ino)
}

// readQuotaV2 reads the quota of a control group of version 2. The file contains the quota, in microseconds or "max",
// and the period in microseconds.
func readQuotaV2(dir string) (cpus float64, ok bool) {
	text, _ := os.ReadFile(filepath.Join(dir, "cpu.max"))
	quota, period, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return quotaShare(quota, period)
}

// readQuotaV1 reads the quota of a control group of version 1. The file contains it in microseconds; -1 means no quota.
func readQuotaV1(dir string) (cpus float64, ok bool) {
	quota, _ := os.ReadFile(filepath.Join(dir, "cpu.cfs_quota_us"))
	period, _ := os.ReadFile(filepath.Join(dir, "cpu.cfs_period_us"))
	return quotaShare(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

// quotaShare returns a quota divided by its period, and reports whether there is a quota.
func quotaShare(quota, period string) (cpus float64, ok bool) {
	q, err := strconv.ParseUint(quota, 10, 63)
	p, periodErr := strconv.ParseUint(period, 10, 63)
	if err != nil || periodErr != nil || q == 0 || p == 0 {
		return 0, false
	}
	return float64(q) / float64(p), true
}

// usableProcessors returns how many processors the processes of a node may use together. It counts the processors on
// which any of them may run, and for each control group no more than its quota. It returns 0 if the processors of any
// process are unknown.
func usableProcessors(all []Processors) float64 {
	_, n := mergeProcessors(all)
	return n
}

// mergeProcessors returns the processors on which any of the processes may run, in ascending order, and the number of
// processors that the processes may use together, as usableProcessors does. It returns nil and 0 if the processors of
// any process are unknown.
func mergeProcessors(all []Processors) (run []int, n float64) {
	var free []int // processors of processes that have no quota
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

// sortDistinct returns the numbers in ascending order, without duplicates.
func sortDistinct(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
