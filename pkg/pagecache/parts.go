package pagecache

import (
	"cmp"
	"slices"
	"sort"
)

// Range is a part of a file.
type Range struct {
	At, Bytes uint64
}

// end returns the offset behind the last byte.
func (r Range) end() uint64 { return r.At + r.Bytes }

// within returns the part of the range that a file of a size has.
func (r Range) within(size uint64) Range {
	end := min(r.end(), size)
	at := min(r.At, end)
	return Range{at, end - at}
}

// File is a file to look at.
type File struct {
	Path  string
	Parts Parts // which count; of the zero value the whole file
}

// Parts are ranges of a file. If they are many, they are the same length and do not overlap, so that ranges drawn
// at random stand for all of them.
type Parts struct {
	Count uint64
	Bytes uint64               // of all ranges together
	At    func(i uint64) Range // range i, counted from 0
}

// list returns some ranges as Parts.
func list(ranges []Range) Parts {
	p := Parts{Count: uint64(len(ranges)), At: func(i uint64) Range { return ranges[i] }}
	for _, r := range ranges {
		p.Bytes += r.Bytes
	}
	return p
}

// within returns the parts that a file of a size has. Adjacent ranges are joined, unless they are more than most.
func (p Parts) within(size, most uint64) Parts {
	if p.At == nil {
		return list([]Range{{0, size}})
	}
	if p.Count > most {
		return p
	}
	all := make([]Range, 0, p.Count)
	for i := range p.Count {
		if r := p.At(i).within(size); r.Bytes > 0 {
			all = append(all, r)
		}
	}
	return list(joined(all))
}

// joined returns ranges in ascending order, with those that touch or overlap as one.
func joined(all []Range) []Range {
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a.At, b.At) })
	var out []Range
	for _, r := range all {
		if n := len(out); n > 0 && r.At <= out[n-1].end() {
			out[n-1].Bytes = max(out[n-1].end(), r.end()) - out[n-1].At
			continue
		}
		out = append(out, r)
	}
	return out
}

// windows are the windows of some parts: pieces of a size, or less where a range ends.
type windows struct {
	count uint64
	at    func(i uint64) Range
}

// windowsOf divides parts into windows of a size. Of more than most ranges, each has as many windows as the first.
func windowsOf(p Parts, size, most uint64) windows {
	each := func(r Range) uint64 { return (r.Bytes + size - 1) / size }
	cut := func(r Range, i uint64) Range {
		at := min(i*size, r.Bytes)
		return Range{r.At + at, min(size, r.Bytes-at)}
	}
	if p.Count > most {
		n := max(1, each(p.At(0)))
		return windows{p.Count * n, func(i uint64) Range { return cut(p.At(i/n), i%n) }}
	}
	ends := make([]uint64, p.Count) // number of windows up to the end of each range
	count := uint64(0)
	for i := range ends {
		count += each(p.At(uint64(i)))
		ends[i] = count
	}
	return windows{count, func(w uint64) Range {
		i := sort.Search(len(ends), func(i int) bool { return ends[i] > w })
		r := p.At(uint64(i))
		return cut(r, w-(ends[i]-each(r)))
	}}
}
