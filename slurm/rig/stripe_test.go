//go:build slurm

package rig_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/result"

	"github.com/google/go-cmp/cmp"
)

// standins are the file systems with striping, their tools, and what the stand-ins for these tools print
// about their calls.
var standins = map[string]struct {
	tool, set string // as the document and the line of the command have it
	striped   result.Stripe
	refusal   string
}{
	"lfs": {
		"lfs", "lfs setstripe -c 8 -S 4194304 ",
		result.Stripe{System: "lustre", Count: 8, SizeBytes: 4 << 20, Pattern: "raid0", StartIndex: new(-1)},
		"Numerical result out of range",
	},
	"beegfs-ctl": {
		"beegfs", "beegfs-ctl --setpattern --numtargets=8 --chunksize=4194304 ",
		result.Stripe{System: "beegfs", Count: 8, SizeBytes: 4 << 20, Pattern: "RAID0", Pool: "1 (Default)"},
		"more targets than there are",
	},
}

// striped submits a run with stripes, and returns its job and the commands by which it set the striping.
func striped(t *testing.T, name, stripe, state, exit string) (j job, dir string, set []string) {
	t.Helper()
	dir = place(t, site.scratch, "stripes-"+name+"-"+stripe)
	bin := place(t, site.home, "standin "+name+stripe)
	out, err := on("login", site.user, nil, "cp", filepath.Join(site.checkout, "slurm/rig/standins", name),
		bin).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	env := []string{
		"H5PERF_DIR=" + dir, "H5PERF_STRIPE=" + stripe, "H5PERF_STRIPE_TOOL=" + standins[name].tool, "H5PERF_DOCTOR=no",
		"PATH=" + bin + ":" + os.Getenv("PATH"),
	}
	j = submit(t, env, "h5perf.sbatch", nil, append(quick, "-A", "posix"))
	j.ends(state, exit)
	said, err := os.ReadFile(filepath.Join(bin, "said"))
	if err != nil {
		t.Fatal(err)
	}
	wantNothingLeft(t, "n1", dir)
	return j, dir, slices.DeleteFunc(strings.Split(strings.TrimSpace(string(said)), "\n"), func(line string) bool {
		return !strings.Contains(line, " setstripe ") && !strings.Contains(line, " --setpattern ")
	})
}

// Of the existing directories, only the run's own is striped, and the document has what the tool then
// prints about it.
func TestStripes(t *testing.T) {
	t.Parallel()
	for name, tool := range standins {
		t.Run(name, func(t *testing.T) {
			j, dir, set := striped(t, name, "8,4M", "COMPLETED", "0:0")
			doc := document(t, filepath.Join(j.dir(), "run.json"))
			if d := cmp.Diff(&tool.striped, doc.Target.Stripe); d != "" {
				t.Errorf("striping (-want +got)\n%s", d)
			}
			want := tool.set + filepath.Join(dir, site.user, "h5perf-"+doc.RunID)
			if len(set) != 1 || set[0] != want {
				t.Errorf("%s was told %q, want %q", name, set, want)
			}
		})
	}
}

func TestStripesThatCannotBeSetEndTheJob(t *testing.T) {
	t.Parallel()
	for name, tool := range standins {
		t.Run(name, func(t *testing.T) {
			j, _, _ := striped(t, name, "99,4M", "FAILED", "1:0")
			doc := document(t, filepath.Join(j.dir(), "run.json"))
			if doc.State != result.Failed || len(doc.Errors) != 1 ||
				!strings.Contains(doc.Errors[0].Message, tool.refusal) || !strings.Contains(j.output(), tool.refusal) {
				t.Errorf("the run is %s, with errors %+v, and the job tells\n%s", doc.State, doc.Errors, j.output())
			}
		})
	}
}
