package workload

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// numberedPlace identifies objects whose names differ in a number only: their group, and the parts of the name before
// and after the number. If members of different families have the same name in the same group, they have the same place
// and the same number.
type numberedPlace struct {
	group, before, after string // group, and the parts of the name before and after the number
	digits               int    // digits of the number, with leading zeros; 0: the name has no number
	// The members are in several groups, or their names have digits after the number. Then the number is that of the
	// member in its family, group and before describe the family, and only a similar family has the same place.
	isOfFamily bool
}

// appendPlace appends a text that identifies the place.
func (p *numberedPlace) appendPlace(text []byte) []byte {
	for _, part := range [...]string{p.group, p.before, p.after} {
		text = append(strconv.AppendInt(text, int64(len(part)), 10), ' ')
		text = append(text, part...)
	}
	return strconv.AppendBool(strconv.AppendInt(text, int64(p.digits), 10), p.isOfFamily)
}

// memberNaming says how the members of a family are named in their file.
type memberNaming struct {
	numberedPlace
	width      int  // least number of digits in names of several members
	isNumbered bool // names contain the number of the member
	// Another family may have members with the same names, but in another place. Then the state of a name may be known
	// there and not here.
	shared bool
}

// memberNamings returns, for each family of objects, how its members are named.
func (p *Program) memberNamings() []memberNaming {
	all, shapes := make([]memberNaming, len(p.Objects)), make([]string, len(p.Objects))
	alike := map[string][]int{}
	for i := range p.Objects {
		o := &p.Objects[i]
		in, single, shape := "", o.PerGroup >= o.Count, unnumberedFormat(p.Files[o.File].Name)+":"
		if o.Parent != NoParent {
			parent := &all[o.Parent]
			shape, single = shapes[o.Parent], single && !parent.isOfFamily
			in = fmt.Sprint(parent.group, "/", parent.before, "\x00", p.Objects[o.Parent].First, " ",
				p.Objects[o.Parent].PerGroup)
			if single {
				in = parent.group + "/" + p.Objects[o.Parent].NameOf(0)
			}
		}
		all[i] = o.newMemberNaming(in, single)
		shapes[i] = shape + "/" + unnumberedFormat(o.Name)
		alike[shapes[i]] = append(alike[shapes[i]], i)
	}
	for _, families := range alike {
		first := all[families[0]].numberedPlace
		if slices.ContainsFunc(families, func(i int) bool { return all[i].isOfFamily }) &&
			slices.ContainsFunc(families, func(i int) bool { return all[i].numberedPlace != first }) {
			for _, i := range families {
				all[i].shared = true
			}
		}
	}
	return all
}

// maxDigits is the largest number of digits that the number of a numberedPlace may have.
const maxDigits = 18

// newMemberNaming returns how the members of a family are named. in identifies the group of the members, or, if single
// is false, their groups.
func (o *Object) newMemberNaming(in string, single bool) memberNaming {
	n := memberNaming{isNumbered: o.Count > 1}
	before, width, after := splitAtVerb(o.Name)
	family := fmt.Sprint(o.Name, "\x00", o.First, " ", o.PerGroup)
	switch {
	case !single || n.isNumbered && strings.ContainsAny(after, digits):
		n.numberedPlace = numberedPlace{group: in, before: family, isOfFamily: true}
	case n.isNumbered:
		n.numberedPlace, n.width = numberedPlace{group: in, before: before, after: after}, width
		if lead := trailingDigits(before); len(lead)+max(width, numDigits(o.First+o.Count)) > maxDigits {
			n.numberedPlace = numberedPlace{group: in, before: family, isOfFamily: true}
		}
	default:
		text := o.NameOf(0)
		end := strings.LastIndexAny(text, digits) + 1
		number := trailingDigits(text[:end])
		if len(number) > maxDigits {
			end, number = len(text), ""
		}
		n.numberedPlace = numberedPlace{
			group: in, before: text[:end-len(number)], after: text[end:],
			digits: len(number),
		}
		if number == "" {
			n.before, n.after = text, ""
		}
	}
	return n
}

const digits = "0123456789"

func trailingDigits(text string) string { return text[len(strings.TrimRight(text, digits)):] }

// numDigits returns the number of decimal digits of n.
func numDigits(n uint64) int { return len(strconv.FormatUint(n, 10)) }

// splitAtVerb splits the format of a name at its verb, and returns the width of the number. If there is no verb, before
// is the whole name.
func splitAtVerb(format string) (before string, width int, after string) {
	text := strings.ReplaceAll(format, "%%", "\x00")
	before, rest, is := strings.Cut(text, "%")
	if is {
		number, end, _ := strings.Cut(rest, "d")
		width, _ = strconv.Atoi(number) // a valid format has a number or nothing here
		after = end
	}
	plain := func(s string) string { return strings.ReplaceAll(s, "\x00", "%") }
	return plain(before), width, plain(after)
}

// unnumberedFormat returns the format of a name without its numbers. Names with different shapes are different.
func unnumberedFormat(format string) string {
	before, _, after := splitAtVerb(format)
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

// memberRange is a range of consecutive members: the numbers [from, to) in a numberedPlace. member is the index of the
// first of them in its family.
type memberRange struct {
	numberedPlace
	from, to, member uint64
}

// rangesOf yields the places and numbers of count members of a family, from first on.
func (n *memberNaming) rangesOf(o *Object, first, count uint64) iter.Seq[memberRange] {
	return func(yield func(memberRange) bool) {
		switch {
		case n.isOfFamily:
			yield(memberRange{n.numberedPlace, first, first + count, first})
			return
		case !n.isNumbered:
			number := uint64(0)
			if n.digits > 0 {
				number, _ = strconv.ParseUint(o.NameOf(0)[len(n.before):len(n.before)+n.digits], 10, 64)
			}
			yield(memberRange{n.numberedPlace, number, number + 1, first})
			return
		}
		lead := trailingDigits(n.before)
		led, _ := strconv.ParseUint(lead, 10, 64)
		for from, end := o.First+first, o.First+first+count; from < end; {
			d := max(n.width, numDigits(from))
			ten := powerOfTen(d)
			to := min(end, ten)
			at := n.numberedPlace
			at.before, at.digits = n.before[:len(n.before)-len(lead)], len(lead)+d
			if !yield(memberRange{at, led*ten + from, led*ten + to, from - o.First}) {
				return
			}
			from = to
		}
	}
}

// powerOfTen returns 10 to the power of zeros, or the largest uint64 if the result does not fit.
func powerOfTen(zeros int) uint64 {
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
