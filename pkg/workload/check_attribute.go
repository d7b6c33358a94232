package workload

import "fmt"

// attribute is attributes of one name, or of names that differ in a number alone, of objects.
type attribute struct {
	of   place
	name string
}

// nameOf returns the name of attributes, or the format of the names of several.
func (a *Attributes) nameOf() string {
	if a.Count == 1 {
		return Literal(named(a.Name, 0))
	}
	return a.Name
}

// vagueAttributes reports for each family of attributes whether another one may have some of its names, but not all.
func (p *Program) vagueAttributes() []bool {
	names := map[string]map[string]bool{}
	for i := range p.Attributes {
		name := p.Attributes[i].nameOf()
		if names[shapeOf(name)] == nil {
			names[shapeOf(name)] = map[string]bool{}
		}
		names[shapeOf(name)][name] = true
	}
	vague := make([]bool, len(p.Attributes))
	for i := range p.Attributes {
		vague[i] = len(names[shapeOf(p.Attributes[i].nameOf())]) > 1
	}
	return vague
}

// attributeName returns the name of the attributes of the step at work, as errors have it.
func (c *checker) attributeName(of string) string {
	a := &c.Attributes[c.step.Attributes]
	return fmt.Sprintf("attribute %s of %s", named(a.Name, 0), of)
}

// attributes checks a step that creates or reads attributes.
func (c *checker) attributes(f *openFile) error {
	b := &c.step.Batch
	name := c.Attributes[b.Attributes].nameOf()
	if b.Object == NoParent {
		return c.attributesOf(f.in, attribute{place{}, name}, stretch{from: 0, to: 1})
	}
	if err := c.areOpen(b.Object, b.First, b.Count); err != nil {
		return err
	}
	if !c.certain(f.in, b.Object) {
		return nil
	}
	for s := range c.names[b.Object].stretches(&c.Objects[b.Object], b.First, b.Count) {
		if err := c.attributesOf(f.in, attribute{s.place, name}, s); err != nil {
			return err
		}
	}
	return nil
}

// attributesOf checks the attributes of some objects in one place.
func (c *checker) attributesOf(in *content, a attribute, s stretch) error {
	b := &c.step.Batch
	if in.attributes == nil {
		in.attributes = map[attribute]*spans[made]{}
	}
	all := in.attributes[a]
	if all == nil {
		all = &spans[made]{}
		in.attributes[a] = all
	}
	of := b.Attributes
	for n := range all.of(s.from, s.to) {
		member := s.member + n.from - s.from
		switch v := n.value; {
		case in.objectGone:
		case c.op == Write && v.is && c.Attributes[of].Count > 0:
			return c.errorf("%s, but it was created in %s: give it another name", c.doing(member), v.since)
		case c.op == Read && !v.is && in.known && !c.vague[of] && !c.shared(b.Object) && c.Attributes[of].Count > 0:
			return c.errorf("%s, but no step has created it: create it in part write", c.doing(member))
		}
	}
	if c.op == Write {
		all.set(s.from, s.to, made{true, c.here()})
	}
	return nil
}

// shared reports whether another family may have members of the same names.
func (c *checker) shared(family int) bool { return family != NoParent && c.names[family].shared }
