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

// nearest matches the sizes that an error suggests.
var suggestedSizes = regexp.MustCompile(
	`; (?:the nearest sizes? (?:is|are)|give (?:-x \S+ )?-X) (\S+)(?: and (\S+))?$`)

// named returns the sizes that an error suggests.
func named(t *testing.T, err error) (sizes []uint64) {
	t.Helper()
	if _, ok := errors.AsType[*usage.Error](err); !ok {
		t.Fatalf("%v is no usage error", err)
	}
	for i, text := range suggestedSizes.FindStringSubmatch(err.Error()) {
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

// The sizes that an error about a block or transfers suggests are valid.
func TestWhatARefusalNamesIsAccepted(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	count := map[string]int{}
	for range 3000 {
		unit := uint64(1) << random.IntN(20)
		size := func() *uint64 { return new(unit * (1 + random.Uint64N(1<<random.IntN(10)))) }
		o := plan.Options{Sizes: option.Sizes{
			BytesPerProcess: size(), BlockSize: size(), MinTransferSize: size(), MaxTransferSize: size(),
			TwoD: random.IntN(4) == 0, APIs: []string{"posix"},
		}}
		o.Direct = !o.TwoD && random.IntN(4) == 0
		switch random.IntN(3) {
		case 0:
			o.MaxTransferSize = nil
		case 1:
			o.MaxTransferSize = o.MinTransferSize
		}
		job := plan.JobFacts{Processes: 1 + random.IntN(6)}
		_, err := plan.New(o, job)
		if err == nil || strings.HasPrefix(err.Error(), "--direct") {
			continue
		}
		option, _, _ := strings.Cut(err.Error(), " ")
		switch {
		case strings.Contains(err.Error(), "; give -X "):
			option = "-X"
		case strings.Contains(err.Error(), "; give -x "):
			option = "both"
		}
		for _, n := range named(t, err) {
			again := o
			switch count[option]++; option {
			case "-B":
				again.BlockSize = &n
			case "-X":
				again.MaxTransferSize = &n
			default:
				again.MinTransferSize = &n
				if option == "both" {
					again.MaxTransferSize = &n
				}
				if o.MaxTransferSize != nil && *o.MaxTransferSize <= *o.MinTransferSize { // one size
					again.MaxTransferSize = &n
				}
			}
			_, refused := plan.New(again, job)
			if refused != nil && (option != "-B" || strings.HasPrefix(refused.Error(), "-B")) &&
				!strings.HasPrefix(refused.Error(), "--direct") {
				t.Errorf("%v; with %d: %v", err, n, refused)
			}
		}
	}
	if count["-B"] < 100 || count["-X"] < 20 || count["transfer"] < 100 {
		t.Errorf("only %v", count)
	}
}

func TestTheNearestBuffersOfARefusalAreAccepted(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	count := 0
	for range 600 {
		e, x := 1+random.Uint64N(1<<random.IntN(40)), 1+random.Uint64N(1<<random.IntN(30))
		o := plan.Options{Serial: &option.SerialSizes{DatasetExtent: []uint64{e}, BufferExtent: []uint64{x}}}
		_, err := plan.New(o, plan.JobFacts{})
		if err == nil {
			continue
		}
		for _, n := range named(t, err) {
			o.Serial.BufferExtent = []uint64{n}
			if _, again := plan.New(o, plan.JobFacts{}); again != nil {
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
	job := plan.JobFacts{Processes: 2, Target: "/scratch", TargetType: "ext4", FreeBytes: 300 << 10}
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
