package result_test

import (
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// A processor copies 1000 bytes per second, and a machine has 4.
func TestImplausibleIsWhatTheUsableProcessorsCannotCopy(t *testing.T) {
	hosts := func(cpus ...float64) (all []result.Host) {
		for _, n := range cpus {
			all = append(all, result.Host{Host: "n", Count: 1, CPUs: n})
		}
		return all
	}
	grouped := []result.Host{
		{Host: "n[1,3-4]", Nodes: 3, Ranks: "0-1", Lowest: "0,4,6", Count: 2, CPUs: 1},
		{Host: "n2", Ranks: "2-3", Count: 2, CPUs: 4},
	}
	for name, c := range map[string]struct {
		placement []result.Host
		nodes     int
		change    func(*result.Document)
		limit     uint64 // bytes per second
	}{
		"not known":                    {hosts(0), 1, nil, 4000},
		"no placement":                 {nil, 2, nil, 8000},
		"all":                          {hosts(4), 1, nil, 4000},
		"one":                          {hosts(1), 1, nil, 1000},
		"a quota":                      {hosts(0.5), 1, nil, 500},
		"more than the first node has": {hosts(64), 1, nil, 4000},
		"two nodes":                    {hosts(1, 2), 2, nil, 3000},
		"the first of two nodes":       {hosts(1, 2), 1, nil, 1000},
		"one of two not known":         {hosts(1, 0), 2, nil, 5000},
		"one of two without a place":   {hosts(1), 2, nil, 5000},
		"a larger one makes up":        {hosts(1, 6), 2, nil, 7000},
		"a group of nodes":             {grouped, 4, nil, 7000},
		"a part of a group":            {grouped, 3, nil, 6000},
		"a node between the group":     {grouped, 2, nil, 5000},
		"processors of the machine not known": {
			hosts(1), 1, func(d *result.Document) { d.Machine.CPUs = 0 }, 4000,
		},
		"O_DIRECT": {hosts(1), 1, func(d *result.Document) { d.Parameters.Conditions.Direct = true }, 4000},
		"O_DIRECT, but not of this API": {hosts(1), 1, func(d *result.Document) {
			d.Parameters.Conditions.Direct, d.Cases[0].API = true, result.MPIIO
		}, 1000},
		"HDF5's driver for O_DIRECT": {hosts(1), 1, func(d *result.Document) {
			d.Parameters.Driver, d.Cases[0].API = option.DriverDirect, result.HDF5
		}, 4000},
		"HDF5's driver for O_DIRECT, but not HDF5": {hosts(1), 1, func(d *result.Document) {
			d.Parameters.Driver = option.DriverDirect
		}, 1000},
	} {
		for _, over := range []uint64{0, 1} {
			s := result.Sample{Bytes: c.limit + over, Access: result.Interval{WindowSeconds: 1}}
			doc := result.Document{
				Machine: result.Machine{CPUs: 4, MemoryCopyRate: 4000}, Job: result.Job{Placement: c.placement},
				Cases: []result.Case{{
					API: result.POSIX, Nodes: c.nodes, Samples: []result.Sample{s}, Warmup: []result.Sample{s},
				}},
			}
			if c.change != nil {
				c.change(&doc)
			}
			doc.AddImplausibleMarks()
			one := doc.Cases[0]
			for _, s := range []result.Sample{one.Samples[0], one.Warmup[0]} {
				if s.HasMark(result.MarkImplausible) != (over > 0) {
					t.Errorf("%s: at %d bytes per second the marks are %v", name, s.Bytes, s.Marks)
				}
			}
		}
	}
}

func TestShortIsWhatTookLessThanASecondInAll(t *testing.T) {
	sample := func(op result.Operation, seconds float64) result.Sample {
		return result.Sample{
			Operation: op, Access: result.Interval{Max: seconds, WindowSeconds: seconds},
			Marks: []result.Mark{result.MarkWarm},
		}
	}
	c := result.Case{
		Warmup: []result.Sample{sample(result.OperationWrite, 0.1)},
		Samples: []result.Sample{
			sample(result.OperationWrite, 0.5), sample(result.OperationWrite, 0.5), sample(result.OperationRead, 0.5),
			sample(result.OperationRead, 0.4),
		},
	}
	for range 2 { // marking twice changes nothing
		c.UpdateShortMarks()
		for i, want := range []bool{false, false, true, true} {
			if s := c.Samples[i]; s.HasMark(result.MarkShort) != want || !s.HasMark(result.MarkWarm) {
				t.Errorf("sample %d: %v", i, s.Marks)
			}
		}
	}
	if c.Warmup[0].HasMark(result.MarkShort) {
		t.Errorf("warm-up: %v", c.Warmup[0].Marks)
	}
	if n := len(c.Samples[3].Marks); n != 2 {
		t.Errorf("%d marks", n)
	}
}
