//go:build cgo

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/result"

	"github.com/google/go-cmp/cmp"
)

func TestTheDocumentTellsImageStripingAndHowHDF5WasBuilt(t *testing.T) {
	t.Parallel()
	base, bin := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\ntest \"$1 $2 $3\" = 'getstripe -d " + base +
		"' && echo 'stripe_count:  4 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1'\n"
	if err := os.WriteFile(filepath.Join(bin, "lfs"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"HDF5_PREFIX=" + base, "PATH=" + bin + ":" + os.Getenv("PATH"), "H5PERF_STRIPE_TOOL=lfs",
		"H5PERF_IMAGE_DIGEST=sha256:0123",
	}
	l := start(t, nil, base, env, []string{"serial", "-e", "1M", "-x", "256K"})
	if status := l.wait(startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	doc := l.document()
	if doc.Machine.Image == nil || doc.Machine.Image.Digest != "sha256:0123" {
		t.Errorf("image %+v", doc.Machine.Image)
	}
	want := &result.Stripe{System: "lustre", Count: 4, SizeBytes: 1 << 20, Pattern: "raid0", StartIndex: new(-1)}
	if d := cmp.Diff(want, doc.Target.Stripe); d != "" {
		t.Errorf("striping (-want +got)\n%s", d)
	}
	for _, setting := range []string{"Parallel HDF5", "Direct VFD", "C Compiler", "Extra libraries"} {
		if !slices.ContainsFunc(doc.Software.HDF5Config, func(kv result.KeyValue) bool {
			return kv.Key == setting && kv.Value != ""
		}) {
			t.Errorf("the configuration of HDF5 does not tell %s: %v", setting, doc.Software.HDF5Config)
		}
	}
}

func TestARunWhoseStripingIsNotKnownSucceeds(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	l := start(t, nil, base, []string{"HDF5_PREFIX=" + base, "H5PERF_STRIPE_TOOL=beegfs"}, []string{
		"serial", "-e", "1M", "-x", "256K",
	})
	if status := l.wait(startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	if s := l.document().Target.Stripe; s == nil || s.System != "beegfs" || !strings.Contains(s.Error, "beegfs-ctl") ||
		s.Count != 0 {
		t.Errorf("striping %+v", s)
	}
}

// Only the private directory of the run is striped.
func TestTheRunsOwnDirectoryAloneIsStriped(t *testing.T) {
	t.Parallel()
	base, bin := t.TempDir(), t.TempDir()
	said := filepath.Join(bin, "said")
	script := "#!/bin/sh\necho \"$@\" >>" + said +
		"\ncase $1 in getstripe) printf 'stripe_count:  8\\nstripe_size:   2097152\\npattern:       " +
		"raid0\\nstripe_offset: -1\\n' ;; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "lfs"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"HDF5_PREFIX=" + base, "PATH=" + bin + ":" + os.Getenv("PATH"), "H5PERF_STRIPE_TOOL=lfs", "H5PERF_STRIPE=8,2M",
	}
	l := start(t, nil, base, env, []string{"serial", "-e", "1M", "-x", "256K"})
	if status := l.wait(startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	doc := l.document()
	want := &result.Stripe{System: "lustre", Count: 8, SizeBytes: 2 << 20, Pattern: "raid0", StartIndex: new(-1)}
	if d := cmp.Diff(want, doc.Target.Stripe); d != "" {
		t.Errorf("striping (-want +got)\n%s", d)
	}
	text, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(doc.Target.Directory, "h5perf-"+doc.RunID)
	if want := "getstripe -d " + doc.Target.Directory + "\nsetstripe -c 8 -S 2097152 " + own + "\ngetstripe -d " + own +
		"\n"; string(text) != want {
		t.Errorf("lfs was told %q, want %q", text, want)
	}
}

func TestStripesThatCannotBeSetEndTheRun(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	l := start(t, nil, base, []string{"HDF5_PREFIX=" + base}, []string{
		"serial", "-e", "1M", "-x", "256K", "--stripe", "4",
	})
	if status := l.wait(startTime); status != 1 {
		t.Fatalf("exit status %d", status)
	}
	if doc := l.document(); len(doc.Errors) != 1 ||
		!strings.Contains(doc.Errors[0].Message, "neither Lustre nor BeeGFS") {
		t.Errorf("errors %+v", doc.Errors)
	}
	if left, err := filepath.Glob(filepath.Join(base, "*", "h5perf-*")); err != nil || len(left) > 0 {
		t.Errorf("left is %v, %v", left, err)
	}
}
