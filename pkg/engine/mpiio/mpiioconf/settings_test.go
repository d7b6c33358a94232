package mpiioconf_test

import (
	"errors"
	"testing"

	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/pattern"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

func TestParseHint(t *testing.T) {
	h, err := mpiioconf.ParseHint(" striping_factor = 4 ")
	if err != nil || h != (units.KeyValue{Key: "striping_factor", Value: "4"}) {
		t.Errorf("%+v, %v", h, err)
	}
	for _, text := range []string{"", "a", "=v", "k=", " = "} {
		_, err := mpiioconf.ParseHint(text)
		want := `"` + text + `" is not a hint: a hint is key=value, and neither may be empty`
		if _, is := errors.AsType[*usage.Error](err); !is || err.Error() != want {
			t.Errorf("ParseHint(%q): %v, want %s", text, err, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		s    mpiioconf.Settings
		info *string
		want string
	}{
		{mpiioconf.Settings{View: "none"}, nil, `--view "none": must be one of auto, transfer`},
		{
			mpiioconf.Settings{IOComponent: "ufs"},
			nil,
			`--io-component "ufs": must be one of ompio, romio`,
		},
		{
			mpiioconf.Settings{},
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
		s, _, err := mpiioconf.Settings{}.Complete(c.info)
		if info := s.Info(); err != nil || (info != nil) != c.set || len(info) != c.n {
			t.Errorf("info %v, want one: %t; %v", info, c.set, err)
		}
	}
}

func TestFileViews(t *testing.T) {
	p := pattern.Parallel{Processes: 2, Bytes: 8, Block: 2, Transfer: 4}
	in := func(change func(*pattern.Parallel)) pattern.Nest {
		q := p
		change(&q)
		return q.Sequence(0).Nest()
	}
	square := pattern.Parallel{Processes: 1, Bytes: 8, Block: 2, Transfer: 4, TwoD: true}
	for _, c := range []struct {
		name           string
		nest           pattern.Nest
		region         bool
		auto, transfer mpiioconf.FileView
	}{
		{"1D contiguous", p.Sequence(0).Nest(), true, mpiioconf.NoView, mpiioconf.NoView},
		{
			"1D interleaved", in(func(q *pattern.Parallel) { q.Interleaved = true }), false,
			mpiioconf.PerDataset, mpiioconf.PerTransfer,
		},
		{
			"1D interleaved, one block", in(func(q *pattern.Parallel) { q.Interleaved, q.Block = true, 4 }), false,
			mpiioconf.NoView, mpiioconf.PerTransfer,
		},
		{
			"2D contiguous", in(func(q *pattern.Parallel) { q.TwoD = true }), false,
			mpiioconf.PerTransfer, mpiioconf.PerTransfer,
		},
		{
			"2D contiguous, full width", in(func(q *pattern.Parallel) { q.TwoD, q.Transfer = true, 16 }), false,
			mpiioconf.PerDataset, mpiioconf.PerTransfer,
		},
		{
			"2D interleaved", in(func(q *pattern.Parallel) { q.TwoD, q.Interleaved = true, true }), false,
			mpiioconf.PerTransfer, mpiioconf.PerTransfer,
		},
		{
			"emulated chunks in file order", square.ChunkSequence(0).Nest(), false,
			mpiioconf.NoView, mpiioconf.PerTransfer,
		},
	} {
		wanted := map[mpiioconf.View]mpiioconf.FileView{"": c.auto, "auto": c.auto, "transfer": c.transfer}
		for view, want := range wanted {
			if got := (mpiioconf.Settings{View: view}).FileView(c.nest, c.region); got != want {
				t.Errorf("%s, --view %s: view %v, want %v", c.name, view, got, want)
			}
		}
	}
}
