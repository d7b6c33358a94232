package workload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// handle tells of an object of a family that the program has opened.
type handle struct {
	open  bool // else it was closed
	since source
	file  int // family of the file in which it is open
}

// content is what is known of what is in a file.
type content struct {
	known      bool // nothing is in it but what is told
	objects    map[place]*spans[object]
	attributes map[attribute]*spans[made]
	// A group was unlinked, and what was in it with it, or an object with its attributes: these may be made once more.
	groupGone, objectGone bool
}

// made tells that something was created.
type made struct {
	is    bool
	since source
}

// object tells of an object in a file.
type object struct {
	made
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

// spansOf returns what is known of a place in a file.
func (i *content) spansOf(p place) *spans[object] {
	if i.objects == nil {
		i.objects = map[place]*spans[object]{}
	}
	s := i.objects[p]
	if s == nil {
		s = &spans[object]{}
		i.objects[p] = s
	}
	return s
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
		o, now := &c.Objects[b.Object], object{made: made{true, c.here()}}
		if o.Kind == DatasetObject {
			now.extent = &o.Dims
			if o.Initial != nil {
				now.extent = &o.Initial
			}
		}
		for s := range c.names[b.Object].stretches(o, b.First, b.Count) {
			f.in.spansOf(s.place).set(s.from, s.to, now)
		}
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
	names := &c.names[b.Object]
	for s := range names.stretches(&c.Objects[b.Object], b.First, b.Count) {
		for n := range in.spansOf(s.place).of(s.from, s.to) {
			member := s.member + n.from - s.from
			switch v := n.value; {
			case v.is && !should:
				return c.errorf("%s, but there is one of this name, which was created in %s: give it another name, or "+
					"unlink the first one", c.doing(member), v.since)
			case !should || v.is || names.shared:
			case v.gone:
				return c.errorf("%s, but was unlinked in %s: create it once more", c.doing(member), v.since)
			case in.known:
				return c.errorf("%s, but no step has created it: create it in part write", c.doing(member))
			}
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
	o := &c.Objects[b.Object]
	for s := range c.names[b.Object].stretches(o, b.First, b.Count) {
		f.in.spansOf(s.place).set(s.from, s.to, object{gone: true, made: made{since: c.here()}})
	}
	f.in.groupGone = f.in.groupGone || o.Kind == GroupObject
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
	for s := range c.names[b.Object].stretches(o, b.First, b.Count) {
		known := f.in.spansOf(s.place)
		for _, n := range slices.Collect(known.of(s.from, s.to)) {
			n.value.extent = &b.Extent
			known.set(n.from, n.to, n.value)
		}
	}
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
