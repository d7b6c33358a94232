package workload

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// place is where objects are whose names differ in a number alone. Members of different families that have the same
// name in the same group have the same number in the same place.
type place struct {
	in, before, after string // the group, and the name around the number
	digits            int    // of the number, with zeros in front; 0: the name has none
	// Members of several groups, or whose names end in digits after their number: numbers are those of the family,
	// which another one has only if it is alike. in and before then describe both.
	family bool
}

// appendTo appends a text that no other place has.
func (p *place) appendTo(text []byte) []byte {
	for _, part := range [...]string{p.in, p.before, p.after} {
		text = append(strconv.AppendInt(text, int64(len(part)), 10), ' ')
		text = append(text, part...)
	}
	return strconv.AppendBool(strconv.AppendInt(text, int64(p.digits), 10), p.family)
}

// naming is how the members of a family are named in their file.
type naming struct {
	place
	width int  // of the number in the names of several members
	many  bool // names have the number of the member
	// Another family may have members of the same names in another place: what is not known of a name may be told of it
	// there.
	shared bool
}

// namings returns how the members of each family of objects are named.
func (p *Program) namings() []naming {
	all, shapes := make([]naming, len(p.Objects)), make([]string, len(p.Objects))
	alike := map[string][]int{}
	for i := range p.Objects {
		o := &p.Objects[i]
		in, single, shape := "", o.Each >= o.Count, shapeOf(p.Files[o.File].Name)+":"
		if o.Parent != NoParent {
			parent := &all[o.Parent]
			shape, single = shapes[o.Parent], single && !parent.family
			in = fmt.Sprint(parent.in, "/", parent.before, "\x00", p.Objects[o.Parent].First, " ",
				p.Objects[o.Parent].Each)
			if single {
				in = parent.in + "/" + p.Objects[o.Parent].NameOf(0)
			}
		}
		all[i] = o.naming(in, single)
		shapes[i] = shape + "/" + shapeOf(o.Name)
		alike[shapes[i]] = append(alike[shapes[i]], i)
	}
	for _, families := range alike {
		first := all[families[0]].place
		if slices.ContainsFunc(families, func(i int) bool { return all[i].family }) &&
			slices.ContainsFunc(families, func(i int) bool { return all[i].place != first }) {
			for _, i := range families {
				all[i].shared = true
			}
		}
	}
	return all
}

// mostDigits is the largest number of digits of a number that a place tells apart.
const mostDigits = 18

// naming returns how members are named in a group, or in several.
func (o *Object) naming(in string, single bool) naming {
	n := naming{many: o.Count > 1}
	before, width, after := verb(o.Name)
	family := fmt.Sprint(o.Name, "\x00", o.First, " ", o.Each)
	switch {
	case !single || n.many && strings.ContainsAny(after, digits):
		n.place = place{in: in, before: family, family: true}
	case n.many:
		n.place, n.width = place{in: in, before: before, after: after}, width
		if lead := trailing(before); len(lead)+max(width, decimals(o.First+o.Count)) > mostDigits {
			n.place = place{in: in, before: family, family: true}
		}
	default:
		text := o.NameOf(0)
		end := strings.LastIndexAny(text, digits) + 1
		number := trailing(text[:end])
		if len(number) > mostDigits {
			end, number = len(text), ""
		}
		n.place = place{in: in, before: text[:end-len(number)], after: text[end:], digits: len(number)}
		if number == "" {
			n.before, n.after = text, ""
		}
	}
	return n
}

const digits = "0123456789"

// trailing returns the digits at the end of a text.
func trailing(text string) string { return text[len(strings.TrimRight(text, digits)):] }

// decimals returns the number of digits of a number.
func decimals(n uint64) int { return len(strconv.FormatUint(n, 10)) }

// verb splits the format of a name at its verb, and returns the width of the number; a name without a verb is all
// before it.
func verb(format string) (before string, width int, after string) {
	text := strings.ReplaceAll(format, "%%", "\x00")
	before, rest, is := strings.Cut(text, "%")
	if is {
		number, end, _ := strings.Cut(rest, "d")
		width, _ = strconv.Atoi(number) // of a format, hence a number or nothing
		after = end
	}
	plain := func(s string) string { return strings.ReplaceAll(s, "\x00", "%") }
	return plain(before), width, plain(after)
}

// shapeOf returns the format of a name without its numbers: names of different shapes are different.
func shapeOf(format string) string {
	before, _, after := verb(format)
	if strings.Contains(strings.ReplaceAll(format, "%%", ""), "%") {
		before += "0"
	}
	var b strings.Builder
	last := rune(0)
	for _, r := range before + after {
		if strings.ContainsRune(digits, r) {
			r = '#'
		}
		if r != '#' || last != '#' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// stretch is a stretch of members: numbers in a place, and the first member.
type stretch struct {
	place
	from, to, member uint64
}

// stretches yields the places of members of a family.
func (n *naming) stretches(o *Object, first, count uint64) iter.Seq[stretch] {
	return func(yield func(stretch) bool) {
		switch {
		case n.family:
			yield(stretch{n.place, first, first + count, first})
			return
		case !n.many:
			number := uint64(0)
			if n.digits > 0 {
				number, _ = strconv.ParseUint(o.NameOf(0)[len(n.before):len(n.before)+n.digits], 10, 64)
			}
			yield(stretch{n.place, number, number + 1, first})
			return
		}
		lead := trailing(n.before)
		led, _ := strconv.ParseUint(lead, 10, 64)
		for from, end := o.First+first, o.First+first+count; from < end; {
			d := max(n.width, decimals(from))
			ten := power(d)
			to := min(end, ten)
			at := n.place
			at.before, at.digits = n.before[:len(n.before)-len(lead)], len(lead)+d
			if !yield(stretch{at, led*ten + from, led*ten + to, from - o.First}) {
				return
			}
			from = to
		}
	}
}

// power returns the power of ten that has so many zeros; the largest number if that is more.
func power(zeros int) uint64 {
	n := uint64(1)
	for range zeros {
		over, next := bits.Mul64(n, 10)
		if over != 0 {
			return ^uint64(0)
		}
		n = next
	}
	return n
}
