//go:build cgo && !nompi && bench

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// TestBenchIor compares throughputs with those of IOR. IOR_REF has its path.
func TestBenchIor(t *testing.T) {
	reference, own := referenceOf("ior", "IOR_REF", "program of IOR"), built(t, "h5perf")
	if reference == "" {
		return
	}
	inBenchDirs(t, func(dir, name string) {
		for _, n := range benchRanks(t) {
			for _, way := range []struct{ name, own, ior string }{
				{"posix", "-A posix", "-a POSIX"},
				{"posix -I", "-A posix -I", "-a POSIX"},
				{"mpiio", "-A mpiio", "-a MPIIO"},
				{"mpiio -I", "-A mpiio -I", "-a MPIIO"},
				{"mpiio -C", "-A mpiio -C", "-a MPIIO -c"},
				{"mpiio -C -I", "-A mpiio -C -I", "-a MPIIO -c"},
			} {
				for _, size := range benchSizes {
					x, bytes := units.FormatSize(size), min(256<<20, max(8<<20, size<<15)) // see rates
					block, segments := bytes, uint64(1)
					if strings.HasSuffix(way.name, "-I") {
						block, segments = size, bytes/size
					}
					theirs := append([]string{reference}, strings.Fields(way.ior)...)
					theirs = append(theirs, "-b", fmt.Sprint(block), "-s", fmt.Sprint(segments), "-t", fmt.Sprint(size),
						"-i", "3", "-g", "-w", "-r", "-o", filepath.Join(dir, "ior"), "-O", "summaryFormat=JSON")
					ours := append([]string{own}, strings.Fields(way.own)...)
					ours = append(ours, "-p", fmt.Sprint(n), "-i", "3", "-e", units.FormatSize(bytes), "-B", x, "-x", x,
						"-X", x)
					compare(t, "ior", ratio, each(fmt.Sprintf("%s %d ranks %s %s", name, n, way.name, x), directions),
						func(t *testing.T) []float64 {
							out := printed(t, dir, nil, launcherOf(t, n, theirs...)...)
							return rates(t, out, uint64(n)*bytes, "raw")
						}, subject{
							"h5perf : IOR, throughput", reported(dir, nil, launcherOf(t, n, ours...)...),
						})
				}
			}
		}
	})
}

// iorWays are options of IOR with its API HDF5, and those of the workload that does the same.
var iorWays = []struct{ ior, own string }{
	{"", ""},
	{"-c", "--set mode=collective"},
	{
		"--hdf5.noFill --hdf5.collectiveMetadata --hdf5.setAlignment=64k",
		"--fill-time never --collective-metadata both --align 64K --threshold 64K",
	},
}

// TestBenchIorHDF5 compares files, and raw and observed rates, with those of IOR with its API HDF5. IOR_REF has its
// path. The raw rate counts the time between the opening and the closing of the file.
func TestBenchIorHDF5(t *testing.T) {
	reference := referenceOf("iorhdf5", "IOR_REF", "program of IOR")
	if reference == "" {
		return
	}
	if help, _ := exec.Command(reference, "-h").CombinedOutput(); !strings.Contains(string(help), "--hdf5.") {
		fmt.Fprintf(os.Stderr, "bench: iorhdf5: left out: %s was built without HDF5\n", reference)
		return
	}
	inBenchDirs(t, func(dir, name string) {
		file := filepath.Join(dir, "ior.h5")
		for _, n := range benchRanks(t) {
			for _, way := range iorWays {
				for _, size := range benchSizes {
					block := min(16<<20, max(64<<10, size<<8))
					theirs := func(t *testing.T) []float64 {
						_ = os.Remove(file) // IOR says on its output that it removes it
						line := append([]string{reference, "-a", "HDF5"}, strings.Fields(way.ior)...)
						line = append(line, "-b", fmt.Sprint(block), "-s", "2", "-t", fmt.Sprint(size), "-i", "3", "-g",
							"-w", "-r", "-k", "-o", file, "-O", "summaryFormat=JSON")
						out := printed(t, dir, perturbed, launcherOf(t, n, line...)...)
						return rates(t, out, 2*uint64(n)*block, rateNames...)
					}
					own := append([]string{"testdata/peers/ior.star"}, strings.Fields(way.own)...)
					own = append(own, "--set", fmt.Sprintf("block=%d", block), "--set", "segments=2", "--set",
						fmt.Sprintf("transfer=%d", size), "-i", "3")
					theirs(t)
					compareFiles(t, dir, file, false, n, own...)
					title := fmt.Sprintf("%s %d ranks %s %s", name, n, units.FormatSize(size), way.ior)
					compare(t, "iorhdf5", ratio, bothDirections(strings.TrimSpace(title)+","), theirs, subject{
						"h5perf : IOR with HDF5, rate", func(t *testing.T) []float64 {
							return fastest(measureWorkload(t, dir, n, own...))
						},
					})
				}
			}
		}
	})
}

// fastest returns the highest raw and observed rates of the writes and of the reads in a document, in MB/s, in the
// times that IOR counts.
func fastest(doc result.Document) []float64 {
	most := make([]float64, 4)
	for _, s := range doc.Cases[0].Samples {
		observed := s.Access.WindowSeconds
		raw := observed - s.ClassInterval(workload.FileOpen).Seconds() - s.ClassInterval(workload.FileClose).Seconds()
		at := 0
		if s.Operation == result.OperationRead {
			at = 2
		}
		most[at] = max(most[at], float64(s.Bytes)/(1<<20)/raw)
		most[at+1] = max(most[at+1], float64(s.Bytes)/(1<<20)/observed)
	}
	return most
}

// rates returns the highest rates of each direction, in MB/s, from the times that IOR reports. These have a resolution
// of 0.1 ms. Of are some of rateNames.
func rates(t *testing.T, out string, bytes uint64, of ...string) (all []float64) {
	t.Helper()
	var report struct {
		Tests []struct {
			Results []struct {
				Access   string  `json:"access"`
				Transfer float64 `json:"wrRdTime"`
				Total    float64 `json:"totalTime"`
			}
		} `json:"tests"`
	}
	err := json.Unmarshal([]byte(out[max(0, strings.Index(out, "{")):]), &report)
	if err != nil || len(report.Tests) != 1 {
		t.Fatalf("ior: %v\n%s", err, out)
	}
	for _, direction := range directions {
		for _, name := range of {
			most := 0.
			for _, r := range report.Tests[0].Results {
				seconds := map[string]float64{"raw": r.Transfer, "observed": r.Total}[name]
				if r.Access == direction && seconds > 0 {
					most = max(most, float64(bytes)/(1<<20)/seconds)
				}
			}
			if most == 0 {
				t.Fatalf("ior: no time of a %s\n%s", direction, out)
			}
			all = append(all, most)
		}
	}
	return all
}
