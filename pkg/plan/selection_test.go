package plan_test

import (
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

func TestSelectionsChangeOnlyWhatHDF5Selects(t *testing.T) {
	for word, want := range map[option.SelectionMethod]workload.SlabMethod{
		"": workload.SlabAtOnce, "hyperslab": workload.SlabAtOnce, "or": workload.SlabBlocks,
		"points": workload.SlabPoints,
	} {
		p, err := plan.New(plan.Options{Sizes: option.Sizes{Selection: word}}, plan.JobFacts{Processes: 2})
		if err != nil {
			t.Fatal(err)
		}
		if s := p.Parameters.Selection; s != "" != (want != workload.SlabAtOnce) {
			t.Errorf("%q: the document has %q", word, s)
		}
		for c := range p.Cases() {
			program, err := c.Program(1)
			if err != nil {
				t.Fatal(err)
			}
			if got := program.Moves[0].Slab; got != want {
				t.Errorf("%q, %s: method %d, want %d", word, c.API, got, want)
			}
		}
	}
}

func TestSelectionsOfTooManyPartsAreRefused(t *testing.T) {
	for want, o := range map[string]option.Sizes{
		"--selection or: only HDF5 selects": {Selection: "or", APIs: []string{"posix", "mpiio"}},
		"--selection or: a transfer of 256K has 32768 blocks": {
			Selection: "or", MaxTransferSize: new(uint64(256 << 10)), BlockSize: new(uint64(8)),
		},
		"--selection points: a transfer has 2097152 bytes": {
			Selection: "points", BytesPerProcess: new(uint64(4 << 20)), MaxTransferSize: new(uint64(2 << 20)),
			MinTransferSize: new(uint64(1 << 20)),
		},
		"--selection points: a transfer has 16777216 bytes": {
			Selection: "points", TwoD: true, BlockSize: new(uint64(4 << 10)), BytesPerProcess: new(uint64(8 << 10)),
			MaxTransferSize: new(uint64(4 << 10)), MinTransferSize: new(uint64(4 << 10)),
		},
		`--selection "merge": must be one of hyperslab, or, points`: {Selection: "merge"},
	} {
		_, err := plan.New(plan.Options{Sizes: o}, plan.JobFacts{Processes: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAllSelectionsAreSwept(t *testing.T) {
	o := plan.Options{}
	o.Sweep = &plan.Sweep{
		Ranges: []plan.SweptRange{{Name: "selection"}},
		Options: func(values []result.KeyValue) (plan.Options, error) {
			return plan.Options{Sizes: option.Sizes{Selection: option.SelectionMethod(values[0].Value)}}, nil
		},
	}
	p, err := plan.New(o, plan.JobFacts{Processes: 2})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, part := range p.Parts {
		got = append(got, part.Values[0].Value+" "+string(part.Plan.Parameters.Selection))
	}
	if want := "hyperslab , or or, points points"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
