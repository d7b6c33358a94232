//go:build images

// Package rig_test builds the images as a user does, and runs them with podman, without network, with a
// read-only root file system, as the image's own user.
package rig_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
)

var flavours = []string{"openmpi", "mpich"}

// limits configures podman where root may not raise limits and control groups are of the hybrid kind.
const limits = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
events_logger = "file"
cgroup_manager = "cgroupfs"
`

// source is a copy of the checkout. The tests renew and break its locks.
var source string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "h5perf-images-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		source = filepath.Join(dir, "source")
		conf := filepath.Join(dir, "containers.conf")
		if err := os.WriteFile(conf, []byte(limits), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		os.Setenv("CONTAINERS_CONF", conf)
		os.Setenv("ENGINE", "podman")
		return m.Run()
	}())
}

// images fails a test if the images cannot be built.
func images(t *testing.T) {
	t.Helper()
	if err := built(); err != nil {
		t.Fatal(err)
	}
}

// built builds both images from a copy of the checkout with renewed locks, once for all tests, and leaves
// their archives in the checkout.
var built = sync.OnceValue(func() error {
	_, err := shell(".", `
		cd ../..
		top=$PWD
		git clone --quiet --shared --no-checkout . "$0"
		git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory="$0"
		cd "$0"
		git reset --quiet
		make lock
		trap wait EXIT
		STRICT_LOCK=1 make images FLAVOURS=openmpi &
		STRICT_LOCK=1 make images FLAVOURS=mpich
		wait $!
		mkdir -p "$top/.cache/images"
		mv .cache/images/*.tar "$top/.cache/images"`)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return errors.New("the images cannot be built; what was said stands above")
	}
	return nil
})

// shell runs a script in a directory, with the copy of the checkout as $0, and returns its output. The
// output is also written to that of this test.
func shell(dir, script string, environment ...string) (string, error) {
	var said strings.Builder
	c := exec.Command("sh", "-euc", script, source)
	c.Dir, c.Env = dir, append(os.Environ(), environment...)
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		return said.String(), fmt.Errorf("%w (.ci/setup images installs what is needed)\n%s", err, said.String())
	}
	return said.String(), nil
}

// id returns the id of a flavour's image.
func id(t *testing.T, flavour string) string {
	t.Helper()
	out, err := shell(source, "containers/engine id h5perf:"+flavour)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// each runs a test on the image of each flavour.
func each(t *testing.T, test func(t *testing.T, flavour string)) {
	images(t)
	for _, flavour := range flavours {
		t.Run(flavour, func(t *testing.T) { test(t, flavour) })
	}
}

// data returns a directory to which the image's user may write.
func data(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chown(dir, 1000, 1000); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a command in the image of a flavour, with dir as its working directory.
func run(t *testing.T, flavour, dir string, options []string, command ...string) string {
	t.Helper()
	args := append([]string{"run", "--rm", "--read-only", "--network=none", "--volume=" + dir + ":/work"}, options...)
	out, err := exec.Command("podman", append(append(args, "h5perf:"+flavour), command...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

// document reads a valid document.
func document(t *testing.T, path string) result.Document {
	t.Helper()
	resulttest.Validate(t, path)
	d, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
