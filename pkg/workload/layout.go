// This file and those beside it store the data of a workload in equivalent ways: they make programs that write and read
// the same arrays with the same selections, in other datasets, storage and modes.
//
// The idea of logically equivalent layouts is that of hdf5-iotest.

package workload

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/usage"
)

// LayoutForm is how arrays are put together in datasets.
type LayoutForm string

// The forms.
const (
	FormGiven  LayoutForm = "given"  // each array is in the dataset in which the workload has it
	FormDumps  LayoutForm = "dumps"  // one dataset for all dumps, not one for each: the dump is its first dimension
	FormArrays LayoutForm = "arrays" // like datasets of a dump are one: the number of the array is its first dimension
	FormBoth   LayoutForm = "both"   // like datasets of all dumps are one: its first dimensions are dump and number
)

// Values returns the valid words.
func (LayoutForm) Values() []string {
	return usage.Texts([]LayoutForm{FormGiven, FormDumps, FormArrays, FormBoth})
}

// LayoutStorage is how HDF5 stores datasets.
type LayoutStorage string

// The kinds of storage.
const (
	StorageContiguous LayoutStorage = "contiguous"
	StorageChunked    LayoutStorage = "chunked"
)

// Values returns the valid words.
func (LayoutStorage) Values() []string {
	return usage.Texts([]LayoutStorage{StorageContiguous, StorageChunked})
}

// LayoutMode is the mode of transfers.
type LayoutMode string

// The modes.
const (
	ModeIndependent LayoutMode = "independent"
	ModeCollective  LayoutMode = "collective"
)

// Values returns the valid words.
func (LayoutMode) Values() []string {
	return usage.Texts([]LayoutMode{ModeIndependent, ModeCollective})
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
func ParseLayout(text string) (l Layout, err error) {
	words := strings.Split(text, ", ")
	if text == AsItIs {
		return l, nil
	}
	if len(words) != 3 {
		return l, fmt.Errorf("%q is no layout: it has a form, a storage and a mode", text)
	}
	storage, chunk, chunks := strings.Cut(words[1], " ")
	l = Layout{Form: LayoutForm(words[0]), Storage: LayoutStorage(storage), Mode: LayoutMode(words[2])}
	if chunks {
		for extent := range strings.SplitSeq(chunk, "x") {
			n, _ := strconv.ParseUint(extent, 10, 64) // 0 is no extent
			l.Chunk = append(l.Chunk, n)
		}
	}
	if !slices.Contains(l.Form.Values(), words[0]) || !slices.Contains(l.Storage.Values(), storage) ||
		!slices.Contains(l.Mode.Values(), words[2]) || slices.Contains(l.Chunk, 0) ||
		chunks && l.Storage != StorageChunked {
		return l, fmt.Errorf("%q is no layout: its form, storage or mode is unknown", text)
	}
	return l, nil
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

// Layouts are the layouts that a workload can have.
type Layouts struct {
	All []Layout // the workload as it is, and those that differ from it and from one another
	// Same is the layout that is the workload as it is, if there is one; else its zero value.
	Same Layout
	Left []LeftOut
}

// Layouts returns the chosen layouts that a workload can have. first is the program of rank 0.
func (o LayoutOptions) Layouts(first Program) Layouts {
	made, programs := Layouts{All: []Layout{{}}}, []Program{first}
	leave := func(what string, err error) {
		if one := (LeftOut{what, err.Error()}); !slices.Contains(made.Left, one) {
			made.Left = append(made.Left, one)
		}
	}
	for _, form := range chosen(o.Forms) {
		formed, err := form.program(first, first)
		if err != nil {
			leave(string(form), err)
			continue
		}
		for _, storage := range chosen(o.Storages) {
			l := Layout{Form: form, Storage: storage}
			if storage == StorageChunked {
				l.Chunk = o.Chunk
			}
			stored, err := l.stored(formed, formed)
			if err != nil {
				leave(fmt.Sprintf("%s, %s", form, storage), err)
				continue
			}
			for _, l.Mode = range chosen(o.Modes) {
				p, err := l.Mode.program(stored)
				if err != nil {
					leave(l.String(), err)
					continue
				}
				switch at := slices.IndexFunc(programs, func(q Program) bool { return reflect.DeepEqual(p, q) }); {
				case at < 0:
					made.All, programs = append(made.All, l), append(programs, p)
				case at == 0 && made.Same.Form == "":
					made.Same = l
				}
			}
		}
	}
	return made
}

// chosen returns the chosen values, or if there are none, all of them.
func chosen[T interface {
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
// when.
func (l Layout) Program(first, given Program) (Program, error) {
	if l.Form == "" {
		return given, nil
	}
	formed, err := l.Form.program(first, given)
	if err != nil {
		return formed, err
	}
	if first, err = l.Form.program(first, first); err != nil {
		return formed, err
	}
	stored, err := l.stored(first, formed)
	if err != nil {
		return stored, err
	}
	return l.Mode.program(stored)
}

// program returns the program of a rank in a form.
func (f LayoutForm) program(first, p Program) (Program, error) {
	switch f {
	case FormDumps:
		return p.joined(first)
	case FormArrays:
		return p.stacked(first)
	case FormBoth:
		p, err := p.stacked(first)
		if err == nil {
			first, err = first.stacked(first)
		}
		if err != nil {
			return p, err
		}
		return p.joined(first)
	}
	return p, nil
}
