package placement_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/placement"
)

// numbered formats each number from first to last as a name.
func numbered(format string, first, last int) (names []string) {
	for n := first; n <= last; n++ {
		names = append(names, fmt.Sprintf(format, n))
	}
	return names
}

func TestPack(t *testing.T) {
	for want, names := range map[string][]string{
		"":                  nil,
		"login":             {"login"},
		"n7":                {"n7"},
		"login,head":        {"login", "head"},
		"n1,n1":             {"n1", "n1"},
		"n[0001-1000,1003]": append(numbered("n%04d", 1, 1000), "n1003"),
		"n[8-12]":           numbered("n%d", 8, 12),
		"n[08-12]":          numbered("n%02d", 8, 12),
		"n[098-099,0100]":   {"n098", "n099", "n0100"},
		"n[9,010-011]":      {"n9", "n010", "n011"},
		"n[0-2]-ib":         numbered("n%d-ib", 0, 2),
		"r1n1,r2n2":         {"r1n1", "r2n2"},
		"r1n[1-2],r2n[1-2]": {"r1n1", "r1n2", "r2n1", "r2n2"},
		"r[1-3]n1.example":  numbered("r%dn1.example", 1, 3),
		"n[3,1-2]":          {"n3", "n1", "n2"},
		"n[1,3,5]":          {"n1", "n3", "n5"},
		"[1-3]":             {"1", "2", "3"},
		"n[1-2],m,n3":       {"n1", "n2", "m", "n3"},
		"n,n[1-2]":          {"n", "n1", "n2"},
		"n[999999999999999998-999999999999999999],n1000000000000000000": {
			"n999999999999999998", "n999999999999999999", "n1000000000000000000",
		},
	} {
		if got := placement.PackHosts(names); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
		if got, err := placement.UnpackHosts(want); err != nil || !slices.Equal(got, names) {
			t.Errorf("%q: %q, %v, want %q", want, got, err, names)
		}
	}
}

// names returns random names of hosts: with consecutive numbers, leading zeros, numbers of different widths, numbers at
// the beginning, in the middle or at the end, and without numbers.
func names(r *rand.Rand) []string {
	all := make([]string, r.IntN(30))
	number := r.IntN(120)
	for i := range all {
		switch r.IntN(8) {
		case 0:
			number = r.IntN(1200)
		default:
			number++
		}
		forms := []string{"n%d", "n%03d", "n%04d-ib", "r1n%02d.example", "%d", "login", "a-%d_%[1]d", "n%d-ib0"}
		form := forms[r.IntN(1+r.IntN(len(forms)))]
		if all[i] = form; strings.Contains(form, "%") {
			all[i] = fmt.Sprintf(form, number)
		}
	}
	return all
}

func TestNamesComeBackAsTheyWerePacked(t *testing.T) {
	brackets := 0
	for seed := range uint64(20000) {
		want := names(rand.New(rand.NewPCG(seed, 1)))
		list := placement.PackHosts(want)
		if got, err := placement.UnpackHosts(list); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q, packed as %q, is unpacked as %q, %v", want, list, got, err)
		}
		if plain := strings.Join(want, ","); len(list) > len(plain)+2*strings.Count(list, "[") {
			t.Errorf("%q is longer than %q", list, plain)
		}
		brackets += strings.Count(list, "[")
	}
	if brackets < 20000 {
		t.Errorf("only %d pairs of brackets", brackets)
	}
}

func TestUnpackListsOfOthers(t *testing.T) {
	for list, want := range map[string]string{
		"n[3]":            "n3",
		"n[1-1]":          "n1",
		"n[1-2,1]":        "n1 n2 n1",
		"n[09-11]x,n[7]y": "n09x n10x n11x n7y",
	} {
		if got, err := placement.UnpackHosts(list); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v, want %q", list, got, err, want)
		}
	}
}

func TestUnpackRefuses(t *testing.T) {
	for _, list := range []string{
		",", "n1,", ",n1", "n[", "n]", "n[]", "n[1", "n[1]]", "n[[1]]", "n[1][2]", "n[a]", "n[1-]", "n[-1]", "n[2-1]",
		"n[1-2-3]", "n[+1]", "n[001-1000]x]", "n[0001-10]", "n[0-1048576]", "n[0-1048575],m",
		"n[0-999999999999999999]", "n[1000000000000000000]", "n[1,]", "n]1[",
	} {
		if got, err := placement.UnpackHosts(list); err == nil || got != nil {
			t.Errorf("%q: %d names, want an error", list, len(got))
		}
	}
}

func TestNamesThatCannotBePacked(t *testing.T) {
	for name, want := range map[string]bool{
		"n1": true, "ä b": true, "": false, "a,b": false, "n[1": false, "n]": false,
	} {
		if got := placement.CanPackHost(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for _, seed := range []string{"n[0001-1000,1003]", "login,n[1-2]-ib", "", "n[", "n[9-11],n[09-11]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := placement.UnpackHosts(list)
		if err != nil {
			return
		}
		if again, err := placement.UnpackHosts(placement.PackHosts(names)); err != nil || !slices.Equal(again, names) {
			t.Errorf("%q has %d names, packed again %d, %v", list, len(names), len(again), err)
		}
	})
}
