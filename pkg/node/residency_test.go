package node

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// looker returns a PageCacheProbe for which no time passes, and that always draws the same.
func looker() PageCacheProbe {
	return PageCacheProbe{
		Now: func() time.Time { return time.Time{} }, Random: rand.New(rand.NewPCG(1, 2)), Confidence: 0.95,
	}
}

// lookers returns a PageCacheProbe of each method that the kernel has, with at most most windows.
func lookers(t *testing.T, most uint64) map[string]PageCacheProbe {
	t.Helper()
	l := looker()
	l.maxWindows = most
	o := l
	o.withoutCachestat = true
	all := map[string]PageCacheProbe{Mincore: o}
	r, err := l.Measure(ExaminedFile{Path: file(t, t.TempDir(), 1)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Method == Cachestat {
		all[Cachestat] = l
	}
	return all
}

// sparse creates a file that is a hole but for what is written at some offsets, 1 MiB each. Holes are not in the page
// cache.
func sparse(t *testing.T, dir string, size int64, written ...int64) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, fmt.Sprint("sparse", size)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(f.Name()) })
	defer func() { _ = f.Close() }()
	if err := f.Truncate(size); err != nil {
		t.Skipf("no file of %d bytes here: %v", size, err)
	}
	for _, at := range written {
		if _, err := f.WriteAt(make([]byte, 1<<20), at); err != nil {
			t.Fatal(err)
		}
	}
	return f.Name()
}

func TestPartsOfAFile(t *testing.T) {
	// 2 of 8 MiB are in the page cache, and the file ends with half a page.
	const size = 8<<20 + 100
	path := sparse(t, t.TempDir(), size, 2<<20, 5<<20)
	for _, row := range []struct {
		name         string
		ranges       []FileRange
		bytes, total uint64
	}{
		{"whole", nil, 2 << 20, size},
		{"none", []FileRange{}, 0, 0},
		{"what was written", []FileRange{{2 << 20, 1 << 20}, {5 << 20, 1 << 20}}, 2 << 20, 2 << 20},
		{"what was not", []FileRange{{0, 2 << 20}, {6 << 20, 1 << 20}}, 0, 3 << 20},
		{"a part of each", []FileRange{{1 << 20, 3 << 19}, {11 << 19, 1 << 20}}, 1 << 20, 5 << 19},
		{
			"adjacent and overlapping",
			[]FileRange{{3 << 19, 1 << 20}, {1 << 20, 1 << 19}, {2 << 20, 1 << 19}},
			1 << 19, 3 << 19,
		},
		{"beyond the end", []FileRange{{8 << 20, 1 << 20}, {9 << 20, 1 << 20}}, 0, 100},
		{"no page boundaries", []FileRange{{2<<20 + 1000, 5000}, {3<<20 + 1000, 5000}}, 5000, 10000},
	} {
		f := ExaminedFile{Path: path}
		if row.ranges != nil {
			f.Parts = newFileRanges(row.ranges)
		}
		for method, l := range lookers(t, 100) {
			want := Residency{Bytes: row.bytes, Total: row.total, Method: method}
			if got, err := l.Measure(f); err != nil || got != want {
				t.Errorf("%s, %s: %+v, %v, want %+v", row.name, method, got, err, want)
			}
		}
	}
}

func TestASampleHoldsWhatIsInThePageCache(t *testing.T) {
	const size = 256 << 20
	var written []int64
	for at := int64(0); at < size/2; at += 1 << 20 {
		written = append(written, at)
	}
	half := sparse(t, t.TempDir(), size, written...)
	written = nil
	for at := int64(0); at < size; at += 8 << 20 { // the first of the windows in each of 32 strata
		written = append(written, at)
	}
	eighth := sparse(t, t.TempDir(), size, written...)
	for _, row := range []struct {
		name, path string
		parts      FileRanges
		want       float64
	}{
		{"half", half, FileRanges{}, 0.5},
		{"all", half, newFileRanges([]FileRange{{0, size / 2}}), 1},
		{"nothing", half, newFileRanges([]FileRange{{size / 2, size / 2}}), 0},
		// of each 32 KiB, 4 KiB
		{"many", half, FileRanges{Count: size >> 15, Bytes: size >> 3, RangeAt: func(i uint64) FileRange {
			return FileRange{i << 15, 4096}
		}}, 0.5},
		{"an eighth", eighth, FileRanges{}, 0.125},
	} {
		for method, l := range lookers(t, 32) {
			if method == Cachestat && row.name != "many" {
				continue // it looks at all
			}
			r, err := l.Measure(ExaminedFile{row.path, row.parts})
			low, high := r.Ratio()-r.Uncertainty(), r.Ratio()+r.Uncertainty()
			if err != nil || r.UncertainBytes <= 0 || r.Uncertainty() > 0.25 || row.want < low || row.want > high {
				t.Errorf("%s, %s: %v ± %v, %v, want %v", row.name, method, r.Ratio(), r.Uncertainty(), err, row.want)
			}
		}
	}
}

func TestALookEndsInTime(t *testing.T) {
	const size = 64 << 20
	var written []int64 // the first half
	for at := int64(0); at < size/2; at += 1 << 20 {
		written = append(written, at)
	}
	path := sparse(t, t.TempDir(), size, written...)
	for method, l := range lookers(t, 1000) {
		calls, now := 0, time.Time{}
		l.Now = func() time.Time {
			calls++
			now = now.Add(100 * time.Millisecond)
			return now
		}
		r, err := l.Measure(ExaminedFile{Path: path})
		if err != nil || calls > 11 || r.Total != size || r.Uncertainty() < 0.2 ||
			math.Abs(r.Ratio()-0.5) > r.Uncertainty() {
			t.Errorf("%s: %v ± %v after %d looks at the clock, %v; want 0.5 after a second", method, r.Ratio(),
				r.Uncertainty(), calls, err)
		}
	}
}

func TestAFileOfAnySizeIsLookedAt(t *testing.T) {
	const size = 1 << 50 // more than can be mapped at a time
	path := sparse(t, "/dev/shm", size, 7<<40)
	for method, l := range lookers(t, 100) {
		r, err := l.Measure(ExaminedFile{Path: path})
		if err != nil || r.Total != size || r.Ratio()+r.Uncertainty() < 1.0/(1<<30) {
			t.Errorf("%s: %+v, %v", method, r, err)
		}
		r, err = l.Measure(ExaminedFile{path, newFileRanges([]FileRange{{7 << 40, 2 << 20}})})
		if err != nil || r.Bytes != 1<<20 || r.Total != 2<<20 {
			t.Errorf("%s: a part: %+v, %v", method, r, err)
		}
	}
}

func TestSeveralFilesAreOneLook(t *testing.T) {
	dir := t.TempDir()
	one, two := file(t, dir, 3<<20), sparse(t, dir, 5<<20)
	for method, l := range lookers(t, 100) {
		want := Residency{Bytes: 3 << 20, Total: 8 << 20, Method: method}
		if r, err := l.Measure(ExaminedFile{Path: one}, ExaminedFile{Path: two}); err != nil || r != want {
			t.Errorf("%+v, %v, want %+v", r, err, want)
		}
	}
}

// Of very many files, a sample is examined. If nothing of it is in the page cache, it is shown that little of all is.
func TestVeryManyFilesAreSampled(t *testing.T) {
	dir := t.TempDir()
	paths := []string{file(t, dir, 3000), sparse(t, dir, 3000)}
	for _, c := range []struct {
		count, alternate uint64
		first            int
		want, uncertain  float64
	}{
		{1000, 2, 0, 0.5, 0},
		{1 << 20, 2, 0, 0.5, 0.04},
		{1 << 20, 1, 0, 1, 0.01},
		{1 << 20, 1, 1, 0, 0.01},
		{0, 1, 0, 0, 0},
	} {
		opened := uint64(0)
		r, err := looker().MeasureMany(c.count, func(i uint64) string {
			if opened++; i >= c.count {
				t.Errorf("file %d of %d", i, c.count)
			}
			return paths[uint64(c.first)+i%c.alternate]
		})
		if err != nil || r.Total != 3000*c.count || opened > 1024 || r.Uncertainty() > c.uncertain ||
			c.count > 1024 && r.Uncertainty() == 0 || math.Abs(r.Ratio()-c.want) > r.Uncertainty()+1e-9 {
			t.Errorf("%+v: %v ± %v of %d bytes after %d files, %v", c, r.Ratio(), r.Uncertainty(), r.Total, opened,
				err)
		}
	}
	slow, now := looker(), time.Time{}
	slow.Now = func() time.Time { now = now.Add(100 * time.Millisecond); return now }
	opened := 0
	if r, err := slow.MeasureMany(1000, func(uint64) string { opened++; return paths[0] }); err != nil || opened > 10 ||
		r.Total != 3000*1000 || r.Ratio() != 1 || r.Uncertainty() == 0 {
		t.Errorf("%+v, %v after %d files", r, err, opened)
	}
	if _, err := looker().MeasureMany(5, func(uint64) string { return filepath.Join(dir, "none") }); err == nil {
		t.Error("no error of a file that is not there")
	}
}

func TestLooksAreAddedUp(t *testing.T) {
	r := Residency{Bytes: 1, Total: 3, UncertainBytes: 3}
	r.Add(Residency{Bytes: 1000, Total: 1000, Method: Mincore, UncertainBytes: 4})
	if want := (Residency{1001, 1003, Mincore, 5}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	if r = (Residency{}); r.Ratio() != 0 || r.Uncertainty() != 0 {
		t.Errorf("ratio %g ± %g of nothing", r.Ratio(), r.Uncertainty())
	}
}

func TestTheHalfWidthOfAnInterval(t *testing.T) {
	for _, row := range []struct {
		p           float64
		looked, all uint64
		least, most float64
	}{
		{0, 100, 1 << 30, 0.036, 0.038}, // about 3.84/100
		{1, 100, 1 << 30, 0.036, 0.038},
		{0.5, 10000, 1 << 30, 0.0097, 0.0099}, // 1.96 * 0.5 / 100
		{0.5, 100, 100, 0, 0},
		{0, 99, 100, 1e-6, 0.001},
		{0.5, 50, 100, 0.094, 0.098}, // of a half: 100 of very many
	} {
		got := intervalHalfWidth(row.p, 0.95, row.looked, row.all)
		if math.IsNaN(got) || got < row.least || got > row.most {
			t.Errorf("%d of %d, %g: ± %g, want %g to %g", row.looked, row.all, row.p, got, row.least, row.most)
		}
	}
}

func TestStrataAreEqual(t *testing.T) {
	for _, n := range []uint64{7, 8, 100, 1<<40 + 3} {
		for i := range uint64(7) {
			if k := stratumStart(n, i+1, 7) - stratumStart(n, i, 7); k < n/7 || k > n/7+1 {
				t.Errorf("stratum %d of 7 of %d: %d", i, n, k)
			}
		}
		if stratumStart(n, 0, 7) != 0 || stratumStart(n, 7, 7) != n {
			t.Errorf("strata of %d", n)
		}
	}
}
