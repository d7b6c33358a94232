package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/usage"
)

func TestConditionsReachTheParameters(t *testing.T) {
	given := option.Conditions{
		Sync: "phase", Cold: true, Shift: new(-1), Spread: "nodes", Warmup: new(2), RepeatUntil: new(0.02),
		MinSeconds: new(3.0), MaxIterations: new(50),
		Order: "random", Seed: new(uint64(7)), TimeLimit: new(60.0), Latency: true,
		DataChoice: "compress=2.5", MemoryFactor: new(0.5), Timeout: new(0.0), SpaceCheck: new(false),
	}
	want := option.Conditions{
		Sync: "phase", Cold: true, Shift: new(-1), Spread: "nodes", Warmup: new(2), RepeatUntil: new(0.02),
		MinSeconds:    new(3.0),
		MaxIterations: new(50), Order: "random", Seed: new(uint64(7)), TimeLimit: new(60.0), Latency: true,
		Data: "compress", CompressRatio: 2.5,
		MemoryFactor: new(0.5), Timeout: new(0.0), SpaceCheck: new(false),
	}
	p, err := plan.New(
		plan.Options{Sizes: option.Sizes{
			MinProcesses: new(2), MaxProcesses: new(2),
			BytesPerProcess: new(uint64(4096)),
		}, Common: option.Common{Conditions: given}},
		plan.JobFacts{Processes: 4, MemoryBytes: 4096, Seed: 9},
	)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, p.Parameters.Conditions); d != "" || p.Notes != nil {
		t.Errorf("%s, notes %q", d, p.Notes)
	}
	given.Shift, want.Shift, given.Spread, want.Spread = nil, new(0), "", ""
	s, err := plan.New(
		plan.Options{
			Serial: &option.SerialSizes{DatasetExtent: []uint64{4096}, BufferExtent: []uint64{4096}},
			Common: option.Common{Conditions: given},
		},
		plan.JobFacts{MemoryBytes: 4096},
	)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, s.Parameters.Conditions); d != "" {
		t.Error(d)
	}
}

func TestTheSeedByChanceIsTheJobs(t *testing.T) {
	o := plan.Options{Common: option.Common{Conditions: option.Conditions{Order: "random"}}}
	p, err := plan.New(o, plan.JobFacts{Processes: 1, Seed: 9})
	if err != nil || option.ValueOrZero(p.Parameters.Conditions.Seed) != 9 {
		t.Errorf("%v, seed %d, want 9", err, p.Parameters.Conditions.Seed)
	}
	if p, err := plan.New(plan.Options{}, plan.JobFacts{Processes: 1, Seed: 9}); err != nil ||
		p.Parameters.Conditions.Seed != nil {
		t.Errorf("%v, seed %d of the given order", err, p.Parameters.Conditions.Seed)
	}
}

func TestOpenIterationsAreAsManyAsAnIntervalNeeds(t *testing.T) {
	for _, c := range []struct {
		o          plan.Options
		least, cap int
	}{
		{plan.Options{}, 1, 0},
		{plan.Options{Common: option.Common{Conditions: option.Conditions{RepeatUntil: new(0.1)}}}, 6, 100},
		{plan.Options{Common: option.Common{
			Conditions: option.Conditions{MinSeconds: new(1.0)},
			Iterations: new(2),
		}}, 2, 100},
		{plan.Options{Common: option.Common{
			Conditions: option.Conditions{MinSeconds: new(1.0)},
			Iterations: new(200),
		}}, 200, 200},
		{plan.Options{Common: option.Common{Conditions: option.Conditions{
			MinSeconds:    new(1.0),
			MaxIterations: new(4),
		}}}, 4, 4},
		{plan.Options{Common: option.Common{Conditions: option.Conditions{
			RepeatUntil:   new(0.1),
			MaxIterations: new(6),
		}}}, 6, 6},
	} {
		s := mustPlan(t, c.o, 1).Parameters
		if s.Iterations != c.least || option.ValueOrZero(s.Conditions.MaxIterations) != c.cap {
			t.Errorf("%+v: %d to %d iterations, want %d to %d",
				c.o, s.Iterations, option.ValueOrZero(s.Conditions.MaxIterations), c.least, c.cap)
		}
	}
}

func TestRefusesConditions(t *testing.T) {
	one := func(c option.Conditions) plan.Options { // a run of one case
		return plan.Options{
			Sizes: option.Sizes{
				APIs: []string{"posix"}, MinProcesses: new(2),
				MinTransferSize: new(uint64(256 << 10)),
			},
			Common: option.Common{Conditions: c},
		}
	}
	with := func(o plan.Options, change func(*plan.Options)) plan.Options { change(&o); return o }
	writeOnly := func(o *plan.Options) { o.WriteOnly = true }
	verify := func(o *plan.Options) { o.Verify = true }
	allAPIs := func(o *plan.Options) { o.APIs = nil }
	twoSteps := func(o *plan.Options) { o.MinProcesses = nil } // of 2 processes, then 1
	interleaved := func(block uint64) func(*plan.Options) {
		return func(o *plan.Options) { o.Interleaved, o.BlockSize = true, new(block) }
	}
	for _, c := range []struct {
		o    plan.Options
		want string // in the error; "" is none
	}{
		{one(option.Conditions{Sync: "always"}), `--sync "always": must be one of none, close, phase, each`},
		{one(option.Conditions{Order: "reverse"}), `--order "reverse": must be one of given, random`},
		{one(option.Conditions{Spread: "cores"}), `--spread "cores": must be one of ranks, nodes`},
		{one(option.Conditions{Preset: "fast"}), `--preset "fast": must be one of quick, standard, strict`},
		{one(option.Conditions{Seed: new(uint64(1))}), "--seed 1 needs --order random"},
		{one(option.Conditions{Seed: new(uint64(1)), Order: "given"}), "--seed 1 needs --order random"},
		{one(option.Conditions{MaxIterations: new(3)}), "--max-iterations 3 needs --repeat-until or --min-seconds"},
		{
			one(option.Conditions{MaxIterations: new(3), RepeatUntil: new(0.1)}),
			"--max-iterations 3: must be at least the smallest number of iterations, 6 (-i)",
		},
		{one(option.Conditions{RepeatUntil: new(1.0)}), "--repeat-until 1: must be less than 1"},
		{one(option.Conditions{MinSeconds: new(0.0)}), "--min-seconds 0: must be more than 0"},
		{one(option.Conditions{TimeLimit: new(0.0)}), "--time-limit 0: must be more than 0"},
		{
			one(option.Conditions{DataChoice: "ones"}),
			`--data "ones": must be one of position, random, zero, compress=RATIO`,
		},
		{one(option.Conditions{DataChoice: "compress"}), `--data "compress"`},
		{one(option.Conditions{DataChoice: "compress="}), "the ratio must be a number"},
		{one(option.Conditions{DataChoice: "compress=0.5"}), "from 1 (does not shrink) to 1000"},
		{one(option.Conditions{DataChoice: "compress=NaN"}), "the ratio must be a number"},
		{one(option.Conditions{DataChoice: "compress=0x2"}), "the ratio must be a number"},
		{
			with(one(option.Conditions{DataChoice: "zero"}), verify),
			"--data zero with -D v: a hole in a file reads as zeros",
		},
		{with(one(option.Conditions{TimeLimit: new(1.0)}), verify), ""},

		{with(one(option.Conditions{Cold: true}), writeOnly), "--cold needs reads, but this run only writes"},
		{with(one(option.Conditions{Shift: new(1)}), writeOnly), "--shift needs reads, but this run only writes"},
		{with(one(option.Conditions{ReadOnly: "f"}), writeOnly), "--read-only needs reads, but this run only writes"},
		{
			one(option.Conditions{Shift: new(2)}),
			"--shift 2: with 2 processes, each process would read its own data",
		},
		{one(option.Conditions{Shift: new(-4)}), "--shift -4"},
		{one(option.Conditions{Shift: new(3)}), ""},
		{with(one(option.Conditions{Shift: new(1)}), twoSteps), "--shift 1: one process reads what it wrote itself"},

		{one(option.Conditions{ReadOnly: "f", Cold: true, Shift: new(1)}), ""},
		{
			with(one(option.Conditions{ReadOnly: "f"}), func(o *plan.Options) { o.Keep = true }),
			"--read-only f with --keep or HDF5_NOCLEANUP",
		},
		{
			with(one(option.Conditions{ReadOnly: "f"}), func(o *plan.Options) { o.Files = new(2) }),
			"--read-only f with -F 2",
		},
		{one(option.Conditions{ReadOnly: "f", Sync: "close"}), "--read-only f with --sync close"},
		{with(one(option.Conditions{ReadOnly: "f"}), allAPIs), "the file holds one case, and this run has 3 cases"},
		{with(one(option.Conditions{ReadOnly: "f"}), twoSteps), "this run has 2 cases"},

		{one(option.Conditions{Direct: true}), ""},
		{
			with(one(option.Conditions{Direct: true}), allAPIs),
			"--direct works with -A posix only: phdf5 cannot open its files with O_DIRECT; give -A posix",
		},
		{with(one(option.Conditions{Direct: true}), func(o *plan.Options) {
			o.BytesPerProcess, o.BlockSize, o.MinTransferSize = new(uint64(1000)), new(uint64(1000)), new(uint64(1000))
		}), "transfer size 1000: calls of 1000 bytes, but O_DIRECT needs multiples of 512 bytes"},
		{with(one(option.Conditions{Direct: true}), interleaved(256)), "calls of 256 bytes"},
		{with(one(option.Conditions{Direct: true}), interleaved(512)), ""},
		{
			with(one(option.Conditions{Direct: true, Preset: "quick"}), func(o *plan.Options) {
				o.APIs = []string{"mpiio"}
			}),
			"mpiio cannot open",
		},

		{with(one(option.Conditions{Warmup: new(999999)}), writeOnly), ""},
		{
			with(one(option.Conditions{Warmup: new(1000000)}), writeOnly),
			"--warmup 1000000: must be less than 1000000 here",
		},
		{one(option.Conditions{Warmup: new(2000000)}), "--warmup 2000000: must be less than 500000 here"},
		{
			one(option.Conditions{Warmup: new(499900), RepeatUntil: new(0.1), MaxIterations: new(101)}),
			"--max-iterations 101: the number of iterations must be at most 100 here",
		},
		{
			one(option.Conditions{RepeatUntil: new(0.1), MaxIterations: new(500001)}),
			"--max-iterations 500001: the number of iterations must be at most 500000 here",
		},
	} {
		_, err := plan.New(c.o, plan.JobFacts{Processes: 2, Nodes: 1})
		if c.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", c.o, err)
			}
			continue
		}
		if _, ok := errors.AsType[*usage.Error](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want a usage error with %q", c.o.Conditions, err, c.want)
		}
	}
}

func TestSerialRefusesConditions(t *testing.T) {
	counted, stdio := option.Conditions{CountCalls: true}, option.HDF5{Driver: "stdio"}
	limited, split := option.Conditions{TimeLimit: new(1.0)}, option.HDF5{Driver: "split"}
	posix, direct := []string{"posix"}, option.Conditions{Direct: true}
	for _, c := range []struct {
		o    plan.Options
		want string
	}{
		{
			plan.Options{
				Serial: &option.SerialSizes{},
				Common: option.Common{Conditions: option.Conditions{Shift: new(1)}},
			},
			"--shift 1: one process reads what it wrote itself",
		},
		{
			plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{Conditions: counted}, HDF5: stdio},
			"--count-calls with -v stdio",
		},
		{plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{Conditions: counted}, HDF5: split}, ""},
		{
			plan.Options{
				Serial: &option.SerialSizes{ChunkSize: []uint64{4096}},
				Common: option.Common{Conditions: limited},
				HDF5:   split,
			},
			"--time-limit with -c and -v split",
		},
		{plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{Conditions: limited}, HDF5: split}, ""},
		{
			plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{Conditions: direct}},
			"hdf5 has a file driver for O_DIRECT; " +
				"give -A posix, or leave --direct out and give -A hdf5 -v direct",
		},
		{
			plan.Options{Serial: &option.SerialSizes{APIs: posix}, Common: option.Common{Conditions: direct}},
			"",
		},
		{
			plan.Options{
				Serial: &option.SerialSizes{
					APIs: posix, DatasetExtent: []uint64{64, 1000},
					BufferExtent: []uint64{4, 500},
				},
				Common: option.Common{Conditions: direct},
			},
			"calls of 500 bytes",
		},
		{
			plan.Options{
				Serial: &option.SerialSizes{},
				Common: option.Common{Conditions: option.Conditions{ReadOnly: "f"}},
			},
			"this run has 2 cases",
		},
		{
			plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{
				Conditions: option.Conditions{Cold: true},
				WriteOnly:  true,
			}},
			"--cold needs reads, but this run only writes; leave out --cold or -w",
		},
		{
			plan.Options{
				Serial: &option.SerialSizes{},
				Common: option.Common{Conditions: option.Conditions{Preset: "strict"}},
			},
			"--memory-factor 2: the memory of the " +
				"nodes is unknown",
		},
	} {
		_, err := plan.New(c.o, plan.JobFacts{})
		if c.want == "" && err == nil {
			continue
		}
		if _, ok := errors.AsType[*usage.Error](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want a usage error with %q", c.o.Conditions, err, c.want)
		}
	}
}
