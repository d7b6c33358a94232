package workload

import (
	"fmt"
	"testing"
)

// Members have the same number and the same place if and only if they have the same name.
func TestPlacesAreThoseOfNames(t *testing.T) {
	single := func(name string) Object { return Object{Name: name, PerGroup: 1, Count: 1, Parent: NoParent} }
	many := func(name string, first, count uint64) Object {
		return Object{Name: name, First: first, PerGroup: count, Count: count, Parent: NoParent}
	}
	p := Program{
		Files: []File{{Name: "f"}},
		Objects: []Object{
			many("v%d", 0, 120), many("v%03d", 5, 1100), many("v1%d", 0, 30), many("v0%02d", 0, 101), many("%d", 3, 9),
			many("100%%%dx", 0, 12), single("v7"), single("v007"), single("v"), single("v17"), single("100%%3x"),
			single("5"), single("v999999999999999999999"), many("w%d", 95, 10), single("w99"), single("x2y"),
		},
	}
	type at struct {
		numberedPlace
		number uint64
	}
	names, places := map[string]at{}, map[at]string{}
	for i, n := range p.memberNamings() {
		o := &p.Objects[i]
		if n.shared || n.isOfFamily {
			t.Errorf("%s: %+v", o.Name, n)
		}
		member := uint64(0)
		for s := range n.rangesOf(o, 0, o.Count) {
			if s.member != member {
				t.Fatalf("%s: member %d, want %d", o.Name, s.member, member)
			}
			for number := s.from; number < s.to; number++ {
				name, here := o.NameOf(member), at{s.numberedPlace, number}
				if known, is := names[name]; is && known != here {
					t.Errorf("%s of %s is %+v, and %+v", name, o.Name, here, known)
				}
				if known, is := places[here]; is && known != name {
					t.Errorf("%+v is %s of %s, and %s", here, name, o.Name, known)
				}
				names[name], places[here] = here, name
				member++
			}
		}
		if member != o.Count {
			t.Errorf("%s: %d members, want %d", o.Name, member, o.Count)
		}
	}
}

func TestFamiliesMayShareNames(t *testing.T) {
	group := func(name string, count uint64) Object {
		return Object{Name: name, PerGroup: count, Count: count, Parent: NoParent}
	}
	in := func(parent int, name string, each, count uint64) Object {
		return Object{Name: name, PerGroup: each, Count: count, Parent: parent}
	}
	p := Program{
		Files: []File{{Name: "f"}},
		Objects: []Object{
			group("g%d", 3), group("g1", 1), in(0, "x", 1, 3), in(1, "x", 1, 1), in(0, "y", 1, 3), in(1, "z%d", 4, 4),
			in(1, "z2", 1, 1), group("a%d_1", 2), group("a2_1", 1), group("b%d_1", 2),
		},
	}
	want := []bool{false, false, true, true, false, false, false, true, true, false}
	for i, n := range p.memberNamings() {
		if n.shared != want[i] {
			t.Errorf("%d, %s: shared %v", i, fmt.Sprint(p.Objects[i].Name), n.shared)
		}
	}
}
