//go:build sif

// Package sif_test runs the SIFs as a user of a cluster does. Its directory contains them, and what else
// test-sif puts there.
package sif_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/doctor"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

var flavours = []string{"openmpi", "mpich"}

// offline are options that keep a container from every network.
var offline = []string{"--net", "--network=none"}

// apptainer returns a command of Apptainer, with options, that prints nothing of its own.
func apptainer(command string, options []string, words ...string) []string {
	return slices.Concat([]string{"apptainer", "--silent", command}, options, words)
}

// run runs a command and returns what it wrote to both streams, and the error with which it ended.
func run(t *testing.T, command ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var out, told bytes.Buffer
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stdout, c.Stderr = &out, &told
	err = c.Run()
	return out.String(), told.String(), err
}

// succeed runs a command that must succeed, and returns its standard output.
func succeed(t *testing.T, command ...string) string {
	t.Helper()
	stdout, stderr, err := run(t, command...)
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, stdout, stderr)
	}
	return stdout
}

// each runs a test on the SIF of each flavour.
func each(t *testing.T, test func(t *testing.T, flavour, sif string)) {
	for _, flavour := range flavours {
		t.Run(flavour, func(t *testing.T) { test(t, flavour, flavour+".sif") })
	}
}

// measure runs a command with which the parallel tool measures through every API and writes only a verified
// document to standard output. It returns the document and the standard error.
func measure(t *testing.T, ranks int, command ...string) (result.Document, string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(rundir.ParallelPrefix, dir)
	stdout, stderr, err := run(t,
		append(command, "-e", "1M", "-B", "64K", "-x", "256K", "-X", "256K", "-i", "1", "-D", "v", "--json", "-")...)
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, stdout, stderr)
	}
	path := filepath.Join(t.TempDir(), "document.json")
	if err := os.WriteFile(path, []byte(stdout), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := result.Read(path)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if d.Job.Processes != ranks {
		t.Errorf("a job of %d processes", d.Job.Processes)
	}
	var apis []string
	for _, c := range d.Cases {
		if c.Processes == ranks {
			apis = append(apis, c.API)
		}
		if c.State != result.Complete || !c.Verified {
			t.Errorf("%s on %d processes is %s, verified: %t", c.API, c.Processes, c.State, c.Verified)
		}
	}
	if slices.Sort(apis); !slices.Equal(apis, []string{"mpiio", "phdf5", "posix"}) {
		t.Errorf("%d processes measured %v", ranks, apis)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return d, stderr
}

// labels returns the labels of a SIF.
func labels(t *testing.T, sif string) map[string]string {
	t.Helper()
	var inspected struct {
		Data struct {
			Attributes struct{ Labels map[string]string }
		}
	}
	err := json.Unmarshal([]byte(succeed(t, apptainer("inspect", nil, "--json", "--labels", sif)...)), &inspected)
	if err != nil {
		t.Fatal(err)
	}
	return inspected.Data.Attributes.Labels
}

// status returns the exit status of a command that ended with err.
func status(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}

func TestTheUserIsAnOrdinaryOne(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Fatal("root runs this; run make test-sif")
	}
}

// Nothing of the machine is bound but the directory that the variables name.
func TestTheSIFTestsTheDirectoryToMeasure(t *testing.T) {
	each(t, func(t *testing.T, _, sif string) {
		dir := t.TempDir()
		t.Setenv("APPTAINER_BINDPATH", dir)
		t.Setenv(rundir.ParallelPrefix, dir)
		contained := append([]string{"--contain"}, offline...)
		said := succeed(t, apptainer("test", contained, sif)...)
		if !strings.Contains(said, "two ranks wrote and verified data in "+dir+"\n") {
			t.Errorf("it says %q", said)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}

		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, err := run(t, apptainer("test", contained, sif)...)
		if err == nil || !strings.Contains(stderr, "HDF5_PARAPREFIX="+dir) {
			t.Errorf("%v, where nothing can be written\n%s%s", err, stdout, stderr)
		}
	})
}

func TestTheSIFTestsItselfWithoutADirectory(t *testing.T) {
	each(t, func(t *testing.T, _, sif string) {
		if said := succeed(t, apptainer("test", offline, sif)...); !strings.Contains(said,
			"two ranks wrote and verified data") {
			t.Errorf("it says %q", said)
		}
	})
}

func TestTheTestOfTheSIFCanFail(t *testing.T) {
	each(t, func(t *testing.T, _, sif string) {
		stdout, stderr, err := run(t, apptainer("test", nil, "--bind=/bin/false:/usr/local/bin/h5perf", sif)...)
		if err == nil {
			t.Errorf("it passes without h5perf\n%s%s", stdout, stderr)
		}
	})
}

func TestTheLabelsAreThoseOfTheImage(t *testing.T) {
	each(t, func(t *testing.T, flavour, sif string) {
		var image struct {
			Config struct{ Labels map[string]string }
		}
		text, err := os.ReadFile(flavour + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &image); err != nil || len(image.Config.Labels) == 0 {
			t.Fatalf("labels of the image: %v, %v", image.Config.Labels, err)
		}
		has := labels(t, sif)
		for _, name := range slices.Sorted(maps.Keys(image.Config.Labels)) {
			if has[name] != image.Config.Labels[name] {
				t.Errorf("%s is %q in the SIF and %q in the image", name, has[name], image.Config.Labels[name])
			}
		}
	})
}

func TestTheSIFExplainsItself(t *testing.T) {
	each(t, func(t *testing.T, _, sif string) {
		for _, c := range []struct {
			command []string
			says    string
		}{
			{apptainer("run-help", nil, sif), "mpiexec -n 4 apptainer exec"},
			{apptainer("run-help", nil, "--app", "h5perf", sif), "The parallel tool"},
			{apptainer("run-help", nil, "--app", "h5perf_serial", sif), "The serial tool"},
			{apptainer("inspect", nil, "--list-apps", sif), "h5perf\nh5perf_serial"},
			{apptainer("run", nil, sif, "--help"), "h5perf"},
			{apptainer("run", nil, "--app", "h5perf", sif, "--help"), "h5perf"},
		} {
			if said := succeed(t, c.command...); !strings.Contains(said, c.says) {
				t.Errorf("%s says\n%s", strings.Join(c.command, " "), said)
			}
		}
	})
}

func TestTheSerialToolIsAnApp(t *testing.T) {
	each(t, func(t *testing.T, _, sif string) {
		t.Setenv(rundir.SerialPrefix, t.TempDir())
		said := succeed(t, apptainer("run", offline, "--app", "h5perf_serial", sif, "-e", "1M", "-x",
			"64K", "-i", "1")...)
		if !strings.Contains(said, "Maximum Throughput") {
			t.Errorf("it says\n%s", said)
		}
	})
}

func TestMPIInside(t *testing.T) {
	each(t, func(t *testing.T, _, sif string) {
		d, _ := measure(t, 2, apptainer("exec", offline, sif, "mpiexec", "-n", "2", "h5perf")...)
		_, build, _ := strings.Cut(strings.TrimSpace(succeed(t,
			apptainer("exec", nil, sif, "cat", "/usr/share/h5perf/image")...)), "build_id=")
		want := result.Image{Build: build, Digest: labels(t, sif)["h5perf.image.digest"]}
		if build == "" || !strings.HasPrefix(want.Digest, "sha256:") || d.Machine.Image == nil ||
			*d.Machine.Image != want {
			t.Errorf("the document's image is %+v, not %+v", d.Machine.Image, want)
		}
		if !strings.HasPrefix(d.Machine.Container, "apptainer ") {
			t.Errorf("the document's container is %q", d.Machine.Container)
		}
	})
}

// Ranks do not try what their user namespaces forbid: no library complains.
func TestTheHostsLauncher(t *testing.T) {
	each(t, func(t *testing.T, flavour, sif string) {
		_, told := measure(t, 2, slices.Concat(launcher(flavour, "2"), apptainer("exec", nil, sif, "h5perf",
			"--quiet"))...)
		if told != "" {
			t.Errorf("it tells\n%s", told)
		}
	})
}

// launcher returns the command of the host's launcher of an MPI.
func launcher(flavour, ranks string) []string { return []string{"mpiexec." + flavour, "-n", ranks} }

// The dynamic linker shows which libraries it initialises.
func TestTheHostsMPI(t *testing.T) {
	for _, c := range []struct{ name, flavour, library string }{
		{"openmpi", "openmpi", "/opt/mpi/lib/libmpi.so.40"},
		{"mpich", "mpich", "/opt/mpi/lib/libmpich.so.12"},
		{"abi", "mpich", "/usr/local/lib/mpich-abi/libmpich.so.12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := filepath.Join(t.TempDir(), "told")
			measure(t, 2, slices.Concat(launcher(c.flavour, "2"),
				apptainer("exec", nil, "--bind="+c.name+":/opt/mpi/lib", c.flavour+".sif",
					"env", "LD_DEBUG=libs", "LD_DEBUG_OUTPUT="+told, "h5perf"))...)
			files, _ := filepath.Glob(told + ".*")
			processes := 0
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(string(text)) {
					_, library, _ := strings.Cut(strings.TrimSpace(line), "calling init: ")
					if name := filepath.Base(library); !strings.HasPrefix(name, "libmpi.") &&
						!strings.HasPrefix(name, "libmpich.") {
						continue
					}
					if processes++; library != c.library {
						t.Errorf("%s is loaded", library)
					}
				}
			}
			if processes < 2 {
				t.Errorf("%d processes loaded an MPI", processes)
			}
		})
	}
}

// mismatch is a launch of two processes, each of which is an MPI world of its own, and what must be
// reported.
type mismatch struct {
	name, advice string
	command      []string // what precedes h5perf and its arguments
}

// mismatches returns the mismatches of a flavour: the launcher of another MPI, and a container that hides
// the launcher from the processes.
func mismatches(flavour, other string) []mismatch {
	sif := flavour + ".sif"
	return []mismatch{
		{
			other + " starts " + flavour, "start it with",
			slices.Concat(launcher(other, "2"), apptainer("exec", nil, sif)),
		},
		{
			flavour + " with --cleanenv", "keep the environment",
			slices.Concat(launcher(flavour, "2"), apptainer("exec", nil, "--cleanenv", sif)),
		},
	}
}

func TestAMismatchIsRefused(t *testing.T) {
	for i, flavour := range flavours {
		for _, m := range mismatches(flavour, flavours[1-i]) {
			t.Run(m.name, func(t *testing.T) {
				dir := t.TempDir()
				t.Setenv(rundir.ParallelPrefix, dir)
				t.Setenv("APPTAINERENV_"+rundir.ParallelPrefix, dir)
				stdout, stderr, err := run(t, slices.Concat(m.command, []string{"h5perf"})...)
				if status(err) != 3 || !strings.Contains(stderr, "2 processes were launched") ||
					!strings.Contains(stderr, m.advice) {
					t.Errorf("%v\n%s", err, stderr)
				}
				if strings.Contains(stdout, "Throughput") {
					t.Errorf("it measured\n%s", stdout)
				}
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
}

// A process without others beside it is not refused.
func TestOneProcessMeasuresInACleanedEnvironment(t *testing.T) {
	each(t, func(t *testing.T, flavour, sif string) {
		t.Setenv("APPTAINERENV_"+rundir.ParallelPrefix, t.TempDir())
		said := succeed(t, slices.Concat(launcher(flavour, "1"), apptainer("exec", nil, "--cleanenv", sif,
			"h5perf", "-e", "1M", "-B", "64K", "-x", "256K", "-X", "256K", "-i", "1"))...)
		if !strings.Contains(said, "Throughput") {
			t.Errorf("it says\n%s", said)
		}
	})
}

// examine runs a command of the doctor, and returns the examination of the first process and the error with
// which the command ended.
func examine(t *testing.T, command ...string) (doctor.Examination, error) {
	t.Helper()
	stdout, stderr, err := run(t, append(command, "h5perf", "doctor", "--json", "--timeout", "2m", t.TempDir())...)
	var e doctor.Examination
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, stdout, stderr)
	}
	return e, err
}

// found returns a check of an examination.
func found(t *testing.T, e doctor.Examination, name string) doctor.Check {
	t.Helper()
	i := slices.IndexFunc(e.Checks, func(c doctor.Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no check %s in %+v", name, e.Checks)
	}
	return e.Checks[i]
}

func TestTheDoctorInsideAndAcrossTheBoundary(t *testing.T) {
	each(t, func(t *testing.T, flavour, sif string) {
		digest := labels(t, sif)["h5perf.image.digest"]
		inside := apptainer("exec", offline, sif)
		for _, c := range []struct {
			name      string
			command   []string
			processes int
		}{
			{"alone", inside, 1},
			{"inside", append(inside, "mpiexec", "-n", "2"), 2},
			{"hybrid", slices.Concat(launcher(flavour, "2"), apptainer("exec", nil, sif)), 2},
		} {
			t.Run(c.name, func(t *testing.T) {
				e, err := examine(t, c.command...)
				if err != nil || e.Verdict == doctor.Problem || e.Launch.Processes != c.processes {
					t.Errorf("%v, %s: %+v", err, e.Verdict, e.Checks)
				}
				if e.Machine.Image == nil || e.Machine.Image.Digest != digest ||
					!strings.HasPrefix(e.Machine.Container, "apptainer ") {
					t.Errorf("in %q, of the image %+v", e.Machine.Container, e.Machine.Image)
				}
				if !e.HDF5.Parallel || !slices.Contains(e.HDF5.Drivers, "subfiling") ||
					!slices.Contains(e.HDF5.Drivers, "direct") {
					t.Errorf("HDF5 is %+v", e.HDF5)
				}
				if c.processes == 1 {
					return
				}
				if l := e.Launch; l.Launcher == "" || l.PMI == "" || flavour == "openmpi" &&
					(l.PMIx == "" || !strings.HasPrefix(l.PMI, "PMIx ")) {
					t.Errorf("launched by %q, which provides %q, and asks by PMIx %q", l.Launcher, l.PMI, l.PMIx)
				}
				if e.Ring == nil || e.Ring.Error != "" {
					t.Errorf("the ring is %+v", e.Ring)
				}
				// Each process has a user namespace, and must do without what that forbids.
				if s := e.SingleCopy; s == nil || c.name == "hybrid" &&
					(!s.UserNamespace || s.Possible || found(t, e, "single copy").Verdict != doctor.OK) {
					t.Errorf("single copy is %+v: %+v", s, found(t, e, "single copy"))
				}
			})
		}
	})
}

func TestTheDoctorTellsOfAMismatch(t *testing.T) {
	for i, flavour := range flavours {
		for _, m := range mismatches(flavour, flavours[1-i]) {
			t.Run(m.name, func(t *testing.T) {
				e, err := examine(t, m.command...)
				if launch := found(t, e, "launch"); status(err) != 3 || launch.Verdict != doctor.Problem ||
					!strings.Contains(launch.Finding, "2 processes were launched") ||
					!strings.Contains(launch.Finding, m.advice) {
					t.Errorf("%v, %+v", err, launch)
				}
			})
		}
	}
}
