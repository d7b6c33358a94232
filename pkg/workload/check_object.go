package workload

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// openState says whether an object of a family is open, and since which step it is open or closed.
type openState struct {
	open  bool // false: closed, or never opened
	since stepLocation
	file  int // index in Program.Files of the file through which it is open
}

// fileContent is the known content of a file.
type fileContent struct {
	known  bool // the file contains only what states has
	states map[contentKey]*rangeMap[objectState]
	// groupUnlinked: a group was unlinked, with all that was in it. objectUnlinked: an object was unlinked, with its
	// attributes. Objects and attributes that went with them may be created again.
	groupUnlinked, objectUnlinked bool
}

// contentKey identifies the objects of a numberedPlace. If attribute is not "", it identifies the attributes of these
// objects whose names are equal or differ in a number only.
type contentKey struct {
	place     numberedPlace
	attribute string // "": the objects themselves
}

// objectState is the known state of an object in a file, or of an attribute.
type objectState struct {
	exists   bool
	since    stepLocation
	unlinked bool
	written  bool      // dataset: this process has written elements
	extent   *[]uint64 // current extent of a dataset; nil: not known
}

// objectText returns the kind and the path of an object, for error messages.
func (c *checker) objectText(family int, member uint64) string {
	kind := map[ObjectKind]string{GroupObject: "group ", DatasetObject: "dataset ", LinkObject: "link "}
	return kind[c.Objects[family].Kind] + c.PathOf(family, member)
}

// actionText returns what the current step does to a member, as the beginning of a sentence: "dataset a is read".
func (c *checker) actionText(member uint64) string {
	b := &c.step.Batch
	verb := b.Class.participle()
	if c.op == Read && (b.Class == Transfer || b.Class == Attribute) || c.step.IsReadBack(c.op) {
		verb = "read"
	}
	what := c.fileText()
	if b.Class != FileClose && b.Class != Sync && b.Object != NoParent {
		what = c.objectText(b.Object, member)
	}
	if b.Class == Attribute {
		what = c.attributeText(what)
	}
	return fmt.Sprintf("%s is %s", what, verb)
}

// participle returns what a step of the class does to an object, as in "is created"; "" if it uses none.
func (c StepClass) participle() string {
	return map[StepClass]string{
		FileClose: "closed", Create: "created", Open: "opened", Extend: "extended", ObjectClose: "closed",
		Unlink: "unlinked", Sync: "flushed", Transfer: "written", Attribute: "created", CreateLink: "created",
		Stat: "asked about", List: "listed", Rename: "renamed",
	}[c]
}

// checkInWritePart returns an error if part Read contains the current step, which changes a file.
func (c *checker) checkInWritePart() error {
	if c.op == Read {
		return c.currentFault("%s, but files are only read in part read: do it in part write",
			c.actionText(c.step.First))
	}
	return nil
}

// checkObjectsOpen returns an error unless count objects of a family, from first on, are open.
func (c *checker) checkObjectsOpen(family int, first, count uint64) error {
	for n := range c.objects[family].rangesWithin(first, first+count) {
		if n.value.open {
			continue
		}
		closed, what := "is not open", "it"
		if n.value.since != (stepLocation{}) {
			closed = fmt.Sprintf("was closed in %s", n.value.since)
		}
		member := n.from
		if family != c.step.Object {
			what = c.objectText(family, member)
			member = c.step.First
		}
		return c.currentFault("%s, but %s %s: open or create it first", c.actionText(member), what, closed)
	}
	return nil
}

// checkParentsOpen returns an error unless the parent groups of the objects of the current step are open.
func (c *checker) checkParentsOpen() error {
	b := &c.step.Batch
	o := &c.Objects[b.Object]
	if o.Parent == NoParent || b.Count == 0 {
		return nil
	}
	first := b.First / o.PerGroup
	return c.checkObjectsOpen(o.Parent, first, (b.First+b.Count-1)/o.PerGroup-first+1)
}

// statesOf returns the known states of the objects or attributes with a key.
func (i *fileContent) statesOf(t contentKey) *rangeMap[objectState] {
	if i.states == nil {
		i.states = map[contentKey]*rangeMap[objectState]{}
	}
	s := i.states[t]
	if s == nil {
		s = &rangeMap[objectState]{}
		i.states[t] = s
	}
	return s
}

// memberRangesOfStep yields, as ranges of members, the objects of a family that the current step uses. The family
// NoParent stands for the root group of the file.
func (c *checker) memberRangesOfStep(family int) iter.Seq[memberRange] {
	if family == NoParent {
		return slices.Values([]memberRange{{to: 1}})
	}
	return c.names[family].rangesOf(&c.Objects[family], c.step.First, c.step.Count)
}

// knownStates yields the known states of the objects of a family that the current step uses, or of their attributes.
func (c *checker) knownStates(in *fileContent, family int, attribute string) iter.Seq2[memberRange, objectState] {
	return func(yield func(memberRange, objectState) bool) {
		for s := range c.memberRangesOfStep(family) {
			for n := range in.statesOf(contentKey{s.numberedPlace, attribute}).rangesWithin(s.from, s.to) {
				if !yield(memberRange{s.numberedPlace, n.from, n.to, s.member + n.from - s.from}, n.value) {
					return
				}
			}
		}
	}
}

// changeStates updates the known states of the objects of a family that the current step uses, or of their attributes.
func (c *checker) changeStates(in *fileContent, family int, attribute string, change func(*objectState)) {
	for s := range c.memberRangesOfStep(family) {
		known := in.statesOf(contentKey{s.numberedPlace, attribute})
		for _, n := range slices.Collect(known.rangesWithin(s.from, s.to)) {
			change(&n.value)
			known.setRange(n.from, n.to, n.value)
		}
	}
}

// areStatesReliable reports whether the known states of the objects of a family are reliable: no group that may have
// held them was unlinked.
func (c *checker) areStatesReliable(in *fileContent, family int) bool {
	return !in.groupUnlinked || c.Objects[family].Parent == NoParent
}

// checkObjectOpen checks a step that creates or opens objects.
func (c *checker) checkObjectOpen(f *openedFile) error {
	b := &c.step.Batch
	creates := b.Class != Open
	if creates {
		if err := c.checkInWritePart(); err != nil {
			return err
		}
	}
	if err := c.checkParentsOpen(); err != nil {
		return err
	}
	for n := range c.objects[b.Object].rangesWithin(b.First, b.First+b.Count) {
		if n.value.open {
			return c.currentFault("%s, but it is open since %s: close it first", c.actionText(n.from), n.value.since)
		}
	}
	if err := c.checkExistence(f.in, b.Object, !creates); err != nil {
		return err
	}
	if creates {
		o, now := &c.Objects[b.Object], objectState{exists: true, since: c.currentLocation()}
		if o.Kind == DatasetObject {
			now.extent = &o.Dims
			if o.InitialDims != nil {
				now.extent = &o.InitialDims
			}
		}
		c.changeStates(f.in, b.Object, "", func(known *objectState) { *known = now })
		if b.Class == CreateLink {
			return nil
		}
	}
	c.objects[b.Object].setRange(b.First, b.First+b.Count, openState{true, c.currentLocation(), b.File})
	f.objects += b.Count
	return nil
}

// checkExistence returns an error if a member of a family that the current step uses is known to be missing but should
// exist, or the other way round.
func (c *checker) checkExistence(in *fileContent, family int, should bool) error {
	if !c.areStatesReliable(in, family) {
		return nil
	}
	for s, v := range c.knownStates(in, family, "") {
		switch {
		case v.exists && !should:
			return c.currentFault(
				"%s, but there is one of this name, which was created in %s: give it another name, or "+
					"unlink the first one", c.actionText(s.member), v.since)
		case !should || v.exists || c.names[family].shared:
		case v.unlinked:
			return c.currentFault("%s, but was unlinked or renamed in %s: create it once more", c.actionText(s.member),
				v.since)
		case in.known:
			return c.currentFault("%s, but no step has created it: create it in part write", c.actionText(s.member))
		}
	}
	return nil
}

func (c *checker) checkObjectClose() error {
	b := &c.step.Batch
	if err := c.checkObjectsOpen(b.Object, b.First, b.Count); err != nil {
		return err
	}
	for n := range c.objects[b.Object].rangesWithin(b.First, b.First+b.Count) {
		c.opened[n.value.file].objects -= n.to - n.from
	}
	c.objects[b.Object].setRange(b.First, b.First+b.Count, openState{since: c.currentLocation()})
	return nil
}

func (c *checker) checkUnlink(f *openedFile) error {
	b := &c.step.Batch
	for _, check := range []func() error{
		c.checkInWritePart, c.checkParentsOpen, func() error { return c.checkExistence(f.in, b.Object, true) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	c.changeStates(f.in, b.Object, "",
		func(known *objectState) { *known = objectState{unlinked: true, since: c.currentLocation()} })
	f.in.groupUnlinked = f.in.groupUnlinked || c.Objects[b.Object].Kind == GroupObject
	f.in.objectUnlinked = true
	return nil
}

// checkLookup checks a step that asks about objects, or that lists groups.
func (c *checker) checkLookup(f *openedFile) error {
	b := &c.step.Batch
	check := c.checkParentsOpen
	if b.Class == List {
		check = c.checkListedOpen
	}
	if err := check(); err != nil {
		return err
	}
	return c.checkExistence(f.in, b.Object, true)
}

// checkListedOpen returns an error unless the groups are open that the current step lists with all that is below them.
func (c *checker) checkListedOpen() error {
	b := &c.step.Batch
	family, first, count := b.Object, b.First, b.Count
	for range b.Levels {
		o := &c.Objects[family]
		if o.Parent == NoParent || count == 0 {
			return nil
		}
		last := (first + count - 1) / o.PerGroup
		family, first = o.Parent, first/o.PerGroup
		count = last - first + 1
	}
	return c.checkObjectsOpen(family, first, count)
}

// checkRename checks a step that gives objects other names, and updates what is known of both names.
func (c *checker) checkRename(f *openedFile) error {
	b := &c.step.Batch
	for _, check := range []func() error{
		c.checkInWritePart, c.checkParentsOpen,
		func() error { return c.checkExistence(f.in, b.Object, true) },
		func() error { return c.checkExistence(f.in, b.NewNames, false) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	for n := range c.objects[b.Object].rangesWithin(b.First, b.First+b.Count) {
		if n.value.open {
			return c.currentFault("%s, but it is open since %s: close it first", c.actionText(n.from), n.value.since)
		}
	}
	renamed := objectState{exists: true, since: c.currentLocation()}
	for _, known := range c.knownStates(f.in, b.Object, "") { // like objects: what is known of one is known of all
		renamed.written, renamed.extent = known.written, known.extent
	}
	c.changeStates(f.in, b.Object, "",
		func(known *objectState) { *known = objectState{unlinked: true, since: c.currentLocation()} })
	c.changeStates(f.in, b.NewNames, "", func(known *objectState) { *known = renamed })
	f.in.groupUnlinked = f.in.groupUnlinked || c.Objects[b.Object].Kind == GroupObject
	f.in.objectUnlinked = true
	return nil
}

func (c *checker) checkExtend(f *openedFile) error {
	b := &c.step.Batch
	if err := c.checkInWritePart(); err != nil {
		return err
	}
	if err := c.checkObjectsOpen(b.Object, b.First, b.Count); err != nil {
		return err
	}
	o := &c.Objects[b.Object]
	switch {
	case o.MaxExtent == nil:
		return c.currentFault("%s, but it has no largest extent of its own: give it one", c.actionText(b.First))
	case len(b.Extent) != len(o.MaxExtent) || !fitsWithin(b.Extent, o.MaxExtent):
		return c.currentFault("%s to %s, but its largest extent is %s: give a smaller one, or let it have a larger one",
			c.actionText(b.First), extentText(b.Extent), extentText(o.MaxExtent))
	}
	c.changeStates(f.in, b.Object, "", func(known *objectState) { known.extent = &b.Extent })
	return nil
}

// extentText formats an extent: [4, unlimited].
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

// fitsWithin reports whether no dimension of inner is larger than that of outer.
func fitsWithin(inner, outer []uint64) bool {
	for d, n := range inner {
		if n > outer[d] {
			return false
		}
	}
	return true
}
