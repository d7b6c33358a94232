package units_test

import (
	"slices"
	"testing"

	"h5perf/pkg/units"
)

func TestFormatRanges(t *testing.T) {
	for _, c := range []struct {
		want    string
		numbers []int
	}{
		{"", nil},
		{"0", []int{0}},
		{"0-1", []int{0, 1}},
		{"0,2", []int{0, 2}},
		{"0-3,8", []int{0, 1, 2, 3, 8}},
		{"0-30:2", []int{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}},
		{"1,5-7", []int{1, 5, 6, 7}},
		{"0-2,10-14:2,15", []int{0, 1, 2, 10, 12, 14, 15}},
	} {
		if got := units.FormatRanges(c.numbers); got != c.want {
			t.Errorf("%v: %q, want %q", c.numbers, got, c.want)
		}
		if got, err := units.ParseRanges(c.want); err != nil || !slices.Equal(got, c.numbers) {
			t.Errorf("%q: %v, %v, want %v", c.want, got, err, c.numbers)
		}
	}
}

func TestParseListsOfOthers(t *testing.T) {
	for list, want := range map[string][]int{
		"8,0-3":                   {0, 1, 2, 3, 8},
		"0-3,2-4,3":               {0, 1, 2, 3, 4},
		"0-7:3,1":                 {0, 1, 3, 6},
		"5-5":                     {5},
		"1048577":                 {1<<20 + 1},
		"0-4:1048576":             {0},
		"2147483647":              {1<<31 - 1},
		"2147483645-2147483647:2": {1<<31 - 3, 1<<31 - 1},
	} {
		if got, err := units.ParseRanges(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", list, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, list := range []string{
		" ", "a", "-1", "1-", "3-1", "0-4:0", "0-4:", "4:2", "0-4:2:2", "0,", ",0", "0-1-2", "+1", "2147483648",
		"0-1048576", "0-1048575,0", "0-2147483647", "0-99999999999999999999",
	} {
		if got, err := units.ParseRanges(list); err == nil || got != nil {
			t.Errorf("%q: %v, want an error", list, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0-3,8", "0-30:2", "", "3-1", "0-1048575:7", "1,1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		numbers, err := units.ParseRanges(list)
		if err != nil {
			return
		}
		again, err := units.ParseRanges(units.FormatRanges(numbers))
		if err != nil || !slices.Equal(again, numbers) {
			t.Errorf("%q has %d numbers, as a list again %d, %v", list, len(numbers), len(again), err)
		}
	})
}
