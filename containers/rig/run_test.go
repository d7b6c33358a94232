//go:build images

package rig_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/result"
)

func TestRanksMeasureAllAPIs(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		dir := data(t)
		run(t, flavour, dir, nil, "mpiexec", "-n", "2", "h5perf", "doctor")
		run(t, flavour, dir, []string{"--env=H5PERF_IMAGE_DIGEST=sha256:" + id(t, flavour)}, "mpiexec", "-n", "2",
			"h5perf", "-p", "2", "-e", "1M", "-B", "64K", "-x", "256K", "-X", "256K", "-i", "1", "-D", "v",
			"--json", "run.json")

		d := document(t, filepath.Join(dir, "run.json"))
		var apis []string
		for _, c := range d.Cases {
			apis = append(apis, c.API)
			if c.State != result.Complete || c.Processes != 2 {
				t.Errorf("%s of %d processes is %s", c.API, c.Processes, c.State)
			}
		}
		if slices.Sort(apis); !slices.Equal(apis, []string{"mpiio", "phdf5", "posix"}) {
			t.Errorf("measured %v", apis)
		}
		for _, want := range []result.KeyValue{
			{Key: "Direct VFD", Value: "1"}, {Key: "Subfiling VFD", Value: "1"},
		} {
			if !slices.Contains(d.Software.HDF5Config, want) {
				t.Errorf("no %v in the configuration of HDF5 %v", want, d.Software.HDF5Config)
			}
		}
		for _, is := range d.Software.HDF5Config {
			if strings.HasPrefix(is.Value, "@") {
				t.Errorf("%v in the configuration of HDF5 was never filled in", is)
			}
		}
		image := d.Machine.Image
		if image == nil || !regexp.MustCompile(`^[0-9a-f]{12}(-dirty)?\+[0-9a-f]{12}$`).MatchString(image.Build) ||
			image.Digest != "sha256:"+id(t, flavour) {
			t.Errorf("the document's image is %+v", image)
		}
	})
}

func TestTheUserIsAnOrdinaryOne(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		if said := strings.TrimSpace(run(t, flavour, data(t), nil, "id", "-un")); said != "h5perf" {
			t.Errorf("the user is %s", said)
		}
	})
}

// The system calls show it. strace is that of this machine, mounted with its libraries.
func TestTheDirectDriverOpensWithODirect(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		dir := data(t)
		run(t, flavour, dir, []string{"--volume=/:/host:ro"},
			"/host/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "--library-path", "/host/lib/x86_64-linux-gnu",
			"/host/usr/bin/strace", "-f", "-qq", "-e", "trace=openat", "-o", "trace",
			"h5perf_serial", "-A", "hdf5", "-v", "direct", "-e", "1M", "-x", "256K", "-i", "1", "--json", "run.json")
		if d := document(t, filepath.Join(dir, "run.json")); d.State != result.Complete {
			t.Errorf("the run is %s", d.State)
		}
		trace, err := os.ReadFile(filepath.Join(dir, "trace"))
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)\.h5", [^)]*\bO_DIRECT\b.* = [0-9]+$`).Match(trace) {
			t.Errorf("no file is opened with O_DIRECT:\n%s", trace)
		}
	})
}

func TestEveryDriverOfTheSerialToolMeasures(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		for _, driver := range []string{"sec2", "stdio", "core", "split", "multi", "family", "direct"} {
			dir := data(t)
			run(t, flavour, dir, nil, "h5perf_serial", "-A", "hdf5", "-v", driver, "-e", "1M", "-x", "256K", "-i", "1",
				"--json", "run.json")
			if d := document(t, filepath.Join(dir, "run.json")); d.State != result.Complete {
				t.Errorf("the run with %s is %s", driver, d.State)
			}
		}
	})
}

// The driver needs MPI_THREAD_MULTIPLE, and creates a file for each node beside the file that is named.
func TestSubfilingIsMeasuredAgainstMPIO(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		dir := data(t)
		for _, driver := range []string{"mpio", "subfiling"} {
			run(t, flavour, dir, nil, "mpiexec", "-n", "2", "h5perf", "--driver", driver, "-A", "phdf5",
				"-p", "2", "-e", "1M", "-B", "64K", "-x", "256K", "-X", "256K", "-i", "1", "-D", "v",
				"--json", driver+".json")

			c := document(t, filepath.Join(dir, driver+".json")).Cases[0]
			if c.State != result.Complete || !c.Verified || c.Effective.Driver != driver {
				t.Errorf("%s: %s, verified %v, by the driver %s", driver, c.State, c.Verified, c.Effective.Driver)
			}
		}
	})
}
