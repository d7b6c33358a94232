// This file and those beside it store the data of a workload in equivalent ways: they make programs that write and read
// the same arrays with the same selections, in other datasets, storage and modes.
//
// The idea of logically equivalent layouts is that of hdf5-iotest.

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
	// LayoutForm is how arrays are put together in datasets.
	LayoutForm string
	// LayoutStorage is how HDF5 stores datasets.
	LayoutStorage string
	// LayoutMode is the mode of transfers.
	LayoutMode string
)

// The words of layouts.
const (
	FormGiven  LayoutForm = "given"  // each array is in the dataset in which the workload has it
	FormDumps  LayoutForm = "dumps"  // one dataset for all dumps, not one for each: the dump is its first dimension
	FormArrays LayoutForm = "arrays" // like datasets of a dump are one: the number of the array is its first dimension
	FormBoth   LayoutForm = "both"   // like datasets of all dumps are one: its first dimensions are dump and number

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

// Layout is one way to store the data. The zero value is the workload as it is.
type Layout struct {
	Form    LayoutForm
	Storage LayoutStorage
	Mode    LayoutMode
	// Extent of chunks in the last dimensions, in elements; it is 1 in dimensions before them. Empty: a chunk is the
	// part of a rank.
	Chunk []uint64
}

// AsItIs is the text of the zero value of Layout.
const AsItIs = "as it is"

// String returns the layout in words.
func (l Layout) String() string {
	if l.Form == "" {
		return AsItIs
	}
	storage := string(l.Storage)
	if len(l.Chunk) > 0 {
		storage += " " + strings.ReplaceAll(strings.Trim(fmt.Sprint(l.Chunk), "[]"), " ", "x")
	}
	return strings.Join([]string{string(l.Form), storage, string(l.Mode)}, ", ")
}

// ParseLayout returns the layout of a text that String has returned.
func ParseLayout(text string) (Layout, error) {
	var extent []uint64
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c < '0' || c > '9' }) {
		n, _ := strconv.ParseUint(word, 10, 64) // a number that is too large makes another text
		extent = append(extent, n)
	}
	for _, l := range (LayoutOptions{Chunk: extent}).chosenLayouts() {
		if l.String() == text && !slices.Contains(extent, 0) {
			return l, nil
		}
	}
	return Layout{}, fmt.Errorf("%q is no layout: it has a form, a storage and a mode", text)
}

// LayoutOptions choose layouts. Empty lists stand for all values.
type LayoutOptions struct {
	Forms    []LayoutForm
	Storages []LayoutStorage
	Modes    []LayoutMode
	Chunk    []uint64 // see Layout
}

// LeftOut is what cannot be done with a workload.
type LeftOut struct {
	What   string // forms, storage and modes
	Reason string
}

func (l LeftOut) Error() string { return l.What + ": " + l.Reason }

// Layouts are the layouts that a workload can have.
type Layouts struct {
	All []Layout // the workload as it is, and those that differ from it and from one another
	// Same is the layout that is the workload as it is, if there is one; else its zero value.
	Same Layout
	Left []LeftOut
}

// LayoutsFor returns the chosen layouts that a workload can have. first is the program of rank 0.
func (o LayoutOptions) LayoutsFor(first Program) Layouts {
	made, programs := Layouts{All: []Layout{{}}}, []Program{first}
	for _, l := range o.chosenLayouts() {
		p, err := l.Program(first, first)
		if left, is := errors.AsType[LeftOut](err); is {
			if !slices.Contains(made.Left, left) {
				made.Left = append(made.Left, left)
			}
			continue
		}
		switch at := slices.IndexFunc(programs, func(q Program) bool { return reflect.DeepEqual(p, q) }); {
		case at < 0:
			made.All, programs = append(made.All, l), append(programs, p)
		case at == 0 && made.Same.Form == "":
			made.Same = l
		}
	}
	return made
}

// chosenLayouts returns all layouts that are chosen.
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

// chosenOrAll returns the chosen values, or if there are none, all of them.
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

// Program returns the program of a rank in the layout. given is that of the workload as it is, and first is the one of
// rank 0, which decides for what all ranks do alike. Storage is never filled with a value, unless the workload says
// when. The error is a LeftOut.
func (l Layout) Program(first, given Program) (Program, error) {
	if l.Form == "" {
		return given, nil
	}
	leave := func(what string, err error) (Program, error) { return given, LeftOut{what, err.Error()} }
	formed, err := l.Form.applyForm(first, given)
	if err == nil {
		first, err = l.Form.applyForm(first, first)
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

// applyForm returns the program of a rank in a form.
func (f LayoutForm) applyForm(first, p Program) (Program, error) {
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
