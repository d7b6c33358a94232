// Package units reads and prints sizes in bytes, and prints rates and times for people.
package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads a size in bytes: decimal digits, then optionally one of K, M, G, T, P in either case, for 2^10, 2^20,
// 2^30, 2^40, 2^50 bytes. Nothing else is a size. The largest is 2^63-1, what file offsets hold.
func ParseSize(text string) (uint64, error) {
	digits, shift := text, 0
	if text != "" {
		last := len(text) - 1
		if i := strings.Index("KMGTP", strings.ToUpper(text[last:])); i >= 0 {
			digits, shift = text[:last], 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > math.MaxInt64>>shift:
		return 0, fmt.Errorf("%q is too large: a size is at most %d bytes", text, int64(math.MaxInt64))
	case err != nil:
		return 0, fmt.Errorf("%q is not a size: digits, then optionally one of K, M, G, T, P (powers of 1024), such as 37M", text)
	}
	return n << shift, nil
}

// FormatSize prints a size as ParseSize reads it, with the largest suffix that keeps it exact.
func FormatSize(n uint64) string {
	return format(n, "K", "M", "G", "T", "P")
}

// FormatC prints a size as the header of the C tools' report does: exact multiples of 2^30, 2^20 and 2^10 bytes in GB, MB
// and KB, anything else as a plain number.
func FormatC(n uint64) string {
	return format(n, "KB", "MB", "GB")
}

func format(n uint64, suffixes ...string) string {
	used := ""
	for _, suffix := range suffixes {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, used = n/1024, suffix
	}
	return strconv.FormatUint(n, 10) + used
}
