// Package workloadtest describes programs in lines of text, for tests to compare with.
package workloadtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// Lines returns what the programs of all ranks of a job do, in the form of Facts.
func Lines(programs []workload.Program) []string {
	l := linesOf(programs)
	return l.text(len(programs))
}

// Objects returns the lines about groups, datasets and attributes.
func Objects(programs []workload.Program) []string { return linesOf(programs).objects }

// WrittenOnce returns an error if a byte of a dataset is not written exactly once.
func WrittenOnce(programs []workload.Program) error { return linesOf(programs).check() }

func linesOf(programs []workload.Program) *lines {
	l := &lines{
		parts: map[string]map[int]string{}, written: map[string][][2]uint64{}, sizes: map[string]uint64{},
		known: map[string]bool{},
	}
	for rank := range programs {
		p := &programs[rank]
		l.rank, l.times = rank, map[string]int{}
		for op := range p.Parts {
			for s := range p.Parts[op].Steps() {
				l.add(p, s)
			}
		}
	}
	return l
}

// lines are what programs do.
type lines struct {
	rank      int
	times     map[string]int // transfers of the rank so far
	objects   []string
	known     map[string]bool // objects
	transfers []string        // heads, in their order
	parts     map[string]map[int]string
	written   map[string][][2]uint64 // runs of bytes, by dataset
	sizes     map[string]uint64
}

// where returns file and path of an object.
func where(p *workload.Program, object int, member uint64) string {
	return strings.Replace(p.PathOf(object, member), ":", " ", 1)
}

func (l *lines) add(p *workload.Program, s *workload.Step) {
	for k := s.First; k < s.First+s.Count; k++ {
		switch s.Class {
		case workload.Create:
			o := &p.Objects[s.Object]
			if o.Kind == workload.GroupObject {
				l.once(where(p, s.Object, k) + " group")
				continue
			}
			l.once(where(p, s.Object, k) + " " + typeOf(o.Type) + extentOf(o) + properties(o))
		case workload.Attribute:
			if s.Op == workload.Read {
				continue
			}
			on := p.Files[s.File].Name + " /"
			if s.Object != workload.NoParent {
				on = where(p, s.Object, k)
			}
			a := p.Attributes[s.Attributes]
			for i := range a.Count {
				name := a.Name
				if strings.Contains(name, "%") {
					name = fmt.Sprintf(name, i)
				}
				l.once(fmt.Sprintf("%s @%s %s%s", on, name, typeOf(a.Type), numbers(a.Dims)))
			}
		case workload.Transfer:
			for i := range s.Moves() {
				l.transfer(p, s, &p.Moves[i], k)
			}
		}
	}
}

// once adds a line about what several ranks may do together.
func (l *lines) once(line string) {
	if !l.known[line] {
		l.known[line], l.objects = true, append(l.objects, line)
	}
}

func (l *lines) transfer(p *workload.Program, s *workload.Step, m *workload.Move, member uint64) {
	on := where(p, m.Object, member)
	head := fmt.Sprintf("%s %ss %s", on, s.Op, map[bool]string{false: "independent", true: "collective"}[m.Collective])
	if m.Member != "" {
		head += " " + m.Member
	}
	l.times[head]++
	key := fmt.Sprint(head, "\n", l.times[head])
	if l.parts[key] == nil {
		l.parts[key], l.transfers = map[int]string{}, append(l.transfers, key)
	}
	l.parts[key][l.rank] = partOf(m.Selection)
	if s.Op == workload.Read {
		return
	}
	l.sizes[on] = p.Objects[m.Object].Bytes()
	for at, bytes := range m.PlainSelection.Runs() {
		l.written[on] = append(l.written[on], [2]uint64{at, bytes})
	}
}

// partOf returns a part in elements: the box of it, or all boxes if there are several.
func partOf(s pattern.Selection) string {
	if s.Kind() == pattern.None || s.Bytes() == 0 {
		return "-"
	}
	if s.Kind() == pattern.Irregular {
		start, extent := s.Boxes()
		rank := len(s.Dims())
		if len(start) > 8*rank {
			return fmt.Sprint(len(start)/rank, "pieces")
		}
		var all []string
		for i := 0; i < len(start); i += rank {
			all = append(all, box(start[i:i+rank], extent[i:i+rank]))
		}
		return strings.Join(all, ",")
	}
	q, _ := s.Sequence()
	extent := slices.Clone(q.Slab.Count)
	for d := range extent {
		if extent[d] > 1 && q.Slab.Stride[d] > q.Slab.Block[d] {
			return fmt.Sprint(q.Slab)
		}
		extent[d] *= q.Slab.Block[d]
	}
	return box(q.Slab.Start, extent)
}

// box returns a box, START+COUNT, with numbers of several dimensions joined by x.
func box(start, extent []uint64) string {
	joined := func(all []uint64) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), " ", "x") }
	return joined(start) + "+" + joined(extent)
}

func typeOf(t workload.Type) string {
	var text string
	switch t.Class {
	case workload.Compound:
		var members []string
		for _, m := range t.Members {
			members = append(members, m.Name+":"+typeOf(m.Type))
		}
		text = "{" + strings.Join(members, ",") + "}"
	case workload.Text:
		text = fmt.Sprint("text", t.Size)
	default:
		text = map[workload.TypeClass]string{
			workload.Unsigned: "u", workload.Signed: "i", workload.Float: "f",
		}[t.Class] + fmt.Sprint(8*t.Size)
	}
	for _, n := range t.Array {
		text += fmt.Sprintf("*%d", n)
	}
	return text
}

// numbers returns an extent, "" of a scalar.
func numbers(dims []uint64) string {
	if len(dims) == 0 {
		return ""
	}
	return " " + strings.ReplaceAll(fmt.Sprint(dims), " ", ",")
}

func extentOf(o *workload.Object) string {
	text := numbers(o.Dims)
	if o.MaxExtent != nil {
		text += " of" + strings.ReplaceAll(numbers(o.MaxExtent), fmt.Sprint(workload.Unlimited), "unlimited")
	}
	return text
}

func properties(o *workload.Object) (text string) {
	if o.Chunk != nil {
		text += " chunk" + numbers(o.Chunk)
	}
	for _, f := range o.Filters {
		text += " " + f.Name
		if f.Name == "deflate" || f.Name == "szip" || f.Name == "zstd" {
			text += fmt.Sprint(f.Level)
		}
	}
	if o.CompressionRatio != 0 {
		text += fmt.Sprintf(" ratio=%g", o.CompressionRatio)
	}
	if o.ValueKind != fill.RandomValues {
		text += fmt.Sprint(" data=", o.ValueKind)
	}
	if o.Compact {
		text += " compact"
	}
	if o.External {
		text += " external"
	}
	if o.Fill.Time != "" {
		text += " fill=" + o.Fill.Time
	}
	if o.Fill.Allocate != "" {
		text += " allocate=" + o.Fill.Allocate
	}
	if o.Fill.Value != nil {
		text += fmt.Sprintf(" fillvalue=%x", o.Fill.Value)
	}
	return text
}

// text returns the lines.
func (l *lines) text(ranks int) []string {
	all := slices.Clone(l.objects)
	for _, key := range l.transfers {
		line, _, _ := strings.Cut(key, "\n")
		for rank := range ranks {
			part, is := l.parts[key][rank]
			if !is {
				part = "."
			}
			line += " " + part
		}
		all = append(all, line)
	}
	return all
}

// check returns an error if a byte of a dataset is not written exactly once.
func (l *lines) check() error {
	for on, runs := range l.written {
		slices.SortFunc(runs, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
		end := uint64(0)
		for _, r := range runs {
			if r[0] != end {
				return fmt.Errorf("%s: byte %d is written never, or twice", on, min(r[0], end))
			}
			end += r[1]
		}
		if end != l.sizes[on] {
			return fmt.Errorf("%s: %d bytes are written of %d", on, end, l.sizes[on])
		}
	}
	return nil
}
