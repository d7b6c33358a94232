package workload

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// handle tells of an object of a family that the program has opened.
type handle struct {
	open  bool // else it was closed
	since source
	file  int // in which it is open, in Program.Files
}

// content is what is known of what is in a file.
type content struct {
	known bool // nothing is in it but what is told
	told  map[thing]*spans[object]
	// A group was unlinked, and what was in it with it, or an object with its attributes: these may be made once more.
	groupGone, objectGone bool
}

// thing is objects of a place, or attributes of them that have one name, or names that differ in a number alone.
type thing struct {
	place     place
	attribute string // "": the objects themselves
}

// object tells of an object in a file, or of an attribute.
type object struct {
	is      bool
	since   source
	gone    bool      // it was unlinked
	written bool      // of a dataset: this process has written elements of it
	extent  *[]uint64 // of a dataset now; nil: not known
}

// objectName returns the name of an object, as errors have it.
func (c *checker) objectName(family int, member uint64) string {
	kind := "group "
	if c.Objects[family].Kind == DatasetObject {
		kind = "dataset "
	}
	return kind + c.PathOf(family, member)
}

// doing returns what the step at work does to a member, as the beginning of a sentence.
func (c *checker) doing(member uint64) string {
	b := &c.step.Batch
	verb := map[Class]string{
		FileClose: "closed", Create: "created", Open: "opened", Extend: "extended", ObjectClose: "closed",
		Unlink: "unlinked", Sync: "flushed", Transfer: "written", Attribute: "created",
	}[b.Class]
	if c.op == Read && (b.Class == Transfer || b.Class == Attribute) {
		verb = "read"
	}
	what := c.fileName()
	if b.Class != FileClose && b.Class != Sync && b.Object != NoParent {
		what = c.objectName(b.Object, member)
	}
	if b.Class == Attribute {
		what = c.attributeName(what)
	}
	return fmt.Sprintf("%s is %s", what, verb)
}

// writing returns an error if the step at work changes a file in part Read.
func (c *checker) writing() error {
	if c.op == Read {
		return c.errorf("%s, but files are only read in part read: do it in part write", c.doing(c.step.First))
	}
	return nil
}

// areOpen returns an error unless all of some objects are open.
func (c *checker) areOpen(family int, first, count uint64) error {
	for n := range c.objects[family].of(first, first+count) {
		if n.value.open {
			continue
		}
		closed, what := "is not open", "it"
		if n.value.since != (source{}) {
			closed = fmt.Sprintf("was closed in %s", n.value.since)
		}
		member := n.from
		if family != c.step.Object {
			what = c.objectName(family, member)
			member = c.step.First
		}
		return c.errorf("%s, but %s %s: open or create it first", c.doing(member), what, closed)
	}
	return nil
}

// parentsAreOpen returns an error unless all groups are open that hold the objects of the step at work.
func (c *checker) parentsAreOpen() error {
	b := &c.step.Batch
	o := &c.Objects[b.Object]
	if o.Parent == NoParent || b.Count == 0 {
		return nil
	}
	first := b.First / o.Each
	return c.areOpen(o.Parent, first, (b.First+b.Count-1)/o.Each-first+1)
}

// spansOf returns what is known of things in a file.
func (i *content) spansOf(t thing) *spans[object] {
	if i.told == nil {
		i.told = map[thing]*spans[object]{}
	}
	s := i.told[t]
	if s == nil {
		s = &spans[object]{}
		i.told[t] = s
	}
	return s
}

// stretches yields the places of the objects of a family with which the step at work is done. The root group of a file
// is in a place of its own.
func (c *checker) stretches(family int) iter.Seq[stretch] {
	if family == NoParent {
		return slices.Values([]stretch{{to: 1}})
	}
	return c.names[family].stretches(&c.Objects[family], c.step.First, c.step.Count)
}

// told yields what is known of the objects of a family with which the step at work is done, or of attributes of theirs.
func (c *checker) told(in *content, family int, attribute string) iter.Seq2[stretch, object] {
	return func(yield func(stretch, object) bool) {
		for s := range c.stretches(family) {
			for n := range in.spansOf(thing{s.place, attribute}).of(s.from, s.to) {
				if !yield(stretch{s.place, n.from, n.to, s.member + n.from - s.from}, n.value) {
					return
				}
			}
		}
	}
}

// tell changes what is known of the objects of a family with which the step at work is done, or of attributes of
// theirs.
func (c *checker) tell(in *content, family int, attribute string, change func(*object)) {
	for s := range c.stretches(family) {
		known := in.spansOf(thing{s.place, attribute})
		for _, n := range slices.Collect(known.of(s.from, s.to)) {
			change(&n.value)
			known.set(n.from, n.to, n.value)
		}
	}
}

// certain reports whether what is told of an object of a family holds for sure.
func (c *checker) certain(in *content, family int) bool {
	return !in.groupGone || c.Objects[family].Parent == NoParent
}

// begin checks a step that creates or opens objects.
func (c *checker) begin(f *openFile) error {
	b := &c.step.Batch
	if b.Class == Create {
		if err := c.writing(); err != nil {
			return err
		}
	}
	if err := c.parentsAreOpen(); err != nil {
		return err
	}
	for n := range c.objects[b.Object].of(b.First, b.First+b.Count) {
		if n.value.open {
			return c.errorf("%s, but it is open since %s: close it first", c.doing(n.from), n.value.since)
		}
	}
	if err := c.exist(f.in, b.Class == Open); err != nil {
		return err
	}
	if b.Class == Create {
		o, now := &c.Objects[b.Object], object{is: true, since: c.here()}
		if o.Kind == DatasetObject {
			now.extent = &o.Dims
			if o.Initial != nil {
				now.extent = &o.Initial
			}
		}
		c.tell(f.in, b.Object, "", func(known *object) { *known = now })
	}
	c.objects[b.Object].set(b.First, b.First+b.Count, handle{true, c.here(), b.File})
	f.objects += b.Count
	return nil
}

// exist returns an error if an object of the step at work does not exist but should, or the other way round, as far as
// that is known.
func (c *checker) exist(in *content, should bool) error {
	b := &c.step.Batch
	if !c.certain(in, b.Object) {
		return nil
	}
	for s, v := range c.told(in, b.Object, "") {
		switch {
		case v.is && !should:
			return c.errorf("%s, but there is one of this name, which was created in %s: give it another name, or "+
				"unlink the first one", c.doing(s.member), v.since)
		case !should || v.is || c.names[b.Object].shared:
		case v.gone:
			return c.errorf("%s, but was unlinked in %s: create it once more", c.doing(s.member), v.since)
		case in.known:
			return c.errorf("%s, but no step has created it: create it in part write", c.doing(s.member))
		}
	}
	return nil
}

func (c *checker) closeObjects() error {
	b := &c.step.Batch
	if err := c.areOpen(b.Object, b.First, b.Count); err != nil {
		return err
	}
	for n := range c.objects[b.Object].of(b.First, b.First+b.Count) {
		c.opened[n.value.file].objects -= n.to - n.from
	}
	c.objects[b.Object].set(b.First, b.First+b.Count, handle{since: c.here()})
	return nil
}

func (c *checker) unlink(f *openFile) error {
	b := &c.step.Batch
	for _, check := range []func() error{
		c.writing, c.parentsAreOpen, func() error { return c.exist(f.in, true) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	c.tell(f.in, b.Object, "", func(known *object) { *known = object{gone: true, since: c.here()} })
	f.in.groupGone = f.in.groupGone || c.Objects[b.Object].Kind == GroupObject
	f.in.objectGone = true
	return nil
}

func (c *checker) extend(f *openFile) error {
	b := &c.step.Batch
	if err := c.writing(); err != nil {
		return err
	}
	if err := c.areOpen(b.Object, b.First, b.Count); err != nil {
		return err
	}
	o := &c.Objects[b.Object]
	switch {
	case o.Most == nil:
		return c.errorf("%s, but it has no largest extent of its own: give it one", c.doing(b.First))
	case len(b.Extent) != len(o.Most) || !fitsIn(b.Extent, o.Most):
		return c.errorf("%s to %s, but its largest extent is %s: give a smaller one, or let it have a larger one",
			c.doing(b.First), extentText(b.Extent), extentText(o.Most))
	}
	c.tell(f.in, b.Object, "", func(known *object) { known.extent = &b.Extent })
	return nil
}

// extentText returns an extent in words.
func extentText(extent []uint64) string {
	var all []string
	for _, n := range extent {
		if n == Unlimited {
			all = append(all, "unlimited")
			continue
		}
		all = append(all, strconv.FormatUint(n, 10))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// fitsIn reports whether an extent is within another one.
func fitsIn(inner, outer []uint64) bool {
	for d, n := range inner {
		if n > outer[d] {
			return false
		}
	}
	return true
}
