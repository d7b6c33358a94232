package node

import (
	"cmp"
	"slices"
	"sort"
)

// PageRange is a contiguous range of bytes in a file.
type PageRange struct {
	Offset, Bytes uint64
}

// endOffset returns the offset after the last byte.
func (r PageRange) endOffset() uint64 { return r.Offset + r.Bytes }

// clipToSize returns the part of the range that lies within a file of the given size.
func (r PageRange) clipToSize(size uint64) PageRange {
	end := min(r.endOffset(), size)
	at := min(r.Offset, end)
	return PageRange{at, end - at}
}

// PageFile is a file to examine in the page cache.
type PageFile struct {
	Path  string
	Parts PageParts // the parts that count; the zero value means the whole file
}

// PageParts is a list of ranges of a file. In a long list, all ranges must have the same length and must not overlap,
// so that a random sample of the ranges represents all of them.
type PageParts struct {
	Count   uint64
	Bytes   uint64                   // of all ranges together
	RangeAt func(i uint64) PageRange // range i, counted from 0
}

// newPageParts converts ranges to PageParts.
func newPageParts(ranges []PageRange) PageParts {
	p := PageParts{Count: uint64(len(ranges)), RangeAt: func(i uint64) PageRange { return ranges[i] }}
	for _, r := range ranges {
		p.Bytes += r.Bytes
	}
	return p
}

// clipToSize returns the parts that lie within a file of the given size, with adjacent ranges joined. It returns a list
// of more than most ranges unchanged.
func (p PageParts) clipToSize(size, most uint64) PageParts {
	if p.RangeAt == nil {
		return newPageParts([]PageRange{{0, size}})
	}
	if p.Count > most {
		return p
	}
	all := make([]PageRange, 0, p.Count)
	for i := range p.Count {
		if r := p.RangeAt(i).clipToSize(size); r.Bytes > 0 {
			all = append(all, r)
		}
	}
	return newPageParts(joinRanges(all))
}

// joinRanges sorts ranges, and joins those that touch or overlap.
func joinRanges(all []PageRange) []PageRange {
	slices.SortFunc(all, func(a, b PageRange) int { return cmp.Compare(a.Offset, b.Offset) })
	var out []PageRange
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
	windowAt func(i uint64) PageRange
}

// newFileWindows divides the ranges of a file into windows of the given size. If there are more than maxRanges ranges,
// it assumes that each range has the same number of windows as the first range.
func newFileWindows(p PageParts, size, maxRanges uint64) fileWindows {
	each := func(r PageRange) uint64 { return (r.Bytes + size - 1) / size }
	cut := func(r PageRange, i uint64) PageRange {
		at := min(i*size, r.Bytes)
		return PageRange{r.Offset + at, min(size, r.Bytes-at)}
	}
	if p.Count > maxRanges {
		n := max(1, each(p.RangeAt(0)))
		return fileWindows{p.Count * n, func(i uint64) PageRange { return cut(p.RangeAt(i/n), i%n) }}
	}
	ends := make([]uint64, p.Count) // number of windows up to the end of each range
	count := uint64(0)
	for i := range ends {
		count += each(p.RangeAt(uint64(i)))
		ends[i] = count
	}
	return fileWindows{count, func(w uint64) PageRange {
		i := sort.Search(len(ends), func(i int) bool { return ends[i] > w })
		r := p.RangeAt(uint64(i))
		return cut(r, w-(ends[i]-each(r)))
	}}
}
