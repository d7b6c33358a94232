package fill

import "fmt"

// unit is the stretch of the pool within which a kind of data mixes what can be compressed with what cannot: few of them
// have the ratio of the whole, and none is all zeros.
const unit = 4096

// Data is a kind of content. The zero value is Zero.
type Data struct {
	random  uint64 // so many bytes of each unit do not repeat; the rest of it is zeros
	stamped bool
}

// The kinds of content, besides Compress. Position cannot be compressed and names its place. Random cannot be compressed
// and has no stamps. Zero is zeros.
var (
	Position = Data{random: unit, stamped: true}
	Random   = Data{random: unit}
	Zero     = Data{}
)

// Compress is content without stamps that a compressor makes smaller by a ratio, from 1 to 4096: random bytes that cannot be
// compressed, and zeros, of which nothing is left. Files of it, and records of 32 KiB and more, keep 1/ratio of their size
// within 2 points under gzip -1 and zstd -1.
func Compress(ratio float64) (Data, error) {
	if !(ratio >= 1 && ratio <= unit) {
		return Data{}, fmt.Errorf("compression ratio %g: not between 1 and %d", ratio, unit)
	}
	return Data{random: uint64(unit/ratio + 0.5)}, nil
}

// Stamped tells whether the content names its place.
func (d Data) Stamped() bool { return d.stamped }

// Fill fills the pool of the transfer buffers. Give each process, and each file, another seed.
func (d Data) Fill(pool []byte, seed uint64) { d.content(pool, seed, 0) }

// content is what Fill puts into a pool from byte at on.
func (d Data) content(dst []byte, seed, at uint64) {
	for len(dst) > 0 {
		start := at - at%unit
		n := min(uint64(len(dst)), start+unit-at)
		fresh := min(max(start+d.random, at)-at, n)
		words(dst[:fresh], seed, at)
		clear(dst[fresh:n])
		dst, at = dst[n:], at+n
	}
}
