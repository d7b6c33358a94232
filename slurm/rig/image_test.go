//go:build slurm

package rig_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/result"
)

var images = flag.String("images", "", "directory with h5perf-openmpi.sif and h5perf-mpich.sif")

// The image in the checkout is taken instead of the program, with the MPI that is in it.
func TestImage(t *testing.T) {
	for _, flavour := range []string{"openmpi", "mpich"} {
		t.Run(flavour, func(t *testing.T) {
			from := filepath.Join(*images, "h5perf-"+flavour+".sif")
			if _, err := os.Stat(from); err != nil {
				t.Skipf("%v; 'make sif' makes it", err)
			}
			sif := filepath.Join(site.dir, flavour+".sif")
			if out, err := exec.Command("cp", from, sif).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			dir := place(t, site.scratch, "image "+flavour)
			j := submit(t, []string{"H5PERF_SIF=" + sif, "H5PERF_DIR=" + dir}, "h5perf.sbatch", nil, quick)
			j.ends("COMPLETED", "0:0")
			doc := document(t, filepath.Join(j.dir(), "run.json"))
			if doc.State != result.Complete || doc.Software.Flavour != flavour || doc.Machine.Image == nil {
				t.Errorf("a run of %s in the image %+v that is %s", doc.Software.Flavour, doc.Machine.Image, doc.State)
			}
			if !strings.HasPrefix(doc.Target.Source, "mfs#") {
				t.Errorf("measured is %+v", doc.Target)
			}
			wantHosts(t, doc, j.id, 2, "n1", "n2")
			wantNothingLeft(t, "n1", dir)
		})
	}
}
