package plan_test

import (
	"strings"
	"testing"

	"h5perf/pkg/plan"
)

// A run whose buffers do not fit in the memory of its nodes has a caution, if the size of that memory is known.
func TestBuffersLargerThanTheMemoryHaveACaution(t *testing.T) {
	for _, c := range []struct {
		memory uint64
		want   bool
	}{{0, false}, {1 << 16, true}, {1 << 40, false}} {
		p, err := plan.New(plan.Options{}, plan.JobFacts{Processes: 4, Nodes: 2, MemoryBytes: c.memory})
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, caution := range p.Cautions {
			got = got || caution.Keyword == "large buffers" && strings.Contains(caution.Text, "4 processes") &&
				strings.Contains(caution.Text, "2 nodes is 64 KiB")
		}
		if got != c.want {
			t.Errorf("memory of %d bytes: caution %v, want %v: %v", c.memory, got, c.want, p.Cautions)
		}
	}
}
