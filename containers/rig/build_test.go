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

func TestABrokenLockEndsTheBuild(t *testing.T) {
	images(t)
	said, err := shell(source, `
		cp containers/mpich.lock "$0.lock"
		trap 'mv "$0.lock" containers/mpich.lock' EXIT
		sed -i -E 's/^(mpi mpich|hdf5 hdf5|package bash) .*/\1 0.1/' containers/mpich.lock
		make images FLAVOURS=mpich`)
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
		{[]string{"ARCHIVE=http://127.0.0.1:9/old"}, "name both"},
	} {
		said, err := shell(source, "make lock FLAVOURS=mpich", c.archives...)
		if err == nil || !strings.Contains(said, c.says) {
			t.Errorf("%v: %v, and it says\n%s", c.archives, err, said)
		}
	}
}
