package fault_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/test/faultfs/fault"
	"h5perf/pkg/test/faultfs/faulttest"
)

func TestMain(m *testing.M) {
	faulttest.Main()
	faulttest.Alone()
	os.Exit(m.Run())
}

// openFile opens a file in the file system, for reading and writing.
func openFile(t *testing.T, f *faulttest.FS, flags int) int {
	t.Helper()
	fd, err := unix.Open(filepath.Join(f.Path, "file"), unix.O_RDWR|unix.O_CREAT|flags, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

func TestBytesPassUnchanged(t *testing.T) {
	for _, options := range [][]string{nil, {"--direct"}} {
		f := faulttest.Start(t, options...)
		want := bytes.Repeat([]byte("0123456789abcde\n"), 200_000)
		path := filepath.Join(f.Path, "file")
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: read %d bytes, %v; want the %d that were written", options, len(got), err, len(want))
		}
		if s := f.Stats(); s[fault.Write].Bytes != uint64(len(want)) || s[fault.Read].Bytes < uint64(len(want)) ||
			s[fault.Create].Count != 1 {
			t.Errorf("%v: statistics %+v", options, s)
		}
	}
}

func TestErrorsReachTheCaller(t *testing.T) {
	f := faulttest.Start(t)
	fd := openFile(t, f, unix.O_DIRECT)
	buf := make([]byte, 4096)
	write := func() error { _, err := unix.Pwrite(fd, buf, 0); return err }
	for _, c := range []struct {
		rule string
		call func() error
		want error
	}{
		{"write:enospc", write, unix.ENOSPC},
		{"write:edquot", write, unix.EDQUOT},
		{"write:erofs", write, unix.EROFS},
		{"write:estale", write, unix.ESTALE},
		{"read:eio", func() error { _, err := unix.Pread(fd, buf, 0); return err }, unix.EIO},
		{"fsync:eio", func() error { return unix.Fsync(fd) }, unix.EIO},
		{"flush:edquot", func() error {
			other, err := unix.Dup(fd)
			return errors.Join(err, unix.Close(other))
		}, unix.EDQUOT},
		{
			"openread:eacces", func() error { _, err := os.ReadFile(filepath.Join(f.Path, "file")); return err },
			unix.EACCES,
		},
		{"create:enospc", func() error { return os.WriteFile(filepath.Join(f.Path, "new"), nil, 0o600) }, unix.ENOSPC},
		{
			"create:edquot",
			func() error { return unix.Mknod(filepath.Join(f.Path, "node"), unix.S_IFREG|0o600, 0) }, unix.EDQUOT,
		},
		{"other:estale", func() error { return os.Mkdir(filepath.Join(f.Path, "new"), 0o700) }, unix.ESTALE},
	} {
		f.SetRules(c.rule)
		if err := c.call(); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.rule, err, c.want)
		}
		f.SetRules()
		if err := c.call(); err != nil && !errors.Is(err, os.ErrExist) {
			t.Errorf("without the rule %s: %v", c.rule, err)
		}
	}
}

func TestTheKthWriteAloneFails(t *testing.T) {
	f := faulttest.Start(t, "--direct", "--rule", "write:eio:at=3")
	fd := openFile(t, f, 0)
	for k := 1; k <= 5; k++ {
		if _, err := unix.Pwrite(fd, make([]byte, 100), 0); (err != nil) != (k == 3) {
			t.Errorf("write %d: %v", k, err)
		}
	}
	if s := f.Stats()[fault.Write]; s.Count != 5 || s.Errors != 1 || s.Bytes != 400 {
		t.Errorf("statistics %+v, want 5 writes with 1 error and 400 bytes", s)
	}
}

func TestDataAreDamagedAsTold(t *testing.T) {
	for _, options := range [][]string{nil, {"--direct"}} {
		f := faulttest.Start(t, options...)
		fd := openFile(t, f, 0)
		if _, err := unix.Pwrite(fd, []byte("ABCDEFGH"), 0); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			rule string
			n    int
			want string
		}{{"write:drop", 8, "ABCDEFGH"}, {"write:short", 4, "abcdEFGH"}, {"write:flip", 8, "abcddfgh"}} {
			f.SetRules(c.rule)
			n, err := unix.Pwrite(fd, []byte("abcdefgh"), 0)
			if n != c.n || err != nil {
				t.Errorf("%s: %d bytes written, %v; want %d", c.rule, n, err, c.n)
			}
			f.SetRules()
			if got, err := os.ReadFile(filepath.Join(f.Path, "file")); string(got) != c.want {
				t.Errorf("%v %s: file has %q, %v; want %q", options, c.rule, got, err, c.want)
			}
		}
		f.SetRules("read:flip")
		if got, err := os.ReadFile(filepath.Join(f.Path, "file")); string(got) != "abcdefgh" {
			t.Errorf("read:flip: %q, %v; want abcdefgh", got, err)
		}
	}
}

func TestAHangIsAnsweredWhenTheRulesChange(t *testing.T) {
	f := faulttest.Start(t, "--direct", "--rule", "write:hang")
	fd := openFile(t, f, 0)
	done := make(chan error, 1)
	go func() {
		_, err := unix.Pwrite(fd, []byte("late"), 0)
		done <- err
	}()
	hanging(t, f, fault.Write, 1)
	f.SetRules()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAHangEndsWithTheServer(t *testing.T) {
	f := faulttest.Start(t, "--rule", "any:hang")
	done := make(chan error, 1)
	go func() {
		_, err := os.Stat(filepath.Join(f.Path, "file"))
		done <- err
	}()
	hanging(t, f, fault.Other, 1)
	f.Abort()
	if err := <-done; !errors.Is(err, syscall.ENOTCONN) && !errors.Is(err, syscall.ECONNABORTED) {
		t.Errorf("error %v, want that of a connection that is gone", err)
	}
}

func TestTheBandwidthIsThatAskedFor(t *testing.T) {
	const bandwidth, block, blocks = 64 << 20, 256 << 10, 16
	f := faulttest.Start(t, "--direct", "--bandwidth", "67108864")
	fd := openFile(t, f, 0)
	buf := make([]byte, block)
	start := time.Now()
	for k := range blocks {
		if _, err := unix.Pwrite(fd, buf, int64(k*block)); err != nil {
			t.Fatal(err)
		}
	}
	took := time.Since(start)
	s := f.Stats()[fault.Write]
	const least = blocks*block*time.Second/bandwidth - 30*time.Millisecond // its credit is less
	if served := s.Last.Sub(s.First); min(took, served) < least {
		t.Errorf("%d bytes took %v, of them %v in the server, want at least %v", block*blocks, took, served, least)
	}
}

func TestTheLatencyIsThatAskedFor(t *testing.T) {
	f := faulttest.Start(t, "--direct", "--latency", "2ms")
	fd := openFile(t, f, 0)
	f.ResetStats()
	for range 20 {
		start := time.Now()
		if _, err := unix.Pwrite(fd, []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 2*time.Millisecond {
			t.Errorf("a write took %v", took)
		}
	}
	s := f.Stats()[fault.Write]
	if s.Count != 20 || s.Service.Min < 0.002 || s.Service.Median < s.Service.Min || s.Service.Max < s.Service.P99 ||
		s.Service.P99 < s.Service.P90 {
		t.Errorf("statistics %+v, %+v", s, s.Service)
	}
}

func TestSeveralWritersWaitAtTheSameTime(t *testing.T) {
	f := faulttest.Start(t, "--direct", "--rule", "write:hang")
	fd := openFile(t, f, 0)
	const writers = 4
	if err := unix.Ftruncate(fd, writers); err != nil { // the kernel lets one writer at a time beyond the end
		t.Fatal(err)
	}
	done := make(chan error, writers)
	for k := range writers {
		go func() {
			_, err := unix.Pwrite(fd, []byte("x"), int64(k))
			done <- err
		}()
	}
	hanging(t, f, fault.Write, writers)
	f.SetRules()
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// hanging waits until the given number of requests hang.
func hanging(t *testing.T, f *faulttest.FS, op fault.Op, want uint64) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		n := f.Stats()[op].Hanging
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d requests hang, want %d", n, want)
		}
		time.Sleep(time.Millisecond)
	}
}
