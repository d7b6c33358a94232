// This file writes and reads lists of numbers, such as ranks or processors: "0-3,8" or, with a step, "0-30:2".

package units

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of the numbers that ParseRanges accepts, and of their count, so that no text makes it exhaust the memory.
const (
	maxNumber = math.MaxInt32
	maxCount  = 1 << 20
)

// ParseRanges returns the numbers in a list such as "0-3,8", in ascending order and without duplicates. For an empty
// list it returns no numbers.
func ParseRanges(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var numbers []int
	for part := range strings.SplitSeq(list, ",") {
		first, last, step, err := parsePart(part)
		if err != nil {
			return nil, fmt.Errorf("list %q: %w", list, err)
		}
		if len(numbers)+(last-first)/step+1 > maxCount {
			return nil, fmt.Errorf("list %.20q… has more than %d numbers", list, maxCount)
		}
		for n := first; n <= last; n += step {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// parsePart parses a part of a list, between commas: a number such as 8, or a range such as 0-3, or 0-30:2 with a step.
func parsePart(part string) (first, last, step int, err error) {
	bounds, by, stepped := strings.Cut(part, ":")
	from, to, isRange := strings.Cut(bounds, "-")
	if !isRange {
		to = from
	}
	if !stepped {
		by = "1"
	}
	for _, v := range []struct {
		to   *int
		text string
	}{{&first, from}, {&last, to}, {&step, by}} {
		n, err := strconv.ParseUint(v.text, 10, 32)
		if err != nil || n > maxNumber {
			return 0, 0, 0, fmt.Errorf("%q is no number up to %d", v.text, maxNumber)
		}
		*v.to = int(n)
	}
	if first > last || step == 0 || stepped && !isRange {
		return 0, 0, 0, fmt.Errorf("%q is no range", part)
	}
	return first, last, step, nil
}

// FormatRanges formats numbers, which must be in ascending order, as a list such as "0-3,8".
func FormatRanges(numbers []int) string {
	var parts []string
	for len(numbers) > 0 {
		n, text := firstRange(numbers)
		parts = append(parts, text)
		numbers = numbers[n:]
	}
	return strings.Join(parts, ",")
}

// firstRange returns how many of the numbers, from the beginning, form one range, and this range as text.
func firstRange(numbers []int) (int, string) {
	first := strconv.Itoa(numbers[0])
	if len(numbers) < 2 {
		return 1, first
	}
	step, n := numbers[1]-numbers[0], 2
	for n < len(numbers) && numbers[n]-numbers[n-1] == step {
		n++
	}
	text := first + "-" + strconv.Itoa(numbers[n-1])
	switch {
	case step == 1:
		return n, text
	case n < 3: // two numbers are not enough for a step
		return 1, first
	}
	return n, text + ":" + strconv.Itoa(step)
}
