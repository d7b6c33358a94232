//go:build images

package rig_test

import (
	"strings"
	"testing"
)

// The second build uses another tool.
func TestTheSameSourcesGiveTheSameImage(t *testing.T) {
	images(t)
	first := id(t, "openmpi")
	if _, err := shell(source, "make images FLAVOURS=openmpi", "STRICT_LOCK=1", "ENGINE=buildah"); err != nil {
		t.Fatal(err)
	}
	if second := id(t, "openmpi"); second != first {
		t.Errorf("the image's id is %s, and then %s", first, second)
	}
}

// The other builder has another name, other resolvers and a later hour.
func TestEveryBuilderMakesTheSameBase(t *testing.T) {
	images(t)
	said, err := shell(source, `
		other=localhost/h5perf-other-builder:base
		for name in hostname hosts resolv.conf; do
			cp "/etc/$name" "$0.$name"
		done
		echo elsewhere >"$0.hostname"
		echo '192.0.2.1 elsewhere' >>"$0.hosts"
		echo '# elsewhere' >>"$0.resolv.conf"
		trap 'rm "$0".*; containers/engine remove "$other"' EXIT
		BASE_IMAGE=$other unshare --uts --mount sh -euc '
			hostname elsewhere
			for name in hostname hosts resolv.conf; do
				mount --bind "$0.$name" "/etc/$name"
			done
			containers/base-images debian' "$0" >/dev/null
		containers/engine digest "$other"
		containers/engine digest `+base)
	if err != nil {
		t.Fatal(err)
	}
	if digests := strings.Fields(said); len(digests) < 2 || digests[len(digests)-1] != digests[len(digests)-2] {
		t.Errorf("the digests are\n%s", said)
	}
}

// buildWithLock builds the image of MPICH with its lock as sed changes it, and returns what the build says.
func buildWithLock(change string, environment ...string) (string, error) {
	return shell(source, `
		cp containers/mpich.lock "$0.lock"
		trap 'mv "$0.lock" containers/mpich.lock' EXIT
		sed -i -E '`+change+`' containers/mpich.lock
		make images FLAVOURS=mpich`, environment...)
}

// No registry has the base image that is made here.
func TestALockedBaseIsSoughtHereAlone(t *testing.T) {
	images(t)
	said, err := buildWithLock(`s/^(base digest sha256):.*/\1:0/`, "STRICT_LOCK=1")
	if err == nil || !strings.Contains(said, "error: digest is sha256:") || strings.Contains(said, "Trying to pull") {
		t.Errorf("%v, and it says\n%s", err, said)
	}
}

func TestABrokenLockEndsTheBuild(t *testing.T) {
	images(t)
	said, err := buildWithLock(`s/^(mpi mpich|hdf5 hdf5|package bash) .*/\1 0.1/`)
	if err == nil {
		t.Fatal("the build succeeds")
	}
	for _, want := range []string{
		"error: mpich is 4.", "error: hdf5 is 1.14.", "warning: bash is 5.", ", locked is 0.1\n", "make lock",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

func TestAnotherArchiveIsAsked(t *testing.T) {
	images(t)
	for _, c := range []struct {
		archives []string
		says     string
	}{
		{[]string{"ARCHIVE=http://127.0.0.1:9/old", "SECURITY_ARCHIVE=http://127.0.0.1:9/secure"}, "127.0.0.1:9/old"},
		{[]string{"ARCHIVE=http://127.0.0.1:9/old"}, "set both"},
	} {
		said, err := shell(source, "make lock FLAVOURS=mpich", c.archives...)
		if err == nil || !strings.Contains(said, c.says) {
			t.Errorf("%v: %v, and it says\n%s", c.archives, err, said)
		}
	}
}
