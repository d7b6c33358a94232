// Package units parses and formats sizes, rates, times and lists of numbers.
package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize parses a size in bytes: decimal digits, optionally followed by K, M, G, T or P in either case, for 2^10,
// 2^20, 2^30, 2^40 and 2^50 bytes. It returns an error for any other text, and for a size above 2^63-1 bytes, the
// largest file offset.
func ParseSize(text string) (uint64, error) {
	digits, shift := cutSizeSuffix(text)
	n, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > math.MaxInt64>>shift:
		return 0, fmt.Errorf("%q is too large: a size is at most %d bytes", text, int64(math.MaxInt64))
	case err != nil:
		return 0, fmt.Errorf("%q is not a size: write digits, followed by K, M, G, T or P if needed (powers of "+
			"1024), such as 37M", text)
	}
	return n << shift, nil
}

// ParseRate parses a rate in bytes per second: a positive number followed by K, M, G, T or P, in either case, for
// powers of 1024.
func ParseRate(text string) (float64, error) {
	fail := fmt.Errorf("%q is not a rate: write a number, followed by K, M, G, T or P (powers of 1024 bytes per "+
		"second), such as 1.5G", text)
	digits, shift := cutSizeSuffix(text)
	n, err := strconv.ParseFloat(digits, 64)
	if shift == 0 || err != nil || !(n > 0 && n <= math.MaxInt64) || strings.ContainsAny(digits, "xXpP_+") {
		return 0, fail
	}
	return math.Ldexp(n, shift), nil
}

// cutSizeSuffix removes a suffix such as K or M from a text. shift is the exponent of 2 for which the suffix stands,
// such as 10 for K, or 0 without a suffix.
func cutSizeSuffix(text string) (digits string, shift int) {
	if text != "" {
		last := len(text) - 1
		if i := strings.Index("KMGTP", strings.ToUpper(text[last:])); i >= 0 {
			return text[:last], 10 * (i + 1)
		}
	}
	return text, 0
}

// FormatSize formats a size so that ParseSize reads it back exactly, with the largest possible suffix, such as 64M.
func FormatSize(n uint64) string {
	return formatWithSuffix(n, "K", "M", "G", "T", "P")
}

// FormatIEC formats a size exactly for people: 64 MiB, or 1000 B.
func FormatIEC(n uint64) string {
	text := formatWithSuffix(n, " KiB", " MiB", " GiB", " TiB", " PiB")
	if n == 0 || n%1024 != 0 {
		return text + " B"
	}
	return text
}

// FormatLikeCTools formats a size as the C tools do in their report: a multiple of 2^30, 2^20 or 2^10 bytes in GB, MB
// or KB, and any other size as a number without a unit.
func FormatLikeCTools(n uint64) string {
	return formatWithSuffix(n, "KB", "MB", "GB")
}

// formatWithSuffix formats a size exactly, with the largest suffix for which the number is an integer. suffixes holds
// the suffixes for 1024, 1024^2 and so on.
func formatWithSuffix(n uint64, suffixes ...string) string {
	used := ""
	for _, suffix := range suffixes {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, used = n/1024, suffix
	}
	return strconv.FormatUint(n, 10) + used
}
