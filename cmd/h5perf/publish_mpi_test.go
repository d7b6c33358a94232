//go:build cgo && !nompi

package main

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestParallelRunsArePublishedHoweverTheyEnd(t *testing.T) {
	t.Parallel()
	const token = "a-secret-token"
	address, g := guarded(t, token)
	textfile := filepath.Join(t.TempDir(), "h5perf.prom")
	env := []string{
		"H5PERF_CLUSTER=alpha", "H5PERF_FILESYSTEM=scratch", "H5PERF_LABEL=nightly",
		"H5PERF_PUSHGATEWAY_TOKEN=" + token,
	}
	args := []string{
		"--pushgateway", address, "--textfile", textfile, "-p", "2", "-e", "1M", "-x", "64K", "-X", "64K", "-B", "4K",
	}

	l := launch(t, 2, t.TempDir(), env, nil, args...)
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	onGateway(t, g, textfile, l.document(), "1")

	l = launch(t, 2, t.TempDir(), env, nil, append(args, "-i", "100000")...)
	l.working()
	l.signal(1, syscall.SIGTERM)
	l.fails(endsWithin)
	onGateway(t, g, textfile, l.document(), "0")
}
