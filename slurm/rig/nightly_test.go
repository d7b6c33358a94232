//go:build slurm

package rig_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/result"
)

// The timer's script of an installation needs no checkout. A node that does not reach the gateway writes to the spool,
// and the script pushes from the login node.
func TestNightly(t *testing.T) {
	t.Parallel()
	dir := place(t, site.scratch, "nightly")
	env := []string{
		"H5PERF_DIR=" + dir, "H5PERF_LABEL=from-login", "H5PERF_PUSHGATEWAY=http://127.0.0.1:9091",
		"H5PERF_PUSH_TIMEOUT=2m",
	}
	nightly := []string{
		filepath.Join(site.scripts, "h5perf-nightly"),
		"--export=ALL,H5PERF_PUSH_TIMEOUT=1s", filepath.Join(site.scripts, "h5perf.sbatch"),
	}
	login(t, env, append(append(nightly, quick...), "-A", "posix")...)
	list := filepath.Join(site.home, "list of the night")
	text := "# name, options\n\nsweep -A posix\nfields run checkpoint --size tiny --set dumps=2 -A mpiio,phdf5\n"
	if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	login(t, append(env, "H5PERF_LIST="+list, "H5PERF_ARGS=-i 2 -D v"), nightly...)
	all := metrics(t)
	for _, label := range []string{"from-login", "from-login-sweep", "from-login-fields"} {
		if !strings.Contains(all, `label="`+label+`"`) {
			t.Errorf("the gateway has no run %s of the night", label)
		}
	}
	left, _ := filepath.Glob(filepath.Join(site.home, ".local/state/h5perf/spool/gateway-*/*.json"))
	for _, path := range left {
		if strings.HasPrefix(document(t, path).Identity.Label, "from-login") { // others are those of other tests
			t.Errorf("the spool still has %s", path)
		}
	}
}

// Debian's Slurm has no scrontab. sbatch gets the options of its lines, and runs their command as scrontab
// would.
func TestScrontab(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(site.scripts, "nightly.scrontab"))
	if err != nil {
		t.Fatal(err)
	}
	dir := place(t, site.scratch, "scrontab")
	var options []string
	command := ""
	here := strings.ReplaceAll(string(text), "=/scratch", "="+dir)
	for line := range strings.Lines(here) {
		if words, found := strings.CutPrefix(line, "#SCRON"); found {
			options = append(options, strings.Fields(words)...)
		} else if !strings.HasPrefix(line, "#") {
			command = strings.Join(strings.Fields(line)[5:], " ") // after minute, hour, day, month, weekday
		}
	}
	words := append([]string{"sbatch", "--parsable"}, options...)
	j := job{t, login(t, nil, append(words, "--wrap", command+" --preset quick -A posix")...)}
	j.ends("COMPLETED", "0:0")
	doc := document(t, filepath.Join(j.dir(), "run.json"))
	if doc.State != result.Complete || doc.Identity.Label != "nightly" ||
		!strings.HasPrefix(doc.Target.Directory, dir) {
		t.Errorf("%+v of %s that is %s", doc.Identity, doc.Target.Directory, doc.State)
	}
	wantHosts(t, doc, j.id, 2, "n1", "n2")
	kept, _ := filepath.Glob(filepath.Join(site.home, "results", "*", "*", "nightly", doc.RunID+".json"))
	if len(kept) != 1 {
		t.Errorf("the tree of results has %q of it", kept)
	}
}

// systemd does not run here, but it reads the units and finds what they name.
func TestUnits(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	script := `
mkdir -p "$1/etc/systemd/system" "$1/opt/h5perf/slurm"
cp ../systemd/h5perf-nightly.* "$1/etc/systemd/system"
cp ../h5perf-nightly "$1/opt/h5perf/slurm"
for unit in service timer; do
	systemd-analyze --root="$1" --recursive-errors=no verify h5perf-nightly.$unit || exit
done
`
	if out, err := exec.Command("sh", "-c", script, "sh", root).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v: %s", err, out)
	}
}
