//go:build cgo

package main

import (
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/faultfs/faulttest"
)

func TestFaultsOfRequestsFailTheSerialTool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, rule, text string }{
		{"-A posix", "write:eio:from=4", "nput/output error"},
		{"-A hdf5", "write:enospc:from=4", "o space left"},
		{"-A hdf5 -v stdio", "write:edquot:from=4", "H5Dwrite"},
		{"-A hdf5 -v family", "write:eio:from=4", "nput/output error"},
		{"-A posix", "read:eio", "nput/output error"},
		{"-A hdf5", "read:eio", "nput/output error"},
		{"-A posix --sync close", "fsync:eio", "nput/output error"},
		{"-A hdf5 --sync close", "fsync:eio", "nput/output error"},
		{"-A posix", "flush:eio:from=2", "nput/output error"},
		{"-A hdf5", "flush:eio:from=2", "nput/output error"},
		{"-A posix", "create:erofs:from=2", "ead-only"},
		{"-A hdf5", "create:eacces:from=2", "ermission denied"},
		{"-A posix -D v", "write:drop:at=4", "bytes differ"},
		{"-A hdf5 -D v", "write:flip:at=4", "1 bit differs"},
		{"-A hdf5 -D v", "read:flip", "1 bit differs"},
	} {
		t.Run(c.args+" "+c.rule, func(t *testing.T) {
			f := faulttest.Start(t, "--rule", c.rule)
			l := launchSerial(t, f.Path, append(strings.Fields(c.args), "-e", "1M", "-x", "128K")...)
			if e := l.failed(); !strings.Contains(e.Message, c.text) {
				t.Errorf("error %+v, want one with %q", e, c.text)
			}
		})
	}
}

func TestADeadServerEndsTheSerialTool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, rule string
		phase      result.Phase
	}{
		{"-A posix", "write:hang:from=4", "transfer"},
		{"-A hdf5", "read:hang", "open"},
		{"-A hdf5 --sync close", "fsync:hang", "sync"},
		{"-A posix", "other:hang:from=20", ""},
	} {
		t.Run(c.args+" "+c.rule, func(t *testing.T) {
			f := faulttest.Start(t, "--rule", c.rule)
			l := launchSerial(t, f.Path, append(strings.Fields(c.args), "-i", "100000", "--timeout", hangTimeout)...)
			if e := l.hung(); c.phase != "" && e.Phase != c.phase || !strings.Contains(e.Message, "hangs: "+f.Path) {
				t.Errorf("error %s, want one of phase %s that names what hangs", figures.FailureDuringRun(e), c.phase)
			}
			f.Abort() // the process hangs in the kernel
			if status := l.wait(endsWithin); status != result.ExitFailed {
				t.Errorf("exit status %d, want %d", status, result.ExitFailed)
			}
		})
	}
}

func TestWhatIsLeftOfADeadServerIsListedAndRemoved(t *testing.T) {
	t.Parallel()
	f := faulttest.Start(t, "--rule", "write:hang:from=4")
	l := launchSerial(t, f.Path, "-A", "posix", "-i", "100000", "--timeout", hangTimeout)
	l.hung()
	left := start(t, nil, f.Path, nil, []string{"clean", f.Path, "--remove", "--json"})
	if status := left.wait(startTime); status != 0 || !strings.Contains(left.stdout.String(), "the run is still "+
		"active") {
		t.Errorf("exit status %d", status)
	}
	f.SetRules()
	_ = l.wait(endsWithin)
	l.cleaned()
}
