// The files layout*.go store the data of a workload in equivalent ways: they make programs that write and read the same
// arrays with the same selections, but with other datasets, storage or transfer modes.
//
// The idea of logically equivalent layouts comes from hdf5-iotest.

package workload

import (
	"fmt"
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

// All forms, storages and modes.
var (
	layoutForms    = []LayoutForm{FormGiven, FormDumps, FormArrays, FormBoth}
	layoutStorages = []LayoutStorage{StorageContiguous, StorageChunked}
	layoutModes    = []LayoutMode{ModeIndependent, ModeCollective}
)

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
		storage += " " + chunkText(l.Chunk)
	}
	return strings.Join([]string{string(l.Form), storage, string(l.Mode)}, ", ")
}

// chunkText returns an extent of chunks as layouts have it: 8x7.
func chunkText(extent []uint64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(extent), "[]"), " ", "x")
}

// Word returns the layout as a word, in which hyphens separate the parts of String.
func (l Layout) Word() string { return layoutWord.Replace(l.String()) }

// layoutWord replaces what separates the parts of Layout.String by hyphens.
var layoutWord = strings.NewReplacer(", ", "-", " ", "-")

// ParseLayout is the inverse of Layout.String and of Layout.Word.
func ParseLayout(text string) (Layout, error) {
	all, err := findLayouts(text, layoutWord.Replace(text))
	if err != nil {
		return Layout{}, err
	}
	if l := all[0]; len(all) > 1 || text != l.String() && text != l.Word() {
		return Layout{}, fmt.Errorf("%q is no layout: write all of FORM-STORAGE-MODE, such as %s", text, l.Word())
	}
	return all[0], nil
}

// FindLayouts returns all layouts that have the parts in a text, which hyphens separate: the form, the storage, the
// extent of chunks, such as 8x7, and the mode, each at most once and in this order. "" stands for all layouts, without
// an extent of chunks.
func FindLayouts(text string) ([]Layout, error) { return findLayouts(text, text) }

// findLayouts is FindLayouts of parts. Errors tell the text that the user wrote.
func findLayouts(text, parts string) (all []Layout, err error) {
	words := strings.Split(parts, "-")
	if parts == "" {
		words = nil
	}
	var extent []uint64
	var extentWord string
	at := slices.IndexFunc(words, func(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' })
	if at >= 0 {
		extentWord = words[at]
		for number := range strings.SplitSeq(extentWord, "x") {
			n, err := strconv.ParseUint(number, 10, 64)
			if err != nil || n == 0 {
				return nil, fmt.Errorf("%q is no layout: the extent of chunks has numbers from 1 on, such as 8x7", text)
			}
			extent = append(extent, n)
		}
	}
	for _, form := range layoutForms {
		for _, storage := range layoutStorages {
			for _, mode := range layoutModes {
				left := words // without those that are parts of this layout
				for _, part := range []string{string(form), string(storage), extentWord, string(mode)} {
					if len(left) > 0 && left[0] == part {
						left = left[1:]
					}
				}
				if len(left) == 0 && (extent == nil || storage == StorageChunked) {
					all = append(all, Layout{form, storage, mode, extent})
				}
			}
		}
	}
	if all == nil {
		err = fmt.Errorf("%q is no layout: it has a form (%s), a storage (%s) and a mode (%s), in this order, with "+
			"hyphens between them; %s may have an extent, such as %[5]s-8x7", text, usage.JoinWords(layoutForms),
			usage.JoinWords(layoutStorages), usage.JoinWords(layoutModes), StorageChunked)
	}
	return all, err
}

// ApplyTo returns the program of a rank in the layout. given is the program of this rank without a layout. first is the
// program of rank 0 without a layout; it determines what must be the same on all ranks. HDF5 writes no fill values,
// unless the workload sets the fill time.
func (l Layout) ApplyTo(first, given Program) (Program, error) {
	if l.Form == "" {
		return given, nil
	}
	leave := func(what string, err error) (Program, error) { return given, fmt.Errorf("%s: %w", what, err) }
	for s := range given.Parts[Write].Steps() {
		if s.IsReadBack(Write) {
			return leave(l.Word(), fmt.Errorf("line %d reads in write(job)", s.Line))
		}
	}
	formed, err := l.Form.combineArrays(first, given)
	if err == nil {
		first, err = l.Form.combineArrays(first, first)
	}
	if err != nil {
		return leave(fmt.Sprintf("%s-…", l.Form), fmt.Errorf("%w; try %s-…", err, FormGiven))
	}
	p, err := l.applyStorage(first, formed)
	if err != nil {
		return leave(fmt.Sprintf("%s-%s-…", l.Form, l.Storage), err)
	}
	if p, err = l.Mode.applyMode(p); err != nil {
		return leave(l.Word(), err)
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
