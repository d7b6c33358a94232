package plan_test

import (
	"strings"
	"testing"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/workload"
)

func TestTheTimeOfARunIsToldAsFarAsItIsKnown(t *testing.T) {
	large, small := new(uint64(1<<30)), new(uint64(1<<20))
	rate := func(plan.Case, workload.Op) float64 { return 1 << 30 }
	open := option.Conditions{MinSeconds: new(10.0)}
	for _, c := range []struct {
		name       string
		bytes      *uint64
		conditions option.Conditions
		rate       plan.AssumedRate
		deadline   time.Duration
		want       string
	}{
		{"nothing", large, option.Conditions{}, nil, 0, ""},
		{"a deadline", large, option.Conditions{}, nil, time.Hour, "at most 60 min"},
		{"a rate", large, option.Conditions{Warmup: new(299)}, rate, 0, "about 10 min"},
		{"a rate and a deadline", large, option.Conditions{Warmup: new(299)}, rate, 5 * time.Minute, "about 5 min"},
		{"a moment", small, option.Conditions{Warmup: new(1)}, rate, 0, "less than a second"},
		{"a minimum", large, open, nil, 0, "at least 20 s"},
		{"a minimum and a deadline", large, open, nil, time.Hour, "about 20 s to 60 min"},
		{"a minimum that 100 iterations do not need", small, open, nil, 0, ""},
		{"a moment at least", large, option.Conditions{Think: new(0.001)}, nil, 0, ""},
		{"a moment and a deadline", large, option.Conditions{Think: new(0.001)}, nil, time.Hour, "at most 60 min"},
		{"a width", large, option.Conditions{RepeatUntil: new(0.1)}, rate, 0, "about 12 s to 3 min"},
	} {
		p := mustPlan(t, plan.Options{
			Sizes: option.Sizes{
				APIs: []string{"posix"}, BytesPerProcess: c.bytes, BlockSize: c.bytes,
				MinTransferSize: c.bytes, MaxTransferSize: c.bytes,
			},
			Common: option.Common{Conditions: c.conditions},
		}, 1)
		if got := p.TimeRange(mustAmount(t, p, c.rate)).WithDeadline(c.deadline).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestALargeRunMovesStoresOrTakesMuch(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		amount plan.WorkEstimate
		time   plan.TimeRange
		want   bool
	}{
		"small": {
			plan.WorkEstimate{
				Disk: plan.DiskSpace{Bytes: 10 * gib},
				Max:  plan.TotalWork{Written: 4 * gib, Read: 6 * gib},
			},
			plan.TimeRange{Min: 1, Max: 600},
			false,
		},
		"moves much": {
			plan.WorkEstimate{Max: plan.TotalWork{Written: 5 * gib, Read: 5*gib + 1}},
			plan.TimeRange{},
			true,
		},
		"stores much": {plan.WorkEstimate{Disk: plan.DiskSpace{Bytes: 10*gib + 1}}, plan.TimeRange{}, true},
		"takes long":  {plan.WorkEstimate{}, plan.TimeRange{Min: 601}, true},
		"may be long": {plan.WorkEstimate{}, plan.TimeRange{Min: 1, Max: 601}, true},
	} {
		if got := c.amount.IsLarge(c.time); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestWhatIsMovedIsToldInWords(t *testing.T) {
	for want, a := range map[string]plan.WorkEstimate{
		"writes 1 KiB, reads 2 KiB": {
			Min: plan.TotalWork{Written: 1 << 10, Read: 2 << 10}, Max: plan.TotalWork{Written: 1 << 10, Read: 2 << 10},
		},
		"reads 1 KiB to 2 MiB": {Min: plan.TotalWork{Read: 1 << 10}, Max: plan.TotalWork{Read: 2 << 20}},
	} {
		if got := a.WrittenAndReadText(false); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		atMost := strings.NewReplacer("writes ", "writes at most ", "reads ", "reads at most ", "1 KiB to ",
			"").Replace(want)
		if got := a.WrittenAndReadText(true); got != atMost {
			t.Errorf("%q, want %q", got, atMost)
		}
	}
	if got := (plan.WorkEstimate{}).WrittenAndReadText(false); got != "moves no data" {
		t.Errorf("without data: %q", got)
	}
}
