package fill

import (
	"math/rand/v2"
	"testing"
)

func TestTagSurvivesPacking(t *testing.T) {
	for range 1000 {
		tag := Tag{
			Run: rand.IntN(1 << 12), Iteration: rand.IntN(1 << 15), File: rand.IntN(1 << 14), Rank: rand.IntN(1 << 22),
			FromCachedPool: rand.IntN(2) == 1,
		}
		if got := UnpackTag(tag.Pack()); got != tag {
			t.Fatalf("%+v came back as %+v", tag, got)
		}
	}
}

func TestTagFieldsDoNotTouchEachOther(t *testing.T) {
	full := Tag{Run: 1<<12 - 1, Iteration: 1<<15 - 1, File: 1<<14 - 1, Rank: 1<<22 - 1, FromCachedPool: true}
	for name, tag := range map[string]Tag{
		"run":       {Run: full.Run},
		"iteration": {Iteration: full.Iteration},
		"file":      {File: full.File},
		"rank":      {Rank: full.Rank},
		"hot":       {FromCachedPool: true},
	} {
		if got := UnpackTag(tag.Pack()); got != tag {
			t.Errorf("%s: %+v came back as %+v", name, tag, got)
		}
	}
	if full.Pack() != ^uint64(0) {
		t.Errorf("all fields full pack to %#x, which leaves bits unused", full.Pack())
	}
}

func TestTagWrapsGreaterNumbers(t *testing.T) {
	tag := Tag{Run: 1<<12 + 1, Iteration: 1<<15 + 2, File: 1<<14 + 3, Rank: 1<<22 + 4}
	if got, want := UnpackTag(tag.Pack()), (Tag{Run: 1, Iteration: 2, File: 3, Rank: 4}); got != want {
		t.Errorf("%+v wrapped to %+v, want %+v", tag, got, want)
	}
}
