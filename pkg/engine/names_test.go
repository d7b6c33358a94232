//go:build cgo

package engine

import (
	"fmt"
	"math"
	"testing"
)

func TestNamesAreAsPrinted(t *testing.T) {
	for _, format := range []string{
		"Dataset_%d", "%d", "%5d", "g%05dx", "%012d", "%030d", "100%% of %3d %%d", "a%1d", "%08d.suffix",
	} {
		n, err := NewMemberNames(format, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, member := range []uint64{0, 3, 92, 123456, 5, math.MaxUint64 - 7} {
			if got, want := n.NameOfMember(member), fmt.Sprintf(format, member+7); got != want {
				t.Errorf("%q of %d: %q, want %q", format, member, got, want)
			}
		}
		n.Free()
	}
	n, err := NewMemberNames("all of 100%%", 7)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Free()
	if got := n.NameOfMember(3); got != "all of 100%" {
		t.Errorf("name %q", got)
	}
}

func TestFormatsThatAreNotNames(t *testing.T) {
	for _, format := range []string{
		"", "%s", "%n", "%d%d", "%05d_%d", "%", "x%5", "%-5d", "%+d", "% d", "%*d", "%.3d", "%x", "%ld", "%1$d",
		"%[1]d", "%256d", "%99999999999999999999d", "a\x00%d",
	} {
		if n, err := NewMemberNames(format, 0); err == nil {
			t.Errorf("%q is taken, as %q", format, n.NameOfMember(1))
			n.Free()
		}
	}
}
