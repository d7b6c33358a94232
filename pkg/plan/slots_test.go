package plan

import (
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

func TestBuffersStayInACacheWhereNothingIsCompared(t *testing.T) {
	size := uint64(4 << 10)
	for _, c := range []struct {
		options Options
		slots   uint64
	}{
		{Options{}, minCachedPoolBytes / size},
		{Options{Verify: true}, minPoolBytes / size},
		{Options{Common: option.Common{Conditions: option.Conditions{DataChoice: "random"}}}, minPoolBytes / size},
	} {
		o := c.options
		o.BytesPerProcess, o.MinTransferSize, o.MaxTransferSize, o.BlockSize = new(uint64(16<<20)), &size, &size, &size
		o.APIs = []string{result.POSIX}
		p, err := New(o, JobFacts{Processes: 1, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		for one := range p.Cases() {
			if got := one.NumBuffers(); got != c.slots {
				t.Errorf("%+v: %d buffers, want %d", c.options, got, c.slots)
			}
		}
	}
}
