//go:build cgo && !nompi

package main

import (
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/faultfs/faulttest"
	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// ways holds the options for the ways in which data are accessed: each API by itself, and with all processes
// together.
var (
	ways    = []string{"-A posix", "-A mpiio", "-A phdf5"}
	allWays = append(ways, "-A mpiio -C -I", "-A phdf5 -C")
)

// small returns the arguments of a short run of one case.
func small(args string, more ...string) []string {
	return append(append(strings.Fields(args), "-p", "2", "-e", "512K", "-x", "128K", "-X", "128K", "-B", "32K"),
		more...)
}

func TestFaultsOfRequestsFailTheCase(t *testing.T) {
	// OMPIO returns fewer bytes where ROMIO returns the error, and HDF5 reports what it misses.
	lost := []string{
		"nput/output error", "MPI_ERR_IO", "moved fewer bytes than asked", "H5FD__mpio_", "file signature not found",
		"Other I/O error", "MPI_ERR_OTHER",
	}
	for _, c := range []struct {
		name, rule, args string
		ways             []string
		text             []string // one of these is in the error
	}{
		{"EIO of a write", "write:eio:from=4", "", allWays, lost},
		{"ENOSPC of a write", "write:enospc:from=4", "", ways, append(lost, "o space left")},
		{"EDQUOT of a write", "write:edquot:from=4", "", ways, append(lost, "uota")},
		{"ESTALE of a write", "write:estale:from=4", "", ways, append(lost, "tale")},
		{"EIO of a read", "read:eio", "", allWays, lost},
		{"EIO of fsync when a file is closed", "fsync:eio", "--sync close", ways, append(lost, "H5Fflush")},
		{"EIO of the second fsync", "fsync:eio:from=2", "--sync each", ways, append(lost, "H5Fflush")},
		{"EIO of close", "flush:eio:from=2", "", ways[:1], lost}, // MPI-IO keeps this error to itself; --sync finds it
		{"EROFS of a creation", "create:erofs:from=2", "", ways, []string{"ead-only", "READ_ONLY"}},
		{"EACCES of a creation", "create:eacces:from=2", "", ways, []string{"ermission denied", "ACCESS", "Access " +
			"denied"}},
		{"EACCES of an opening", "openread:eacces", "", ways, []string{"ermission denied", "ACCESS", "Access denied"}},
		{"a dropped write", "write:drop:at=4", "-D v", allWays, []string{"bytes differ"}},
		{"a bit flipped on the way out", "write:flip:at=4", "-D v", ways, []string{"1 bit differs"}},
		{"a bit flipped on the way in", "read:flip", "-D v", ways, []string{"1 bit differs"}},
	} {
		for _, way := range c.ways {
			t.Run(c.name+" "+way, func(t *testing.T) {
				t.Parallel()
				f := faulttest.Start(t, "--rule", c.rule)
				l := launch(t, 2, f.Path, nil, nil,
					append(small(way, "--timeout", hangTimeout), strings.Fields(c.args)...)...)
				e := l.failed()
				if !slices.ContainsFunc(c.text, func(text string) bool { return strings.Contains(e.Message, text) }) {
					t.Errorf("error %s, want one with one of %q", figures.FailureNow(e), c.text)
				}
			})
		}
	}
}

func TestAShortWriteIsResumedOrAnError(t *testing.T) {
	for _, way := range allWays {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := faulttest.Start(t, "--direct", "--rule", "write:short:at=4")
			l := launch(t, 2, f.Path, nil, nil, small(way, "-D", "v", "--timeout", "30s")...)
			status := l.wait(startTime + endsWithin)
			doc := l.document()
			resumed := status == 0 && doc.State == result.Complete && doc.Cases[0].Verified
			failed := status != 0 && doc.State == result.Failed && len(doc.Cases[0].Samples) == 0
			if !resumed && (way == "-A posix" || !failed) {
				t.Errorf("exit status %d, document is %s with errors %v", status, doc.State, doc.Errors)
			}
			l.cleaned()
		})
	}
}

func TestWhatWasMeasuredBeforeAFaultIsKept(t *testing.T) {
	for _, way := range []string{"-A posix", "-A mpiio", "-A phdf5"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := faulttest.Start(t)
			// H5Fclose does not return if the write of one rank fails in it.
			l := launch(t, 2, f.Path, nil, nil,
				append(strings.Fields(way), "-p", "2", "-i", "50", "-e", "1M", "-x", "512K", "-X", "1M", "-B", "64K",
					"--timeout", hangTimeout)...)
			l.within(3*startTime, "the first case", func() bool {
				doc, err := result.Read(l.json)
				return err == nil && len(doc.Cases) > 0 && doc.Cases[0].State == result.Complete
			})
			f.SetRules("write:eio")
			l.failed()
			if cases := l.document().Cases; len(cases) != 2 || cases[0].State != result.Complete ||
				len(cases[0].Points()) != 2 || len(cases[0].Samples) != 100 ||
				cases[1].State != result.Failed {
				t.Errorf("cases %+v, want one with its figures and one failed", cases)
			}
			if !strings.Contains(l.stdout.String(), "Throughput") {
				t.Error("the report has no figures of the first case")
			}
		})
	}
}

func TestAnOpeningThatFailsOnOneRankAloneEndsTheRun(t *testing.T) {
	for _, args := range []string{
		"-A posix", "-A mpiio", "-A phdf5", "-A mpiio --io-component romio", "-A phdf5 --io-component romio",
	} {
		if strings.Contains(args, "romio") && !isOpenMPI() {
			continue // its MPI-IO is ROMIO anyway
		}
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			f := faulttest.Start(t, "--rule", "openread:eio:at=2") // the first one looks into the page cache
			l := launch(t, 2, f.Path, nil, nil, small(args, "--timeout", hangTimeout)...)
			if status := l.wait(startTime + endsWithin); status == 0 && args != "-A posix" &&
				(strings.Contains(args, "romio") || !isOpenMPI()) {
				if doc := l.document(); doc.State != result.Complete { // ROMIO opens again what it could not open
					t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
				}
				l.cleaned()
				return
			}
			l.failed()
		})
	}
}
