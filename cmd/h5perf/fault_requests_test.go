//go:build cgo && !nompi

package main

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/faultfs/faulttest"
)

// ways holds the options that select each API alone. allWays adds collective access by all processes.
var (
	ways    = []string{"-A posix", "-A mpiio", "-A phdf5"}
	allWays = append(ways, "-A mpiio -C -I", "-A phdf5 -C")
)

// small returns the arguments of a short run of one case.
func small(args string, more ...string) []string {
	return append(append(strings.Fields(args), "-p", "2", "-e", "512K", "-x", "128K", "-X", "128K", "-B", "32K"),
		more...)
}

// oneByOne and fewest test failing requests in as few runs as possible. A failed case does not affect the next one, so
// one run tests all APIs one after another. With collective access, a process that fails leaves the others waiting in
// the library, and the job ends: this needs a run of its own.
var (
	oneByOne = []string{"-A posix,mpiio,phdf5"}
	fewest   = append(oneByOne, allWays[3:]...)
)

func TestFaultsOfRequestsFailTheCase(t *testing.T) {
	t.Parallel()
	// Where ROMIO returns the error, OMPIO moves fewer bytes. HDF5 reports the missing data.
	lost := []string{
		"nput/output error", "MPI_ERR_IO", "moved fewer bytes than requested", "H5FD__mpio_", "file signature not " +
			"found",
		"Other I/O error", "MPI_ERR_OTHER",
	}
	for _, c := range []struct {
		name, rules, args string
		ways              []string
		text              []string // the error must contain one of these
	}{
		{"EIO of a write", "write:eio:from=4", "", fewest, lost},
		{"ENOSPC of a write", "write:enospc:from=4", "", oneByOne, append(lost, "o space left")},
		{"EDQUOT of a write", "write:edquot:from=4", "", oneByOne, append(lost, "uota")},
		{"ESTALE of a write", "write:estale:from=4", "", oneByOne, append(lost, "tale")},
		{"EIO of a read", "read:eio", "", fewest, lost},
		{"EIO of fsync when a file is closed", "fsync:eio", "--sync close", oneByOne, append(lost, "H5Fflush")},
		{"EIO of the second fsync", "fsync:eio:from=2", "--sync each", ways, append(lost, "H5Fflush")},
		// MPI-IO does not report this error; --sync finds it.
		{"EIO of close", "flush:eio:from=2", "", ways[:1], lost},
		{"EROFS of a creation", "create:erofs:from=2", "", oneByOne, []string{"ead-only", "READ_ONLY"}},
		{
			"EACCES of a creation", "create:eacces:from=2", "", oneByOne,
			[]string{"ermission denied", "ACCESS", "Access denied"},
		},
		{
			"EACCES of an opening", "openread:eacces", "", oneByOne,
			[]string{"ermission denied", "ACCESS", "Access denied"},
		},
		// The first write request comes from the start of the run. Each case has eight more, and HDF5 also writes
		// metadata.
		{
			"dropped writes", "write:drop:at=4 write:drop:at=12 write:drop:at=22", "-D v", oneByOne,
			[]string{"bytes differ"},
		},
		{
			"a dropped write", "write:drop:at=4", "-D v", allWays[3:], // the number of writes depends on the library
			[]string{"bytes differ"},
		},
		{
			"bits flipped on the way out", "write:flip:at=4 write:flip:at=12 write:flip:at=22", "-D v", oneByOne,
			[]string{"1 bit differs"},
		},
		{"bits flipped on the way in", "read:flip", "-D v", oneByOne, []string{"1 bit differs"}},
	} {
		for _, way := range c.ways {
			t.Run(c.name+" "+way, func(t *testing.T) {
				t.Parallel()
				var rules []string
				for rule := range strings.FieldsSeq(c.rules) {
					rules = append(rules, "--rule", rule)
				}
				f := faulttest.Start(t, rules...)
				l := launch(t, 2, f.Path, nil, nil,
					append(small(way, "--timeout", patience), strings.Fields(c.args)...)...)
				l.failed()
				l.eachFails(1+strings.Count(way, ","), c.text...)
			})
		}
	}
}

func TestAShortWriteIsResumedOrAnError(t *testing.T) {
	t.Parallel()
	for _, way := range allWays {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := faulttest.Start(t, "--direct", "--rule", "write:short:at=4")
			l := launch(t, 2, f.Path, nil, nil, small(way, "-D", "v", "--timeout", patience)...)
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

func TestAReadThatMovesNothingIsAnError(t *testing.T) {
	t.Parallel()
	for _, way := range allWays {
		for _, rule := range []string{"read:empty", "read:empty:from=3"} {
			t.Run(way+" "+rule, func(t *testing.T) {
				t.Parallel()
				f := faulttest.Start(t, "--direct", "--rule", rule)
				l := launch(t, 2, f.Path, nil, nil, small(way, "--timeout", patience)...)
				l.fails(startTime + endsWithin)
				if doc := l.document(); doc.State != result.Failed {
					t.Errorf("document is %s", doc.State)
				}
				l.cleaned()
			})
		}
	}
}

func TestWhatWasMeasuredBeforeAFaultIsKept(t *testing.T) {
	t.Parallel()
	// The first case writes 80 times, after one write at the start of the run.
	f := faulttest.Start(t, "--direct", "--rule", "write:eio:from=90")
	// The slowest end: if the write of one rank fails in H5Fclose, it does not return.
	l := launch(t, 2, f.Path, nil, nil, "-A", "posix,phdf5", "-p", "2", "-i", "20", "-e", "256K", "-x", "128K", "-X",
		"128K", "-B", "128K", "--timeout", patience)
	l.failed()
	if cases := l.document().Cases; len(cases) != 2 || cases[0].State != result.Complete ||
		len(cases[0].Points()) != 2 || len(cases[0].Samples) != 40 || cases[1].State != result.Failed {
		t.Errorf("cases %+v, want one with its figures and one failed", cases)
	}
	if !strings.Contains(l.stdout.String(), "Throughput") {
		t.Error("the report has no figures of the first case")
	}
}

func TestAnOpeningThatFailsOnOneRankAloneEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"-A mpiio", "-A phdf5", "-A mpiio --io-component romio",
	} {
		if strings.Contains(args, "romio") && !isOpenMPI() {
			continue // its MPI-IO is always ROMIO
		}
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			f := faulttest.Start(t, "--rule", "openread:eio:at=2") // the first open checks the page cache
			l := launch(t, 2, f.Path, nil, nil, small(args, "--timeout", patience)...)
			romio := strings.Contains(args, "romio") || !isOpenMPI()
			if status := l.wait(startTime + endsWithin); status == 0 && romio {
				if doc := l.document(); doc.State != result.Complete { // ROMIO tries again to open the file
					t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
				}
				l.cleaned()
				return
			}
			l.failed()
		})
	}
}

// eachFails checks the number of cases, and that each of them failed with an error that contains one of the texts.
func (l *launched) eachFails(cases int, texts ...string) {
	l.t.Helper()
	doc := l.document()
	if len(doc.Cases) != cases {
		l.t.Errorf("%d cases, want %d", len(doc.Cases), cases)
	}
	for _, c := range doc.Cases {
		if c.State != result.Failed || !slices.ContainsFunc(texts, func(text string) bool {
			return strings.Contains(c.Error.Message, text)
		}) {
			l.t.Errorf("%s is %s with error %+v, want one with one of %q", c.API, c.State, c.Error, texts)
		}
	}
}
