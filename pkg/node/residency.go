package node

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The system calls by which the contents of the page cache are determined.
const (
	Cachestat = "cachestat"
	Mincore   = "mincore"
)

// Residency tells how many bytes of the examined parts of files are in the page cache.
type Residency struct {
	Bytes  uint64 // in the page cache; whole pages count, but not beyond the end of a part
	Total  uint64 // size of the parts in bytes
	Method string // used for the last examination; "" before the first
	// Half the width of the confidence interval of Bytes (see PageCacheProbe.Confidence), if Bytes is an estimate.
	UncertainBytes float64
}

// Ratio returns the fraction of the examined bytes that is in the page cache, or 0 if no bytes were examined.
func (r Residency) Ratio() float64 {
	if r.Total == 0 {
		return 0
	}
	return float64(r.Bytes) / float64(r.Total)
}

// Uncertainty returns half the width of the confidence interval of Ratio, or 0 if all pages were examined rather than a
// sample.
func (r Residency) Uncertainty() float64 {
	if r.Total == 0 {
		return 0
	}
	return min(1, r.UncertainBytes/float64(r.Total))
}

// Add adds the result of another examination. It assumes that the errors of the two estimates are independent.
func (r *Residency) Add(o Residency) {
	r.Method, r.Bytes, r.Total = o.Method, r.Bytes+o.Bytes, r.Total+o.Total
	r.UncertainBytes = math.Hypot(r.UncertainBytes, o.UncertainBytes)
}

// The time of an examination is limited by the number of windows and, if the system is slow, by a clock. mincore(2)
// takes 1.6 to 4.8 s per TiB, so 64 GiB in windows of 1 MiB take 0.1 to 0.3 s. cachestat(2) is faster, because it
// visits only the pages that are in the page cache. Its windows are larger, so that 4096 of them cover all of the
// parts.
const (
	windowBytes      = 1 << 20 // in bytes: a multiple of all page sizes
	maxCalls         = 1 << 16 // number of windows to examine at most
	cachestatWindows = 1 << 12 // number of windows, about, that cachestat divides the parts into
	maxProbeTime     = 900 * time.Millisecond
)

// PageCacheProbe measures how much of files is in the page cache. It divides files into windows. In large files, it
// examines only a random sample of the windows, so that they take no longer than files of a few GiB.
type PageCacheProbe struct {
	Now        func() time.Time
	Random     *rand.Rand
	Confidence float64 // probability with which the interval of an estimate holds what is estimated

	maxWindows       uint64 // number of windows; 0 is maxCalls
	withoutCachestat bool   // as if the kernel had no cachestat
}

// Measure counts the pages of files that are in the page cache, with cachestat(2) if the kernel has it (since 6.5),
// else with mincore(2). The kernel answers only the owner of a file and users who may write to it; for others Measure
// returns an error.
//
// It has a time limit, which does not include opening the files.
func (l PageCacheProbe) Measure(files ...ExaminedFile) (Residency, error) {
	r, err := l.measureFiles(files)
	if err != nil {
		return Residency{}, fmt.Errorf("page cache: %w", err)
	}
	return r, nil
}

// measureFiles does the work of Measure. If it takes too long, its result is an estimate from the windows examined so
// far.
func (l PageCacheProbe) measureFiles(files []ExaminedFile) (r Residency, err error) {
	if l.maxWindows == 0 {
		l.maxWindows = maxCalls
	}
	s := &pageCacheSample{PageCacheProbe: l}
	defer func() { err = errors.Join(err, s.closeFiles()) }()
	for _, f := range files {
		if err := s.openFile(f); err != nil {
			return Residency{}, err
		}
	}
	if err := s.beginSampling(); err != nil {
		return Residency{}, err
	}
	started := l.Now()
	for _, i := range l.Random.Perm(int(s.planned)) {
		if s.sampled > 0 && l.Now().Sub(started) >= maxProbeTime {
			break
		}
		if err := s.sampleWindow(uint64(i)); err != nil {
			return Residency{}, err
		}
	}
	return s.residency(), nil
}

// maxFiles is the number of files that MeasureMany examines at most. If none of their data is in the page cache, the
// confidence interval of the share of all files is below 1 %.
const maxFiles = 1 << 10

// MeasureMany is like Measure for very many small files, of which it has only one open at a time. It examines a random
// sample of them. pathOf returns the path of file i, counted from 0.
func (l PageCacheProbe) MeasureMany(count uint64, pathOf func(i uint64) string) (Residency, error) {
	var r Residency
	started, sampled, planned := l.Now(), uint64(0), min(count, maxFiles)
	for _, i := range l.Random.Perm(int(planned)) {
		if sampled > 0 && l.Now().Sub(started) >= maxProbeTime {
			break
		}
		from, to := stratumStart(count, uint64(i), planned), stratumStart(count, uint64(i)+1, planned)
		seen, err := l.Measure(ExaminedFile{Path: pathOf(from + l.Random.Uint64N(to-from))})
		if err != nil {
			return Residency{}, err
		}
		r.Add(seen)
		sampled++
	}
	if sampled < count {
		half, scale := intervalHalfWidth(r.Ratio(), l.Confidence, sampled, count), float64(count)/float64(sampled)
		r.Bytes, r.Total = uint64(float64(r.Bytes)*scale), uint64(float64(r.Total)*scale)
		r.UncertainBytes = half * float64(r.Total)
	}
	return r, nil
}

// pageCacheSample is a measurement that has not ended. It divides the windows into groups of equal size (strata), and
// examines one random window of each group, in random order. So the windows examined so far are a random sample at any
// time.
type pageCacheSample struct {
	PageCacheProbe
	files  []*openedFile
	method string

	windows, planned, sampled uint64 // numbers of windows: in the parts, to be examined, examined
	total, seenBytes, inCache uint64 // bytes of the parts, of the windows examined, and of these in the page cache
}

// openFile opens a file.
func (s *pageCacheSample) openFile(file ExaminedFile) error {
	f, err := os.Open(file.Path)
	if err != nil {
		return err
	}
	o := &openedFile{File: f}
	s.files = append(s.files, o)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := checkMincoreAllowed(f); err != nil {
		return err
	}
	o.size = uint64(info.Size())
	o.parts = file.Parts.clipToSize(o.size, s.maxWindows)
	s.total += o.parts.Bytes
	return nil
}

// beginSampling chooses the method, and divides the parts into windows.
func (s *pageCacheSample) beginSampling() error {
	s.method = Cachestat
	if len(s.files) > 0 {
		_, err := s.files[0].cachestat(FileRange{0, 1})
		switch {
		case s.withoutCachestat, errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP),
			errors.Is(err, unix.EPERM):
			// EPERM comes from the system call filter of a container that does not know cachestat.
			s.method = Mincore
		case err != nil:
			return &os.PathError{Op: Cachestat, Path: s.files[0].Name(), Err: err}
		}
	}
	size := uint64(windowBytes)
	if s.method == Cachestat {
		size *= max(1, s.total/windowBytes/cachestatWindows)
	}
	for _, f := range s.files {
		f.windows = newFileWindows(f.parts, size, s.maxWindows)
		s.windows += f.windows.count
	}
	s.planned = min(s.windows, s.maxWindows)
	return nil
}

// sampleWindow examines a random window of stratum i.
func (s *pageCacheSample) sampleWindow(i uint64) error {
	from, to := stratumStart(s.windows, i, s.planned), stratumStart(s.windows, i+1, s.planned)
	w := from + s.Random.Uint64N(to-from)
	k := 0
	for w >= s.files[k].windows.count {
		w -= s.files[k].windows.count
		k++
	}
	f := s.files[k]
	r := f.windows.windowAt(w).clipToSize(f.size)
	look := f.cachestat
	if s.method == Mincore {
		look = f.mincore
	}
	s.sampled++
	if r.Bytes == 0 {
		return nil
	}
	pages, err := look(r)
	if err != nil {
		return &os.PathError{Op: s.method, Path: f.Name(), Err: err}
	}
	s.seenBytes += r.Bytes
	s.inCache += min(pages*pageBytes, r.Bytes)
	return nil
}

// residency returns the result of the measurement. It is exact if all windows were examined, otherwise an estimate.
func (s *pageCacheSample) residency() Residency {
	r := Residency{Bytes: s.inCache, Total: s.total, Method: s.method}
	if s.sampled == s.windows {
		return r
	}
	p := 0.0
	if s.seenBytes > 0 {
		p = float64(s.inCache) / float64(s.seenBytes)
	}
	r.Bytes = uint64(p * float64(s.total))
	r.UncertainBytes = intervalHalfWidth(p, s.Confidence, s.sampled, s.windows) * float64(s.total)
	return r
}

// closeFiles closes the files.
func (s *pageCacheSample) closeFiles() error {
	var err error
	for _, f := range s.files {
		err = errors.Join(err, f.closeFile())
	}
	return err
}

// stratumStart returns the index of the first window in stratum i, if n windows are divided into strata groups of equal
// size.
func stratumStart(n, i, strata uint64) uint64 { return n/strata*i + n%strata*i/strata }

// intervalHalfWidth returns the uncertainty of an estimate. In a sample of looked windows, the fraction p is in the
// page cache; the result tells how far the fraction in all windows may be from p, at the given confidence level. It is
// the distance from p to the farther end of Wilson's confidence interval (J. Am. Stat. Assoc. 22, 209, 1927), which has
// a width above 0 even if p is 0 or 1. The true error is smaller, because the windows are drawn from strata and some
// are partly in the page cache. The finite population correction (Cochran, Sampling Techniques, section 2.6) makes the
// variance smaller if the sample is a large part of all windows; here it increases the number of windows instead.
func intervalHalfWidth(p, level float64, looked, all uint64) float64 {
	if looked >= all {
		return 0
	}
	n := float64(looked) * float64(all-1) / float64(all-looked)
	z := math.Sqrt2 * math.Erfinv(level)
	shrink := 1 / (1 + z*z/n)
	centre := shrink * (p + z*z/(2*n))
	half := shrink * z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(centre+half-p, p-(centre-half))
}
