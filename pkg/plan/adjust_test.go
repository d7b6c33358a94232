package plan_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/usage"
)

// settings holds options of the C tool; 0 means not given.
type settings struct {
	twoD             bool
	e, b, x, X, p, P uint64
}

// adjustC adjusts options as the C tool does. world is the number of processes of the job.
func adjustC(s settings, world uint64) settings {
	if s.P == 0 {
		s.P = world
	}
	if s.e == 0 && s.twoD {
		s.e = 8192
	} else if s.e == 0 {
		s.e = 262144
	}
	if s.X == 0 {
		s.X = s.e
	}
	if s.x == 0 {
		s.x = s.e / 2
	}
	if s.b == 0 {
		s.b = s.e / 2
	}
	if !s.twoD && s.x > s.e {
		s.x = s.e
	}
	if !s.twoD && s.X > s.e {
		s.X = s.e
	}
	if s.x > s.X {
		s.x = s.X
	}
	if s.b > s.e {
		s.b = s.e
	}
	if s.p == 0 {
		s.p = 1
	}
	if s.p > s.P {
		s.p = s.P
	}
	return s
}

// validC reports whether the C tool measures all cases that fit in the job, and moves the right number of bytes.
func validC(s settings, world uint64) bool {
	ran := false
	for n := s.P; n >= s.p && n > 0; n /= 2 {
		if n > world {
			continue
		}
		ran = true
		if s.b == 0 || s.x == 0 {
			return false
		}
		for x := s.x; x <= s.X; x *= 2 {
			side := s.e * n
			if x%s.b != 0 || !s.twoD && s.e%x != 0 || s.twoD && (side%x != 0 || s.e%s.b != 0) {
				return false
			}
		}
	}
	return ran
}

// fittingBlock returns the settings with the largest block that the C tool can measure, up to its default. If there is
// none, it keeps the default.
func fittingBlock(s settings, world uint64) settings {
	fitted := s
	for fitted.b = max(1, s.b); fitted.b > 0; fitted.b-- {
		if validC(fitted, world) {
			return fitted
		}
	}
	return s
}

func TestAdjustsAsTheCToolDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...uint64) uint64 { return from[random.IntN(len(from))] }
	size := func(n uint64) *uint64 {
		if n == 0 && random.IntN(2) == 0 {
			return nil
		}
		return &n
	}
	number := func(n uint64) *int {
		if n == 0 {
			return nil
		}
		return new(int(n))
	}
	accepted, refused, fitted := 0, 0, 0
	for range 3000 {
		given := settings{
			twoD: random.IntN(2) == 0,
			e:    pick(0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 30, 64),
			b:    pick(0, 0, 1, 2, 3, 4, 5, 8, 16),
			x:    pick(0, 0, 1, 2, 3, 4, 6, 8, 12, 24),
			X:    pick(0, 0, 2, 4, 6, 8, 12, 24, 50),
			p:    pick(0, 0, 1, 2, 3, 5),
			P:    pick(0, 0, 1, 2, 3, 6, 8),
		}
		const world = 4
		p, err := plan.New(plan.Options{
			Sizes: option.Sizes{
				TwoD:            given.twoD,
				BytesPerProcess: size(given.e),
				BlockSize:       size(given.b),
				MinTransferSize: size(given.x),
				MaxTransferSize: size(given.X),
				MinProcesses:    number(given.p),
				MaxProcesses:    number(given.P),
			},
		}, plan.JobFacts{Processes: world})
		want := adjustC(given, world)
		if given.b == 0 {
			want = fittingBlock(want, world)
		}
		valid := validC(want, world)
		if valid != (err == nil) {
			t.Fatalf("%+v: %v, but valid is %t", given, err, valid)
		}
		if err != nil {
			if _, ok := errors.AsType[*usage.Error](err); !ok {
				t.Fatalf("%+v: %v is not a usage error", given, err)
			}
			refused++
			continue
		}
		accepted++
		s := p.Parameters
		got := settings{
			given.twoD, s.BytesPerProcess, s.BlockSize, s.MinTransferSize, s.MaxTransferSize,
			uint64(s.MinProcesses), uint64(s.MaxProcesses),
		}
		if got != want {
			t.Fatalf("%+v: adjusted to %+v, the C tool to %+v", given, got, want)
		}
		if want != adjustC(given, world) {
			fitted++
			if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "-B ") }) {
				t.Fatalf("%+v: notes %q", given, p.Notes)
			}
		}
		capped := want != adjustC(settings{twoD: given.twoD, e: given.e}, world) && // something was given
			(given.x > want.x || given.X > want.X || given.b > want.b || given.p > want.p ||
				given.x == 0 && want.x < want.e/2)
		if capped && len(p.Notes) == 0 {
			t.Fatalf("%+v: adjusted to %+v without a note", given, want)
		}
		if last := p.ProcessSteps[len(p.ProcessSteps)-1]; last.Processes < s.MinProcesses ||
			!slices.IsSorted(last.TransferSizes) {
			t.Fatalf("%+v: step %+v", given, last)
		}
	}
	if accepted < 300 || refused < 300 || fitted < 150 {
		t.Errorf("%d accepted, %d of them with another block, and %d refused of 3000 random settings: too few",
			accepted, fitted, refused)
	}
}
