package run

import (
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// If the measuring thread may receive a signal, the signal waits until the thread's system call ends.
func TestTheThreadThatMeasuresLeavesSignalsToOthers(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	blocked := func() unix.Sigset_t {
		var set unix.Sigset_t
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &set); err != nil {
			t.Fatal(err)
		}
		return set
	}
	before := blocked()
	signals, stop := CatchSignals(syscall.SIGUSR2, syscall.SIGHUP)()
	during := blocked()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	if s := <-signals; s != syscall.SIGUSR2 {
		t.Errorf("%v arrives", s)
	}
	stop()
	want := before
	for _, s := range []syscall.Signal{syscall.SIGUSR2, syscall.SIGHUP} {
		want.Val[0] |= 1 << (s - 1)
	}
	if during != want {
		t.Errorf("blocked are %x, want %x", during.Val[0], want.Val[0])
	}
	if after := blocked(); after != before {
		t.Errorf("blocked afterwards are %x, want %x", after.Val[0], before.Val[0])
	}
}
