package fill

import "fmt"

// unitBytes is the size of a unit of the pool, in bytes. Each unit starts with bytes that cannot be compressed,
// followed by bytes that can. It is small, so that a few units have the ratio of the whole.
const unitBytes = 4096

// Data is a kind of content for buffers, such as zeros, random bytes or bytes of a given compression ratio. The zero
// value is Zero.
type Data struct {
	randomBytes uint64 // number of bytes of each unit that do not repeat; the others repeat one word
	stamped     bool
}

// The kinds of content, besides Compressible. Position cannot be compressed, and has stamps that identify its place in
// the file. Random cannot be compressed and has no stamps. Zero is all zeros.
var (
	Position = Data{randomBytes: unitBytes, stamped: true}
	Random   = Data{randomBytes: unitBytes}
	Zero     = Data{}
)

// MaxRatio is the largest ratio of compression that content can have.
const MaxRatio = unitBytes

// CompressibleData returns content without stamps that a compressor makes smaller by a ratio from 1 to 4096. It
// consists of random bytes, which cannot be compressed, and of a repeated word of 8 bytes, which takes almost no space.
// That word depends on the seed and has no zero byte. So every word is wrong in data that were never written, or that
// another process or iteration wrote. With gzip -1 and zstd -1, files of this content with records of 32 KiB or more
// are compressed to 1/ratio of their size, within 2 percentage points. A ratio outside of 1 to 4096 is an error.
func CompressibleData(ratio float64) (Data, error) {
	if !(ratio >= 1 && ratio <= unitBytes) {
		return Data{}, fmt.Errorf("compression ratio %g: not between 1 and %d", ratio, unitBytes)
	}
	return Data{randomBytes: uint64(unitBytes/ratio + 0.5)}, nil
}

// Fill fills the pool of the transfer buffers. Each process and each file should have its own seed.
func (d Data) Fill(pool []byte, seed uint64) { d.writeContent(pool, seed, 0) }

// writeContent writes to dst the bytes that Fill writes to a pool at offset at and after it.
func (d Data) writeContent(dst []byte, seed, at uint64) {
	for len(dst) > 0 {
		start := at - at%unitBytes
		n := min(uint64(len(dst)), start+unitBytes-at)
		fresh := min(max(start+d.randomBytes, at)-at, n)
		writeWords(dst[:fresh], seed, at)
		if d == Zero {
			clear(dst[fresh:n])
		} else {
			writeRepeated(dst[fresh:n], mixBits(^seed)|nonzeroBits, at+fresh)
		}
		dst, at = dst[n:], at+n
	}
}
