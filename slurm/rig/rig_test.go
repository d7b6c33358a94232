//go:build slurm

// Package rig_test runs the batch scripts on a real Slurm cluster in namespaces of this machine, as an
// ordinary user. Its tests run in parallel, because most of their time is waiting for Slurm or for the end
// of jobs.
package rig_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	builds = flag.String("programs", "", "directory with openmpi/h5perf and mpich/h5perf")
	images = flag.String("images", "", "directory with h5perf-openmpi.sif and h5perf-mpich.sif")
)

// patience is how long the tests wait for something that takes almost no time when the machine is idle.
const patience = 15 * time.Minute

// site is the cluster and what is installed on it. The path of the checkout contains a space, as any user's
// may.
var site struct {
	dir      string // directory of everything below; all hosts share it
	cluster  string
	user     string
	home     string
	checkout string
	scripts  string // the batch scripts of an installation
	scratch  string // a parallel file system, with a client on each node
	shared   string // a directory that all nodes see because they are one machine
	far      string // a shared directory that Apptainer does not bind by itself
	gateway  string // URL of a Pushgateway
}

func TestMain(m *testing.M) {
	flag.Parse()
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "rig:", err)
		status = 1
	}
	os.Exit(status)
}

func run(m *testing.M) (status int, err error) {
	if site.dir = os.Getenv(where); site.dir == "" {
		return inside()
	}
	if err := setUp(); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

func setUp() error {
	if os.Getuid() != 0 {
		return fmt.Errorf("namespaces need root")
	}
	for _, tool := range []string{
		"munged", "slurmctld", "slurmd", "sbatch", "mfsmaster", "mfschunkserver", "mfsmount", "prometheus-pushgateway",
		"ip", "systemd-analyze",
	} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w; '.ci/setup slurm' installs it", err)
		}
	}
	site.cluster, site.home = filepath.Join(site.dir, "cluster"), filepath.Join(site.dir, "home")
	site.checkout, site.shared = filepath.Join(site.dir, "check out"), filepath.Join(site.dir, "shared")
	site.scratch, site.gateway = filepath.Join(site.dir, "moosefs", "mnt"), "http://10.77.0.1:9091"
	site.user, site.far = "h5rig", "/srv"
	site.scripts = filepath.Join(site.dir, "installed", "share", "h5perf", "slurm")
	if _, err := exec.LookPath("apptainer"); err != nil {
		return fmt.Errorf("%w; '.ci/lib/apptainer' installs it", err)
	}
	if err := furnish(); err != nil {
		return err
	}
	script := `
set -eu
chmod 755 "$1"
mkdir "$1/cluster" "$1/home" "$1/shared" "$1/check out" "$1/check out/bin" "$1/images"
chown "$2" "$1/home" "$1/shared"
cp -r .. "$1/check out/slurm"
cp "$3/openmpi/h5perf" "$1/check out/bin/h5perf"
cp "$3/mpich/h5perf" "$1/check out/bin/h5perf.mpich"
env -u CGO_ENABLED -u MAKEFLAGS -u MFLAGS make -s -C ../.. install FLAVOUR=openmpi BIN="$3/openmpi" PREFIX="$1/installed"
mount --bind "$4" "$1/images"
mount -t tmpfs -o mode=1777 far "$5"
./cluster up "$1/cluster"
./moosefs "$1/cluster" "$1/moosefs" >"$1/cluster/log/moosefs.out" 2>&1 || { cat "$1/cluster/log/moosefs.out"; exit 1; }
`
	out, err := exec.Command("sh", "-c", script, "sh", site.dir, site.user, *builds, *images, site.far).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	// Without a file: Debian's takes one of the machine, which has what earlier rigs pushed.
	pushgateway := exec.Command("./cluster", "run", site.cluster, "login", "root", "prometheus-pushgateway",
		"--web.listen-address=:9091", "--persistence.file=")
	return pushgateway.Start()
}

// on returns a command on a host, as root or as the user, in the home directory of the user.
func on(host, user string, env []string, words ...string) *exec.Cmd {
	cluster, _ := filepath.Abs("cluster") // only fails without a current directory
	args := append([]string{"run", site.cluster, host, user, "env", "HOME=" + site.home, "USER=" + site.user}, env...)
	cmd := exec.Command(cluster, append(args, words...)...)
	cmd.Dir = site.home
	return cmd
}

// login runs a command of the user on the login node and returns its output. It must succeed.
func login(t *testing.T, env []string, words ...string) string {
	t.Helper()
	out, err := on("login", site.user, env, words...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

// until waits until a condition holds.
func until(t *testing.T, what string, patience time.Duration, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// metrics returns the metrics of the gateway. Only the login node reaches it.
func metrics(t *testing.T) string {
	t.Helper()
	return login(t, nil, "curl", "-fsS", site.gateway+"/metrics")
}
