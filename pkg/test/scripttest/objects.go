package scripttest

import (
	"fmt"
	"slices"
	"strings"
)

// dataset is a dataset that the script writes, or a row of them.
type dataset struct {
	name     string   // as an expression
	how      string   // type, shape and properties, as arguments
	groups   []string // names of the groups that it is in, from the root group on, as expressions
	dims     []int
	members  []string // of a compound
	dealt    bool     // each rank has some
	filtered bool
	compact  bool
	chunked  bool
	renamed  bool
	whole    bool     // all its elements were written
	parts    []string // else these were
	attrs    []attribute
	variable string
}

// objects writes steps that make what is in a file.
func (g *grammar) objects(f *file) {
	for range 1 + g.IntN(3) {
		g.object(f, f.variable, nil, 0)
	}
}

// object writes steps that make something in a file or in a group, which a variable has.
func (g *grammar) object(f *file, in string, groups []string, depth int) {
	switch g.IntN(8) {
	case 0:
		if depth < 2 {
			g.group(f, in, groups, depth)
		}
	case 1:
		a := g.attribute(in)
		if groups == nil {
			f.attrs = append(f.attrs, a)
		}
	case 2:
		g.row(f, in, groups)
	case 3:
		g.extended(f, in, groups)
	case 4:
		switch {
		case g.oneIn(2):
			g.link(f, in)
		case f.by == all && !f.objects && g.oneIn(2):
			g.together(f, in, groups)
		}
	default:
		d := g.create(f, in, groups, g.dims(), "")
		g.fill(f, d)
		if g.oneIn(4) {
			d.attrs = append(d.attrs, g.attribute(d.variable))
		}
		g.end(f, in, d)
	}
}

// group writes steps that make a group, or several.
func (g *grammar) group(f *file, in string, groups []string, depth int) {
	v := g.name()
	name := fmt.Sprintf("%q", v)
	if g.oneIn(3) {
		name = fmt.Sprintf("numbered(%q, %s)", v+"_%d", g.between(1, 3))
	}
	g.line("%s = %s.create_group(%s)", v, in, name)
	groups = append(append([]string{}, groups...), name)
	for range 1 + g.IntN(2) {
		g.object(f, v, groups, depth+1)
	}
	g.line("%s.close()", g.rarely(v, in))
}

// attribute writes a step that makes an attribute, or several.
func (g *grammar) attribute(of string) attribute {
	name := g.name()
	switch g.IntN(3) {
	case 0:
		a := attribute{name: fmt.Sprintf("%q", name), dtype: `"f8"`}
		g.line("%s.attrs[%s] = %s", of, a.name, g.rarely("2.5", "[[1], 'a']"))
		return a
	case 1:
		a := attribute{name: fmt.Sprintf("numbered(%q, %s)", name+"_%d", g.between(1, 4)), dtype: g.typeOf().text}
		g.line("%s.attrs.create(%s, %s)", of, a.name, a.dtype)
		return a
	}
	a := attribute{name: fmt.Sprintf("%q", name), dtype: g.typeOf().text, shape: g.between(1, 3)}
	g.line("%s.attrs.create(%s, %s, shape = %s)", of, a.name, a.dtype, a.shape)
	return a
}

// shapeText returns an extent as an expression.
func shapeText(dims []int) string {
	var all []string
	for _, n := range dims {
		all = append(all, fmt.Sprint(n))
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// dims returns the extent of a dataset.
func (g *grammar) dims() []int {
	return [][]int{{24}, {24}, {24}, {18}, {6, 4}, {6, 9}, {4, 3, 5}, {}}[g.IntN(8)]
}

// create writes the step that makes a dataset of some properties.
func (g *grammar) create(f *file, in string, groups []string, dims []int, properties string) *dataset {
	d := &dataset{dims: dims, groups: groups, variable: g.name()}
	t := g.typeOf()
	d.members, d.name = t.members, fmt.Sprintf("%q", d.variable)
	switch {
	case len(dims) == 0 || properties != "":
	case g.oneIn(4):
		chunk := make([]int, len(dims))
		for i, n := range dims {
			chunk[i] = 1 + g.IntN(n)
		}
		d.chunked, properties = true, ", chunks = "+g.rarely(shapeText(chunk), g.between(1, 12))
		if g.oneIn(2) {
			d.filtered = true
			filters := []string{
				", shuffle = True", ", fletcher32 = True", `, compression = "gzip"`,
				`, compression = "gzip", compression_opts = 1, shuffle = True, ratio = 2`,
			}
			// what HDF5 1.10 writes collectively with szip it cannot always read: see bench.TestLibraries
			if f.by != all {
				filters = append(filters, `, compression = "szip", compression_opts = 2`)
			}
			properties += g.pick(filters...)
		}
		properties += g.pick("", "", "", `, fill_time = "never"`, `, alloc_time = "early"`,
			`, alloc_time = "incremental"`)
	case g.oneIn(6):
		d.compact, properties = true, ", compact = True"
	case f.by != turns && g.oneIn(6):
		properties = ", external = " + g.rarely("True", `True, fill_time = "alloc"`)
	case g.oneIn(6):
		properties = g.pick(`, fill_time = "never"`, `, fill_time = "alloc"`, `, alloc_time = "late"`)
	}
	d.how = fmt.Sprintf("%s, %s%s", t.text, shapeText(dims), properties)
	g.line("%s = %s.create_dataset(%s, %s)", d.variable, in, d.name, d.how)
	f.datasets = append(f.datasets, d)
	f.made++
	return d
}

// fill writes steps that write elements of a dataset.
func (g *grammar) fill(f *file, d *dataset) {
	if d.whole = g.oneIn(2); !d.whole && len(d.dims) > 0 {
		for range 1 + g.IntN(2) {
			part := g.some(d.dims, f)
			d.parts = append(d.parts, part)
			g.write1(f, d, d.variable, part)
		}
		return
	}
	d.whole = true
	byOne := func() bool { return f.by == all && !d.filtered && !d.compact && g.oneIn(3) }
	if byOne() {
		g.ofOneRank(func() {
			g.line("%s.write(everything()%s)", d.variable, g.rarely("", ", collective = True"))
		})
		return
	}
	g.write1(f, d, d.variable, g.covering(d.dims, f))
	if byOne() { // after a collective transfer, or another one
		g.ofOneRank(func() { g.line("%s.write(everything())", d.variable) })
	}
}

// ofOneRank writes steps of one rank alone, which is any of them.
func (g *grammar) ofOneRank(body func()) {
	g.block(fmt.Sprintf("if job.rank == %d:", g.IntN(Ranks)), body)
}

// write1 writes the step that writes a part of a dataset.
func (g *grammar) write1(f *file, d *dataset, variable, part string) {
	if d.compact && f.by == all && !g.mistakes {
		part, d.whole = "everything()", true
		g.line("%s.write(%s, collective = True)", variable, part)
		return
	}
	how := g.mode(f)
	how += g.memory(d, part, how != "", false)
	if _, most := f.sharers(); d.filtered && most > 1 {
		how = g.rarely(", collective = True", how)
	}
	g.line("%s.write(%s%s)", variable, part, how)
}

// mode returns the mode of a transfer, as an argument.
func (g *grammar) mode(f *file) string {
	if f.by == all {
		return g.pick("", ", collective = True", `, collective = mode == "collective"`)
	}
	return g.rarely("", ", collective = True")
}

// end writes the last steps with a dataset, or none.
func (g *grammar) end(f *file, in string, d *dataset) {
	if g.oneIn(5) && d.groups == nil { // it is closed with its file
		return
	}
	g.line("%s.close()", g.rarely(d.variable, "nothing"))
	g.lookUp(f, in, d.name)
	if f.by == turns || !g.oneIn(4) {
		return
	}
	g.fence(f) // else what another rank still writes may go to where the next dataset is
	if g.oneIn(2) {
		g.line("%s.unlink(%s)", in, d.name)
		f.datasets = f.datasets[:len(f.datasets)-1]
	} else {
		name := fmt.Sprintf("%q", g.name())
		g.line("%s.move(%s, %s)", in, d.name, g.rarely(name, d.name))
		d.name, d.renamed = name, true
	}
	if f.objects {
		g.fence(f)
	}
}

// lookUp writes steps that ask about what has a name, or names, in a file or in a group, or that list what is there.
func (g *grammar) lookUp(f *file, in, name string) {
	switch g.IntN(8) {
	case 0:
		g.line("%s.stat(%s%s)", in, name, g.rarely(g.pick("", `, fields = "time"`, `, fields = "storage"`,
			`, fields = "all"`), `, fields = "size"`))
	case 1:
		g.line("%s.list(%s)", in, g.rarely(name, `"none"`))
	case 2:
		if !f.hardLinks {
			g.line("%s.visit(%s)", in, name)
		}
	}
}

// link writes a step that makes a link, or several, and steps that use them.
func (g *grammar) link(f *file, in string) {
	name, to := g.name(), g.pick(`soft_link("/nowhere")`, `soft_link("/")`, `external_link("other.h5", "/x")`)
	for _, d := range f.datasets {
		if d.groups == nil && strings.HasPrefix(d.name, `"`) && g.oneIn(2) {
			to, f.hardLinks = fmt.Sprintf("hard_link(%q)", "/"+strings.Trim(d.name, `"`)), true
		}
	}
	names := fmt.Sprintf("%q", name)
	if g.oneIn(3) {
		names = fmt.Sprintf("numbered(%q, %s)", name+"_%d", g.between(1, 3))
	}
	g.line("%s[%s] = %s", in, names, to)
	g.lookUp(&file{hardLinks: true}, in, names)
	if f.by == turns || !g.oneIn(3) {
		return
	}
	if f.objects {
		g.fence(f)
	}
	g.line("%s.unlink(%s)", in, names)
	if f.objects {
		g.fence(f)
	}
}

// row writes steps with several datasets that are alike.
func (g *grammar) row(f *file, in string, groups []string) {
	t, dims := g.typeOf(), g.dims()
	d := &dataset{dims: dims, groups: groups, variable: g.name(), members: t.members}
	format := d.variable + g.rarely("_%02d", "%d%s")
	d.name = fmt.Sprintf("numbered(%q, %s)", format, g.between(1, 4))
	if d.dealt = f.by == alone && g.oneIn(2) || f.by == turns && g.oneIn(2); d.dealt {
		d.name = fmt.Sprintf("numbered(%q, job.deal(%s))", format, g.between(3, 7))
	}
	d.how = fmt.Sprintf("%s, %s", t.text, shapeText(dims))
	f.datasets = append(f.datasets, d)
	f.made += 2
	if groups == nil && !d.dealt && g.oneIn(3) { // one after another
		g.block("for name in "+d.name+":", func() {
			g.line("%s = %s.create_dataset(name, %s)", d.variable, in, d.how)
			g.fill(f, d)
			g.line("%s.close()", d.variable)
		})
		return
	}
	g.line("%s = %s.create_dataset(%s, %s)", d.variable, in, d.name, d.how)
	if g.oneIn(3) {
		d.whole = true
		part := g.covering(dims, f)
		g.block("for one in "+d.variable+":", func() { g.write1(f, d, "one", part) })
	} else {
		g.fill(f, d)
	}
	g.line("%s.close()", d.variable)
	if !d.dealt {
		g.lookUp(f, in, d.name)
	}
}

// extended writes steps with a dataset that becomes larger.
func (g *grammar) extended(f *file, in string, groups []string) {
	first, next := [][]int{{12}, {6, 4}}[g.IntN(2)], []int(nil)
	next = append(next, first...)
	next[0] *= 2
	most := shapeText(next)
	if g.oneIn(2) {
		most = strings.Replace(most, fmt.Sprint(next[0]), "None", 1)
		if len(next) == 1 {
			most = "(None,)"
		}
	}
	chunk := "4"
	if len(first) == 2 {
		chunk = "(3, 2)"
	}
	d := g.create(f, in, groups, first, fmt.Sprintf(", maxshape = %s, chunks = %s", g.rarely(most, "12"), chunk))
	d.chunked = true
	if g.oneIn(2) {
		g.write1(f, d, d.variable, g.covering(first, f))
	}
	if f.by == turns {
		d.whole = true
		g.write1(f, d, d.variable, g.covering(first, f))
		g.line("%s.close()", d.variable)
		return
	}
	g.line("%s.resize(%s)", d.variable, g.rarely(shapeText(next), g.between(1, 30)))
	d.dims, d.whole = next, true
	g.write1(f, d, d.variable, g.covering(next, f))
	if g.oneIn(6) { // and smaller
		g.fence(f) // else what another rank still writes may go to where the next dataset is
		g.line("%s.resize(%s)", d.variable, shapeText(first))
		d.dims = first
	}
	g.line("%s.close()", d.variable)
}

// together writes steps with several datasets in one call.
func (g *grammar) together(f *file, in string, groups []string) {
	dims := g.dims()
	one := g.create(f, in, groups, dims, " ")
	other := g.create(f, in, groups, dims, " ")
	g.line("job.write_multi([%s, %s], %s, collective = True)", one.variable, other.variable, g.covering(dims, f))
	one.whole, other.whole = true, true
	if g.oneIn(2) {
		g.ofOneRank(func() { g.line("job.write_multi([%s, %s], everything())", one.variable, other.variable) })
	}
	g.line("%s.close()", one.variable)
	g.line("%s.close()", other.variable)
}

// fetchDataset writes steps that read a dataset, from a file of this rank or of another one.
func (g *grammar) fetchDataset(f, reader *file, d *dataset, of bool) {
	least, _ := reader.sharers()
	if own, _ := f.sharers(); !d.whole && (own != least || reader.by != f.by || reader.groups != f.groups) ||
		of && (d.groups != nil || d.renamed) || d.dealt && reader.by != f.by {
		return
	}
	in := f.variable
	var opened []string
	for _, name := range d.groups {
		v := g.name()
		g.line("%s = %s[%s]", v, in, name)
		in, opened = v, append(opened, v)
	}
	if of {
		g.line("%s = %s.open_dataset(%s, %s)", d.variable, in, d.name, d.how)
	} else {
		g.line("%s = %s[%s]", d.variable, in, d.name)
		g.readAttributes(d.variable, d.attrs)
	}
	for range 1 + g.IntN(2) {
		part := g.pick(append(d.parts, "nothing()")...)
		if d.whole && g.oneIn(2) {
			part = g.some(d.dims, reader)
		} else if d.whole {
			part = g.covering(d.dims, reader)
		}
		how := g.mode(reader)
		how += g.memory(d, part, how != "", true)
		g.line("%s.%s(%s%s)", d.variable, g.rarely("read", "write"), part, how)
		if reader.by == all && d.whole && g.oneIn(4) {
			g.ofOneRank(func() { g.line("%s.read(everything())", d.variable) })
		}
	}
	g.line("%s.close()", d.variable)
	for _, v := range slices.Backward(opened) {
		g.line("%s.close()", v)
	}
}
