package fill

import "bytes"

// Check compares a buffer that was read with what the transfer wrote. It returns the number of bytes that differ, and what
// is known of the first grains in which they do, at most limit of them. Every byte is compared; a grain of stamped data that holds another
// place's stamp goes unnoticed only if the two stamps, cut to the grain, are equal (chance: 1 in 256 for blocks of one
// byte, 1 in 2^128 from 16 bytes on).
func (t Transfer) Check(buf []byte, limit int) (wrong uint64, found []Mismatch) {
	want := make([]byte, t.Grain)
	t.grains(buf, func(grain []byte, pos, offset uint64) bool {
		want := want[:len(grain)]
		t.Data.content(want, t.Seed, t.At+pos)
		if t.Data.stamped {
			stamp(want, t.Tag, offset)
		}
		if bytes.Equal(grain, want) {
			return true
		}
		wrong += different(grain, want)
		if len(found) < limit {
			found = append(found, t.diagnose(grain, want, offset))
		}
		return true
	})
	return wrong, found
}

// different is the number of bytes that differ.
func different(got, want []byte) uint64 {
	n := uint64(0)
	for i := range got {
		if got[i] != want[i] {
			n++
		}
	}
	return n
}
