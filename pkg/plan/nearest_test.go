package plan_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// nearest matches the sizes that a refusal names.
var nearest = regexp.MustCompile(`; the nearest sizes? (?:is|are) (\S+)(?: and (\S+))?$`)

// named returns the sizes that a refusal names.
func named(t *testing.T, err error) (sizes []uint64) {
	t.Helper()
	if _, ok := errors.AsType[*usage.Error](err); !ok {
		t.Fatalf("%v is no usage error", err)
	}
	for i, text := range nearest.FindStringSubmatch(err.Error()) {
		if i > 0 && text != "" {
			n, err := units.ParseSize(text)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, n)
		}
	}
	return sizes
}

func TestTheNearestSizesOfARefusalAreAccepted(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	count := 0
	for range 600 {
		unit := uint64(1) << random.IntN(20)
		e, b := random.Uint64N(1000)*unit+unit, random.Uint64N(10)*unit
		if b > 0 && e%b != 0 {
			e *= b / unit
		}
		o := plan.Options{Sizes: option.Sizes{BytesPerProcess: &e, BlockSize: &b, MinTransferSize: new(min(e,
			random.Uint64N(900)*unit+1))}}
		o.MaxTransferSize = o.MinTransferSize
		_, err := plan.New(o, plan.Job{Processes: 1 + random.IntN(6)})
		if err == nil || strings.Contains(err.Error(), "HDF5 allows") {
			continue
		}
		for _, n := range named(t, err) {
			o.MinTransferSize, o.MaxTransferSize = &n, &n
			if _, again := plan.New(o, plan.Job{Processes: 1}); again != nil && n >= *o.BlockSize {
				t.Errorf("%v; with %d: %v", err, n, again)
			}
			count++
		}
	}
	if count < 200 {
		t.Errorf("only %d sizes", count)
	}
}

func TestTheNearestBuffersOfARefusalAreAccepted(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	count := 0
	for range 600 {
		e, x := 1+random.Uint64N(1<<random.IntN(40)), 1+random.Uint64N(1<<random.IntN(30))
		o := plan.Options{Serial: &option.SerialSizes{DatasetExtent: []uint64{e}, BufferExtent: []uint64{x}}}
		_, err := plan.New(o, plan.Job{})
		if err == nil {
			continue
		}
		for _, n := range named(t, err) {
			o.Serial.BufferExtent = []uint64{n}
			if _, again := plan.New(o, plan.Job{}); again != nil {
				t.Errorf("%v; with %d: %v", err, n, again)
			}
			count++
		}
	}
	if count < 200 {
		t.Errorf("only %d sizes", count)
	}
}

func TestAFullFileSystemTellsHowMuchFits(t *testing.T) {
	job := plan.Job{Processes: 2, Target: "/scratch", TargetType: "ext4", FreeBytes: 300 << 10}
	o := plan.Options{Sizes: option.Sizes{
		MinTransferSize: new(uint64(16 << 10)),
		MaxTransferSize: new(uint64(16 << 10)),
	}}
	_, err := plan.New(o, job)
	if err == nil || !strings.Contains(err.Error(), "use a smaller -e (at most 144K)") {
		t.Fatalf("%v", err)
	}
	for bytes, fits := range map[uint64]bool{144 << 10: true, 160 << 10: false} {
		o.BytesPerProcess = &bytes
		if _, err := plan.New(o, job); (err == nil) != fits {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
	o.BytesPerProcess, job.FreeBytes = nil, 0
	if _, err := plan.New(o, job); err == nil || strings.Contains(err.Error(), "at most") {
		t.Errorf("without any room: %v", err)
	}
}
