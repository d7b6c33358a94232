package fill

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// transfer returns a transfer whose runs start stride bytes apart, the first one at offset base.
func transfer(seed uint64, tag Tag, base, stride, runBytes, block uint64) Transfer {
	return Transfer{
		Data: Position, Seed: seed, Tag: tag.Pack(), RunBytes: runBytes, Grain: StampDistance(block),
		Offset: func(run uint64) uint64 { return base + run*stride },
	}
}

// written returns the buffer that a transfer writes.
func written(t Transfer, runs uint64) []byte {
	pool := make([]byte, t.PoolOffset+runs*t.RunBytes)
	t.Data.Fill(pool, t.Seed)
	t.Stamp(pool[t.PoolOffset:])
	return pool[t.PoolOffset:]
}

func TestStampIsAtTheStartOfEveryGrain(t *testing.T) {
	tr := transfer(1, Tag{Run: 1}, 1<<20, 1<<16, 5000, 5000)
	buf := written(tr, 3)
	base := make([]byte, len(buf))
	Position.Fill(base, 1)
	for i := range buf {
		inRun := i % 5000
		stamped := inRun < 16 || inRun >= 4096 && inRun < 4112
		if !stamped && buf[i] != base[i] {
			t.Fatalf("byte %d of the buffer was changed outside of a stamp", i)
		}
	}
	for run := range uint64(3) {
		for _, p := range []uint64{0, 4096} {
			want := make([]byte, 16)
			writeStamp(want, tr.Tag, 1<<20+run<<16+p)
			if got := buf[run*5000+p:][:16]; !bytes.Equal(got, want) {
				t.Errorf("stamp of run %d at byte %d is %x, want %x", run, p, got, want)
			}
		}
	}
}

func TestStampCutShortIsTheStartOfTheWholeOne(t *testing.T) {
	whole := make([]byte, 16)
	writeStamp(whole, 5, 77)
	for n := range 16 {
		cut := make([]byte, n)
		writeStamp(cut, 5, 77)
		if !bytes.Equal(cut, whole[:n]) {
			t.Errorf("stamp of %d bytes is %x, want the start of %x", n, cut, whole)
		}
	}
}

func TestSmallBlocksAreNotStampedInTheLoop(t *testing.T) {
	for block, want := range map[uint64]bool{1: false, 15: false, 16: true, 4096: true, 1 << 30: true} {
		if got := Position.StampsInLoop(block); got != want || Position.StampsBefore(block) == want {
			t.Errorf("blocks of %d bytes are stamped in the loop: %v, before it: %v", block, got,
				Position.StampsBefore(block))
		}
		if Random.StampsInLoop(block) || Random.StampsBefore(block) {
			t.Errorf("blocks of %d bytes of data without stamps are stamped", block)
		}
	}
}

var shapes = []struct{ at, runs, runBytes, block uint64 }{
	{0, 1, 4096, 4096},
	{0, 2, 12288, 4096},
	{3, 4, 100, 100},
	{8, 3, 5000, 5000},
	{0, 8, 1, 1},
	{5, 6, 2, 2},
	{1, 4, 12, 4},
	{0, 5, 15, 15},
	{0, 3, 16, 16},
	{7, 3, 17, 17},
	{0, 1, 9000, 1 << 20},
}

func TestCheckPassesWhatWasWritten(t *testing.T) {
	for _, s := range shapes {
		tr := transfer(9, Tag{Run: 4, Rank: 1}, 1000, 3*s.runBytes, s.runBytes, s.block)
		tr.PoolOffset = s.at
		if wrong, found := tr.Check(written(tr, s.runs), 10); wrong != 0 || len(found) != 0 {
			t.Errorf("%+v: %d wrong bytes in good data: %v", s, wrong, found)
		}
	}
}

func TestCheckFindsAFlipOfAnyBit(t *testing.T) {
	for _, s := range shapes {
		tr := transfer(9, Tag{Run: 4, Rank: 1}, 1000, 3*s.runBytes, s.runBytes, s.block)
		tr.PoolOffset = s.at
		buf := written(tr, s.runs)
		for bit := 0; bit < 8*len(buf); bit += 1 + len(buf)/256 { // every bit of the smaller buffers
			buf[bit/8] ^= 1 << (bit % 8)
			run, pos := uint64(bit/8)/s.runBytes, uint64(bit/8)%s.runBytes
			wrong, found := tr.Check(buf, 10)
			if wrong != 1 || len(found) != 1 || found[0].Offset != 1000+3*s.runBytes*run+pos || found[0].Length != 1 {
				t.Fatalf("%+v: flip of bit %d: %d wrong bytes, %v", s, bit, wrong, found)
			}
			if m := found[0]; (m.Kind != Flipped || m.Bits != 1) && !containsOnly(buf[bit/8:][:1], 0) &&
				!containsOnly(buf[bit/8:][:1], poisonByte) {
				t.Fatalf("%+v: flip of bit %d is called %v", s, bit, m)
			}
			buf[bit/8] ^= 1 << (bit % 8)
		}
	}
}

func TestCheckLimitsWhatItTellsButCountsAll(t *testing.T) {
	tr := transfer(9, Tag{}, 0, 64, 64, 64)
	buf := written(tr, 100)
	for i := range buf {
		buf[i] ^= 0xff
	}
	wrong, found := tr.Check(buf, 3)
	if wrong != 6400 || len(found) != 3 {
		t.Errorf("%d wrong bytes and %d mismatches, want 6400 and 3", wrong, len(found))
	}
}

// corruption changes grain g of a buffer of tr, and returns the mismatch that Check must find.
type corruption struct {
	name    string
	corrupt func(tr Transfer, grain []byte, g uint64) Mismatch
}

// These corruptions need transfers whose runs have one grain each and are 3 × RunBytes apart.
var corruptions = []corruption{
	{"zeroed", func(_ Transfer, grain []byte, _ uint64) Mismatch {
		clear(grain)
		return Mismatch{Kind: Zeroed}
	}},
	{"unread", func(_ Transfer, grain []byte, _ uint64) Mismatch {
		Poison(grain)
		return Mismatch{Kind: Unread}
	}},
	{"another rank's block at this offset", func(tr Transfer, grain []byte, g uint64) Mismatch {
		return foreignBlock(tr, grain, g, tr.Offset(g), func(tag *Tag) { tag.Rank++ }, OtherRank)
	}},
	{"a block of another iteration", func(tr Transfer, grain []byte, g uint64) Mismatch {
		return foreignBlock(tr, grain, g, tr.Offset(g), func(tag *Tag) { tag.Iteration-- }, Stale)
	}},
	{"a block of another file", func(tr Transfer, grain []byte, g uint64) Mismatch {
		return foreignBlock(tr, grain, g, tr.Offset(g), func(tag *Tag) { tag.File++ }, Stale)
	}},
	{"a block of another offset", func(tr Transfer, grain []byte, g uint64) Mismatch {
		return foreignBlock(tr, grain, g, tr.Offset(g)+1<<30, func(*Tag) {}, OtherPlace)
	}},
}

// whole lists the corruptions that only a complete stamp can distinguish.
var whole = []corruption{
	{"another rank's own block", func(tr Transfer, grain []byte, g uint64) Mismatch {
		return foreignBlock(tr, grain, g, tr.Offset(g)+tr.RunBytes, func(tag *Tag) { tag.Rank++ }, OtherRank)
	}},
	{"a block of another run", func(tr Transfer, grain []byte, g uint64) Mismatch {
		return foreignBlock(tr, grain, g, tr.Offset(g)+512, func(tag *Tag) { tag.Run--; tag.Rank += 2 }, Stale)
	}},
	{"bytes of a file of someone else", func(_ Transfer, grain []byte, g uint64) Mismatch {
		writeWords(grain, 1234, g)
		return Mismatch{Kind: Foreign}
	}},
}

// foreignBlock replaces grain g by the block that a changed writer wrote for offset home. If the rank is the same, the
// content below the stamp is the same too.
func foreignBlock(tr Transfer, grain []byte, g, home uint64, change func(*Tag), kind MismatchKind) Mismatch {
	own := UnpackTag(tr.Tag)
	tag := own
	change(&tag)
	writeWords(grain, tr.Seed+uint64(tag.Rank-own.Rank), tr.PoolOffset+g*tr.RunBytes)
	writeStamp(grain, tag.Pack(), home)
	return Mismatch{Kind: kind, Writer: tag, HomeOffset: home}
}

func checkNamed(t *testing.T, c corruption, tr Transfer, runs, g uint64) {
	t.Helper()
	buf := written(tr, runs)
	grain := buf[g*tr.RunBytes:][:tr.RunBytes]
	good := bytes.Clone(grain)
	want := c.corrupt(tr, grain, g)
	if bytes.Equal(grain, good) {
		return // blocks too small to differ
	}
	wrong, found := tr.Check(buf, 10)
	if len(found) != 1 || wrong != numDifferent(grain, good) {
		t.Fatalf("block of %d bytes: %d wrong bytes in %d grains: %v", tr.RunBytes, wrong, len(found), found)
	}
	got := found[0]
	first, last := differentRange(grain, good)
	if at := tr.Offset(g) + uint64(first); got.Offset != at || got.Length != uint64(last-first+1) {
		t.Errorf("block of %d bytes: found at %d+%d, want %d+%d", tr.RunBytes, got.Offset, got.Length, at, last-first+1)
	}
	got.Offset, got.Length = 0, 0
	if got != want {
		t.Errorf("block of %d bytes: named %+v, want %+v", tr.RunBytes, got, want)
	}
}

func TestCheckNamesWhatItFinds(t *testing.T) {
	for _, c := range corruptions {
		t.Run(c.name, func(t *testing.T) {
			for _, block := range []uint64{8, 9, 15, 16, 17, 100, 4096} {
				tr := transfer(77, Tag{Run: 99, Iteration: 3, File: 2, Rank: 5}, 1<<21, 3*block, block, block)
				checkNamed(t, c, tr, 6, 4)
			}
		})
	}
	for _, c := range whole {
		t.Run(c.name, func(t *testing.T) {
			for _, block := range []uint64{16, 17, 100, 4096} {
				tr := transfer(77, Tag{Run: 99, Iteration: 3, File: 2, Rank: 5}, 1<<21, 3*block, block, block)
				checkNamed(t, c, tr, 6, 4)
			}
		})
	}
}

func TestCheckFindsSwappedBlocksOnBothSides(t *testing.T) {
	tr := transfer(77, Tag{Run: 99, Rank: 5}, 0, 1000, 64, 64)
	buf := written(tr, 4)
	for i := range 64 {
		buf[64+i], buf[192+i] = buf[192+i], buf[64+i]
	}
	_, found := tr.Check(buf, 10)
	if len(found) != 2 || found[0].Kind != OtherPlace || found[0].HomeOffset != 3000 || found[1].Kind != OtherPlace ||
		found[1].HomeOffset != 1000 {
		t.Errorf("blocks of offsets 1000 and 3000 swapped: %v", found)
	}
}

func TestCheckFindsTheZeroedAndTheUnreadEndOfAGrain(t *testing.T) {
	tr := transfer(77, Tag{Run: 99, Rank: 5}, 0, 4096, 4096, 4096)
	for want, spoil := range map[MismatchKind]func([]byte){Zeroed: func(b []byte) { clear(b) }, Unread: Poison} {
		buf := written(tr, 2)
		spoil(buf[4096+512 : 8192])
		wrong, found := tr.Check(buf, 10)
		if len(found) != 1 || found[0].Kind != want || found[0].Offset < 4096+512 || wrong < 3500 {
			t.Errorf("want %v from offset 4608 on: %d wrong bytes, %v", want, wrong, found)
		}
	}
}

func TestMismatchSaysWhatItKnows(t *testing.T) {
	writer := Tag{Run: 8, Iteration: 2, File: 3, Rank: 4}
	for want, m := range map[string]Mismatch{
		"1 bytes at offset 7: 1 bit differs":          {Offset: 7, Length: 1, Kind: Flipped, Bits: 1},
		"5 bytes at offset 7: 3 bits differ":          {Offset: 7, Length: 5, Kind: Flipped, Bits: 3},
		"64 bytes at offset 0: zeroed":                {Length: 64, Kind: Zeroed},
		"64 bytes at offset 0: unknown data":          {Length: 64},
		"64 bytes at offset 0: the block of offset 9": {Length: 64, Kind: OtherPlace, Writer: writer, HomeOffset: 9},
		"64 bytes at offset 0: the block of rank 4 for offset 9": {
			Length: 64, Kind: OtherRank, Writer: writer, HomeOffset: 9,
		},
		"64 bytes at offset 0: a stale block: run 8, iteration 2, file 3, rank 4, offset 9": {
			Length: 64, Kind: Stale, Writer: writer, HomeOffset: 9,
		},
		"64 bytes at offset 0: not read: the buffer is unchanged": {Length: 64, Kind: Unread},
	} {
		if got := fmt.Sprint(m); got != want {
			t.Errorf("%+v says %q, want %q", m, got, want)
		}
	}
}

func FuzzAnyCorruptionIsNamed(f *testing.F) {
	f.Add(uint64(1), uint16(64), uint8(3), uint8(0), uint64(7))
	f.Add(uint64(2), uint16(4096), uint8(9), uint8(6), uint64(9))
	f.Add(uint64(3), uint16(9), uint8(2), uint8(4), uint64(11))
	f.Fuzz(func(t *testing.T, seed uint64, block uint16, runs, kind uint8, place uint64) {
		r := rand.New(rand.NewPCG(seed, place))
		size := 8 + uint64(block)%4089
		kinds := corruptions
		if size >= stampBytes {
			kinds = append(slices.Clip(kinds), whole...)
		}
		tag := Tag{Run: 1 + r.IntN(4000), Iteration: 1 + r.IntN(60000), File: r.IntN(16000), Rank: r.IntN(4<<20 - 4)}
		tr := transfer(seed, tag, place%(1<<40), 3*size, size, size)
		tr.PoolOffset = place % 100
		checkNamed(t, kinds[int(kind)%len(kinds)], tr, 1+uint64(runs), place%(1+uint64(runs)))
	})
}

func FuzzAnyChangedByteIsFound(f *testing.F) {
	f.Add(uint64(1), uint16(2), uint16(12), uint8(3), uint32(5), byte(1), uint8(0))
	f.Add(uint64(1), uint16(5000), uint16(10000), uint8(3), uint32(4097), byte(128), uint8(0))
	f.Add(uint64(2), uint16(5000), uint16(10000), uint8(3), uint32(4097), byte(64), uint8(1))
	f.Add(uint64(3), uint16(4096), uint16(10000), uint8(1), uint32(9000), byte(1), uint8(2))
	f.Add(uint64(4), uint16(4096), uint16(10000), uint8(5), uint32(30000), byte(32), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, block, runBytes uint16, runs uint8, at uint32, change byte, kind uint8) {
		if change == 0 {
			return
		}
		tr := transfer(seed, Tag{Rank: 3}, seed%(1<<40), 1<<20, 1+uint64(runBytes), 1+uint64(block))
		tr.Data = kinds(t)[kind%4]
		buf := written(tr, 1+uint64(runs%8))
		i := uint64(at) % uint64(len(buf))
		buf[i] ^= change
		wrong, found := tr.Check(buf, 10)
		if wrong != 1 || len(found) != 1 || found[0].Offset != tr.Offset(i/tr.RunBytes)+i%tr.RunBytes {
			t.Errorf("byte %d of the buffer changed: %d wrong bytes, %v", i, wrong, found)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, block := range []uint64{16, 512, 4096} {
		b.Run(fmt.Sprintf("block=%d", block), func(b *testing.B) {
			tr := transfer(1, Tag{}, 0, 3*block, block, block)
			buf := written(tr, 1<<20/block)
			b.SetBytes(int64(len(buf)))
			for b.Loop() {
				if wrong, _ := tr.Check(buf, 1); wrong != 0 {
					b.Fatal("good data are called wrong")
				}
			}
		})
	}
}
