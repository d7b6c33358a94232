package script

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// Amounts is what all ranks of a job do, by workload.Op, and what is there afterwards.
type Amounts struct {
	Ops       [2]Amount
	Memory    uint64 // bytes of the buffers of a rank, at most: those of all transfers of a dump
	DiskBytes uint64 // bytes of datasets and attributes in all files, at most: nothing is compressed or unlinked
	Files     uint64 // number of files that are created
	Filtered  workload.Filtered
}

// Amount is what all ranks do in one direction.
type Amount struct {
	Dumps      uint64
	Bytes      uint64 // that are transferred
	Most       uint64 // bytes of a rank, at most: the sum of the largest part of each transfer
	Expected   bool   // Most is an expected value: see workload.Load
	Calls      uint64 // transfers of a rank, at most: calls of H5Dwrite or H5Dread
	AllCalls   uint64 // transfers of all ranks, also those of nothing; in the form runs, at most
	Runs       uint64 // stretches of file bytes of a rank, at most: the sum of those of each transfer
	Files      uint64 // files that are created or opened
	Groups     uint64 // groups that are created or opened; datasets and attributes alike
	Datasets   uint64
	Attributes uint64
	Steps      uint64 // of a rank
	Compute    time.Duration
}

// Amount returns what a resolved workload does with a job, in which expressions may still use ranks and nodes. Its cost
// does not depend on the number of ranks. Loops cost their number of values only if these make a difference.
func (r Resolved) Amount(job Job) (Amounts, error) {
	switch {
	case r.Job != nil && *r.Job != job:
		return Amounts{}, r.Name.pos.Errorf("the workload was resolved for %d ranks on %d nodes, not for %d on %d",
			r.Job.Ranks, r.Job.Nodes, job.Ranks, job.Nodes)
	case job.Nodes < 1 || job.Ranks < job.Nodes:
		return Amounts{}, r.Name.pos.Errorf("a job of %d ranks on %d nodes: there must be a node, and a rank on each",
			job.Ranks, job.Nodes)
	}
	var all Amounts
	m := meter{
		walker: walker{
			Workload: &r.Workload, job: job, env: map[string]int64{}, alikes: map[string]uint64{},
		}, all: &all,
		extents: map[string][]uint64{}, stored: map[string]stored{},
	}
	m.walker.step = m.step
	m.own = func(uint64) (from, to uint64) { return 0, m.deal.most }
	for op, p := range []*Part{r.Write, r.Read} {
		if p == nil {
			continue
		}
		m.op, m.Amount, m.done, m.visits = workload.Op(op), &all.Ops[op], 0, 0
		if err := m.part(p); err != nil {
			return Amounts{}, err
		}
		m.Steps = m.done
		m.Dumps, _ = m.count(&p.Dumps, "", 1)
	}
	if err := m.there(all.Ops[workload.Write].Dumps, all.Ops[workload.Read].Dumps); err != nil {
		return Amounts{}, err
	}
	for name, s := range m.stored {
		bytes := s.bytes
		if s.extended > 0 {
			bytes = m.times(s.number, s.extended)
		}
		m.add(&all.DiskBytes, bytes)
		o := r.Objects[name]
		o.filter(&all.Filtered, bytes)
	}
	if m.over {
		return Amounts{}, r.Name.pos.Errorf("the workload has 2^64 bytes, objects or calls, or more: lower its sizes")
	}
	return all, nil
}

// filter adds the bytes of datasets.
func (o *Object) filter(f *workload.Filtered, bytes uint64) {
	if !slices.ContainsFunc(o.Filters, func(f Filter) bool { return workload.Filter{Name: f.name()}.Compresses() }) {
		return
	}
	f.Bytes += bytes
	if o.Data == nil {
		f.Asked, f.NoRatio = f.Asked+bytes, f.NoRatio+bytes
		return
	}
	f.Asked += uint64(float64(bytes) / o.Data.Ratio.value)
}

// there returns an error if dumps are read that were not written: files or objects of each dump that both parts have.
func (m *meter) there(written, read uint64) error {
	if m.Write == nil || m.Read == nil || read <= written {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m.Workload.Files)) {
		if f := m.Workload.Files[name]; f.Per.has(PerDump) && m.Write.Dump.about(name) && m.Read.Dump.about(name) {
			return m.Read.Dumps.pos.Errorf("%d dumps are read, but only %d are written: there is a file %q for each",
				read, written, name)
		}
	}
	return nil
}

// meter adds up what steps do.
type meter struct {
	walker
	*Amount // of the direction
	all     *Amounts
	op      workload.Op
	extents map[string][]uint64 // of datasets that were extended
	stored  map[string]stored
	section string          // the part of the program whose transfers are added up in memory
	memory  uint64          // of the transfers of a section
	held    map[string]bool // transfers that are in memory
	over    bool            // a sum was too large
}

// stored is what is stored of a family of datasets, or of attributes.
type stored struct{ bytes, number, extended uint64 }

func (m *meter) times(factors ...uint64) uint64 {
	product := uint64(1)
	for _, f := range factors {
		over, low := bits.Mul64(product, f)
		m.over = m.over || over != 0 && !slices.Contains(factors, 0)
		product = low
	}
	return product
}

func (m *meter) add(sum *uint64, values ...uint64) {
	for _, v := range values {
		total, carry := bits.Add64(*sum, v, 0)
		*sum, m.over = total, m.over || carry != 0
	}
}

// together returns how often all ranks do what the rank that does it most often does so many times, and crews of this
// number do at once.
func (m *meter) together(times, crews uint64) uint64 {
	if m.deal != nil { // each crew is a rank, and only some have the most objects
		return m.times(times/m.deal.most, m.deal.all)
	}
	return m.times(times, crews)
}

// alone returns an error if the first rank of each node would begin with a file by itself that others change.
func (m *meter) alone(s *Step) error {
	if m.on != OnLeaders || m.op != workload.Write {
		return nil
	}
	for _, n := range slices.Concat(s.Create, s.Open) {
		if f, is := m.Workload.Files[n.text]; is && !f.Per.has(PerRank) {
			return n.pos.Errorf("each leader would %s the file %q by itself, while others change it: give on: root, "+
				"or a file for each rank", s.verb, n.text)
		}
	}
	return nil
}

func (m *meter) step(s *Step, times uint64) error {
	if err := m.alone(s); err != nil {
		return err
	}
	switch s.verb {
	case "create", "open":
		for _, name := range slices.Concat(s.Create, s.Open) {
			if err := m.begin(name.text, times, s.verb == "create"); err != nil {
				return err
			}
		}
	case "attributes":
		for _, name := range s.Attributes {
			if err := m.attributesOf(name.text, times); err != nil {
				return err
			}
		}
	case "extend":
		return m.extend(s)
	case "compute":
		d, err := m.duration(s.Compute)
		over, total := bits.Mul64(uint64(d), times)
		m.over = m.over || over != 0 || total > math.MaxInt64/2 || m.Compute > math.MaxInt64/2
		m.Compute += time.Duration(total)
		return err
	case "write", "read":
		return m.transfer(s, times)
	}
	return nil
}

// about reports whether one of the steps is about a name.
func (all Steps) about(name string) bool {
	return slices.ContainsFunc(all, func(s Step) bool {
		return slices.ContainsFunc(s.about(), func(w Word) bool { return w.text == name }) || s.Do.about(name)
	})
}

// duration returns a time.
func (w *walker) duration(d *Duration) (time.Duration, error) {
	for _, u := range []struct {
		n    *Number
		unit time.Duration
	}{{d.Seconds, time.Second}, {d.Milliseconds, time.Millisecond}, {d.Microseconds, time.Microsecond}} {
		n, err := w.count(u.n, "the time", 0)
		switch {
		case err != nil:
			return 0, err
		case u.n != nil && n > uint64(math.MaxInt64/u.unit):
			return 0, d.pos.Errorf("the time is too long")
		case u.n != nil:
			return time.Duration(n) * u.unit, nil
		}
	}
	return 0, nil
}

// actors returns the number of ranks that do a step.
func (w *walker) actors() uint64 {
	switch w.on {
	case OnRoot:
		return 1
	case OnLeaders:
		return uint64(w.job.Nodes)
	}
	return uint64(w.job.Ranks)
}

// crew are the ranks that share the files of one family, or the objects in them.
type crew struct {
	ranks  uint64 // that share one
	number uint64 // of such crews
	more   uint64 // of these, the first so many have a rank more
}

// crewOf returns the ranks that share a file, or an object in it. own reports that each rank has an object of its own.
func (w *walker) crewOf(f *File, own bool) (crew, error) {
	switch {
	case f.Per.has(PerRank) || f.Per.has(PerBand) && own:
		return crew{ranks: 1, number: w.actors()}, nil
	case f.Per.has(PerBand):
		bands, err := w.count(f.Bands, "the number of bands", 1)
		if err != nil {
			return crew{}, err
		}
		ranks := uint64(w.job.Ranks)
		if bands > ranks {
			return crew{}, f.Bands.pos.Errorf("%d bands of %d ranks: there must be a rank in each", bands, ranks)
		}
		return crew{ranks: ranks / bands, number: bands, more: ranks % bands}, nil
	}
	return crew{ranks: w.actors(), number: 1}, nil
}

// owned reports whether the name of an object, or of a group that holds it, has the number of a rank, or whether it is
// dealt to one.
func (w *walker) owned(o *Object) bool {
	for {
		if name := cmp.Or(o.Group, o.Dataset); o.Dealt || name.text.Uses("rank") {
			return true
		}
		parent, is := w.Objects[o.In.text]
		if !is {
			return false
		}
		o = &parent
	}
}

// copies returns how many objects there are in all files for one in the notation.
func (w *walker) copies(o *Object) (uint64, error) {
	f, _, _ := w.holder(o)
	c, err := w.crewOf(f, w.owned(o))
	return c.number, err
}

// begin counts files or objects that are created or opened.
func (m *meter) begin(name string, times uint64, created bool) error {
	if f, is := m.Workload.Files[name]; is {
		c, err := m.crewOf(&f, false)
		n := m.times(times, c.number)
		m.add(&m.Files, n)
		if created {
			m.add(&m.all.Files, n)
		}
		return err
	}
	o := m.Objects[name]
	copies, err := m.copies(&o)
	if err != nil {
		return err
	}
	if created {
		delete(m.extents, name)
	}
	return m.members(&o, func(number uint64) error {
		n := m.together(m.times(times, number), copies)
		if o.Group != nil {
			m.add(&m.Groups, n)
			return nil
		}
		m.add(&m.Datasets, n)
		if !created {
			return nil
		}
		if err := m.storable(&o); err != nil {
			return err
		}
		bytes, err := m.bytes(&o, nil)
		s := m.stored[name]
		m.add(&s.bytes, m.times(n, bytes))
		m.add(&s.number, n)
		m.stored[name] = s
		return err
	})
}

// bytes returns the bytes of storage of a dataset with the given extent, or with that which it is created with.
func (m *meter) bytes(o *Object, dims []uint64) (uint64, error) {
	if o.Empty {
		return 0, nil
	}
	var err error
	if dims == nil {
		if dims, err = m.counts(*o.Extent, "the extent of a dataset"); err != nil {
			return 0, err
		}
	}
	chunk, err := m.counts(o.Chunk, "the extent of a chunk")
	if err != nil {
		return 0, err
	}
	element, err := m.size(o.Type)
	bytes := element
	for d, n := range dims {
		if chunk != nil && d < len(chunk) {
			if chunk[d] == 0 {
				return 0, o.Chunk[d].pos.Errorf("the extent of a chunk is 0, but must be at least 1")
			}
			n = m.times((n+chunk[d]-1)/chunk[d], chunk[d])
		}
		bytes = m.times(bytes, n)
	}
	return bytes, err
}

// size returns the size of an element in bytes.
func (w *walker) size(t *Type) (uint64, error) {
	typ, err := w.typ(t)
	if err != nil {
		return 0, err
	}
	bytes := typ.Bytes()
	if bytes == 0 || bytes > math.MaxInt32 {
		return 0, t.pos.Errorf("the type has %d bytes, but must have from 1 to %d", bytes, math.MaxInt32)
	}
	return bytes, nil
}

// typ returns a type of elements.
func (w *walker) typ(t *Type) (workload.Type, error) {
	var typ workload.Type
	switch {
	case t.Text != nil:
		return w.text(t)
	case t.Opaque != nil:
		n, err := w.count(t.Opaque, "the number of bytes", 1)
		return workload.Type{Class: workload.Opaque, Size: n, Tag: t.Tag}, err
	case t.Enum != nil:
		typ = numbers[t.Of.word]
		for _, word := range t.Enum {
			v, err := w.value(&word.Value)
			if err != nil {
				return typ, err
			}
			typ.Words = append(typ.Words, workload.EnumWord{Name: word.Name.text, Value: v})
		}
		return typ, nil
	case t.Of != nil:
		return w.array(t)
	case t.Compound != nil:
		return w.compound(t)
	}
	return numbers[t.word], nil
}

// text returns the type of a text.
func (w *walker) text(t *Type) (workload.Type, error) {
	n, err := w.count(t.Text, "the number of characters", 1)
	typ := workload.Type{Class: workload.Text, Size: n, UTF8: t.Characters == unicodeText, Variable: t.Variable}
	typ.Padding = map[Padding]workload.Padding{"terminated": workload.Terminated, "spaces": workload.Spaces}[t.Padding]
	return typ, err
}

// inner returns the type of a value in another one.
func (w *walker) inner(t *Type) (workload.Type, error) {
	typ, err := w.typ(t)
	if err == nil && typ.Variable {
		err = t.pos.Errorf("a text of variable length is the whole value of an attribute, not a part of another type")
	}
	return typ, err
}

// array returns the type of an element that is an array.
func (w *walker) array(t *Type) (workload.Type, error) {
	of, err := w.inner(t.Of)
	if err != nil {
		return of, err
	}
	dims, err := w.counts(t.Array, "the extent of an array")
	if err != nil {
		return of, err
	}
	bytes := of.Bytes()
	for _, n := range dims {
		over, product := bits.Mul64(bytes, n)
		if bytes = product; over != 0 || bytes > math.MaxInt32 {
			return of, t.pos.Errorf("the array has more than %d bytes, the limit for a type", math.MaxInt32)
		}
	}
	of.Array = append(dims, of.Array...)
	return of, nil
}

// compound returns the type of a structure.
func (w *walker) compound(t *Type) (workload.Type, error) {
	typ := workload.Type{Class: workload.Compound}
	at := uint64(0)
	for i := range t.Compound {
		m := &t.Compound[i]
		member, err := w.inner(&m.Type)
		if err != nil {
			return typ, err
		}
		made := workload.Member{Name: m.Name.text, Type: member}
		if m.Offset != nil {
			offset, err := w.count(m.Offset, "the offset of a member", 0)
			if err != nil {
				return typ, err
			}
			if offset < at {
				return typ, m.Offset.pos.Errorf("the offset is %d, but the members before it end at %d", offset, at)
			}
			made.Gap = offset - at
		}
		at += made.Gap + member.Bytes()
		if at > math.MaxInt32 {
			return typ, t.pos.Errorf("the compound has more than %d bytes, the limit for a type", math.MaxInt32)
		}
		typ.Members = append(typ.Members, made)
	}
	var err error
	if typ.Size, err = w.count(t.Size, "the size of a compound", 1); err == nil && t.Size != nil && typ.Size < at {
		err = t.Size.pos.Errorf("the size is %d, but the members end at %d", typ.Size, at)
	}
	return typ, err
}

// attributesOf counts the attributes of a file or of objects.
func (m *meter) attributesOf(name string, times uint64) error {
	all := func(of Attributes, n uint64) error {
		for i := range of {
			a := &of[i]
			count, err := uint64(1), error(nil)
			if a.Count != nil {
				count, err = m.count(a.Count, "the number of attributes", 0)
			}
			if err != nil {
				return err
			}
			bytes, err := m.bytes(&Object{Type: &a.Type, Extent: &a.Extent, Empty: a.Empty}, nil)
			if err != nil {
				return err
			}
			m.add(&m.Attributes, m.times(n, count))
			if m.op == workload.Write {
				m.add(&m.all.DiskBytes, m.times(n, count, bytes))
			}
		}
		return nil
	}
	if f, is := m.Workload.Files[name]; is {
		c, err := m.crewOf(&f, false)
		if err != nil {
			return err
		}
		return all(f.Attributes, m.times(times, c.number))
	}
	o := m.Objects[name]
	copies, err := m.copies(&o)
	if err != nil {
		return err
	}
	return m.members(&o, func(number uint64) error {
		return all(o.Attributes, m.together(m.times(times, number), copies))
	})
}

// extend keeps the new extent of a dataset.
func (m *meter) extend(s *Step) error {
	dims, err := m.extended(s)
	if err != nil {
		return err
	}
	name := s.Extend.text
	m.extents[name] = dims
	o := m.Objects[name]
	return m.members(&o, func(uint64) error {
		bytes, err := m.bytes(&o, dims)
		kept := m.stored[name]
		kept.extended = max(kept.extended, bytes)
		m.stored[name] = kept
		return err
	})
}

// extended returns the extent that a step gives a dataset.
func (w *walker) extended(s *Step) ([]uint64, error) {
	dims, err := w.counts(s.To, "the extent of a dataset")
	o := w.Objects[s.Extend.text]
	switch {
	case err != nil:
		return nil, err
	case len(dims) != len(*o.Extent):
		return nil, s.pos.Errorf("%q has %d dimensions, not %d", s.Extend.text, len(*o.Extent), len(dims))
	}
	return dims, nil
}

// rule returns the rule of a selection.
func (w *walker) rule(x *Select) (workload.Rule, error) {
	r := workload.Rule{Name: workload.RuleName(x.Rule), Counts: workload.Counts(x.Counts), Anti: x.Anti}
	for _, p := range []struct {
		n    *Number
		into *uint64
	}{
		{x.Count, &r.Count},
		{x.Base, &r.Base},
		{x.Modulus, &r.Modulus},
		{x.Index, &r.Index},
		{x.Length, &r.Length},
		{x.Stride, &r.Stride},
		{x.Idle, &r.Idle},
		{x.Width, &r.Width},
		{x.First, &r.First},
		{x.Seed, &r.Seed},
		{x.Unit, &r.Unit},
		{x.Piece, &r.Piece},
	} {
		v, err := w.count(p.n, "a parameter of the rule", 0)
		if err != nil {
			return r, err
		}
		*p.into = v
	}
	if x.Piece != nil {
		r.Piece++ // rules count from 1
	}
	for _, p := range []struct {
		n    *Number
		into *float64
	}{{x.Mean, &r.Mean}, {x.Deviation, &r.Deviation}} {
		v, err := w.count(p.n, "a parameter of the rule", 0)
		if err != nil {
			return r, err
		}
		*p.into = float64(v)
	}
	if x.Ranks != nil {
		v, err := w.count(x.Ranks, "the number of ranks", 1)
		if err != nil {
			return r, err
		}
		r.Ranks = v
	}
	for i := range x.Record {
		v, err := w.count(&x.Record[i], "the index of a record", 0)
		if err != nil {
			return r, err
		}
		r.Record = append(r.Record, v)
	}
	if x.Dim != nil {
		v, err := w.value(x.Dim)
		if err != nil {
			return r, err
		}
		r.Dim = int(max(min(v, pattern.MaxDims), -pattern.MaxDims-1))
	}
	var err error
	if r.Grid, err = w.counts(x.Grid, "the grid of blocks"); err != nil || len(r.Grid) == 0 {
		r.Grid = nil
	}
	if err == nil {
		r.Each, err = w.counts(x.Each, "the number of rows")
	}
	if len(r.Each) == 0 {
		r.Each = nil
	}
	return r, err
}

// piece is a transfer of a dataset, or of a member of its elements.
type piece struct {
	bytes  uint64        // of an element that are transferred
	member string        // of the file; "": all
	form   pattern.Form  // of the memory
	within workload.Type // structures in memory, if elements are compounds
	typ    workload.Type // of the elements in the file
}

// pieces returns the transfers of a dataset in a step.
func (w *walker) pieces(s *Step, name string, o *Object) ([]piece, error) {
	typ, err := w.typ(o.Type)
	if err != nil {
		return nil, err
	}
	size, err := w.size(o.Type)
	if err != nil {
		return nil, err
	}
	if typ.Variable {
		return nil, o.Type.pos.Errorf("texts of variable length are of attributes only")
	}
	one := piece{bytes: size, typ: typ}
	m := s.Memory
	switch {
	case m.dense():
	case m.Ghost != nil:
		cells, err := w.count(m.Ghost, "the number of ghost cells", 0)
		if err != nil {
			return nil, err
		}
		last, err := w.count(m.Last, "the number of dimensions", 0)
		if err != nil {
			return nil, err
		}
		one.form = pattern.Form{Kind: pattern.Ghost, Cells: cells, Last: int(min(last, pattern.MaxDims+1))}
	case m.Stride != nil:
		every, err := w.count(m.Stride, "the stride", 1)
		if err != nil {
			return nil, err
		}
		one.form = pattern.Form{Kind: pattern.Strided, Every: every}
	case m.Within != nil:
		within, err := w.typ(m.Within)
		if err != nil {
			return nil, err
		}
		if typ.Class == workload.Compound && len(typ.Array) == 0 {
			one.within = within
			one.form, err = workload.FormWithin(within, typ)
			if err != nil {
				return nil, m.pos.Errorf("%s: %v", name, err)
			}
			break
		}
		member, offset, is := within.Member(name)
		if !is || member.Bytes() != size {
			return nil, m.pos.Errorf("the structure has no member %q of %d bytes, as %q has", name, size, name)
		}
		one.form = pattern.Form{Kind: pattern.Member, Offset: offset, Size: within.Bytes()}
	default:
		var all []piece
		for _, word := range m.Members {
			member, _, is := typ.Member(word.text)
			if !is {
				return nil, word.pos.Errorf("the type of %q has no member %q", name, word.text)
			}
			all = append(all, piece{bytes: member.Bytes(), member: word.text, typ: typ})
		}
		return all, nil
	}
	return []piece{one}, nil
}

// dims returns the extent of a dataset, with what an error is about it.
func (w *walker) dims(name string, o *Object, extents map[string][]uint64) ([]uint64, error) {
	if dims, is := extents[name]; is {
		return dims, nil
	}
	return w.counts(*o.Extent, "the extent of a dataset")
}

// transfer adds the transfers of a step.
func (m *meter) transfer(s *Step, times uint64) error {
	for _, word := range slices.Concat(s.Write, s.Read) {
		o := m.Objects[word.text]
		f, _, _ := m.holder(&o)
		c, err := m.crewOf(f, m.owned(&o))
		if err != nil {
			return err
		}
		if m.op == workload.Write && len(o.Filters) > 0 && s.Mode.word != collective && m.on == "" && c.ranks > 1 {
			return s.Mode.pos.Errorf("%q has filters: parallel HDF5 writes such data in collective mode only, or by "+
				"one rank that has the file for itself", word.text)
		}
		pieces, err := m.pieces(s, word.text, &o)
		if err != nil {
			return err
		}
		err = m.members(&o, func(number uint64) error {
			for _, p := range pieces {
				memory, dims, err := m.one(s, word.text, &o, p, c, m.times(times, number))
				if err != nil {
					return err
				}
				if err := m.hold(s, word.text, &o, p, dims, m.times(memory, number)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if s.Together {
		m.add(&m.Calls, times)
		m.add(&m.AllCalls, m.together(times, m.actors()))
	}
	return nil
}

// hold adds the memory of a transfer to that of its section: a dump, or what is before or after all of them. The same
// transfer of the same datasets needs it once.
func (m *meter) hold(s *Step, name string, o *Object, p piece, dims []uint64, bytes uint64) error {
	if dump, is := m.env["dump"]; !is {
		m.enter("")
	} else {
		m.enter(fmt.Sprint(dump))
	}
	r, err := m.rule(s.Select)
	if err != nil {
		return err
	}
	var key strings.Builder
	fmt.Fprint(&key, name, dims, r, p.member, p.form, s.Mode.word, s.Select.Union, s.Select.Form)
	each := func(of For) {
		for _, v := range slices.Sorted(maps.Keys(of)) {
			fmt.Fprint(&key, " ", v, "=", m.env[v])
			bytes = m.times(bytes, max(1, m.alikes[v]))
		}
	}
	for parent, is := *o, true; is; parent, is = m.Objects[parent.In.text] {
		each(parent.For)
	}
	each(m.Workload.Files[m.root(o)].For)
	if !m.held[key.String()] {
		m.held[key.String()] = true
		m.add(&m.memory, bytes)
		m.all.Memory = max(m.all.Memory, m.memory)
	}
	return nil
}

// enter begins a section, if it is another one.
func (m *meter) enter(section string) {
	if section = fmt.Sprint(m.op, section); m.section != section {
		m.section, m.memory, m.held = section, 0, map[string]bool{}
	}
}

// one adds the transfers of a piece of a dataset by crews, and returns the memory of a rank and the extent of the
// dataset.
func (m *meter) one(
	s *Step, name string, o *Object, p piece, c crew, times uint64,
) (memory uint64, dims []uint64, err error) {
	if dims, err = m.dims(name, o, m.extents); err != nil {
		return 0, nil, err
	}
	r, err := m.rule(s.Select)
	if err != nil {
		return 0, nil, err
	}
	pieces := s.Select.Form == FormRuns // each is a transfer
	if !s.Together && !pieces {
		m.add(&m.Calls, times)
		m.add(&m.AllCalls, m.together(times, m.times(c.ranks, c.number)))
		m.add(&m.AllCalls, m.times(times, c.more))
	}
	most, runs, calls := uint64(0), uint64(0), uint64(0)
	for _, part := range []crew{{ranks: c.ranks, number: c.number - c.more}, {ranks: c.ranks + 1, number: c.more}} {
		if part.number == 0 {
			continue
		}
		load, err := r.Load(dims, p.bytes, part.ranks)
		if err != nil {
			return 0, nil, s.Select.pos.Errorf("%s, %v: %v", name, dims, err)
		}
		m.add(&m.Bytes, m.times(m.together(times, part.number), load.Bytes))
		m.Expected = m.Expected || load.Expected
		if pieces {
			calls = max(calls, load.Pieces)
			m.add(&m.AllCalls, m.times(times, load.AllPieces, part.number))
		}
		if p.member != "" { // each element is a run
			load.Runs = load.Most / p.bytes
		}
		most, runs = max(most, load.Most), max(runs, load.Runs)
		one, err := memoryOf(r, p, dims, load, part.ranks)
		if err != nil {
			return 0, nil, s.pos.Errorf("%s, %v: %v", name, dims, err)
		}
		memory = max(memory, one)
	}
	m.add(&m.Most, m.times(times, most))
	m.add(&m.Runs, m.times(times, runs))
	if pieces {
		m.add(&m.Calls, m.times(times, calls))
		if m.Calls > MostSteps {
			return 0, nil, s.Select.pos.Errorf("a rank would transfer more than %d runs one by one, the limit: let "+
				"more ranks share the dataset, or choose another form", MostSteps)
		}
	}
	return memory, dims, nil
}

// memoryOf returns the memory of the rank that has the most, in bytes.
func memoryOf(r workload.Rule, p piece, dims []uint64, load workload.Load, ranks uint64) (uint64, error) {
	var per uint64
	switch p.form.Kind {
	case pattern.Ghost: // only rules that have hyperslabs
		s, err := r.Selection(dims, p.bytes, r.Largest(ranks), ranks)
		if err != nil {
			return 0, err
		}
		return p.form.MemoryBytes(s)
	case pattern.Member:
		per = p.form.Size
	case pattern.Strided:
		over, bytes := bits.Mul64(p.form.Every, p.bytes)
		if over != 0 {
			return math.MaxUint64, nil
		}
		per = bytes
	default:
		return load.Most, nil
	}
	over, bytes := bits.Mul64(load.Most/p.bytes, per)
	if over != 0 {
		bytes = math.MaxUint64
	}
	return bytes, nil
}
