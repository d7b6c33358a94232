package workload

import "fmt"

// nameFormat returns the name of the attributes as a format, with a verb if there are several.
func (a *Attributes) nameFormat() string {
	if a.Count == 1 {
		return LiteralFormat(memberName(a.Name, 0))
	}
	return a.Name
}

// findAmbiguousAttributes reports, for each family of attributes, whether another family may have some of its names,
// but not all.
func (p *Program) findAmbiguousAttributes() []bool {
	names := map[string]map[string]bool{}
	for i := range p.Attributes {
		name := p.Attributes[i].nameFormat()
		if names[unnumberedFormat(name)] == nil {
			names[unnumberedFormat(name)] = map[string]bool{}
		}
		names[unnumberedFormat(name)][name] = true
	}
	vague := make([]bool, len(p.Attributes))
	for i := range p.Attributes {
		vague[i] = len(names[unnumberedFormat(p.Attributes[i].nameFormat())]) > 1
	}
	return vague
}

// attributeText returns the name of the first attribute of the current step, for error messages. of is the name of its
// object.
func (c *checker) attributeText(of string) string {
	a := &c.Attributes[c.step.Attributes]
	return fmt.Sprintf("attribute %s of %s", memberName(a.Name, 0), of)
}

// checkAttributes checks a step that creates or reads attributes.
func (c *checker) checkAttributes(f *openedFile) error {
	b := &c.step.Batch
	a, shared := &c.Attributes[b.Attributes], false // whether another family may have objects of the same names
	if b.Object != NoParent {
		if err := c.checkObjectsOpen(b.Object, b.First, b.Count); err != nil {
			return err
		}
		if !c.areStatesReliable(f.in, b.Object) {
			return nil
		}
		shared = c.names[b.Object].shared
	}
	name := a.nameFormat()
	for s, v := range c.knownStates(f.in, b.Object, name) {
		switch {
		case f.in.objectUnlinked || a.Count == 0:
		case c.op == Write && v.exists:
			return c.currentFault("%s, but it was created in %s: give it another name", c.actionText(s.member), v.since)
		case c.op == Read && !v.exists && f.in.known && !c.ambiguousAttributes[b.Attributes] && !shared:
			return c.currentFault("%s, but no step has created it: create it in part write", c.actionText(s.member))
		}
	}
	if c.op == Write {
		c.changeStates(f.in, b.Object, name,
			func(known *objectState) { *known = objectState{exists: true, since: c.currentLocation()} })
	}
	return nil
}
