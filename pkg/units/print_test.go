package units_test

import (
	"testing"

	"h5perf/pkg/units"
)

func TestFormatBytes(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 B", 1: "1 B", 0.25: "0.25 B", 1023: "1023 B", 1024: "1 KiB", 65536: "64 KiB", 1.5 * (1 << 20): "1.5 MiB",
		1.2345 * (1 << 30): "1.23 GiB", 12.345 * (1 << 30): "12.3 GiB", 123.45 * (1 << 30): "123 GiB",
		1023.4 * (1 << 20): "1023 MiB",
		1023.9 * (1 << 20): "1 GiB", 1 << 60: "1 EiB", 4096 * (1 << 60): "4096 EiB", 1e-7: "0.0000001 B",
	} {
		if got := units.FormatBytes(n); got != want {
			t.Errorf("%g: %q, want %q", n, got, want)
		}
	}
}

func TestFormatRate(t *testing.T) {
	for rate, want := range map[float64]string{
		0: "0 B/s", 1: "1.00 B/s", 3 << 29: "1.50 GiB/s", 14 << 30: "14.0 GiB/s", 100 << 20: "100 MiB/s",
		1023 << 20: "1023 MiB/s", 0.25: "0.250 B/s",
	} {
		if got := units.FormatRate(rate); got != want {
			t.Errorf("%g: %q, want %q", rate, got, want)
		}
	}
}

func TestFormatSeconds(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0 s", 1: "1 s", 59.96: "60 s", 12345.6: "12346 s", 0.25: "250 ms", 0.0015: "1.5 ms", 999.7e-6: "1 ms",
		1.234e-6: "1.23 µs",
		2e-9:     "2 ns", 1e-10: "0.1 ns", 0.9999: "1 s",
	} {
		if got := units.FormatSeconds(s); got != want {
			t.Errorf("%g: %q, want %q", s, got, want)
		}
	}
}

func TestRatesOfOneUnitCanBeCompared(t *testing.T) {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	u := units.RateUnitFor(1.2 * gib)
	for rate, want := range map[float64]string{
		1.2 * gib: "1.20 GiB/s", 1021 * mib: "0.997 GiB/s", 12 * mib: "0.0117 GiB/s", 0: "0 GiB/s",
		9.996 * gib: "10.0 GiB/s", 99.4 * gib: "99.4 GiB/s", 999.6 * gib: "1000 GiB/s", 12345 * gib: "12345 GiB/s",
	} {
		if got := u.Format(rate); got != want {
			t.Errorf("%g: %s, want %s", rate, got, want)
		}
	}
	for greatest, want := range map[float64]string{
		0: "B/s", 1023: "B/s", kib: "KiB/s", 1023 * mib: "MiB/s", gib: "GiB/s", 5e6 * gib: "TiB/s",
	} {
		if got := units.RateUnitFor(greatest); got.Name != want {
			t.Errorf("%g: %s, want %s", greatest, got.Name, want)
		}
	}
}
