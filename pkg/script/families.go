package script

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/fill"
	"h5perf/pkg/workload"
)

// entry is an object of the notation: one object of the file, or a row of like ones whose names differ in a number.
type entry struct {
	*DescribedObject
	key   string // in the notation
	name  string // a template
	count int    // of a row; 0: it is one
	part  ruleOfObject
	// Of all objects of a row.
	bytes, stored uint64
}

// ratio returns by which factor filters made datasets smaller, with three digits; 0 if they have no filter that does
// that, or no data.
func (e *entry) ratio() float64 {
	if !e.Compresses() || e.bytes == 0 || e.stored == 0 {
		return 0
	}
	ratio, _ := strconv.ParseFloat(strconv.FormatFloat(float64(e.bytes)/float64(e.stored), 'g', 3, 64), 64)
	return min(max(ratio, 1), fill.MostRatio)
}

// leastRow is the least number of objects that are written as a row.
const leastRow = 4

// entries returns the objects of a description but the root group, each after the group that it is in.
func entries(d *FileDescription, all []Decomposition) []entry {
	keys, parents := map[string]bool{}, map[int]bool{}
	for i := range d.Objects {
		keys[d.Objects[i].Path] = true
		parents[d.Objects[i].Parent] = true
	}
	row, rows := rowsOf(d, parents, all)
	var made []entry
	for i := range d.Objects[1:] {
		o := &d.Objects[i+1]
		e := entry{
			DescribedObject: o, key: o.Path, name: LiteralText(o.Name), part: partOf(o, all), bytes: o.Bytes(),
			stored: o.Stored,
		}
		if r, is := row[i+1]; is {
			members := rows[r]
			key := strings.TrimSuffix(d.Objects[o.Parent].Path, "/") + "/" + r.name()
			if !keys[key] {
				if members[0] != i+1 {
					continue
				}
				e.key, e.name, e.count = key, r.name(), len(members)
				e.bytes, e.stored = 0, 0
				for _, k := range members {
					e.bytes, e.stored = e.bytes+d.Objects[k].Bytes(), e.stored+d.Objects[k].Stored
				}
			}
		}
		made = append(made, e)
	}
	return made
}

// numbered is the name of the objects of a row: a number between two texts.
type numbered struct {
	parent        int
	before, after string
	width         int // of a number with zeros in front of it; 0: without
}

// template returns the template of a row.
func (n numbered) name() string {
	number := "{k}"
	if n.width > 0 {
		number = "{k:" + strconv.Itoa(n.width) + "}"
	}
	return LiteralText(n.before) + number + LiteralText(n.after)
}

// digitsOf splits a name at its last number. It returns false if there is none that a template makes.
func digitsOf(parent int, name string) (n numbered, value int, is bool) {
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	end := strings.LastIndexFunc(name, digit) + 1
	start := strings.LastIndexFunc(name[:end], func(r rune) bool { return !digit(r) }) + 1
	for start > 0 && start < end && !digit(rune(name[start])) { // within a character of several bytes
		start++
	}
	text := name[start:end]
	value, err := strconv.Atoi(text)
	if err != nil || len(text) > MostWidth {
		return n, 0, false
	}
	n = numbered{parent: parent, before: name[:start], after: name[end:]}
	if len(text) > 1 && text[0] == '0' {
		n.width = len(text)
	}
	return n, value, true
}

// rowsOf finds objects that are alike and have the numbers 0, 1, ... in their names: no groups with objects in them.
func rowsOf(
	d *FileDescription,
	parents map[int]bool,
	all []Decomposition,
) (row map[int]numbered, rows map[numbered][]int) {
	found := map[numbered]map[int]int{} // objects by number
	for i := range d.Objects {
		if i == 0 || parents[i] {
			continue
		}
		n, value, is := digitsOf(d.Objects[i].Parent, d.Objects[i].Name)
		if !is {
			continue
		}
		widths := []int{n.width}
		if n.width == 0 && value > 0 { // 10 may follow 09
			widths = append(widths, len(strconv.Itoa(value)))
		}
		for _, n.width = range widths {
			if found[n] == nil {
				found[n] = map[int]int{}
			}
			found[n][value] = i
		}
	}
	row, rows = map[int]numbered{}, map[numbered][]int{}
	order := slices.SortedFunc(maps.Keys(found), func(a, b numbered) int {
		return cmp.Or(a.parent-b.parent, strings.Compare(a.before, b.before), strings.Compare(a.after, b.after),
			a.width-b.width)
	})
	for _, n := range order {
		values := found[n]
		var members []int
		for k := range len(values) {
			i, is := values[k]
			_, taken := row[i]
			if !is || taken || len(members) > 0 && !alikeObjects(&d.Objects[members[0]], &d.Objects[i], all) {
				break
			}
			members = append(members, i)
		}
		if len(members) < leastRow {
			continue
		}
		for _, i := range members {
			row[i] = n
		}
		rows[n] = members
	}
	return row, rows
}

// alikeObjects reports whether two objects differ in nothing but their names.
func alikeObjects(a, b *DescribedObject, all []Decomposition) bool {
	x, y := a.Object, b.Object
	x.Name, y.Name = "", ""
	return reflect.DeepEqual(x, y) && reflect.DeepEqual(a.Attributes, b.Attributes) &&
		partOf(a, all).same(partOf(b, all))
}

// typed returns a type in the notation.
func typed(t workload.Type) any {
	if len(t.Array) > 0 {
		of := t
		of.Array = nil
		return fields{{key: "array", value: decimalNumbers(t.Array)}, {key: "of", value: typed(of)}}
	}
	if len(t.Words) > 0 {
		of := t
		of.Words = nil
		var words list
		for _, w := range t.Words {
			words = append(words, fields{{key: "name", value: quotedText(w.Name)}, {key: "value", value: w.Value}})
		}
		return fields{{key: "enum", value: words}, {key: "of", value: typed(of)}}
	}
	switch t.Class {
	case workload.Text:
		paddings := map[workload.Padding]word{workload.Terminated: "terminated", workload.Spaces: "spaces"}
		return fields{{key: "text", value: t.Size}}.
			with(t.Padding != workload.Zeros, "padding", paddings[t.Padding]).
			with(t.UTF8, "characters", word("utf8")).
			with(t.Variable, "variable", true)
	case workload.Opaque:
		return fields{{key: "opaque", value: t.Size}}.with(t.Tag != "", "tag", quotedText(t.Tag))
	case workload.Compound:
		return compound(t)
	}
	letter := map[workload.TypeClass]string{
		workload.Unsigned: "u", workload.Signed: "i", workload.Float: "f", workload.Bits: "b",
	}[t.Class]
	bits := int(8 * t.Size)
	if t.Class == workload.Float {
		bits = min(bits, 80)
	}
	letter += strconv.Itoa(bits)
	if t.BigEndian {
		letter += "be"
	}
	return word(letter)
}

func compound(t workload.Type) fields {
	var members list
	at := uint64(0)
	for _, m := range t.Members {
		at += m.Gap
		members = append(members, fields{{key: "name", value: quotedText(m.Name)}, {key: "type", value: typed(m.Type)}}.
			with(m.Gap > 0, "offset", at))
		at += m.Type.Bytes()
	}
	return fields{{key: "compound", value: members}}.with(t.Size > at, "size", t.Size)
}

// decimalNumbers returns an extent.
func decimalNumbers(all []uint64) list {
	made := list{}
	for _, n := range all {
		if n == workload.Unlimited {
			made = append(made, word("unlimited"))
			continue
		}
		made = append(made, n)
	}
	return slices.Clip(made)
}
