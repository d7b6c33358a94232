package units_test

import (
	"math"
	"strings"
	"testing"

	"h5perf/pkg/units"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "1": 1, "007": 7, "4096": 4096,
		"1K": 1 << 10, "1k": 1 << 10, "37M": 37 << 20, "37m": 37 << 20, "5G": 5 << 30, "5g": 5 << 30,
		"2T": 2 << 40, "2t": 2 << 40, "3P": 3 << 50, "3p": 3 << 50,
		"9223372036854775807": math.MaxInt64, "8191P": 8191 << 50,
	} {
		got, err := units.ParseSize(text)
		if err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseSizeRefuses(t *testing.T) {
	for _, text := range []string{
		"", "K", "1KB", "1KiB", "-1", "+1", " 1", "1 ", "1 K", "4K,8K", "1K:4K", "1.5M", "1e3", "0x10", "1_000", "1B",
		"1E", "abc", "١",
	} {
		if n, err := units.ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, n)
		} else if !strings.Contains(err.Error(), `"`+text+`" is not a size`) ||
			!strings.Contains(err.Error(), "K, M, G, T or P") {
			t.Errorf("ParseSize(%q): %v; want the text and what is allowed", text, err)
		}
	}
	for _, text := range []string{"9223372036854775808", "99999999999999999999", "8192P", "9000000000G"} {
		if n, err := units.ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, n)
		} else if !strings.Contains(err.Error(), `"`+text+`" is too large`) ||
			!strings.Contains(err.Error(), "9223372036854775807") {
			t.Errorf("ParseSize(%q): %v; want the text and the limit", text, err)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		n       uint64
		size, c string
	}{
		{0, "0", "0"},
		{1, "1", "1"},
		{1000, "1000", "1000"},
		{1024, "1K", "1KB"},
		{1536, "1536", "1536"},
		{256 << 10, "256K", "256KB"},
		{3 << 19, "1536K", "1536KB"},
		{1 << 20, "1M", "1MB"},
		{5 << 30, "5G", "5GB"},
		{1 << 40, "1T", "1024GB"},
		{3 << 50, "3P", "3145728GB"},
		{1 << 60, "1024P", "1073741824GB"},
	} {
		if got := units.FormatSize(c.n); got != c.size {
			t.Errorf("FormatSize(%d) = %s, want %s", c.n, got, c.size)
		}
		if got := units.FormatLikeCTools(c.n); got != c.c {
			t.Errorf("FormatC(%d) = %s, want %s", c.n, got, c.c)
		}
	}
}

func TestFormatIEC(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1000: "1000 B", 1536: "1536 B", 6 << 10: "6 KiB", 64 << 20: "64 MiB", 5 << 40: "5 TiB",
		1 << 60: "1024 PiB",
	} {
		if got := units.FormatIEC(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"0", "37M", "1KB", "-1", "8191P", "9223372036854775807", " 1", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := units.ParseSize(text)
		if err != nil {
			if n != 0 {
				t.Errorf("ParseSize(%q) = %d with error %v", text, n, err)
			}
			return
		}
		if n > math.MaxInt64 {
			t.Errorf("ParseSize(%q) = %d is above the limit", text, n)
		}
		if strings.Trim(text, "0123456789KMGTPkmgtp") != "" {
			t.Errorf("ParseSize(%q) = %d, though it holds other characters", text, n)
		}
		if back, err := units.ParseSize(units.FormatSize(n)); err != nil || back != n {
			t.Errorf("%q is %d bytes, printed %s, which is %d, %v", text, n, units.FormatSize(n), back, err)
		}
	})
}
