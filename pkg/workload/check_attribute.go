package workload

import "fmt"

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
	a, shared := &c.Attributes[b.Attributes], false // by another family, which may have members of the same names
	if b.Object != NoParent {
		if err := c.areOpen(b.Object, b.First, b.Count); err != nil {
			return err
		}
		if !c.certain(f.in, b.Object) {
			return nil
		}
		shared = c.names[b.Object].shared
	}
	name := a.nameOf()
	for s, v := range c.told(f.in, b.Object, name) {
		switch {
		case f.in.objectGone || a.Count == 0:
		case c.op == Write && v.is:
			return c.errorf("%s, but it was created in %s: give it another name", c.doing(s.member), v.since)
		case c.op == Read && !v.is && f.in.known && !c.vague[b.Attributes] && !shared:
			return c.errorf("%s, but no step has created it: create it in part write", c.doing(s.member))
		}
	}
	if c.op == Write {
		c.tell(f.in, b.Object, name, func(known *object) { *known = object{is: true, since: c.here()} })
	}
	return nil
}
