package script

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"h5perf/pkg/workload"
)

// families makes families of files and objects.
type families struct {
	walker
	p     workload.Program
	rank  int64
	dumps uint64 // of the part that has more

	files map[fileKey]int
	made  map[string]*family
	split map[string]map[string]bool // variables that divide families, by file
	final map[string][]uint64        // extents when all is written, by family
}

// fileKey is a file as some ranks open it.
type fileKey struct {
	name  string
	group workload.Group
}

// family is a family of objects. The values of variables number its members, the outermost one counting most.
type family struct {
	index  int
	counts []uint64 // numbers of values
	first  []int64  // their first ones
}

// member returns the number of an object in the family.
func (f *family) member(k key) uint64 {
	n := uint64(0)
	for i, v := range k.values {
		n = n*f.counts[i] + uint64(v-f.first[i])
	}
	return n
}

// share returns the part of a rank, if ranks are divided as evenly as possible and the first parts have one more, and
// its place in the part.
func share(ranks, parts, rank int64) (part, place int64) {
	each, more := ranks/parts, ranks%parts
	if rank < more*(each+1) {
		return rank / (each + 1), rank % (each + 1)
	}
	rank -= more * (each + 1)
	return more + rank/each, rank % each
}

// bounds returns the first rank of a part, and the number of its ranks.
func bounds(ranks, parts, part int64) (first, number int64) {
	each, more := ranks/parts, ranks%parts
	first, number = part*each+min(part, more), each
	if part < more {
		number++
	}
	return first, number
}

// seats returns the values of rank and band in the names of a file and of what is in it.
func (c *families) seats(f *File) (map[string]int64, error) {
	values := map[string]int64{"rank": c.rank}
	if f.Per.has(PerBand) {
		bands, err := c.count(f.Bands, "the number of bands", 1)
		if err != nil {
			return nil, err
		}
		values["band"], _ = share(c.job.Ranks, int64(bands), c.rank)
	}
	return values, nil
}

// openFile returns the family of a file, as the ranks that do steps open it.
func (c *families) openFile(name string) (int, error) {
	f := c.Files[name]
	more, err := c.seats(&f)
	if err != nil {
		return 0, err
	}
	text, err := c.name(f.Name, more)
	if err != nil {
		return 0, err
	}
	k := fileKey{text, workload.All}
	switch {
	case f.Per.has(PerRank):
		k.group = workload.Self
	case f.Per.has(PerBand) || c.on == OnTurns:
		k.group = workload.Band
	case c.on == OnRoot:
		k.group = workload.Root
	case c.on != "":
		k.group = workload.Self
	}
	index, is := c.files[k]
	if !is {
		index = len(c.p.Files)
		c.files[k] = index
		c.p.Files = append(c.p.Files, workload.File{
			Name: text, Count: 1, Group: k.group,
		})
	}
	return index, nil
}

// variables returns the variables that differ between files, or "run".
func (f *File) variables() (all []string) {
	for _, e := range f.Per {
		all = append(all, string(e))
	}
	return append(all, slices.Sorted(maps.Keys(f.For))...)
}

// chain returns the variables of an object, outermost first: those of its file, those of the groups that hold it, and
// own ones. Own ones are those of for, and dump and rank, if they are in its name and not in the chain already.
func (c *families) chain(f *File, o *Object) (all, own []string) {
	all = f.variables()
	if parent, is := c.Objects[o.In.text]; is {
		all, _ = c.chain(f, &parent)
	}
	names := cmp.Or(o.Group, o.Dataset).text.Names()
	for _, v := range []string{"dump", "rank"} {
		if slices.Contains(names, v) && !slices.Contains(all, v) {
			own = append(own, v)
		}
	}
	own = append(own, slices.Sorted(maps.Keys(o.For))...)
	return slices.Concat(all, own), own
}

// splits returns the variables that divide the objects in a file into families: those by which objects differ in more
// than one number in their own name.
func (c *families) splits(f *File, in string) map[string]bool {
	if split, is := c.split[in]; is {
		return split
	}
	split := map[string]bool{"band": true}
	for _, v := range f.variables() {
		split[v] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.Objects)) {
		o := c.Objects[name]
		if c.root(&o) != in {
			continue
		}
		chain, own := c.chain(f, &o)
		for _, v := range chain {
			split[v] = split[v] || used(reflect.ValueOf(o), v)
		}
		text := cmp.Or(o.Group, o.Dataset).text
		for _, v := range text.Names() {
			split[v] = split[v] || !slices.Contains(own, v)
		}
		for i, v := range own { // at most the last one numbers the objects
			_, _, _, simple := text.Family(v)
			split[v] = split[v] || i < len(own)-1 || !simple
		}
	}
	c.split[in] = split
	return split
}

// key is a family, and a member of it.
type key struct {
	text   string // of the family
	name   string // in the notation
	object Object
	file   File
	seats  map[string]int64
	vars   []string // that number members
	values []int64
}

// key returns the family of the object that a name stands for with the values that variables have.
func (c *families) key(name string) (key, error) {
	o := c.Objects[name]
	in := c.root(&o)
	k := key{name: name, object: o, file: c.Files[in]}
	var err error
	if k.seats, err = c.seats(&k.file); err != nil {
		return k, err
	}
	file, err := c.name(k.file.Name, k.seats)
	if err != nil {
		return k, err
	}
	split := c.splits(&k.file, in)
	var b strings.Builder
	fmt.Fprint(&b, c.template(&o), " in ", file)
	chain, _ := c.chain(&k.file, &o)
	for _, v := range chain[len(k.file.variables()):] {
		value, is := k.seats[v]
		if !is {
			value = c.env[v]
		}
		if split[v] {
			fmt.Fprint(&b, " ", v, "=", value)
			continue
		}
		k.vars, k.values = append(k.vars, v), append(k.values, value)
	}
	k.text = b.String()
	return k, nil
}

// template returns the path of an object, as it stands in the notation. Two objects of the notation with the same path
// are the same in the file.
func (c *families) template(o *Object) string {
	own := cmp.Or(o.Group, o.Dataset).text.String()
	if parent, is := c.Objects[o.In.text]; is {
		return c.template(&parent) + "/" + own
	}
	return own
}

// family returns a family, which is made if it is new. Its objects then are in the file as it is open now.
func (c *families) family(k key) (*family, error) {
	file, err := c.openFile(c.root(&k.object))
	if err != nil {
		return nil, err
	}
	f, is := c.made[k.text]
	if !is {
		if f, err = c.declare(k); err != nil {
			return nil, err
		}
		c.made[k.text] = f
	}
	for i := f.index; i != workload.NoParent; i = c.p.Objects[i].Parent {
		c.p.Objects[i].File = file
	}
	return f, nil
}

func (c *families) declare(k key) (*family, error) {
	o, f := &k.object, &family{}
	w := workload.Object{Kind: workload.GroupObject, Parent: workload.NoParent, Each: 1, Count: 1}
	if _, is := c.Objects[o.In.text]; is {
		inner, err := c.key(o.In.text)
		if err != nil {
			return nil, err
		}
		parent, err := c.family(inner)
		if err != nil {
			return nil, err
		}
		w.Parent = parent.index
	}
	_, own := c.chain(&k.file, o)
	text := cmp.Or(o.Group, o.Dataset)
	var err error
	if w.Name, err = c.formatted(text, k, own); err != nil {
		return nil, err
	}
	for _, v := range k.vars {
		n, first, err := c.values(k, v)
		if err != nil {
			return nil, err
		}
		f.counts, f.first = append(f.counts, n), append(f.first, first)
		w.Count *= n
		if slices.Contains(own, v) {
			w.Each, w.First = n, uint64(first)
		}
	}
	if o.Dataset != nil {
		if err := c.dataset(k, &w); err != nil {
			return nil, err
		}
	}
	f.index = len(c.p.Objects)
	c.p.Objects = append(c.p.Objects, w)
	return f, nil
}

// format returns the name of a family with a number in it.
func format(before string, width int, after string) string {
	before, after = workload.Literal(before), workload.Literal(after)
	if width == 0 {
		return before + "%d" + after
	}
	return fmt.Sprintf("%s%%0%dd%s", before, width, after)
}

// formatted returns the name of a family. The names of a family of several objects have a number.
func (c *families) formatted(text *Text, k key, own []string) (string, error) {
	for _, v := range own {
		if slices.Contains(k.vars, v) {
			before, after, width, _ := text.text.Family(v)
			return format(before, width, after), nil
		}
	}
	name, err := c.name(*text, k.seats)
	return workload.Literal(name), err
}

// values returns the number of values of a variable, and the first one.
func (c *families) values(k key, v string) (n uint64, first int64, err error) {
	switch v {
	case "dump":
		return c.dumps, 0, nil
	case "rank":
		bands, err := c.count(k.file.Bands, "the number of bands", 1)
		if err != nil {
			return 0, 0, err
		}
		first, number := bounds(c.job.Ranks, int64(bands), k.seats["band"])
		return uint64(number), first, nil
	}
	o := k.object
	for {
		if number, is := o.For[v]; is {
			n, err = c.count(&number, "the number of objects", 0)
			if err != nil || !o.Dealt {
				return n, 0, err
			}
			return c.dealtTo(k, int64(n))
		}
		o = c.Objects[o.In.text]
	}
}

// dealtTo returns the number of dealt objects in a file, of so many in all files, and the first one.
func (c *families) dealtTo(k key, all int64) (n uint64, first int64, err error) {
	rank, ranks := c.rank, int64(1)
	if k.file.Per.has(PerBand) {
		bands, err := c.count(k.file.Bands, "the number of bands", 1)
		if err != nil {
			return 0, 0, err
		}
		rank, ranks = bounds(c.job.Ranks, int64(bands), k.seats["band"])
	}
	first, _ = bounds(all, c.job.Ranks, rank)
	last, number := bounds(all, c.job.Ranks, rank+ranks-1)
	return uint64(last + number - first), first, nil
}

// dataset sets what groups do not have.
func (c *families) dataset(k key, w *workload.Object) (err error) {
	o := &k.object
	w.Kind, w.Compact, w.Null = workload.DatasetObject, o.Compact, o.Empty
	w.Fill = workload.Fill{Time: string(o.Fill), Allocate: string(o.Allocate)}
	if o.Data != nil {
		w.Ratio = o.Data.Ratio.value
	}
	if w.Type, err = c.typ(o.Type); err != nil {
		return err
	}
	if w.Type.Variable {
		return o.Type.pos.Errorf("texts of variable length are of attributes only")
	}
	if w.Dims, err = c.counts(*o.Extent, "the extent of a dataset"); err != nil {
		return err
	}
	for i := range o.MaxExtent {
		most := workload.Unlimited
		if !o.MaxExtent[i].unlimited {
			if most, err = c.count(&o.MaxExtent[i], "the largest extent", 0); err != nil {
				return err
			}
		}
		w.Most = append(w.Most, most)
	}
	if o.Chunk != nil {
		if w.Chunk, err = c.counts(o.Chunk, "the extent of a chunk"); err != nil {
			return err
		}
	}
	if final, is := c.final[k.text]; is {
		w.Initial = w.Dims
		if w.Dims = slices.Clone(final); len(final) == len(w.Initial) {
			for d, n := range w.Initial {
				w.Dims[d] = max(w.Dims[d], n)
			}
		}
	}
	for i := range o.Filters {
		filter, err := c.filter(&o.Filters[i])
		if err != nil {
			return err
		}
		w.Filters = append(w.Filters, filter)
	}
	return nil
}

func (c *families) filter(f *Filter) (workload.Filter, error) {
	for _, p := range []struct {
		name  string
		level *Number
	}{{"deflate", f.Deflate}, {"szip", f.Szip}} {
		if p.level != nil {
			n, err := c.count(p.level, "the parameter of a filter", 0)
			return workload.Filter{Name: p.name, Level: int(min(n, 1<<30))}, err
		}
	}
	return workload.Filter{Name: f.word}, nil
}
