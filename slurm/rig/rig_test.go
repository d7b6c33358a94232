//go:build slurm

// Package rig_test runs the batch scripts on a real Slurm cluster in namespaces of this machine, as an ordinary user.
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

var programs = flag.String("programs", "", "directory with openmpi/h5perf and mpich/h5perf")

// patience is how long is waited for what comes at once when the machine is idle.
const patience = 4 * time.Minute

// site is the cluster, and what is installed on it. The directory of the checkout has a blank in its name, as anybody's may.
var site struct {
	dir      string // of all that follows; all hosts share it
	cluster  string
	user     string
	home     string
	checkout string
	scratch  string // a parallel file system, with a client on each node
	shared   string // a directory that all nodes see because they are one machine
	gateway  string // URL of a Pushgateway
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	defer tearDown()
	if err := setUp(); err != nil {
		fmt.Fprintln(os.Stderr, "rig:", err)
		return 1
	}
	return m.Run()
}

func setUp() error {
	if os.Getuid() != 0 {
		return fmt.Errorf("namespaces need root")
	}
	for _, tool := range []string{"munged", "slurmctld", "slurmd", "sbatch", "mfsmaster", "mfschunkserver", "mfsmount", "prometheus-pushgateway", "ip"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w; '.ci/setup slurm' installs it", err)
		}
	}
	var err error
	if site.dir, err = os.MkdirTemp("/var/tmp", "h5slurm-"); err != nil { // each host has a /tmp of its own
		return err
	}
	site.user = "h5rig" + filepath.Base(site.dir)[len("h5slurm-"):]
	site.cluster, site.home = filepath.Join(site.dir, "cluster"), filepath.Join(site.dir, "home")
	site.checkout, site.shared = filepath.Join(site.dir, "check out"), filepath.Join(site.dir, "shared")
	site.scratch, site.gateway = filepath.Join(site.dir, "moosefs", "mnt"), "http://10.77.0.1:9091"
	script := `
set -eu
chmod 755 "$1"
useradd -M -d "$1/home" -s /bin/bash "$2"
mkdir "$1/cluster" "$1/home" "$1/shared" "$1/check out" "$1/check out/bin"
chown "$2" "$1/home" "$1/shared"
cp -r .. "$1/check out/slurm"
cp "$3/openmpi/h5perf" "$1/check out/bin/h5perf"
cp "$3/mpich/h5perf" "$1/check out/bin/h5perf.mpich"
./cluster up "$1/cluster"
./moosefs "$1/cluster" "$1/moosefs" >"$1/cluster/log/moosefs.out" 2>&1
`
	if out, err := exec.Command("sh", "-c", script, "sh", site.dir, site.user, *programs).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	pushgateway := exec.Command("./cluster", "run", site.cluster, "login", "root", "prometheus-pushgateway", "--web.listen-address=:9091")
	return pushgateway.Start()
}

// tearDown ends the cluster, and with it all that was started on its hosts.
func tearDown() {
	if site.dir == "" {
		return
	}
	out, err := exec.Command("./cluster", "down", site.cluster).CombinedOutput()
	if err == nil {
		out, err = exec.Command("userdel", site.user).CombinedOutput()
	}
	if err == nil {
		err = os.RemoveAll(site.dir)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "rig: %v: %s; its directory is %s\n", err, out, site.dir)
	}
}

// on is a command on a host, as root or as the user, in the home of the user.
func on(host, user string, env []string, words ...string) *exec.Cmd {
	cluster, _ := filepath.Abs("cluster") // only fails without a current directory
	args := append([]string{"run", site.cluster, host, user, "env", "HOME=" + site.home, "USER=" + site.user}, env...)
	cmd := exec.Command(cluster, append(args, words...)...)
	cmd.Dir = site.home
	return cmd
}

// login is what a command of the user on the login node prints. It must succeed.
func login(t *testing.T, env []string, words ...string) string {
	t.Helper()
	out, err := on("login", site.user, env, words...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

// until waits for a condition.
func until(t *testing.T, what string, patience time.Duration, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// metrics is what the gateway has. The login node alone reaches it.
func metrics(t *testing.T) string {
	t.Helper()
	return login(t, nil, "curl", "-fsS", site.gateway+"/metrics")
}
