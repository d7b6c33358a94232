package mpi

import (
	"strconv"
	"strings"
)

// ranges returns ascending numbers as a list of ranges, such as "0-3,8" or, with a step, "0-30:2".
func ranges(numbers []int) string {
	var parts []string
	for len(numbers) > 0 {
		n, text := firstRange(numbers)
		parts = append(parts, text)
		numbers = numbers[n:]
	}
	return strings.Join(parts, ",")
}

// firstRange returns how many numbers belong to the first range, and its text.
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
