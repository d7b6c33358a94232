package node

import (
	"cmp"
	"slices"
	"sort"
)

// FileRange is a contiguous range of bytes in a file.
type FileRange struct {
	Offset, Bytes uint64
}

// endOffset returns the offset after the last byte.
func (r FileRange) endOffset() uint64 { return r.Offset + r.Bytes }

// clipToSize returns the part of the range that lies within a file of the given size.
func (r FileRange) clipToSize(size uint64) FileRange {
	end := min(r.endOffset(), size)
	at := min(r.Offset, end)
	return FileRange{at, end - at}
}

// ExaminedFile is a file to examine in the page cache.
type ExaminedFile struct {
	Path  string
	Parts FileRanges // the parts that count; the zero value means the whole file
}

// FileRanges is a list of ranges of a file. In a long list, all ranges must have the same length and must not overlap,
// so that a random sample of the ranges represents all of them.
type FileRanges struct {
	Count   uint64
	Bytes   uint64                   // of all ranges together
	RangeAt func(i uint64) FileRange // range i, counted from 0
}

// newFileRanges converts ranges to FileRanges.
func newFileRanges(ranges []FileRange) FileRanges {
	p := FileRanges{Count: uint64(len(ranges)), RangeAt: func(i uint64) FileRange { return ranges[i] }}
	for _, r := range ranges {
		p.Bytes += r.Bytes
	}
	return p
}

// clipToSize returns the parts that lie within a file of the given size, with adjacent ranges joined. It returns a list
// of more than most ranges unchanged.
func (p FileRanges) clipToSize(size, most uint64) FileRanges {
	if p.RangeAt == nil {
		return newFileRanges([]FileRange{{0, size}})
	}
	if p.Count > most {
		return p
	}
	all := make([]FileRange, 0, p.Count)
	for i := range p.Count {
		if r := p.RangeAt(i).clipToSize(size); r.Bytes > 0 {
			all = append(all, r)
		}
	}
	return newFileRanges(joinRanges(all))
}

// joinRanges sorts ranges, and joins those that touch or overlap.
func joinRanges(all []FileRange) []FileRange {
	slices.SortFunc(all, func(a, b FileRange) int { return cmp.Compare(a.Offset, b.Offset) })
	var out []FileRange
	for _, r := range all {
		if n := len(out); n > 0 && r.Offset <= out[n-1].endOffset() {
			out[n-1].Bytes = max(out[n-1].endOffset(), r.endOffset()) - out[n-1].Offset
			continue
		}
		out = append(out, r)
	}
	return out
}

// fileWindows is a list of windows. The parts of a file are divided into windows of a fixed size; the last window of a
// part may be smaller.
type fileWindows struct {
	count    uint64
	windowAt func(i uint64) FileRange
}

// newFileWindows divides the ranges of a file into windows of the given size. If there are more than maxRanges ranges,
// it assumes that each range has the same number of windows as the first range.
func newFileWindows(p FileRanges, size, maxRanges uint64) fileWindows {
	each := func(r FileRange) uint64 { return (r.Bytes + size - 1) / size }
	cut := func(r FileRange, i uint64) FileRange {
		at := min(i*size, r.Bytes)
		return FileRange{r.Offset + at, min(size, r.Bytes-at)}
	}
	if p.Count > maxRanges {
		n := max(1, each(p.RangeAt(0)))
		return fileWindows{p.Count * n, func(i uint64) FileRange { return cut(p.RangeAt(i/n), i%n) }}
	}
	ends := make([]uint64, p.Count) // number of windows up to the end of each range
	count := uint64(0)
	for i := range ends {
		count += each(p.RangeAt(uint64(i)))
		ends[i] = count
	}
	return fileWindows{count, func(w uint64) FileRange {
		i := sort.Search(len(ends), func(i int) bool { return ends[i] > w })
		r := p.RangeAt(uint64(i))
		return cut(r, w-(ends[i]-each(r)))
	}}
}
