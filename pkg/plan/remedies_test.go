package plan_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"h5perf/pkg/plan"
	"h5perf/pkg/usage"
)

func TestARefusalOfSizesNamesSomeThatFit(t *testing.T) {
	b := func(n uint64) *uint64 { return new(n) }
	m := func(n uint64) *uint64 { return new(n << 20) }
	for _, c := range []struct {
		o    plan.Options
		want string // the end of the error
	}{
		{
			plan.Options{BytesPerProcess: m(12), MinTransfer: m(3), Block: m(4)},
			"; try -x 12M or -B 3M",
		},
		{plan.Options{BytesPerProcess: m(12), MinTransfer: m(4)}, "; try -x 3M, -e 16M or -X 4M"},
		{plan.Options{BytesPerProcess: m(64), MinTransfer: m(3), Block: m(1)}, "; try -x 4M or -e 48M"},
		{plan.Options{BytesPerProcess: b(1)}, "; try -e 2 or -x 1"},
	} {
		_, err := plan.New(c.o, plan.Job{Processes: 1})
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
	job := plan.Job{Processes: 2, Target: "/scratch", TargetType: "ext4", FreeBytes: 100 << 10}
	if _, err := plan.New(plan.Options{}, job); err == nil || !strings.HasSuffix(err.Error(), "; try -e 32K") {
		t.Errorf("on a full file system: %v", err)
	}
	job.FreeBytes = 0
	if _, err := plan.New(plan.Options{}, job); err == nil || strings.Contains(err.Error(), "; try ") {
		t.Errorf("without any room: %v", err)
	}
}

// suggested matches the options that a refusal names.
var suggested = regexp.MustCompile(`(-[-a-zA-Z]+) ([0-9KMGTP]+(?:,[0-9KMGTP]+)*)`)

// suggestions calls try with each option that a refusal names and its values, and returns how many there are.
func suggestions(t *testing.T, err error, try func(option string, values []uint64) error) int {
	t.Helper()
	if _, ok := errors.AsType[*usage.Error](err); !ok {
		t.Fatalf("%v is no usage error", err)
	}
	_, text, _ := strings.Cut(err.Error(), "; try ")
	found := suggested.FindAllStringSubmatch(text, -1)
	for _, words := range found {
		if again := try(words[1], parseSizes(t, words[2])); again != nil {
			t.Fatalf("%v; that gives: %v", err, again)
		}
	}
	return len(found)
}

// total returns the error of a plan or of its totals.
func total(p plan.Plan, err error) error {
	if err == nil {
		_, err = p.Amount(nil)
	}
	return err
}

func TestWhatARefusalNamesIsNotRefused(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	size := func() *uint64 {
		switch random.IntN(4) {
		case 0:
			return nil
		case 1:
			return new(uint64(random.IntN(5000)))
		case 2:
			return new(random.Uint64N(20) << random.IntN(58))
		}
		return new(uint64(1) << random.IntN(40))
	}
	flag := func() bool { return random.IntN(3) == 0 }
	named := 0
	for range 600 {
		o := plan.Options{
			BytesPerProcess: size(), Block: size(), MinTransfer: size(), MaxTransfer: size(),
			TwoD: flag(), Interleaved: flag(), Chunked: flag(), Files: new(1 + random.IntN(3)),
		}
		if flag() {
			o.APIs, o.Conditions.Direct = []string{"posix"}, flag()
		}
		if o.Chunked && flag() {
			o.ChunkSize = []uint64{random.Uint64N(1 << 34)}
		}
		if flag() {
			o.Conditions.Profile = "quick"
		}
		job := plan.Job{
			Processes: 1 + random.IntN(6), Nodes: 1, MemoryBytes: 1 << 30,
			Target: "/x", TargetType: "ext4", FreeBytes: uint64(1) << (20 + random.IntN(43)), FreeInodes: 10,
		}
		if _, err := plan.New(o, job); err != nil {
			named += suggestions(t, err, func(option string, values []uint64) error {
				changed, n := o, values[0]
				switch option {
				case "-x":
					changed.MinTransfer = &n
				case "-X":
					changed.MaxTransfer = &n
				case "-B":
					changed.Block = &n
				case "-e":
					changed.BytesPerProcess = &n
				case "--chunk-size":
					changed.ChunkSize = values
				}
				return total(plan.New(changed, job))
			})
		}
	}
	if named < 200 {
		t.Errorf("only %d suggestions", named)
	}
}

func TestWhatARefusalOfTheSerialToolNamesIsNotRefused(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	extent := func(dimensions int) (all []uint64) {
		for range dimensions {
			all = append(all, random.Uint64N(40)<<random.IntN(1+60/dimensions))
		}
		return all
	}
	named := 0
	for range 600 {
		dimensions := 1 + random.IntN(3)
		o := plan.SerialOptions{Dataset: extent(dimensions), Buffer: extent(dimensions)}
		if random.IntN(3) == 0 {
			o.Chunk, o.Extendible = extent(dimensions), random.IntN(2) == 0
		}
		if random.IntN(3) == 0 {
			o.APIs, o.Conditions.Direct = []string{"posix"}, true
		}
		if random.IntN(5) == 0 {
			o.Buffer = nil
		}
		job := plan.Job{Target: "/x", TargetType: "ext4", FreeBytes: uint64(1) << (10 + random.IntN(53))}
		if _, err := plan.NewSerial(o, job); err != nil {
			named += suggestions(t, err, func(option string, values []uint64) error {
				changed := o
				switch option {
				case "-x":
					changed.Buffer = values
				case "-c":
					changed.Chunk = values
				case "-e":
					changed.Dataset = values
				}
				return total(plan.NewSerial(changed, job))
			})
		}
	}
	if named < 200 {
		t.Errorf("only %d suggestions", named)
	}
}
