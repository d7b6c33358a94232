package result

import "testing"

func TestStripesInWords(t *testing.T) {
	for _, c := range []struct {
		stripe *Stripe
		want   string
	}{
		{nil, ""},
		{&Stripe{System: "lustre", Count: -1, SizeBytes: 4 << 20, Pattern: "raid0", StartIndex: new(-1)}, "all " +
			"targets, stripes of 4 MiB, raid0"},
		{&Stripe{System: "lustre", Count: 1, SizeBytes: 1 << 20, StartIndex: new(0)}, "1 target, stripes " +
			"of 1 MiB, from target 0"},
		{&Stripe{System: "beegfs", Count: 4, SizeBytes: 512 << 10, Pattern: "RAID0", Pool: "1 (Default)"}, "4 " +
			"targets, stripes of 512 KiB, RAID0, pool 1 (Default)"},
		{&Stripe{System: "lustre", Components: []StripeComponent{
			{EndBytes: 64 << 10, SizeBytes: 64 << 10, Pattern: "mdt"},
			{StartBytes: 64 << 10, Count: 2, SizeBytes: 1 << 20},
		}}, "up to 64 KiB: stripes of 64 KiB, mdt; up to the end: 2 targets, stripes of 1 MiB"},
		{&Stripe{System: "lustre", Error: "no lfs"}, "not known: no lfs"},
	} {
		if got := c.stripe.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
