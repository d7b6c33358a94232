package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// objectHandle is a handle of a script for a file, or for one or several groups or datasets of a family.
type objectHandle struct {
	baseValue
	recorder     *recorder
	file         *openedFile
	object       int // index of the family; NoParent: the root group
	first, count uint64
	ownedByRank  bool // of the ranks that share the file, this one owns the object
	closed       bool
	openIndex    int           // index in file.open
	allObjects   *objectHandle // if the handle was made by an index: the handle of all objects
	numClosed    uint64        // how many of several objects were closed one by one
}

var kindNames = map[workload.ObjectKind]string{
	workload.GroupObject: "group", workload.DatasetObject: "dataset", workload.LinkObject: "link",
}

// objectMethods maps the kind of a handle to its methods.
var objectMethods = map[string]methodSet{
	"file":  newMethodSet(map[string]builtinFunc{"flush": methodOfOpenHandle(flushFile)}, groupMethods),
	"group": newMethodSet(groupMethods),
	"dataset": newMethodSet(map[string]builtinFunc{
		"write": methodOfOpenHandle(writeOrReadDataset), "read": methodOfOpenHandle(writeOrReadDataset),
		"resize": methodOfOpenHandle(resizeDataset), "close": methodOfOpenHandle(closeHandle),
	}),
}

// groupMethods holds the methods of groups. Files have them, too, for their root group.
var groupMethods = map[string]builtinFunc{
	"create_group": methodOfOpenHandle(makeGroup), "open_group": methodOfOpenHandle(makeGroup),
	"create_dataset": methodOfOpenHandle(makeDataset),
	"open_dataset":   methodOfOpenHandle(makeDataset), "unlink": methodOfOpenHandle(unlinkObjects),
	"stat": methodOfOpenHandle(statObjects), "list": methodOfOpenHandle(listGroups),
	"visit": methodOfOpenHandle(listGroups), "move": methodOfOpenHandle(renameObjects),
	"close": methodOfOpenHandle(closeHandle),
}

// methodOfOpenHandle returns a method that calls f, or returns an error if the handle is not usable.
func methodOfOpenHandle(f func(*objectHandle, builtinCall) (starlark.Value, error)) builtinFunc {
	return func(c builtinCall) (starlark.Value, error) {
		h := c.receiver.(*objectHandle)
		if err := h.checkUsable(); err != nil {
			return nil, err
		}
		return f(h, c)
	}
}

// Attr returns the method or property with the given name.
func (h *objectHandle) Attr(name string) (starlark.Value, error) {
	switch {
	case name == "attrs":
		return &attributesValue{baseValue{"attributes"}, h}, nil
	case name == "name":
		return starlark.String(h.pathText()), nil
	case name == "shape" && h.typeName == "dataset" && h.count > 0:
		var shape starlark.Tuple
		for _, n := range h.recorder.objectStates[h.object].dims {
			shape = append(shape, starlark.MakeUint64(n))
		}
		return shape, nil
	}
	return objectMethods[h.typeName].boundMethod(h, name)
}

// AttrNames returns the names of the methods and properties.
func (h *objectHandle) AttrNames() []string {
	if h.typeName == "dataset" {
		return objectMethods[h.typeName].sortedNames("attrs", "name", "shape")
	}
	return objectMethods[h.typeName].sortedNames("attrs", "name")
}

// Get opens the objects with a name in a file or group. If k is an integer, it returns one of several objects.
func (h *objectHandle) Get(k starlark.Value) (v starlark.Value, found bool, err error) {
	if err := h.checkUsable(); err != nil {
		return nil, false, err
	}
	if _, is := k.(starlark.Tuple); is {
		return nil, false, fmt.Errorf("%s has no index of several numbers: %s", h.pathText(), transferAdvice)
	}
	if i, is := k.(starlark.Int); is {
		n, fits := i.Uint64()
		if !fits || n >= h.count || h.object == workload.NoParent {
			return nil, false, fmt.Errorf("there is no object %s among the %d of %s: they count from 0", i, h.count,
				h.pathText())
		}
		return h.Index(int(n)), true, nil
	}
	var n namesValue
	if err := n.Unpack(k); err != nil {
		return nil, false, err
	}
	if h.typeName == "dataset" {
		return nil, false, fmt.Errorf("%s is a dataset: read(part) reads its values", h.pathText())
	}
	child, err := h.recorder.openExisting(h, n)
	return child, err == nil, err
}

// SetKey creates links: f["x"] = soft_link("/y"). It returns an error for other assignments, such as d[0] = value and
// f["d"] = value.
func (h *objectHandle) SetKey(k, v starlark.Value) error {
	if l, is := v.(linkValue); is && h.typeName != "dataset" {
		if err := h.checkUsable(); err != nil {
			return err
		}
		return h.createLinks(k, l.link)
	}
	if h.typeName == "dataset" {
		return fmt.Errorf("%s gets no values by an index: %s", h.pathText(), transferAdvice)
	}
	return fmt.Errorf("%s gets no datasets by an index: write create_dataset(%s, dtype, shape)", h.pathText(),
		valueText(k))
}

// Index returns a handle for object i of several objects.
func (h *objectHandle) Index(i int) starlark.Value {
	one := *h
	one.first, one.count, one.allObjects, one.numClosed = h.first+uint64(i), 1, h, 0
	return &one
}

// Len returns the number of objects.
func (h *objectHandle) Len() int { return int(h.count) }

// Iterate returns an iterator over the objects.
func (h *objectHandle) Iterate() starlark.Iterator { return &iterator{values: h} }

// pathText returns the path of the first object in its file, or the name of the file for the root group.
func (h *objectHandle) pathText() string {
	if h.object == workload.NoParent {
		return h.file.name
	}
	return h.recorder.rankProgram.PathOf(h.object, h.first)
}

// checkUsable returns an error if the object or its file is closed, or if the ranks that do the current steps are not
// those that opened the file.
func (h *objectHandle) checkUsable() error {
	switch {
	case h.closed || h.file.closed:
		return fmt.Errorf("%s is closed", h.pathText())
	case h.file.openedBy != h.recorder.acting && !h.file.alone:
		return fmt.Errorf("other ranks have opened the file %s, too: do this where it was opened", h.file.name)
	}
	return nil
}

// isCreatedByOtherRank reports whether, before the turn of this rank, another rank has executed the same calls for this
// handle, and so has created the same objects and attributes.
func (h *objectHandle) isCreatedByOtherRank() bool {
	return !h.ownedByRank && !h.file.alone && h.recorder.isFollowerInTurns()
}

// newBatch returns a batch of the given class for the objects.
func (h *objectHandle) newBatch(class workload.StepClass) workload.Batch {
	return workload.Batch{
		Class: class, File: h.file.index, Object: h.object, First: h.first, Count: h.count, Move: workload.NoMove,
	}
}

// addCreateOrOpenBatch adds a batch that creates or opens the objects. A script may open a file several times, each
// time by other ranks. In write(job), the objects and their parents then belong to the latest of these, but objects of
// a file that all ranks opened together stay there.
func (h *objectHandle) addCreateOrOpenBatch(class workload.StepClass) error {
	for i := h.object; i != workload.NoParent; i = h.recorder.rankProgram.Objects[i].Parent {
		if o := &h.recorder.rankProgram.Objects[i]; h.recorder.op == workload.Write &&
			h.recorder.rankProgram.Files[o.File].Group != workload.All {
			o.File = h.file.index
		}
	}
	h.openIndex = len(h.file.openHandles)
	h.file.openHandles = append(h.file.openHandles, h)
	return h.recorder.addBatch(h.newBatch(class))
}

func closeHandle(h *objectHandle, c builtinCall) (starlark.Value, error) {
	if err := c.unpackArgs(); err != nil {
		return nil, err
	}
	h.closed = true
	if h.typeName != "file" {
		if h.numClosed > 0 {
			return nil, fmt.Errorf("some of %s are closed already", h.pathText())
		}
		all := h
		if h.allObjects != nil {
			all = h.allObjects
			all.numClosed++
			all.closed = all.numClosed == all.count
		}
		if all.closed && all.count > 0 {
			h.file.openHandles[all.openIndex] = nil
		}
		if h.count == 0 {
			return nil, nil
		}
		return nil, h.recorder.addBatch(h.newBatch(workload.ObjectClose))
	}
	for _, child := range h.file.openHandles {
		if child == nil {
			continue
		}
		if _, err := closeHandle(child, c); err != nil {
			return nil, err
		}
	}
	h.file.closed = true
	h.recorder.noteClose()
	delete(h.recorder.opened, h.file.name)
	return nil, h.recorder.addBatch(workload.Batch{Class: workload.FileClose, File: h.file.index})
}

func flushFile(h *objectHandle, c builtinCall) (starlark.Value, error) {
	if err := c.checkWriting(); err != nil {
		return nil, err
	}
	return nil, h.recorder.addBatch(workload.Batch{Class: workload.Sync, File: h.file.index})
}

// checkWriting returns an error if the call is in read(job), which must not change files.
func (c builtinCall) checkWriting() error {
	if c.recorder.op == workload.Read {
		return fmt.Errorf("%s changes a file: do it in write(job); read(job) only reads", c.name)
	}
	return nil
}

// createOrOpenClass returns the class of the steps of the called method: Open or Create. It returns an error if a
// method creates objects in read(job).
func (c builtinCall) createOrOpenClass() (workload.StepClass, error) {
	if strings.HasPrefix(c.name, "open") {
		return workload.Open, nil
	}
	return workload.Create, c.checkWriting()
}

func makeGroup(h *objectHandle, c builtinCall) (starlark.Value, error) {
	var n namesValue
	class, err := c.createOrOpenClass()
	var order orderArgument
	times := true
	if err = cmp.Or(c.unpackArgs("name", &n, "track_order?", &order, "track_times?", &times), err); err != nil {
		return nil, err
	}
	o := workload.Object{Kind: workload.GroupObject, Tracking: trackingOf(workload.GroupObject, order, times)}
	return h.recorder.createOrOpen(h, n, o, class)
}

func makeDataset(h *objectHandle, c builtinCall) (starlark.Value, error) {
	class, err := c.createOrOpenClass()
	if err != nil {
		return nil, err
	}
	var n namesValue
	var of typeArgument
	var shape, maxshape extentArgument
	var chunked chunksArgument
	var compression, options starlark.Value
	var shuffle, fletcher32, empty bool
	var ratio, fillValue starlark.Value
	data := fill.RandomValues.String()
	var given filtersArgument
	var order orderArgument
	times := true
	o := workload.Object{Kind: workload.DatasetObject}
	if len(c.args) > 1 { // h5py has the shape before the type
		if isShapeArgument(c.args[1]) {
			c.kwargs = append(slices.Clone(c.kwargs), starlark.Tuple{starlark.String("shape"), c.args[1]})
			c.args = slices.Delete(slices.Clone(c.args), 1, 2)
		}
	}
	if err := c.unpackArgs("name", &n, "dtype", &of, "shape?", &shape, "maxshape??", &maxshape, "chunks??",
		&chunked, "compression??", &compression, "compression_opts??", &options, "shuffle?", &shuffle,
		"fletcher32?", &fletcher32, "fill_time?", &o.Fill.Time, "alloc_time?", &o.Fill.Allocate,
		"compact?", &o.Compact, "external?", &o.External, "empty?", &empty, "ratio?", &ratio, "data?", &data,
		"filters?", &given, "fillvalue?", &fillValue, "track_order?", &order, "track_times?", &times); err != nil {
		return nil, err
	}
	o.Tracking = trackingOf(o.Kind, order, times)
	chunks := chunked.chunkExtent(shape, of.MemoryBytes())
	o.Type, o.Dims, o.MaxExtent, o.Chunk, o.Null = of.Type, append([]uint64{}, shape...), maxshape, chunks, empty
	filters, err := compressionFilters(compression, options)
	if shuffle {
		filters = append([]workload.Filter{{Name: "shuffle"}}, filters...)
	}
	if fletcher32 {
		filters = append(filters, workload.Filter{Name: "fletcher32"})
	}
	if err == nil && given != nil && filters != nil {
		err = errors.New("filters are given twice: leave out filters, or compression, shuffle and fletcher32")
	}
	o.Filters = append(filters, given...)
	switch dims := len(shape); {
	case err != nil:
	case dims > pattern.MaxDims:
		err = fmt.Errorf("shape has %d dimensions: HDF5 has at most %d", dims, pattern.MaxDims)
	case shape == nil && !empty:
		err = errors.New("give the shape of the dataset, () for a scalar, or empty = True for no elements")
	case empty && shape != nil:
		err = errors.New("an empty dataset has no shape: leave out shape or empty")
	case maxshape != nil && len(maxshape) != dims, chunks != nil && len(chunks) != dims:
		err = fmt.Errorf("shape has %d dimensions, maxshape %d and chunks %d: give as many", dims, len(maxshape),
			len(chunks))
	case chunked.chosen && dims == 0:
		err = errors.New("a scalar has no chunks: leave out chunks")
	case o.Compact && chunks != nil:
		err = errors.New("data are in chunks, or in the object header: leave out chunks or compact")
	case o.External && (chunks != nil || maxshape != nil || o.Filters != nil || o.Compact):
		err = errors.New("an external file has contiguous data of a fixed size: leave out external, or chunks, " +
			"maxshape, filters and compact")
	case maxshape != nil && chunks == nil, o.Filters != nil && chunks == nil:
		err = errors.New("a dataset with maxshape or filters has chunks: give chunks, such as " +
			"chunks = (8, 64), or chunks = True for those that h5py chooses")
	default:
		err = cmp.Or(
			shape.checkBounded("shape"),
			chunks.checkBounded("chunks"),
			checkOneOf("fill_time", o.Fill.Time, "alloc", neverFilled, "ifset"),
			checkOneOf("alloc_time", o.Fill.Allocate, "early", "late", "incremental"),
		)
	}
	if err == nil {
		o.Fill.Value, err = fillValueOf(o.Type, fillValue)
	}
	if err == nil && ratio != nil {
		var is bool
		if o.CompressionRatio,
			is = starlark.AsFloat(ratio); !is || !(o.CompressionRatio >= 1 && o.CompressionRatio <= fill.MaxRatio) {
			err = fmt.Errorf("ratio is %s: give a number from 1 to %d", valueText(ratio), fill.MaxRatio)
		}
	}
	if err == nil {
		err = checkOneOf("data", data, fill.ValueKindNames()...)
		o.ValueKind = fill.ValueKind(max(0, slices.Index(fill.ValueKindNames(), data)))
	}
	if err == nil && ratio != nil && o.ValueKind != fill.RandomValues {
		err = fmt.Errorf("data = %q and ratio both say how the data compress: leave out one of them", data)
	}
	if err = cmp.Or(err, checkVariable(&o), h.checkExternal(&o, class)); err != nil {
		return nil, err
	}
	return h.recorder.createOrOpen(h, n, o, class)
}

// isShapeArgument reports whether an argument is a shape (an integer, or a sequence of them), not a type.
func isShapeArgument(v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.Int, starlark.Tuple:
		return true
	case *starlark.List:
		if v.Len() == 0 {
			return true
		}
		_, number := v.Index(0).(starlark.Int)
		return number
	}
	return false
}

// checkOneOf returns an error if word is neither empty nor one of the known words.
func checkOneOf(what, word string, known ...string) error {
	if word == "" || slices.Contains(known, word) {
		return nil
	}
	return usage.InvalidWordError(what, word, known)
}

// compressionFilters returns the filter that compresses, or nil for no compression. As in h5py, True means gzip, and a
// number means gzip with that level.
func compressionFilters(compression, options starlark.Value) ([]workload.Filter, error) {
	defaults := map[string]int{"gzip": 4, "szip": 8}
	name, _ := starlark.AsString(compression)
	switch level, number := compression.(starlark.Int); {
	case compression == nil, compression == starlark.None, compression == starlark.False:
		if options != nil {
			return nil, errors.New("compression_opts without compression: give compression = \"gzip\" or \"szip\", " +
				"too, or leave it out")
		}
		return nil, nil
	case number && options != nil:
		return nil, fmt.Errorf("compression is %s, and so is a level of gzip: leave out compression_opts", level)
	case number:
		name, options = "gzip", level
	case compression == starlark.True:
		name = "gzip"
	}
	level, is := defaults[name]
	if !is {
		return nil,
			usage.InvalidWordError("the compression", cmp.Or(name, valueText(compression)), []string{"gzip", "szip"})
	}
	if options != nil {
		var err error
		if level, err = starlark.AsInt32(options); err != nil || level < 0 {
			return nil, fmt.Errorf("compression_opts is %s: give a level of gzip, or the pixels per block of szip",
				valueText(options))
		}
	}
	return []workload.Filter{{Name: map[string]string{"gzip": "deflate", "szip": "szip"}[name], Level: level}}, nil
}

func resizeDataset(h *objectHandle, c builtinCall) (starlark.Value, error) {
	var shape extentArgument
	err := c.unpackArgs("shape", &shape)
	if err = cmp.Or(err, c.checkWriting(), shape.checkBounded("shape")); err != nil || h.count == 0 {
		return nil, err
	}
	o := &h.recorder.rankProgram.Objects[h.object]
	switch {
	case len(shape) != len(o.Dims):
		return nil, fmt.Errorf("%s has %d dimensions, not %d", h.pathText(), len(o.Dims), len(shape))
	case o.MaxExtent == nil:
		return nil, fmt.Errorf("%s cannot be extended: create it with maxshape", h.pathText())
	}
	o.InitialDims, o.Dims = h.recorder.objectStates[h.object].createdDims, slices.Clone(o.Dims)
	for d, n := range shape {
		if n > o.MaxExtent[d] {
			return nil,
				fmt.Errorf("the shape %v of %s is more than the largest one, %v", shape, h.pathText(), o.MaxExtent)
		}
		o.Dims[d] = max(o.Dims[d], n)
	}
	h.recorder.objectStates[h.object].dims = shape
	b := h.newBatch(workload.Extend)
	b.Extent = shape
	return nil, h.recorder.addBatch(b)
}
