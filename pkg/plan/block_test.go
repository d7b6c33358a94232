package plan_test

import (
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

func TestABlockThatIsNotGivenFitsTheSweep(t *testing.T) {
	k := func(n uint64) *uint64 { return new(n << 10) }
	posix := []string{"posix"}
	for name, c := range map[string]struct {
		o    plan.Options
		want uint64 // KiB
		note string // "" is none
	}{
		"default": {plan.Options{}, 128, ""},
		"default that fits": {
			plan.Options{Sizes: option.Sizes{BytesPerProcess: k(64), MinTransferSize: k(32), MaxTransferSize: k(64)}},
			32, "",
		},
		"small transfers": {
			plan.Options{Sizes: option.Sizes{
				BytesPerProcess: k(64 << 10), MinTransferSize: k(1 << 10),
				MaxTransferSize: k(4 << 10),
			}},
			1 << 10,
			"No -B was given, so the block size is 1 MiB. The default of the C tool, 32 MiB, does not fit: " +
				"transfer size 1M: must be a multiple of the block size, -B 32M",
		},
		"0": {
			plan.Options{Sizes: option.Sizes{BlockSize: k(0), BytesPerProcess: k(64), MinTransferSize: k(16)}},
			16,
			"Instead of the default, the block size is 16 KiB.",
		},
		"no multiple of the half": {
			plan.Options{Sizes: option.Sizes{BytesPerProcess: k(96), MinTransferSize: k(32), MaxTransferSize: k(32)}},
			32,
			"No -B was given, so the block size is 32 KiB. The default of the C tool, 48 KiB, does not fit: ",
		},
		"a square": {
			plan.Options{Sizes: option.Sizes{
				TwoD: true, BytesPerProcess: k(6), MinTransferSize: k(4),
				MaxTransferSize: k(4), MinProcesses: new(2),
			}},
			2, "No -B was given, so the block size is 2 KiB.",
		},
		"chunks": {
			plan.Options{Sizes: option.Sizes{Chunked: true, BytesPerProcess: k(8 << 20)}},
			2 << 20,
			"HDF5 allows at most",
		},
		"chunks of a given size": {
			plan.Options{Sizes: option.Sizes{Chunked: true, BytesPerProcess: k(8 << 20), ChunkSize: []uint64{1}}},
			4 << 20, "",
		},
		"chunks without HDF5": {plan.Options{Sizes: option.Sizes{
			Chunked: true, BytesPerProcess: k(8 << 20),
			APIs: posix,
		}}, 4 << 20, ""},
		"square chunks": {
			plan.Options{Sizes: option.Sizes{Chunked: true, TwoD: true, BytesPerProcess: k(128)}},
			32,
			"chunk of 64K,64K",
		},
		"O_DIRECT": {
			plan.Options{
				Sizes: option.Sizes{
					APIs: posix, BytesPerProcess: k(24), MinTransferSize: k(6), MaxTransferSize: k(6),
					Interleaved: true,
				},
				Common: option.Common{Conditions: option.Conditions{Direct: true}},
			}, 6, "No -B was given, so the block size is 6 KiB.",
		},
		"preset": {
			plan.Options{
				Sizes:  option.Sizes{BytesPerProcess: k(3 << 10), MinTransferSize: k(1536)},
				Common: option.Common{Conditions: option.Conditions{Preset: "quick"}},
			},
			768, "the block size is 768 KiB. The default of --preset quick, 1 MiB, does not fit: ",
		},
	} {
		p := mustPlan(t, c.o, 2)
		if got := p.Parameters.BlockSize; got != c.want<<10 {
			t.Errorf("%s: block of %d KiB, want %d", name, got>>10, c.want)
		}
		if chunks := p.Parameters.ChunkSize; len(chunks) > 0 && c.o.ChunkSize == nil && chunks[0] != c.want<<10 {
			t.Errorf("%s: chunks of %d", name, chunks)
		}
		notes := strings.Join(p.Notes, "\n")
		if strings.Contains(notes, " the block size is ") != (c.note != "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", name, p.Notes, c.note)
		}
	}
}
