package h5

// #include <stdlib.h>
// #include "describe.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/script/fromfile"
	"h5perf/pkg/workload"
)

// DescribeFile returns a description of the objects in a file. A file from an unknown source can make the library
// crash, or use much memory or time; then a separate process should call this.
func DescribeFile(path string) (d fromfile.Description, err error) {
	list, err := NewAccessList()
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	file, err := OpenFile(path, hdf5.F_ACC_RDONLY, list)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, CloseFile(file)) }()
	root, err := openObject(C.hid_t(file.ID()), "/")
	if err != nil {
		return d, err
	}
	defer C.H5Oclose(root)
	info, err := readObjectInfo(root)
	if err != nil {
		return d, err
	}
	r := fileDescriber{Description: &d, seen: map[[32]byte]string{info.key: "/"}}
	if err := r.describeFileSettings(C.hid_t(file.ID())); err != nil {
		return d, err
	}
	at, err := r.describeObject(root, info, workload.NoParent, "", "/")
	if err == nil {
		err = r.describeGroup(root, at, 1)
	}
	return d, err
}

// describeFileSettings records omissions for settings of the file that no workload has.
//
// Implements: H5Fget_create_plist H5Pget_userblock H5Pget_file_space_strategy
func (r *fileDescriber) describeFileSettings(file C.hid_t) error {
	list, err := idOrError(C.H5Fget_create_plist(file), "H5Fget_create_plist")
	if err != nil {
		return err
	}
	defer C.H5Pclose(list)
	var userBlock C.hsize_t
	if err := status(C.H5Pget_userblock(list, &userBlock), "H5Pget_userblock"); err != nil {
		return err
	}
	if userBlock > 0 {
		r.addOmission(fmt.Sprintf("the user block of %d bytes", userBlock), "files begin with the superblock here")
	}
	switch strategy := C.h5perf_has_own_space(list); {
	case strategy < 0:
		return NewCallError("H5Pget_file_space_strategy")
	case strategy > 0:
		r.addOmission("the strategy for space in the file", "it is not the default of HDF5, which files have here")
	}
	return nil
}

// fileDescriber visits all objects of a file, and collects their description.
type fileDescriber struct {
	*fromfile.Description
	seen              map[[32]byte]string // path of each object found, by its key; "": it is left out
	links, attributes uint64
	externalFile      string // name of the first external file; "": none
}

// objectInfo is the kind of an object, and a key that identifies it in its file.
type objectInfo struct {
	kind    C.H5O_type_t
	key     [32]byte
	changed bool // it has a time of its last change
}

// readObjectInfo returns the kind and the key of an object.
//
// Implements: H5Oget_info
func readObjectInfo(id C.hid_t) (objectInfo, error) {
	var o C.h5perf_object
	if err := status(C.h5perf_describe_object(id, &o), "H5Oget_info"); err != nil {
		return objectInfo{}, err
	}
	return objectInfo{C.H5O_type_t(o._type), *(*[32]byte)(unsafe.Pointer(&o.key)), o.changed != 0}, nil
}

// openObject opens an object by its name in a group.
//
// Implements: H5Oopen
func openObject(in C.hid_t, name string) (C.hid_t, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return idOrError(C.H5Oopen(in, text, C.H5P_DEFAULT), "H5Oopen")
}

// addOmission records that an object, attribute or link is missing from the description, and the reason.
func (r *fileDescriber) addOmission(what, reason string) {
	r.Left = append(r.Left, fromfile.OmittedItem{What: printableText(what), Reason: reason})
}

// printableText returns text, with escapes if it has control characters or is not valid UTF-8.
func printableText(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	return strings.Trim(fmt.Sprintf("%+q", text), `"`)
}

// unusableNameReason returns why a workload cannot use a name; "" if it can.
func unusableNameReason(name string) string {
	switch {
	case name == "" || len(name) > fromfile.MaxName:
		return fmt.Sprintf("its name is empty, or has more than %d bytes", fromfile.MaxName)
	case !utf8.ValidString(name):
		return "its name is not in UTF-8"
	case strings.ContainsFunc(name, func(c rune) bool {
		return unicode.IsControl(c) || c == '\ufeff' || c == utf8.RuneError
	}):
		return "its name has a control character"
	}
	return ""
}

// listEntry is a name from a list in C, with its kind.
type listEntry struct {
	kind byte
	name string
}

// listEntries returns the names that the function list collects. It returns an error if there are more than maxNames
// names.
func listEntries(maxNames uint64, what string, list func(*C.h5perf_list) error) ([]listEntry, error) {
	l := C.h5perf_list{most: C.uint64_t(maxNames)}
	defer func() { C.free(unsafe.Pointer(l.text)) }()
	if err := list(&l); err != nil {
		return nil, err
	}
	if l.full != 0 {
		return nil, fmt.Errorf("the file has too many %s", what)
	}
	var all []listEntry
	for text := string(unsafe.Slice((*byte)(unsafe.Pointer(l.text)), l.used)); text != ""; {
		one, rest, _ := strings.Cut(text, "\x00")
		all, text = append(all, listEntry{one[0], one[1:]}), rest
	}
	return all, nil
}

// describeGroup describes the objects in a group.
//
// Implements: H5Literate
func (r *fileDescriber) describeGroup(id C.hid_t, parent, depth int) error {
	path := r.Objects[parent].Path
	links, err := listEntries(fromfile.MaxLinks-r.links, fmt.Sprintf("links: %d at most are read",
		fromfile.MaxLinks), func(l *C.h5perf_list) error {
		tracked := boolToC(r.Objects[parent].Tracking.Links != workload.NoOrder)
		return status(C.h5perf_links(id, tracked, l), "H5Literate")
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r.links += uint64(len(links))
	for _, l := range links {
		below := strings.TrimSuffix(path, "/") + "/" + l.name
		if l.kind == 'u' {
			r.addOmission(below, "a link of a kind of users")
			continue
		}
		if reason := unusableNameReason(l.name); reason != "" {
			r.addOmission(below, reason+"; with all that is in it")
			continue
		}
		if l.kind != 'h' {
			err = r.describeTextLink(id, l, below, parent)
		} else {
			err = r.describeLink(id, l.name, below, parent, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// describeLink describes the object to which a hard link points.
func (r *fileDescriber) describeLink(in C.hid_t, name, path string, parent, depth int) error {
	id, err := openObject(in, name)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer C.H5Oclose(id)
	what, err := readObjectInfo(id)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if first, again := r.seen[what.key]; again {
		if first == "" {
			r.addOmission(path, "another hard link to what is left out")
			return nil
		}
		return r.addLink(parent, name, path, workload.Link{Kind: workload.HardLink, Path: first})
	}
	r.seen[what.key] = path
	switch what.kind {
	case C.H5O_TYPE_GROUP:
		if depth > fromfile.MaxDepth {
			r.addOmission(path, fmt.Sprintf("more than %d groups within one another; with all that is in it",
				fromfile.MaxDepth))
			break
		}
		at, err := r.describeObject(id, what, parent, name, path)
		if err != nil {
			return err
		}
		return r.describeGroup(id, at, depth+1)
	case C.H5O_TYPE_DATASET:
		at, err := r.describeObject(id, what, parent, name, path)
		if err != nil || at > 0 {
			return err
		}
	case C.H5O_TYPE_NAMED_DATATYPE:
		r.addOmission(path, "a committed type; what uses it has the type itself")
	default:
		r.addOmission(path, "an object of an unknown kind")
	}
	r.seen[what.key] = ""
	return nil
}

// describeTextLink describes a soft or external link. The file of an external link is left without its folders.
func (r *fileDescriber) describeTextLink(in C.hid_t, e listEntry, path string, parent int) error {
	name := C.CString(e.name)
	defer C.free(unsafe.Pointer(name))
	var file, target *C.char
	rc := C.h5perf_link_target(in, name, &file, &target)
	defer C.free(unsafe.Pointer(file))
	defer C.free(unsafe.Pointer(target))
	if err := status(rc, "H5Lget_val"); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	l := workload.Link{Kind: workload.SoftLink, Path: C.GoString(target)}
	if e.kind == 'e' {
		l.Kind, l.File = workload.ExternalLink, C.GoString(file)
		if at := strings.LastIndexByte(l.File, '/'); at >= 0 {
			r.addOmission("folder of the file of the external link "+path, "a link has no folder here")
			l.File = l.File[at+1:]
		}
		if unusableNameReason(l.File) != "" || strings.Trim(l.File, ".") == "" {
			r.addOmission(path, "an external link to a file whose name is no text")
			return nil
		}
	}
	if unusableNameReason(l.Path) != "" {
		r.addOmission(path, "a link to what has no name in text")
		return nil
	}
	return r.addLink(parent, e.name, path, l)
}

// addLink adds a link.
func (r *fileDescriber) addLink(parent int, name, path string, l workload.Link) error {
	if len(r.Objects) == fromfile.MaxObjects {
		return tooManyObjects()
	}
	r.Objects = append(r.Objects, fromfile.Object{Path: path, Object: workload.Object{
		Kind: workload.LinkObject, Parent: parent, PerGroup: 1, Count: 1, Name: name, Link: l,
	}})
	return nil
}

func tooManyObjects() error {
	return fmt.Errorf("the file has more than %d groups and datasets, the limit", fromfile.MaxObjects)
}

// describeObject describes a group or dataset, and returns its index in Objects.
func (r *fileDescriber) describeObject(id C.hid_t, what objectInfo, parent int, name, path string) (int, error) {
	if len(r.Objects) == fromfile.MaxObjects {
		return 0, tooManyObjects()
	}
	o := fromfile.Object{Path: path, Object: workload.Object{
		Parent: parent, PerGroup: 1, Count: 1, Name: name,
	}}
	if what.kind == C.H5O_TYPE_DATASET {
		o.Kind = workload.DatasetObject
	}
	if err := describeTracking(id, what, &o.Object); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if o.Kind == workload.DatasetObject {
		reason, err := r.describeDataset(id, &o)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		if reason != "" {
			r.addOmission(path, reason)
			return 0, nil
		}
	}
	if err := r.describeAttributes(id, &o); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	r.Objects = append(r.Objects, o)
	return len(r.Objects) - 1, nil
}

// describeDataset describes a dataset. If it must be left out, it returns the reason.
//
// Implements: H5Dget_create_plist H5Dget_type H5Dget_space H5Dget_storage_size
func (r *fileDescriber) describeDataset(id C.hid_t, o *fromfile.Object) (reason string, err error) {
	list, err := idOrError(C.H5Dget_create_plist(id), "H5Dget_create_plist")
	if err != nil {
		return "", err
	}
	defer C.H5Pclose(list)
	layout := C.H5Pget_layout(list)
	if layout == C.H5D_VIRTUAL {
		return "a virtual dataset", nil
	}
	typ, err := idOrError(C.H5Dget_type(id), "H5Dget_type")
	if err != nil {
		return "", err
	}
	defer C.H5Tclose(typ)
	if o.Type, reason, err = describeType(typ, 0); reason != "" || err != nil {
		return reason, err
	}
	space, err := idOrError(C.H5Dget_space(id), "H5Dget_space")
	if err != nil {
		return "", err
	}
	defer C.H5Sclose(space)
	if o.Null, o.Dims, o.MaxExtent, err = spaceExtent(space); err != nil {
		return "", err
	}
	if err := measureDatasetLengths(id, o); err != nil {
		return "", err
	}
	if !isSmallerThan4EiB(o.Type.Bytes(), o.Dims) {
		return "a dataset of 2^62 bytes, or more", nil
	}
	o.Stored = uint64(C.H5Dget_storage_size(id))
	if reason, err = r.describeStorage(list, layout, o); reason != "" || err != nil {
		return reason, err
	}
	if reason, err = r.describeExternalFile(list, o); reason != "" || err != nil {
		return reason, err
	}
	return "", r.countStoredChunks(id, o)
}

// describeExternalFile describes whether the data of a dataset are in an external file. If the dataset must be left
// out, it returns the reason.
//
// Implements: H5Pget_external_count H5Pget_external
func (r *fileDescriber) describeExternalFile(list C.hid_t, o *fromfile.Object) (reason string, err error) {
	switch n := C.H5Pget_external_count(list); {
	case n < 0:
		return "", NewCallError("H5Pget_external_count")
	case n == 0:
		return "", nil
	case n > 1:
		return "a dataset with storage in several parts of other files", nil
	case o.Type.IsVariable():
		return "a dataset of variable length with storage in another file", nil
	case o.Bytes() == 0:
		return "a dataset without data, with storage in another file", nil
	}
	name := make([]byte, maxExternalName)
	if err := status(C.H5Pget_external(list, 0, maxExternalName, (*C.char)(unsafe.Pointer(&name[0])), nil, nil),
		"H5Pget_external"); err != nil {
		return "", err
	}
	text, _, _ := strings.Cut(string(name), "\x00")
	if r.externalFile = cmp.Or(r.externalFile, text); r.externalFile != text {
		r.addOmission("another external file, of "+o.Path, "all external data of a file are in one file here")
	}
	if o.Fill.Time == "alloc" || o.Fill.Allocate != "" || o.Fill.Value != nil {
		r.addOmission("fill value, fill time and allocation time of "+o.Path, "HDF5 ignores them for external data")
	}
	o.External, o.Fill = true, workload.FillPolicy{}
	return "", nil
}

// maxExternalName is the largest number of bytes of the name of an external file that are read.
const maxExternalName = 4096

// countStoredChunks records an omission if the file has storage for some of the chunks of a dataset only.
//
// Implements: H5Dget_num_chunks
func (r *fileDescriber) countStoredChunks(id C.hid_t, o *fromfile.Object) error {
	if o.Chunk == nil || o.Stored == 0 {
		return nil
	}
	stored := uint64(0)
	n := C.h5perf_num_chunks(id, (*C.hsize_t)(&stored))
	if n == 0 && stored < o.NumChunks() {
		r.addOmission("unwritten chunks of "+o.Path, "only a part of the chunks has storage in the file; "+
			"here, all are written")
	}
	return status(min(n, 0), "H5Dget_num_chunks")
}

// isSmallerThan4EiB reports whether an array of extent dims is smaller than 2^62 bytes. bytes is the size of an
// element.
func isSmallerThan4EiB(bytes uint64, dims []uint64) bool {
	if slices.Contains(dims, 0) {
		return true
	}
	for _, n := range dims {
		if n > (1<<62-1)/bytes {
			return false
		}
		bytes *= n
	}
	return true
}

// spaceExtent returns dims, the extent of a dataspace, and most, its maximum extent; most is nil if the extent cannot
// grow.
//
// Implements: H5Sget_simple_extent_type H5Sget_simple_extent_dims
func spaceExtent(space C.hid_t) (null bool, dims, most []uint64, err error) {
	switch C.H5Sget_simple_extent_type(space) {
	case C.H5S_NULL:
		return true, nil, nil, nil
	case C.H5S_SCALAR:
		return false, nil, nil, nil
	case C.H5S_SIMPLE:
	default:
		return false, nil, nil, NewCallError("H5Sget_simple_extent_type")
	}
	n := C.H5Sget_simple_extent_ndims(space)
	if n < 0 || n > C.H5S_MAX_RANK {
		return false, nil, nil, NewCallError("H5Sget_simple_extent_ndims")
	}
	dims, most = make([]uint64, n), make([]uint64, n)
	if C.H5Sget_simple_extent_dims(space, sizePointer(dims), sizePointer(most)) < 0 {
		return false, nil, nil, NewCallError("H5Sget_simple_extent_dims")
	}
	if slices.Equal(dims, most) {
		most = nil
	}
	return false, dims, most, nil
}

// describeStorage describes the settings in the creation list of a dataset that differ from the defaults. If the
// dataset must be left out, it returns the reason.
//
// Implements: H5Pget_layout H5Pget_chunk H5Pget_fill_time H5Pget_alloc_time H5Pfill_value_defined
func (r *fileDescriber) describeStorage(list C.hid_t, layout C.H5D_layout_t, o *fromfile.Object) (reason string,
	err error,
) {
	allocate := C.H5D_alloc_time_t(C.H5D_ALLOC_TIME_LATE)
	switch layout {
	case C.H5D_COMPACT:
		o.Compact, allocate = o.Bytes() <= workload.MaxCompactBytes, C.H5D_ALLOC_TIME_EARLY
		if !o.Compact {
			r.addOmission("compact storage of "+o.Path, fmt.Sprintf("more than %d bytes need a newer format of files",
				workload.MaxCompactBytes))
		}
	case C.H5D_CHUNKED:
		o.Chunk, allocate = make([]uint64, len(o.Dims)), C.H5D_ALLOC_TIME_INCR
		if n := C.H5Pget_chunk(list, C.int(len(o.Chunk)), sizePointer(o.Chunk)); int(n) != len(o.Dims) {
			return "", NewCallError("H5Pget_chunk")
		}
	case C.H5D_CONTIGUOUS:
	default:
		return "", NewCallError("H5Pget_layout")
	}
	if o.MaxExtent != nil && o.Chunk == nil {
		return "an extent that can grow, in storage that is not chunked", nil
	}
	var fill C.H5D_fill_time_t
	var when C.H5D_alloc_time_t
	var value C.H5D_fill_value_t
	if err := cmp.Or(
		status(C.H5Pget_fill_time(list, &fill), "H5Pget_fill_time"),
		status(C.H5Pget_alloc_time(list, &when), "H5Pget_alloc_time"),
		status(C.H5Pfill_value_defined(list, &value), "H5Pfill_value_defined"),
	); err != nil {
		return "", err
	}
	if !o.Type.IsVariable() { // HDF5 itself then fills at allocation
		o.Fill.Time = map[C.H5D_fill_time_t]string{C.H5D_FILL_TIME_ALLOC: "alloc", C.H5D_FILL_TIME_NEVER: "never"}[fill]
	}
	if when != allocate {
		o.Fill.Allocate = map[C.H5D_alloc_time_t]string{
			C.H5D_ALLOC_TIME_EARLY: "early", C.H5D_ALLOC_TIME_LATE: "late", C.H5D_ALLOC_TIME_INCR: "incremental",
		}[when]
	}
	if value == C.H5D_FILL_VALUE_UNDEFINED {
		r.addOmission("fill value of "+o.Path, "it is undefined in the file, but zero here")
	}
	switch {
	case value != C.H5D_FILL_VALUE_USER_DEFINED:
	case o.Type.IsVariable():
		r.addOmission("fill value of "+o.Path, "it has a variable length; here it is empty")
	default:
		if err := describeFillValue(list, o); err != nil {
			return "", err
		}
	}
	return "", r.describeFilters(list, o)
}

// describeFillValue describes the fill value of a dataset.
//
// Implements: H5Pget_fill_value
func describeFillValue(list C.hid_t, o *fromfile.Object) error {
	typ, err := newDatatype(o.Type, 0)
	if err != nil {
		return err
	}
	defer C.H5Tclose(typ)
	o.Fill.Value = make([]byte, o.Type.Bytes())
	err = status(C.H5Pget_fill_value(list, typ, unsafe.Pointer(&o.Fill.Value[0])), "H5Pget_fill_value")
	clearPadding(o.Fill.Value, o.Type)
	return err
}

// clearPadding clears the bytes of elements that belong to no value: of a real in the extended precision of x86, 6 of
// 16 bytes.
func clearPadding(elements []byte, t workload.Type) {
	const size, used = 16, 10
	if t.Class != workload.Float || t.Size != size {
		return
	}
	for real := range slices.Chunk(elements, size) {
		if t.BigEndian {
			clear(real[:size-used])
		} else {
			clear(real[used:])
		}
	}
}

// describeTracking describes what the library keeps about a group or dataset.
//
// Implements: H5Dget_create_plist H5Gget_create_plist
func describeTracking(id C.hid_t, what objectInfo, o *workload.Object) error {
	var list C.hid_t
	var err error
	if o.Kind == workload.DatasetObject {
		list, err = idOrError(C.H5Dget_create_plist(id), "H5Dget_create_plist")
	} else {
		list, err = idOrError(C.H5Gget_create_plist(id), "H5Gget_create_plist")
	}
	if err != nil {
		return err
	}
	defer C.H5Pclose(list)
	o.Tracking, err = readTracking(list, o.Kind, what.changed)
	return err
}

// maxFilterValues is the largest number of parameters of a filter that H5Pget_filter2 returns.
const maxFilterValues = 256

// lossyFilters holds the registered numbers of filters from which values do not come back as they were written.
var lossyFilters = []C.H5Z_filter_t{32013, 32017, 32018, 32019, 32022, 32023, 32024} // such as zfp, SZ, BitGroom

// setUpOnce holds the numbers of the filters for which workload.Filter.IsSetUpOnce is true.
var setUpOnce = []C.H5Z_filter_t{
	C.H5Z_FILTER_SHUFFLE, C.H5Z_FILTER_SZIP, C.H5Z_FILTER_NBIT, C.H5Z_FILTER_SCALEOFFSET,
}

// changesValues reports whether values do not come back from a filter as they were written.
func changesValues(id C.H5Z_filter_t, values []C.uint, t workload.Type) bool {
	scales := id == C.H5Z_FILTER_SCALEOFFSET &&
		(t.Class != workload.Unsigned && t.Class != workload.Signed || len(values) < 2 || values[1] != 0)
	return scales || slices.Contains(lossyFilters, id)
}

// numberedFilterReason returns why a filter that has no name in workloads is left out; "" if it is not.
func numberedFilterReason(id C.H5Z_filter_t, values []C.uint, count C.size_t, t workload.Type) string {
	switch {
	case C.h5perf_can_filter(id) <= 0:
		return "this HDF5 does not have the filter, and finds no plugin for it"
	case count > maxFilterValues:
		return "it has too many parameters"
	case changesValues(id, values, t):
		return "values do not come back from it as they were written"
	}
	return ""
}

// describeFilters describes the filters of a dataset.
//
// Implements: H5Pget_nfilters H5Pget_filter2
func (r *fileDescriber) describeFilters(list C.hid_t, o *fromfile.Object) error {
	n := C.H5Pget_nfilters(list)
	if n < 0 {
		return NewCallError("H5Pget_nfilters")
	}
	var known []C.H5Z_filter_t
	for i := range n {
		var flags, config C.uint
		var name [64]C.char
		var values [maxFilterValues]C.uint
		count := C.size_t(len(values))
		id := C.H5Pget_filter2(list, C.uint(i), &flags, &count, &values[0], C.size_t(len(name)-1), &name[0], &config)
		if id < 0 {
			return NewCallError("H5Pget_filter2")
		}
		what := fmt.Sprintf("filter %d of %s", id, o.Path)
		if text := C.GoString(&name[0]); text != "" {
			what = fmt.Sprintf("filter %s (%d) of %s", text, id, o.Path)
		}
		switch {
		case id == C.H5Z_FILTER_DEFLATE && count >= 1 && values[0] <= 9:
			o.Filters = append(o.Filters, workload.Filter{Name: "deflate", Level: int(values[0])})
		case slices.Contains(setUpOnce, id) && slices.Contains(known, id):
			r.addOmission("another "+what, "HDF5 sets up only the first one, and skips the others")
		case id == C.H5Z_FILTER_SHUFFLE:
			o.Filters = append(o.Filters, workload.Filter{Name: "shuffle"})
		case id == C.H5Z_FILTER_FLETCHER32:
			o.Filters = append(o.Filters, workload.Filter{Name: "fletcher32"})
		case id == C.H5Z_FILTER_NBIT:
			o.Filters = append(o.Filters, workload.Filter{Name: "nbit"})
		case id == C.H5Z_FILTER_SCALEOFFSET && !changesValues(id, values[:min(count, maxFilterValues)], o.Type):
			o.Filters = append(o.Filters, workload.Filter{Name: "scaleoffset"})
		case id == C.H5PERF_ZSTD && count >= 1 && values[0] >= 1 && values[0] <= workload.MaxZstdLevel:
			o.Filters = append(o.Filters, workload.Filter{Name: "zstd", Level: int(values[0])})
		case id == C.H5PERF_LZ4 && (count == 0 || values[0] == 0): // blocks of the default size
			o.Filters = append(o.Filters, workload.Filter{Name: "lz4"})
		case id == C.H5Z_FILTER_SZIP && count >= 2 && values[1] >= 2 && values[1] <= 32:
			o.Filters = append(o.Filters, workload.Filter{Name: "szip", Level: int(values[1])})
			if values[0]&C.H5_SZIP_NN_OPTION_MASK == 0 {
				r.addOmission("entropy coding of the filter szip of "+o.Path, "szip is made with nearest neighbours")
			}
		default:
			if reason := numberedFilterReason(id, values[:min(count, maxFilterValues)], count, o.Type); reason != "" {
				r.addOmission(what, reason)
				continue
			}
			f := workload.Filter{Number: int(id)}
			for _, v := range values[:count] {
				f.Values = append(f.Values, uint32(v))
			}
			o.Filters = append(o.Filters, f)
		}
		known = append(known, id)
		if flags&C.H5Z_FLAG_OPTIONAL == 0 && id != C.H5Z_FILTER_FLETCHER32 {
			r.addOmission("the mandatory flag of "+what, "chunks that the filter cannot process are stored without it "+
				"here")
		}
	}
	return nil
}

// maxAttributeBytes is the largest size of an attribute in bytes, including its type, in the old file format, which
// h5perf writes. It is 64 KiB minus some space for the name and the extent.
const maxAttributeBytes = 60_000

// describeAttributes describes the attributes of an object.
//
// Implements: H5Aiterate2
func (r *fileDescriber) describeAttributes(id C.hid_t, o *fromfile.Object) error {
	names, err := listEntries(fromfile.MaxAttributes-r.attributes, fmt.Sprintf("attributes: %d at most are read",
		fromfile.MaxAttributes), func(l *C.h5perf_list) error {
		tracked := boolToC(o.Tracking.Attributes != workload.NoOrder)
		return status(C.h5perf_attribute_names(id, tracked, l), "H5Aiterate2")
	})
	if err != nil {
		return err
	}
	r.attributes += uint64(len(names))
	for _, n := range names {
		what := fmt.Sprintf("attribute %s of %s", n.name, o.Path)
		reason := unusableNameReason(n.name)
		var a workload.Attributes
		if reason == "" {
			if a, reason, err = describeAttribute(id, n.name); err != nil {
				return fmt.Errorf("attribute %s: %w", printableText(n.name), err)
			}
		}
		if reason != "" {
			r.addOmission(what, reason)
			continue
		}
		o.Attributes = append(o.Attributes, a)
	}
	return nil
}

// describeAttribute describes an attribute. If it must be left out, it returns the reason.
//
// Implements: H5Aopen H5Aget_type H5Aget_space
func describeAttribute(object C.hid_t, name string) (a workload.Attributes, reason string, err error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	id, err := idOrError(C.H5Aopen(object, text, C.H5P_DEFAULT), "H5Aopen")
	if err != nil {
		return a, "", err
	}
	defer C.H5Aclose(id)
	typ, err := idOrError(C.H5Aget_type(id), "H5Aget_type")
	if err != nil {
		return a, "", err
	}
	defer C.H5Tclose(typ)
	a.Name, a.Count = name, 1
	if a.Type, reason, err = describeType(typ, 0); reason != "" || err != nil {
		return a, reason, err
	}
	space, err := idOrError(C.H5Aget_space(id), "H5Aget_space")
	if err != nil {
		return a, "", err
	}
	defer C.H5Sclose(space)
	if a.Null, a.Dims, _, err = spaceExtent(space); err != nil {
		return a, "", err
	}
	bytes := a.Type.FileBytes()
	if !isSmallerThan4EiB(bytes, a.Dims) || typeFileBytes(a.Type)+bytes*a.NumElements() > maxAttributeBytes {
		return a, fmt.Sprintf("with its type it has more than %d bytes, which need a newer format of files",
			maxAttributeBytes), nil
	}
	return a, "", measureLengths(&a.Type, a.NumElements(), 1, func(_ uint64, memory C.hid_t, to unsafe.Pointer) error {
		return status(C.H5Aread(id, memory, to), "H5Aread")
	})
}

// typeFileBytes returns the approximate size in bytes of a datatype in a file.
func typeFileBytes(t workload.Type) uint64 {
	bytes := uint64(32)
	for _, w := range t.Words {
		bytes += uint64(len(w.Name)) + t.Size + 8
	}
	for _, m := range t.Members {
		bytes += uint64(len(m.Name)) + 48 + typeFileBytes(m.Type)
	}
	return bytes
}
