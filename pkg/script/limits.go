package script

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"h5perf/pkg/pattern"
)

// MostSteps is the largest number of steps that a rank does, those of repeats and loops each time.
const MostSteps = 200_000

// MostName is the largest number of bytes in the name of a file or object.
const MostName = 1000

// limits returns an error for the first number of a resolved workload that is not allowed. Numbers that are still
// expressions are checked when they are computed.
func (w *Workload) limits() error {
	l := &limiter{}
	for _, name := range slices.Sorted(maps.Keys(w.Files)) {
		f := w.Files[name]
		l.number(f.Bands, "the number of bands", 1, math.MaxInt32)
		for _, n := range f.For {
			l.number(&n, "the number of files", 0, math.MaxInt32)
		}
		l.attributes(f.Attributes)
		l.name(f.Name, "file")
	}
	for _, name := range slices.Sorted(maps.Keys(w.Objects)) {
		o := w.Objects[name]
		l.object(&o)
	}
	for _, p := range []*Part{w.Write, w.Read} {
		if p == nil {
			continue
		}
		l.number(&p.Dumps, "the number of dumps", 1, MostSteps)
		for _, steps := range []Steps{p.Begin, p.Dump, p.End} {
			steps.walk(l.step)
		}
	}
	return l.err
}

// limiter keeps the first error.
type limiter struct{ err error }

// number checks that a number, if it is one already, is not out of a range.
func (l *limiter) number(n *Number, what string, least, most int64) {
	if n == nil || n.unlimited || l.err != nil {
		return
	}
	if v, is := n.expr.Value(); is && (v < least || v > most) {
		if most == math.MaxInt64 {
			l.err = n.pos.Errorf("%s is %d, but must be at least %d", what, v, least)
			return
		}
		l.err = n.pos.Errorf("%s is %d, but must be from %d to %d", what, v, least, most)
	}
}

// dims checks the extent of something.
func (l *limiter) dims(all []Number, what string, least int64) {
	for i := range all {
		l.number(&all[i], what, least, math.MaxInt64)
	}
	if len(all) > pattern.MaxDims && l.err == nil {
		l.err = all[0].pos.Errorf("%s has %d dimensions: there can be %d at most", what, len(all), pattern.MaxDims)
	}
}

// name checks that what is known of a name is a name of a file or object.
func (l *limiter) name(t Text, what string) {
	text, done := t.text.Text()
	if l.err != nil || !done {
		text = ""
	}
	reason := ""
	switch {
	case l.err != nil:
	case done && (text == "" || text == "." && what != "attribute"):
		reason = "is none"
	case len(text) > MostName:
		reason = fmt.Sprintf("has more than %d bytes", MostName)
	case strings.ContainsFunc(text, unicode.IsControl), what != "attribute" && strings.Contains(text, "/"):
		reason = "has the character /, or a control character"
	case what == "file" && !isFileName(t.text.Literals()):
		text, reason = t.text.String(), "must have letters, digits and _ only: each API adds a suffix of its own"
	}
	if reason != "" {
		l.err = t.pos.Errorf("the name of the %s, %q, %s", what, text, reason)
	}
}

// isFileName reports whether a text has only characters that names of files can have: see workload.File.
func isFileName(text string) bool {
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
		default:
			return false
		}
	}
	return true
}

func (l *limiter) typ(t *Type) {
	if t == nil {
		return
	}
	l.number(t.Text, "the number of characters", 1, math.MaxInt32)
	l.number(t.Opaque, "the number of bytes", 1, math.MaxInt32)
	l.number(t.Size, "the size of a compound", 1, math.MaxInt32)
	l.dims(t.Array, "the extent of an array", 1)
	l.typ(t.Of)
	for i := range t.Compound {
		l.number(t.Compound[i].Offset, "the offset of a member", 0, math.MaxInt32)
		l.typ(&t.Compound[i].Type)
	}
}

func (l *limiter) attributes(all Attributes) {
	for i := range all {
		a := &all[i]
		l.name(a.Name, "attribute")
		l.typ(&a.Type)
		l.dims(a.Extent, "the extent of an attribute", 0)
		l.number(a.Count, "the number of attributes", 0, math.MaxInt32)
	}
}

func (l *limiter) object(o *Object) {
	if o.Group != nil {
		l.name(*o.Group, "group")
	}
	if o.Dataset != nil {
		l.name(*o.Dataset, "dataset")
	}
	for _, n := range o.For {
		l.number(&n, "the number of objects", 0, math.MaxInt32)
	}
	l.typ(o.Type)
	if o.Extent != nil {
		l.dims(*o.Extent, "the extent of a dataset", 0)
	}
	l.dims(o.MaxExtent, "the largest extent of a dataset", 0)
	l.dims(o.Chunk, "the extent of a chunk", 1)
	for i := range o.Filters {
		l.number(o.Filters[i].Deflate, "the level of deflate", 0, 9)
		l.number(o.Filters[i].Szip, "the number of pixels per block of szip", 2, 32)
	}
	l.attributes(o.Attributes)
}

func (l *limiter) step(s *Step) {
	l.number(s.Repeat, "the number of repeats", 0, MostSteps)
	for _, n := range s.For {
		l.number(&n, "the number of values of a variable", 0, MostSteps)
	}
	l.dims(s.To, "the extent of a dataset", 0)
	if d := s.Compute; d != nil {
		for _, n := range []*Number{d.Seconds, d.Milliseconds, d.Microseconds} {
			l.number(n, "the time", 0, 1<<40)
		}
	}
	if x := s.Select; x != nil {
		for _, n := range []*Number{
			x.Count, x.Base, x.Modulus, x.Mean, x.Deviation, x.Index, x.Length, x.Stride, x.Width, x.First, x.Seed,
			x.Piece, x.Idle,
		} {
			l.number(n, "a parameter of the rule", 0, math.MaxInt64)
		}
		l.number(x.Ranks, "the number of ranks", 1, math.MaxInt64)
		l.number(x.Unit, "the number of rows of a unit", 1, math.MaxInt64)
		l.dims(x.Grid, "the grid of blocks", 0)
		for i := range x.Each {
			l.number(&x.Each[i], "the number of rows", 0, math.MaxInt64)
		}
		l.number(x.Dim, "the dimension", -pattern.MaxDims, pattern.MaxDims)
	}
	if m := s.Memory; m != nil {
		l.number(m.Ghost, "the number of ghost cells", 0, math.MaxInt32)
		l.number(m.Last, "the number of dimensions", 1, pattern.MaxDims)
		l.number(m.Stride, "the stride", 1, math.MaxInt32)
		l.typ(m.Within)
	}
}
