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

// attributesValue is the value of attrs: the attributes of a file, or of groups or datasets.
type attributesValue struct {
	baseValue
	holder *objectHandle
}

func (a *attributesValue) newOwner() attributeOwner {
	return attributeOwner{a.holder.file.name, a.holder.object}
}

// SetKey creates and writes an attribute: attrs["name"] = value.
func (a *attributesValue) SetKey(k, v starlark.Value) error {
	t, dims, err := typeOfValue(v)
	var n attributeNames
	if err = cmp.Or(a.holder.recorder.chargeList(max(0, starlark.Len(v))), err, n.Unpack(k)); err != nil {
		return err
	}
	return a.createOrRead(n, workload.Attributes{Type: t, Dims: dims})
}

// createOrRead adds a step that creates and writes attributes, or that reads them in read(job). It adds no step if
// another rank has created the attributes.
func (a *attributesValue) createOrRead(n attributeNames, of workload.Attributes) error {
	if err := a.holder.checkUsable(); err != nil || a.holder.count == 0 {
		return err
	}
	switch {
	case n.familyFirst != 0 || n.isDealt:
		return errors.New("numbered attributes count from 0")
	case len(of.Dims) > pattern.MaxDims:
		return fmt.Errorf("shape has %d dimensions: HDF5 has at most %d", len(of.Dims), pattern.MaxDims)
	}
	of.Name, of.Count = n.format, n.familyCount
	i, err := a.holder.recorder.attributeIndex(of)
	if err != nil {
		return err
	}
	if k := (ownedAttribute{a.newOwner(), i}); !a.holder.recorder.hasAttribute[k] {
		a.holder.recorder.hasAttribute[k] = true
		a.holder.recorder.attributesByOwner[k.attributeOwner] = append(
			a.holder.recorder.attributesByOwner[k.attributeOwner], i)
	}
	if a.holder.recorder.op == workload.Write && a.holder.isCreatedByOtherRank() {
		return nil // another rank has created them
	}
	return a.addAttributeStep(i)
}

// addAttributeStep adds a step that writes or reads the attributes with index i.
func (a *attributesValue) addAttributeStep(i int) error {
	b := a.holder.newBatch(workload.Attribute)
	if a.holder.object == workload.NoParent {
		b.First, b.Count = 0, 1
	}
	b.Attributes = i
	return a.holder.recorder.addBatch(b)
}

// Get reads an attribute: attrs["name"].
func (a *attributesValue) Get(k starlark.Value) (starlark.Value, bool, error) {
	var n attributeNames
	if err := n.Unpack(k); err != nil {
		return nil, false, err
	}
	var known []string
	for _, i := range a.holder.recorder.attributesByOwner[a.newOwner()] {
		name := a.holder.recorder.rankProgram.Attributes[i].Name
		if known = append(known, name); name == n.format {
			return starlark.None, true, cmp.Or(a.checkReading(), a.addAttributeStep(i))
		}
	}
	return nil, false, fmt.Errorf("%s has no attribute %s%s", a.holder.pathText(), n.firstName(),
		usage.DidYouMean(n.firstName(), known))
}

func (a *attributesValue) checkReading() error {
	if a.holder.recorder.op == workload.Write {
		return errors.New("attributes are read in read(job); here they are written: attrs[\"name\"] = value")
	}
	return a.holder.checkUsable()
}

var attributeMethods = newMethodSet(map[string]builtinFunc{
	"create": createAttributes, "open": createAttributes, "values": readAttributes,
})

// Attr returns the method with the given name.
func (a *attributesValue) Attr(name string) (starlark.Value, error) {
	return attributeMethods.boundMethod(a, name)
}

// AttrNames returns the names of the methods.
func (a *attributesValue) AttrNames() []string { return attributeMethods.sortedNames() }

// createAttributes implements attrs.create, which writes attributes, and attrs.open, which reads them.
func createAttributes(c builtinCall) (starlark.Value, error) {
	a, n, of, shape, empty := c.receiver.(*attributesValue), attributeNames{}, typeArgument{}, extentArgument{}, false
	err := c.unpackArgs("name", &n, "dtype", &of, "shape?", &shape, "empty?", &empty)
	if c.name == "create" {
		err = cmp.Or(err, c.checkWriting())
	} else {
		err = cmp.Or(err, a.checkReading())
	}
	if err = cmp.Or(err, shape.checkBounded("shape")); err != nil {
		return nil, err
	}
	return nil, a.createOrRead(n, workload.Attributes{Type: of.Type, Dims: shape, Null: empty})
}

// readAttributes implements attrs.values: it reads all attributes that the script has named for these objects.
func readAttributes(c builtinCall) (starlark.Value, error) {
	a := c.receiver.(*attributesValue)
	err := cmp.Or(c.unpackArgs(), a.checkReading())
	for _, i := range a.holder.recorder.attributesByOwner[a.newOwner()] {
		if err == nil {
			err = a.addAttributeStep(i)
		}
	}
	return nil, err
}
