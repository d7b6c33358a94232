package node

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/result"

	"github.com/google/go-cmp/cmp"
)

// root creates a directory with the given files.
func root(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func none(string) string { return "" }

func TestMachineReadsProc(t *testing.T) {
	dir := root(t, map[string]string{
		"proc/cpuinfo": "processor\t: 0\ncpu family\t: 25\nmodel name\t: AMD EPYC 9754: 128-Core\n\nprocessor\t: " +
			"1\nmodel name\t: another\n",
		"sys/devices/system/cpu/cpu0/topology/thread_siblings_list":  "0,2\n",
		"sys/devices/system/cpu/cpu2/topology/thread_siblings_list":  "0,2\n",
		"sys/devices/system/cpu/cpu11/topology/thread_siblings_list": "11\n",
		"proc/stat":      "cpu  1 2 3\ncpu0 1 2\ncpu2 1 2\ncpu11 1 2\nintr 5\n",
		"proc/meminfo":   "MemTotal:       16384 kB\nMemFree:  1 kB\n",
		"etc/os-release": "NAME=\"Rocky\"\nPRETTY_NAME=\"Rocky Linux 9.4 (Blue Onyx)\"\n",
	})
	got := readMachine(dir, none)
	want := result.Machine{
		Host: got.Host, Kernel: got.Kernel, Arch: got.Arch,
		CPU: "AMD EPYC 9754: 128-Core", CPUs: 3, Cores: 2, MemoryBytes: 16 << 20, OS: "Rocky Linux 9.4 (Blue Onyx)",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestProcessorTimeIsThatOutsideOfTheKernel(t *testing.T) {
	for text, want := range map[string]struct {
		seconds float64
		cpus    int
	}{
		"cpu  100 20 3000 40000 5 6 7 80 9 10\ncpu0 50 10 1 2\ncpu1 50 10 1 2\nintr 5 6 7\n": {2, 2},
		"": {}, "x\n": {}, "\n": {}, "cpu a b c d e f g h i\n": {}, "intr 5\ncpu 100 100\n": {},
	} {
		if seconds, cpus := readProcessorTime(filepath.Join(root(t, map[string]string{"stat": text}),
			"stat")); seconds !=
			want.seconds || cpus != want.cpus {
			t.Errorf("%q: %g s of %d processors, want %+v", text, seconds, cpus, want)
		}
	}
}

func TestMachineOfPOWER(t *testing.T) {
	dir := root(t, map[string]string{"proc/cpuinfo": "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: " +
		"2800MHz\n"})
	if got := readMachine(dir, none).CPU; got != "POWER9, altivec supported" {
		t.Errorf("CPU %q", got)
	}
}

func TestWhatIsNotThereStaysEmpty(t *testing.T) {
	got := readMachine(t.TempDir(), none)
	want := result.Machine{Host: got.Host, Kernel: got.Kernel, Arch: got.Arch}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestContainer(t *testing.T) {
	environment := func(name, value string) func(string) string {
		return func(n string) string {
			if n == name {
				return value
			}
			return ""
		}
	}
	for _, c := range []struct {
		name   string
		files  map[string]string
		getenv func(string) string
		want   string
	}{
		{"bare", nil, none, ""},
		{"docker", map[string]string{".dockerenv": ""}, none, "docker"},
		{"podman", map[string]string{"run/.containerenv": ""}, none, "podman"},
		{"podman, read-only", nil, environment("container", "podman"), "podman"},
		{"apptainer", nil, environment("APPTAINER_CONTAINER", "/images/h5perf.sif"), "apptainer /images/h5perf.sif"},
		{"singularity", nil, environment("SINGULARITY_CONTAINER", "/h5perf.sif"), "singularity /h5perf.sif"},
	} {
		if got := findContainer(root(t, c.files), c.getenv); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// output returns what a program prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

func TestThisMachine(t *testing.T) {
	m := Machine()
	for _, c := range []struct{ what, got, want string }{
		{"host", m.Host, output(t, "uname", "-n")},
		{"kernel", m.Kernel, output(t, "uname", "-r")},
		{"architecture", m.Arch, output(t, "uname", "-m")},
		{"processors", strconv.Itoa(m.CPUs), output(t, "getconf", "_NPROCESSORS_ONLN")},
	} {
		if c.got != c.want {
			t.Errorf("%s %q, want %q", c.what, c.got, c.want)
		}
	}
	if m.MemoryBytes < 64<<20 {
		t.Errorf("memory %d bytes", m.MemoryBytes)
	}
	if runtime.GOARCH == "amd64" && m.CPU == "" {
		t.Error("no CPU model")
	}
}
