package script

import (
	"cmp"
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"h5perf/pkg/pattern"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// attributes are those of a file, or of groups or datasets.
type attributes struct {
	value
	of *handle
}

func (a *attributes) owner() owner { return owner{a.of.file.name, a.of.object} }

// SetKey creates and writes an attribute: attrs["name"] = value.
func (a *attributes) SetKey(k, v starlark.Value) error {
	t, dims, err := typeOf(v)
	var n attributeNames
	if err = cmp.Or(a.of.r.list(max(0, starlark.Len(v))), err, n.Unpack(k)); err != nil {
		return err
	}
	return a.create(n, workload.Attributes{Type: t, Dims: dims})
}

// create creates attributes, or reads those of objects that other ranks made.
func (a *attributes) create(n attributeNames, of workload.Attributes) error {
	if err := a.of.usable(); err != nil || a.of.count == 0 {
		return err
	}
	switch {
	case n.first != 0 || n.deal:
		return errors.New("numbered attributes count from 0")
	case len(of.Dims) > pattern.MaxDims:
		return fmt.Errorf("shape has %d dimensions: HDF5 has at most %d", len(of.Dims), pattern.MaxDims)
	}
	of.Name, of.Count = n.format, n.count
	i, err := a.of.r.attribute(of)
	if err != nil {
		return err
	}
	if k := (owning{a.owner(), i}); !a.of.r.owns[k] {
		a.of.r.owns[k] = true
		a.of.r.owned[k.owner] = append(a.of.r.owned[k.owner], i)
	}
	if a.of.r.op == workload.Write && a.of.follows() {
		return nil // another rank has created them
	}
	return a.batch(i)
}

// batch writes or reads attributes.
func (a *attributes) batch(i int) error {
	b := a.of.batch(workload.Attribute)
	if a.of.object == workload.NoParent {
		b.First, b.Count = 0, 1
	}
	b.Attributes = i
	return a.of.r.batch(b)
}

// Get reads an attribute: attrs["name"].
func (a *attributes) Get(k starlark.Value) (starlark.Value, bool, error) {
	var n attributeNames
	if err := n.Unpack(k); err != nil {
		return nil, false, err
	}
	var known []string
	for _, i := range a.of.r.owned[a.owner()] {
		name := a.of.r.p.Attributes[i].Name
		if known = append(known, name); name == n.format {
			return starlark.None, true, cmp.Or(a.reading(), a.batch(i))
		}
	}
	return nil, false, fmt.Errorf("%s has no attribute %s%s", a.of.path(), n.path(), usage.DidYouMean(n.path(), known))
}

func (a *attributes) reading() error {
	if a.of.r.op == workload.Write {
		return errors.New("attributes are read in read(job); here they are written: attrs[\"name\"] = value")
	}
	return a.of.usable()
}

var attributeMethods = methodsOf(map[string]builtin{
	"create": newAttributes, "open": newAttributes, "values": readAttributes,
})

// Attr returns a method.
func (a *attributes) Attr(name string) (starlark.Value, error) { return attributeMethods.attr(a, name) }

// AttrNames returns the names of methods.
func (a *attributes) AttrNames() []string { return attributeMethods.names() }

// newAttributes creates attributes, or reads those that other ranks have created.
func newAttributes(c call) (starlark.Value, error) {
	a, n, of, shape, empty := c.of.(*attributes), attributeNames{}, dtype{}, extent{}, false
	err := c.unpack("name", &n, "dtype", &of, "shape?", &shape, "empty?", &empty)
	if c.name == "create" {
		err = cmp.Or(err, c.writing())
	} else {
		err = cmp.Or(err, a.reading())
	}
	if err = cmp.Or(err, shape.bounded("shape")); err != nil {
		return nil, err
	}
	return nil, a.create(n, workload.Attributes{Type: of.Type, Dims: shape, Null: empty})
}

// readAttributes reads all attributes that are known.
func readAttributes(c call) (starlark.Value, error) {
	a := c.of.(*attributes)
	err := cmp.Or(c.unpack(), a.reading())
	for _, i := range a.of.r.owned[a.owner()] {
		if err == nil {
			err = a.batch(i)
		}
	}
	return nil, err
}
