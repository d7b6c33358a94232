package option_test

import (
	"errors"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

func TestParseHint(t *testing.T) {
	h, err := option.ParseHint(" striping_factor = 4 ")
	if err != nil || h != (units.KeyValue{Key: "striping_factor", Value: "4"}) {
		t.Errorf("%+v, %v", h, err)
	}
	for _, text := range []string{"", "a", "=v", "k=", " = "} {
		_, err := option.ParseHint(text)
		want := `"` + text + `" is not a hint: a hint is key=value, and neither may be empty`
		if _, is := errors.AsType[*usage.Error](err); !is || err.Error() != want {
			t.Errorf("ParseHint(%q): %v, want %s", text, err, want)
		}
	}
}

func TestRefusesMpiioconf(t *testing.T) {
	for _, c := range []struct {
		s    option.MPIIO
		info *string
		want string
	}{
		{option.MPIIO{View: "none"}, nil, `--view "none": must be one of auto, transfer`},
		{
			option.MPIIO{IOComponent: "ufs"},
			nil,
			`--io-component "ufs": must be one of ompio, romio`,
		},
		{
			option.MPIIO{},
			new("a=b;=v"),
			`HDF5_MPI_INFO="a=b;=v": "=v" is not a hint: a hint is key=value, and neither may be empty`,
		},
	} {
		_, _, err := c.s.Complete(c.info)
		if _, is := errors.AsType[*usage.Error](err); !is || err.Error() != c.want {
			t.Errorf("%+v: %v, want a usage error: %s", c.s, err, c.want)
		}
	}
}

func TestInfo(t *testing.T) {
	for _, c := range []struct {
		info *string
		set  bool
		n    int
	}{{nil, false, 0}, {new(""), true, 0}, {new("a=b"), true, 1}} {
		s, _, err := option.MPIIO{}.Complete(c.info)
		if info := s.Info(); err != nil || (info != nil) != c.set || len(info) != c.n {
			t.Errorf("info %v, want one: %t; %v", info, c.set, err)
		}
	}
}

func TestFileViews(t *testing.T) {
	p := pattern.ParallelPattern{Processes: 2, BytesPerProcess: 8, BlockSize: 2, TransferSize: 4}
	in := func(change func(*pattern.ParallelPattern)) pattern.LoopNest {
		q := p
		change(&q)
		return q.Sequence(0).LoopNest()
	}
	square := pattern.ParallelPattern{Processes: 1, BytesPerProcess: 8, BlockSize: 2, TransferSize: 4, TwoD: true}
	for _, c := range []struct {
		name           string
		nest           pattern.LoopNest
		region         bool
		auto, transfer option.FileView
	}{
		{"1D contiguous", p.Sequence(0).LoopNest(), true, option.NoView, option.NoView},
		{
			"1D interleaved", in(func(q *pattern.ParallelPattern) { q.Interleaved = true }), false,
			option.PerDataset, option.PerTransfer,
		},
		{
			"1D interleaved, one block", in(func(q *pattern.ParallelPattern) { q.Interleaved, q.BlockSize = true, 4 }),
			false,
			option.NoView, option.PerTransfer,
		},
		{
			"2D contiguous", in(func(q *pattern.ParallelPattern) { q.TwoD = true }), false,
			option.PerTransfer, option.PerTransfer,
		},
		{
			"2D contiguous, full width", in(func(q *pattern.ParallelPattern) { q.TwoD, q.TransferSize = true, 16 }),
			false,
			option.PerDataset, option.PerTransfer,
		},
		{
			"2D interleaved", in(func(q *pattern.ParallelPattern) { q.TwoD, q.Interleaved = true, true }), false,
			option.PerTransfer, option.PerTransfer,
		},
		{
			"emulated chunks in file order", square.ChunkSequence(0).LoopNest(), false,
			option.NoView, option.PerTransfer,
		},
	} {
		wanted := map[option.ViewChoice]option.FileView{"": c.auto, "auto": c.auto, "transfer": c.transfer}
		for view, want := range wanted {
			if got := (option.MPIIO{View: view}).FileView(c.nest, c.region); got != want {
				t.Errorf("%s, --view %s: view %v, want %v", c.name, view, got, want)
			}
		}
	}
}
