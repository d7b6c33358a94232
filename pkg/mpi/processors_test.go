package mpi

import (
	"os"
	"path/filepath"
	"testing"
)

// tree creates files below a temporary directory, and returns the directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestQuotas(t *testing.T) {
	const (
		self   = "proc/self/cgroup"
		v2, v1 = "sys/fs/cgroup/", "sys/fs/cgroup/cpu/"
		both   = "sys/fs/cgroup/cpu,cpuacct/"
		quota  = "cpu.cfs_quota_us"
		period = "cpu.cfs_period_us"
	)
	for name, c := range map[string]struct {
		files map[string]string
		want  []float64 // outermost group first
	}{
		"no control groups": {nil, nil},
		"no quota":          {map[string]string{self: "0::/a", v2 + "a/cpu.max": "max 100000"}, nil},
		"its own":           {map[string]string{self: "0::/a/b", v2 + "a/b/cpu.max": "150000 100000"}, []float64{1.5}},
		"one around it": {map[string]string{
			self: "0::/a/b/c", v2 + "a/cpu.max": "200000 100000", v2 + "a/b/cpu.max": "max 100000",
		}, []float64{2}},
		"several": {map[string]string{
			self: "0::/a/b", v2 + "cpu.max": "800000 100000", v2 + "a/cpu.max": "50000 100000",
			v2 + "a/b/cpu.max": "200000 50000",
		}, []float64{8, 0.5, 4}},
		"of others only": {map[string]string{self: "0::/a", v2 + "b/cpu.max": "100000 100000"}, nil},
		"in a container": {map[string]string{self: "0::/", v2 + "cpu.max": "300000 100000"}, []float64{3}},
		"a container seen from outside": {
			map[string]string{self: "0::/docker/1f", v2 + "cpu.max": "300000 100000"}, []float64{3},
		},
		"above the container's": {
			map[string]string{self: "0::/../other", v2 + "cpu.max": "300000 100000"}, []float64{3},
		},
		"version 1": {map[string]string{
			self:                "12:cpuset:/x\n4:cpu,cpuacct:/a/b\n1:name=systemd:/x\n0::/x",
			v1 + quota:          "-1",
			v1 + period:         "100000",
			v1 + "a/" + quota:   "250000",
			v1 + "a/" + period:  "100000",
			v1 + "a/b/" + quota: "-1", v1 + "a/b/" + period: "100000",
		}, []float64{2.5}},
		"version 1 with its full name only": {
			map[string]string{self: "4:cpuacct,cpu:/a", both + "a/" + quota: "50000", both + "a/" + period: "50000"},
			[]float64{1},
		},
		"version 1, a group of another controller": {
			map[string]string{self: "4:cpuset:/a", v1 + "a/" + quota: "50000", v1 + "a/" + period: "50000"}, nil,
		},
		"texts that mean nothing": {map[string]string{
			self: "0::/a/b/c/d\nnothing", v2 + "cpu.max": "", v2 + "a/cpu.max": "100000", v2 + "a/b/cpu.max": "1 0",
			v2 + "a/b/c/cpu.max": "0 100000", v2 + "a/b/c/d/cpu.max": "-5 100000",
		}, nil},
	} {
		var got []float64
		for _, q := range readQuotas(tree(t, c.files)) {
			got = append(got, q.CPUs)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
		}
	}
}

func TestGrantedProcessors(t *testing.T) {
	const self, online = "proc/self/cgroup", "sys/devices/system/cpu/online"
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"no control groups": {nil, 0},
		"a job of Slurm, version 2": {map[string]string{
			self: "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0", online: "0-15",
			"sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/cpuset.cpus.effective": "0-3",
			"sys/fs/cgroup/cpuset.cpus.effective":                                            "0-15",
		}, 4},
		"a job of Slurm, version 1": {map[string]string{
			self: "4:cpuset:/slurm/uid_1/job_7", "sys/fs/cgroup/cpuset/slurm/uid_1/job_7/cpuset.cpus": "8,10",
			"sys/fs/cgroup/cpuset/cpuset.cpus": "0-15",
		}, 2},
		"all of them": {map[string]string{self: "0::/", "sys/fs/cgroup/cpuset.cpus.effective": "0-15"}, 16},
		"some are not there": {
			map[string]string{self: "0::/", online: "0-7", "sys/fs/cgroup/cpuset.cpus.effective": "0-15"}, 8,
		},
		"a quota is less": {map[string]string{
			self: "0::/", "sys/fs/cgroup/cpuset.cpus.effective": "0-7", "sys/fs/cgroup/cpu.max": "150000 100000",
		}, 1.5},
		"a list of nothing":   {map[string]string{self: "0::/a", "sys/fs/cgroup/a/cpuset.cpus.effective": ""}, 0},
		"a list that is none": {map[string]string{self: "0::/a", "sys/fs/cgroup/a/cpuset.cpus.effective": "x"}, 0},
	} {
		if got := processorLimit(tree(t, c.files)); got != c.want {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

// A group has the same identity for all processes in it or below it. Groups with the same path in different trees, such
// as those of containers, have different identities.
func TestGroupsAreToldApart(t *testing.T) {
	one := tree(t, map[string]string{"a/cpu.max": "1 1", "a/b/cpu.max": "1 1", "a/c/cpu.max": "1 1"})
	other := tree(t, map[string]string{"a/b/cpu.max": "1 1"})
	b, c, away := quotasOfGroup(one, "/a/b", readQuotaV2), quotasOfGroup(one, "/a/c", readQuotaV2),
		quotasOfGroup(other, "/a/b", readQuotaV2)
	if len(b) != 2 || len(c) != 2 || len(away) != 1 {
		t.Fatalf("%v, %v, %v", b, c, away)
	}
	if b[0] != c[0] || b[1] == c[1] || b[1] == away[0] {
		t.Errorf("%v, %v, %v", b, c, away)
	}
}

func TestProcessorsOfAProcess(t *testing.T) {
	const status, online = "proc/thread-self/status", "sys/devices/system/cpu/online"
	for name, c := range map[string]struct{ allowed, online, want string }{
		"bound":                   {"2,4-5\nMems:\t0", "0-7", "2,4-5"},
		"the list stays as it is": {"0,2,4", "0-7", "0,2,4"},
		"some are not there":      {"0-127", "0-3,8", "0-3,8"},
		"nothing is known of those that are there": {"0-127", "", "0-127"},
	} {
		root := tree(t, map[string]string{
			status: "Name:\tx\nCpus_allowed_list:\t" + c.allowed, online: c.online,
			"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/cpu.max": "150000 100000",
		})
		got, err := readProcessors(root)
		if err != nil || got.CPUs != c.want || len(got.Quotas) != 1 || got.Quotas[0].CPUs != 1.5 {
			t.Errorf("%s: %+v, %v, want %q and a quota of 1.5", name, got, err, c.want)
		}
	}
	for _, files := range []map[string]string{{}, {status: "Name:\tx"}} {
		if got, err := readProcessors(tree(t, files)); err == nil || got.CPUs != "" {
			t.Errorf("%v: %v, %v, want an error", files, got, err)
		}
	}
}

func TestUsableProcessors(t *testing.T) {
	in := func(list string, quotas ...Quota) Processors { return Processors{list, quotas} }
	a, b := Quota{"/a", 1.5}, Quota{"/b", 2}
	whole, big := Quota{"/", 3}, Quota{"/big", 64}
	for name, c := range map[string]struct {
		all  []Processors
		want float64
	}{
		"nobody":                            {nil, 0},
		"all on the same":                   {[]Processors{in("0"), in("0"), in("0")}, 1},
		"each its own":                      {[]Processors{in("0"), in("1"), in("7")}, 3},
		"lists that overlap":                {[]Processors{in("0-3"), in("2-5:2"), in("8")}, 6},
		"one quota for all":                 {[]Processors{in("0-7", a), in("0-7", a), in("0-7", a)}, 1.5},
		"a quota above the processors":      {[]Processors{in("0-1", big), in("0-1", big)}, 2},
		"containers of their own":           {[]Processors{in("0-7", a), in("0-7", b)}, 3.5},
		"containers on the same processors": {[]Processors{in("0-2", a), in("0-2", b)}, 3},
		"a quota around both":               {[]Processors{in("0-7", whole, a), in("0-7", whole, b)}, 3},
		"a large quota around both":         {[]Processors{in("0-7", big, a), in("0-7", big, b)}, 3.5},
		"a quota around one of them":        {[]Processors{in("0-7", b, a), in("0-7", b)}, 2},
		"one without a quota":               {[]Processors{in("0-7", a), in("8-9")}, 3.5},
		"bound within a quota":              {[]Processors{in("0", b), in("0", b), in("1-4")}, 5},
		"one that is not known":             {[]Processors{in("0-7"), in("")}, 0},
		"one that is not known in a group":  {[]Processors{in("0-7"), in("", a)}, 0},
		"a list that is none":               {[]Processors{in("0-7"), in("all")}, 0},
	} {
		if got := usableProcessors(c.all); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
