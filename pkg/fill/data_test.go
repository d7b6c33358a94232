package fill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func compress(t *testing.T, ratio float64) Data {
	t.Helper()
	d, err := CompressibleData(ratio)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// kinds returns all kinds of content.
func kinds(t *testing.T) []Data {
	t.Helper()
	return []Data{Position, Random, Zero, compress(t, 3.5)}
}

func TestRatiosThatAreNoneAreRefused(t *testing.T) {
	for _, ratio := range []float64{0, -1, 0.99, 4097, math.NaN(), math.Inf(1)} {
		if _, err := CompressibleData(ratio); err == nil {
			t.Errorf("ratio %g was taken", ratio)
		}
	}
}

func TestContentOfAnyPartIsThatOfThePool(t *testing.T) {
	pool := make([]byte, 3*unitBytes)
	for i, d := range append(kinds(t), compress(t, unitBytes)) {
		d.Fill(pool, 3)
		for _, at := range []int{0, 1, 7, 8, 1000, 1169, 1170, 1171, 4000, 4095, 4096, 4097, 5266} {
			for _, n := range []int{0, 1, 2, 9, 100, 1171, 3000, 4096, 4097, 7000} {
				part := make([]byte, n)
				d.writeContent(part, 3, uint64(at))
				if !bytes.Equal(part, pool[at:at+n]) {
					t.Fatalf("kind %d: %d bytes from byte %d are not those of the pool", i, n, at)
				}
			}
		}
	}
}

func TestZerosAreZeros(t *testing.T) {
	pool := bytes.Repeat([]byte{1}, 10000)
	Zero.Fill(pool, 7)
	if !containsOnly(pool, 0) {
		t.Error("not all bytes are 0")
	}
}

func TestCompressibleDataShowWhatWasLost(t *testing.T) {
	for _, ratio := range []float64{1, 2, 3.5, 1000} {
		tr := transfer(9, Tag{Rank: 2}, 1<<20, 1<<14, 3*unitBytes, 3*unitBytes)
		tr.Data = compress(t, ratio)
		for at := 0; at < 3*unitBytes; at += 512 {
			buf := written(tr, 2)
			clear(buf[at : at+512]) // a hole
			if wrong, _ := tr.Check(buf, 1); wrong < 500 {
				t.Errorf("ratio %g: %d bytes differ of 512 that were lost at %d", ratio, wrong, at)
			}
		}
	}
}

func TestEveryKindIsVerified(t *testing.T) {
	for i, d := range kinds(t) {
		tr := transfer(9, Tag{Rank: 2}, 1<<20, 1<<14, 3*unitBytes, 3*unitBytes)
		tr.Data, tr.PoolOffset = d, 5*unitBytes
		buf := written(tr, 2)
		if wrong, found := tr.Check(buf, 3); wrong != 0 {
			t.Errorf("kind %d: good data are called wrong: %v", i, found)
		}
		other := tr
		other.Seed, other.Tag = 10, Tag{Rank: 3}.Pack()
		switch wrong, found := tr.Check(written(other, 2), 1); {
		case d == Zero:
		case wrong == 0:
			t.Errorf("kind %d: another rank's data are called good", i)
		case d == Position && found[0].Kind != OtherRank || d != Position && found[0].Kind != Foreign:
			t.Errorf("kind %d: another rank's data are called %v", i, found)
		}
		Poison(buf)
		if wrong, found := tr.Check(buf, 1); wrong < 2*3*unitBytes*99/100 || found[0].Kind != Unread {
			t.Errorf("kind %d: of data never read, %d bytes are wrong: %v", i, wrong, found)
		}
	}
}

// compressor returns the size of data after compression, in bytes.
type compressor func(data []byte) (int, error)

func gzipped(data []byte) (int, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(data)
		err = errors.Join(err, w.Close())
	}
	return out.Len(), err
}

func zstandard(data []byte) (int, error) {
	w, err := zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return 0, err
	}
	return len(w.EncodeAll(data, nil)), w.Close()
}

// program returns a compressor that runs a program of the system.
func program(name string) compressor {
	return func(data []byte) (int, error) {
		cmd := exec.Command(name, "-1", "-c")
		cmd.Stdin = bytes.NewReader(data)
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%s -1: %w (apt install gzip zstd)", name, err)
		}
		return len(out), err
	}
}

// part returns the size of data after compression divided by the size before it. Each piece is compressed separately.
func part(t *testing.T, c compressor, data []byte, piece int) float64 {
	t.Helper()
	size, all := 0, 0
	for ; len(data) >= piece; data = data[piece:] {
		n, err := c(data[:piece])
		if err != nil {
			t.Fatal(err)
		}
		size, all = size+n, all+piece
	}
	return float64(size) / float64(all)
}

// file returns the data that ranks write in interleaved blocks, each rank from its own pool of 8 MiB.
func file(t *testing.T, d Data, ranks, block int) []byte {
	t.Helper()
	pools := make([][]byte, ranks)
	for r := range pools {
		pools[r] = make([]byte, (8<<20)/block*block)
		d.Fill(pools[r], uint64(r))
	}
	var all []byte
	for at := 0; at < len(pools[0]); at += block {
		for _, pool := range pools {
			all = append(all, pool[at:at+block]...)
		}
	}
	return all
}

func TestFilesHaveTheRatioWithinTwoPoints(t *testing.T) {
	for _, row := range []struct {
		ratio        float64
		ranks, block int
	}{
		{1, 1, 8 << 20},
		{1.25, 1, 1 << 20},
		{1.5, 2, 4 << 10},
		{2, 1, 8 << 20},
		{2, 2, 6 << 10},
		{4, 2, 64 << 10},
		{4, 1, 5000},
		{10, 2, 4 << 10},
		{50, 1, 8 << 20},
	} {
		data := file(t, compress(t, row.ratio), row.ranks, row.block)
		data = append(data, data...) // ranks write from their pools a second time
		for name, c := range map[string]compressor{
			"Go's gzip -1": gzipped, "Go's zstd -1": zstandard, "gzip -1": program("gzip"), "zstd -1": program("zstd"),
		} {
			got := part(t, c, data, len(data))
			t.Logf("%s, ratio %g, %d ranks with blocks of %d bytes: %.2f %%", name, row.ratio, row.ranks,
				row.block, 100*got)
			if math.Abs(got-1/row.ratio) > 0.02 {
				t.Errorf("%s leaves %.2f %% of %+v, want %.2f %%", name, 100*got, row, 100/row.ratio)
			}
		}
	}
}

// File systems compress each record separately.
func TestRecordsHaveTheRatioWithinTwoPoints(t *testing.T) {
	for _, ratio := range []float64{1, 1.25, 2, 4, 10} {
		data := file(t, compress(t, ratio), 1, 4096)[:1<<20]
		for name, c := range map[string]compressor{"gzip -1": gzipped, "zstd -1": zstandard} {
			for _, size := range []int{32 << 10, 128 << 10} {
				if got := part(t, c, data, size); math.Abs(got-1/ratio) > 0.02 {
					t.Errorf("%s leaves %.2f %% of records of %d bytes with ratio %g, want %.2f %%", name, 100*got,
						size, ratio, 100/ratio)
				}
			}
		}
	}
}

func TestOnlyTheKindsThatAskForItCanBeCompressed(t *testing.T) {
	for i, d := range []Data{Position, Random} {
		if got := part(t, gzipped, file(t, d, 1, 4096), 8<<20); got < 1 {
			t.Errorf("kind %d is compressed to %.2f %%", i, 100*got)
		}
	}
}
