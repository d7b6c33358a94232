package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
)

// call is an I/O call: its offset in the dataset and its size, in bytes.
type call struct{ offset, bytes uint64 }

// reference returns the calls that the C tool makes for a transfer. The formulas come from observing the tool. In 2D,
// with a dataset of side S, the number of bytes that rank r moved before transfer t determines the row and the column.
func reference(p pattern.ParallelPattern, chunks bool, r, t uint64) []call {
	n, e, x, b, s := p.Processes, p.BytesPerProcess, p.TransferSize, p.BlockSize, p.BytesPerProcess*p.Processes
	var calls []call
	switch {
	case !p.TwoD && !p.Interleaved:
		calls = append(calls, call{r*e + t*x, x})
	case !p.TwoD:
		for j := range x / b {
			q := t*x/b + j
			calls = append(calls, call{(q*n + r) * b, b})
		}
	case !p.Interleaved && !chunks:
		band, col := t*x/s, t*x%s
		for i := range b {
			calls = append(calls, call{(r*e+band*b+i)*s + col, x})
		}
	case !chunks:
		u := t * b * n
		band, col := u/s, u%s
		for i := range x {
			calls = append(calls, call{(band*x+i)*s + col + r*b, b})
		}
	case !p.Interleaved:
		calls = append(calls, call{r*e*s + t*x*b, x * b})
	default:
		u := t * b * b * n
		band, pos := u/(s*b), u%(s*b)
		for i := range x / b {
			calls = append(calls, call{band*x*s + pos + r*b*b + i*s*b, b * b})
		}
	}
	return calls
}

// runs returns the runs of a transfer as calls.
func runs(n pattern.LoopNest, t uint64) []call {
	var calls []call
	for k := range n.RunsPerTransfer() {
		calls = append(calls, call{n.RunOffset(t, k), n.RunBytes})
	}
	return calls
}

func sequence(p pattern.ParallelPattern, chunks bool, rank uint64) pattern.Sequence {
	if chunks {
		return p.ChunkSequence(rank)
	}
	return p.Sequence(rank)
}

// random returns a random valid pattern with a small dataset.
func random(r *rand.Rand) pattern.ParallelPattern {
	p := pattern.ParallelPattern{
		Processes: 1 + r.Uint64N(5), BlockSize: 1 + r.Uint64N(5), TwoD: r.IntN(2) == 1, Interleaved: r.IntN(2) == 1,
	}
	blocks := 1 + r.Uint64N(6) // blocks of a process in a row
	p.BytesPerProcess = blocks * p.BlockSize
	whole := blocks // extent, in blocks, that is divided into transfers
	if p.TwoD {
		whole *= p.Processes
	}
	var divisors []uint64
	for d := uint64(1); d <= whole; d++ {
		if whole%d == 0 {
			divisors = append(divisors, d)
		}
	}
	p.TransferSize = p.BlockSize * divisors[r.IntN(len(divisors))]
	return p
}

func TestRunsAreTheCallsOfTheReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		p := random(r)
		for _, chunks := range []bool{false, true} {
			for rank := range p.Processes {
				s := sequence(p, chunks, rank)
				n := s.LoopNest()
				total := p.BytesPerProcess * p.DatasetSide() / (p.TransferSize * p.BlockSize)
				if !p.TwoD {
					total = p.BytesPerProcess / p.TransferSize
				}
				if s.NumTransfers() != total {
					t.Fatalf("%+v, chunks %v, rank %d: %d transfers, want %d", p, chunks, rank, s.NumTransfers(), total)
				}
				for tr := range total {
					if got, want := runs(n, tr), reference(p, chunks, rank, tr); !slices.Equal(got, want) {
						t.Fatalf("%+v, chunks %v, rank %d, transfer %d: (offset, bytes) %v, want %v", p, chunks,
							rank, tr, got, want)
					}
				}
			}
		}
	}
}

// figures holds the figures of the h5perf user guide, with the rank that writes each byte of the dataset. For chunked
// storage these are the bytes of a plain file that emulates it.
var figures = []struct {
	name   string
	p      pattern.ParallelPattern
	chunks bool
	bytes  string
	first  string // bytes in the first transfer of any process are 1
}{
	{
		name:  "figure 2",
		p:     pattern.ParallelPattern{Processes: 3, BlockSize: 2, BytesPerProcess: 8, TransferSize: 4},
		bytes: "000000001111111122222222",
		first: "111100001111000011110000",
	},
	{
		name: "figures 3 and 9",
		p: pattern.ParallelPattern{
			Processes: 3, BlockSize: 2, BytesPerProcess: 8, TransferSize: 4,
			Interleaved: true,
		},
		bytes: "001122001122001122001122",
		first: "111111111111000000000000",
	},
	{
		name: "command line of figure 3",
		p: pattern.ParallelPattern{
			Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 4,
			Interleaved: true,
		},
		bytes: "001122001122",
		first: "111111111111",
	},
	{
		name:  "figures 5 and 6",
		p:     pattern.ParallelPattern{Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 12, TwoD: true},
		bytes: strings.Repeat("0", 48) + strings.Repeat("1", 48) + strings.Repeat("2", 48),
		first: strings.Repeat(strings.Repeat("1", 24)+strings.Repeat("0", 24), 3),
	},
	{
		name: "figures 7 and 8",
		p: pattern.ParallelPattern{
			Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 12, TwoD: true,
			Interleaved: true,
		},
		bytes: strings.Repeat("001122001122", 12),
		first: strings.Repeat("111111000000", 12),
	},
	{
		name:  "figure 10",
		p:     pattern.ParallelPattern{Processes: 2, BlockSize: 4, BytesPerProcess: 4, TransferSize: 4, TwoD: true},
		bytes: strings.Repeat("0", 32) + strings.Repeat("1", 32),
		first: strings.Repeat("11110000", 8),
	},
	{
		name:   "figure 11",
		p:      pattern.ParallelPattern{Processes: 2, BlockSize: 4, BytesPerProcess: 4, TransferSize: 4, TwoD: true},
		chunks: true,
		bytes:  strings.Repeat("0", 32) + strings.Repeat("1", 32),
		first:  strings.Repeat(strings.Repeat("1", 16)+strings.Repeat("0", 16), 2),
	},
	{
		name: "figure 7 in chunks",
		p: pattern.ParallelPattern{
			Processes: 3, BlockSize: 2, BytesPerProcess: 4, TransferSize: 12, TwoD: true,
			Interleaved: true,
		},
		chunks: true,
		bytes:  strings.Repeat("000011112222", 12),
		first:  strings.Repeat("111111111111000000000000", 6),
	},
}

func TestFiguresOfTheUserGuide(t *testing.T) {
	for _, f := range figures {
		t.Run(f.name, func(t *testing.T) {
			size := f.p.Sequence(0).DatasetBytes()
			owner, first := []byte(strings.Repeat("?", int(size))), []byte(strings.Repeat("0", int(size)))
			for rank := range f.p.Processes {
				s := sequence(f.p, f.chunks, rank)
				n := s.LoopNest()
				for tr := range s.NumTransfers() {
					for _, c := range runs(n, tr) {
						for i := range c.bytes {
							owner[c.offset+i] = byte('0' + rank)
							if tr == 0 {
								first[c.offset+i] = '1'
							}
						}
					}
				}
			}
			if string(owner) != f.bytes {
				t.Errorf("ranks of the bytes\n%s, want\n%s", owner, f.bytes)
			}
			if string(first) != f.first {
				t.Errorf("bytes of the first transfers\n%s, want\n%s", first, f.first)
			}
		})
	}
}

func TestBuffersOfTheUserGuide(t *testing.T) {
	for want, p := range map[string]pattern.ParallelPattern{
		"[8]":   {Processes: 1, BytesPerProcess: 16, BlockSize: 2, TransferSize: 8}, // figures 1 and 4: four blocks
		"[2 8]": {Processes: 1, BytesPerProcess: 16, BlockSize: 2, TransferSize: 8, TwoD: true},
		"[8 2]": {Processes: 1, BytesPerProcess: 16, BlockSize: 2, TransferSize: 8, TwoD: true, Interleaved: true},
	} {
		if got := fmt.Sprint(p.Sequence(0).BufferShape()); got != want {
			t.Errorf("%+v: the transfer buffer is %s, want %s", p, got, want)
		}
	}
}
