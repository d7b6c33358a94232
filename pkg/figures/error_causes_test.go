package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// stack is what HDF5 reports of a write to a full file system.
const stack = "H5FD__mpio_write: file write failed <- H5FD_write: driver write request failed <- H5D__write: can't " +
	"write data <- H5Dwrite: can't write data: no space left on device"

func TestErrorsOfOneCauseAreCountedTogether(t *testing.T) {
	var causes figures.ErrorCauses
	for i, c := range []struct {
		message string
		count   int
	}{
		{"pwrite /s/data_1.posix: 1024 bytes at offset 0, 512 moved: no space left on device", 1},
		{"pwrite /s/other/data_27.posix: 64 bytes at offset 4096, 0 moved: no space left on device", 2},
		{"pwrite /s/data_1.posix: 1024 bytes at offset 0, 512 moved: permission denied", 1},
		{"pread /s/data_1.posix: 1024 bytes at offset 0, 512 moved: permission denied", 1},
		{"H5Dwrite /s/a.h5 Dataset_1: 64 bytes at offset 0, 64 moved: " + stack, 1},
		{"H5Dwrite /s/a.h5 Dataset_2: 64 bytes at offset 64, 64 moved: " + stack, 2},
		{"pwrite: no space left on device", 3},
	} {
		if n := causes.Add(result.Error{Rank: i, Message: c.message}); n != c.count {
			t.Errorf("%s: number %d of its cause, want %d", c.message, n, c.count)
		}
	}
	var counts []int
	for _, cause := range causes.All() {
		counts = append(counts, cause.Count)
	}
	if want := []int{3, 1, 1, 2}; !slices.Equal(counts, want) || causes.All()[0].First.Rank != 0 {
		t.Errorf("%v, want %v", causes.All(), want)
	}
}

func TestTheCallsOfHDF5AreFolded(t *testing.T) {
	const want = "H5Dwrite Dataset_1: H5FD__mpio_write: file write failed <- (2 calls) <- H5Dwrite: can't write " +
		"data: no space left on device"
	got := figures.CauseText("H5Dwrite /s/a.h5 Dataset_1: 64 bytes at offset 0, 64 moved: " + stack)
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if short := "a: b <- c: d <- e: f\ng: h"; figures.FoldCalls(short) != short {
		t.Errorf("%q of %q", figures.FoldCalls(short), short)
	}
}

func TestARunTellsEachCauseOnceWithItsCount(t *testing.T) {
	r := figurestest.Failed()
	r.Errors = nil
	for i := range r.Cases {
		r.Cases[i].State = result.Failed
		r.Cases[i].Error = &result.Error{
			Phase: "transfer", Operation: "write", Rank: i, Host: "n1",
			Message: "pwrite: full",
		}
		r.Errors = append(r.Errors, *r.Cases[i].Error)
	}
	want := []string{"4 times: pwrite: full (write transfer, rank 0 on n1)"}
	if got := r.Failures(); !slices.Equal(got, want) || r.CountedCauses() != "1 cause" {
		t.Errorf("%q by %s, want %q by 1 cause", got, r.CountedCauses(), want)
	}
	r.Cases[1].Error.Message = "pread: gone"
	if got := r.CountedCauses(); got != "2 causes, the first" {
		t.Errorf("%q", got)
	}
	r.Cases = r.Cases[:1]
	if got := r.CountedCauses(); got != "" {
		t.Errorf("of one error: %q", got)
	}
}
