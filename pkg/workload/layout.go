// The files layout*.go store the data of a workload in equivalent ways: they make programs that write and read the same
// arrays with the same selections, but with other datasets, storage or transfer modes.
//
// The idea of logically equivalent layouts comes from hdf5-iotest.

package workload

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/usage"
)

type (
	// LayoutForm is how arrays are combined into datasets.
	LayoutForm string
	// LayoutStorage is how HDF5 stores datasets.
	LayoutStorage string
	// LayoutMode is the mode of transfers.
	LayoutMode string
)

// The forms, storages and modes of layouts.
const (
	FormGiven  LayoutForm = "given"  // each array is in its dataset of the workload
	FormDumps  LayoutForm = "dumps"  // one dataset for all dumps: its first dimension is the dump
	FormArrays LayoutForm = "arrays" // one dataset for similar arrays of a dump: its first dimension is the array
	FormBoth   LayoutForm = "both"   // one for similar arrays of all dumps: its first dimensions are dump and array

	StorageContiguous LayoutStorage = "contiguous"
	StorageChunked    LayoutStorage = "chunked"

	ModeIndependent LayoutMode = "independent"
	ModeCollective  LayoutMode = "collective"
)

// Values returns the valid words.
func (LayoutForm) Values() []string {
	return usage.Strings([]LayoutForm{FormGiven, FormDumps, FormArrays, FormBoth})
}

// Values returns the valid words.
func (LayoutStorage) Values() []string {
	return usage.Strings([]LayoutStorage{StorageContiguous, StorageChunked})
}

// Values returns the valid words.
func (LayoutMode) Values() []string {
	return usage.Strings([]LayoutMode{ModeIndependent, ModeCollective})
}

// Layout is one way to store the data. The zero value stands for the unchanged workload.
type Layout struct {
	Form    LayoutForm
	Storage LayoutStorage
	Mode    LayoutMode
	// Extent of chunks in the last dimensions, in elements; it is 1 in the dimensions before. Empty: a chunk is the
	// part that a rank writes.
	Chunk []uint64
}

// UnchangedLayout is the String of the zero value of Layout.
const UnchangedLayout = "as it is"

// String returns the form, the storage with the extent of chunks, and the mode.
func (l Layout) String() string {
	if l.Form == "" {
		return UnchangedLayout
	}
	storage := string(l.Storage)
	if len(l.Chunk) > 0 {
		storage += " " + strings.ReplaceAll(strings.Trim(fmt.Sprint(l.Chunk), "[]"), " ", "x")
	}
	return strings.Join([]string{string(l.Form), storage, string(l.Mode)}, ", ")
}

// ParseLayout is the inverse of Layout.String.
func ParseLayout(text string) (Layout, error) {
	var extent []uint64
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c < '0' || c > '9' }) {
		n, _ := strconv.ParseUint(word, 10, 64) // a number that is too large yields a text that differs
		extent = append(extent, n)
	}
	for _, l := range (LayoutOptions{Chunk: extent}).chosenLayouts() {
		if l.String() == text && !slices.Contains(extent, 0) {
			return l, nil
		}
	}
	return Layout{}, fmt.Errorf("%q is no layout: it has a form, a storage and a mode", text)
}

// LayoutOptions selects layouts. An empty list stands for all values.
type LayoutOptions struct {
	Forms    []LayoutForm
	Storages []LayoutStorage
	Modes    []LayoutMode
	Chunk    []uint64 // see Layout
}

// LayoutError is the error of layouts that a workload cannot have.
type LayoutError struct {
	Layout string // form, storage and mode
	Reason string
}

func (l LayoutError) Error() string { return l.Layout + ": " + l.Reason }

// Layouts holds the layouts that a workload can have, and those that it cannot have.
type Layouts struct {
	All []Layout // the zero value, and layouts that differ from it and from one another
	// Unchanged is the layout that leaves the workload unchanged; the zero value if there is none.
	Unchanged  Layout
	Impossible []LayoutError
}

// LayoutsFor returns the selected layouts that a workload can have. first is the program of rank 0.
func (o LayoutOptions) LayoutsFor(first Program) Layouts {
	made, programs := Layouts{All: []Layout{{}}}, []Program{first}
	for _, l := range o.chosenLayouts() {
		p, err := l.ApplyTo(first, first)
		if left, is := errors.AsType[LayoutError](err); is {
			if !slices.Contains(made.Impossible, left) {
				made.Impossible = append(made.Impossible, left)
			}
			continue
		}
		switch at := slices.IndexFunc(programs, func(q Program) bool { return reflect.DeepEqual(p, q) }); {
		case at < 0:
			made.All, programs = append(made.All, l), append(programs, p)
		case at == 0 && made.Unchanged.Form == "":
			made.Unchanged = l
		}
	}
	return made
}

// chosenLayouts returns all selected layouts.
func (o LayoutOptions) chosenLayouts() (all []Layout) {
	for _, form := range chosenOrAll(o.Forms) {
		for _, storage := range chosenOrAll(o.Storages) {
			for _, mode := range chosenOrAll(o.Modes) {
				l := Layout{Form: form, Storage: storage, Mode: mode}
				if storage == StorageChunked {
					l.Chunk = o.Chunk
				}
				all = append(all, l)
			}
		}
	}
	return all
}

// chosenOrAll returns values, or all valid values if it is empty.
func chosenOrAll[T interface {
	~string
	Values() []string
}](values []T) []T {
	if len(values) == 0 {
		for _, v := range T("").Values() {
			values = append(values, T(v))
		}
	}
	return values
}

// ApplyTo returns the program of a rank in the layout. given is the program of this rank without a layout. first is the
// program of rank 0 without a layout; it determines what must be the same on all ranks. HDF5 writes no fill values,
// unless the workload sets the fill time. The error is a LayoutError.
func (l Layout) ApplyTo(first, given Program) (Program, error) {
	if l.Form == "" {
		return given, nil
	}
	leave := func(what string, err error) (Program, error) { return given, LayoutError{what, err.Error()} }
	for s := range given.Parts[Write].Steps() {
		if s.IsReadBack(Write) {
			return leave(l.String(), fmt.Errorf("line %d reads in write(job)", s.Line))
		}
	}
	formed, err := l.Form.combineArrays(first, given)
	if err == nil {
		first, err = l.Form.combineArrays(first, first)
	}
	if err != nil {
		return leave(string(l.Form), err)
	}
	p, err := l.applyStorage(first, formed)
	if err != nil {
		return leave(fmt.Sprintf("%s, %s", l.Form, l.Storage), err)
	}
	if p, err = l.Mode.applyMode(p); err != nil {
		return leave(l.String(), err)
	}
	return p, nil
}

// combineArrays returns the program p of a rank with its arrays combined into datasets: not at all (FormGiven), over
// dumps (FormDumps), within a dump (FormArrays) or both (FormBoth). first is the program of rank 0.
func (f LayoutForm) combineArrays(first, p Program) (Program, error) {
	var err error
	if f == FormArrays || f == FormBoth {
		if p, err = p.stackArrays(first); err == nil {
			first, err = first.stackArrays(first)
		}
	}
	if err == nil && (f == FormDumps || f == FormBoth) {
		p, err = p.joinDumps(first)
	}
	return p, err
}
