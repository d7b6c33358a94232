package fill

import "bytes"

// Check compares a buffer that was read with the data that the transfer wrote. It returns the number of bytes that
// differ, and a diagnosis of the first grains that differ, at most limit of them.
//
// Every byte is compared. A grain is the range from one stamp to the next. If a grain holds the stamp of another offset
// or writer, Check cannot see that if both stamps, cut to the size of the grain, are equal. The probability is 1 in 256
// for blocks of one byte, and 1 in 2^128 for 16 bytes or more.
func (t Transfer) Check(buf []byte, limit int) (wrong uint64, found []Mismatch) {
	want := make([]byte, t.Grain)
	t.eachGrain(buf, func(grain []byte, pos, offset uint64) bool {
		want := want[:len(grain)]
		t.Data.writeContent(want, t.Seed, t.PoolOffset+pos)
		if t.Data.stamped {
			writeStamp(want, t.Tag, offset)
		}
		if bytes.Equal(grain, want) {
			return true
		}
		wrong += numDifferent(grain, want)
		if len(found) < limit {
			found = append(found, t.diagnose(grain, want, offset))
		}
		return true
	})
	return wrong, found
}

// numDifferent returns the number of bytes that differ. Both slices must have the same length.
func numDifferent(got, want []byte) uint64 {
	n := uint64(0)
	for i := range got {
		if got[i] != want[i] {
			n++
		}
	}
	return n
}
