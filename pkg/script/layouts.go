// This file stores the data of a workload in every equivalent way: it makes workloads that write and read the
// same arrays with the same selections, in other datasets, storage and modes.
//
// The idea of logically equivalent layouts is that of hdf5-iotest.

package script

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/usage"
)

// LayoutForm is how arrays are put together in datasets.
type LayoutForm string

// The forms.
const (
	Given  LayoutForm = "given"  // each array is in the dataset in which the workload has it
	Dumps  LayoutForm = "dumps"  // what has a dataset for each dump has one for all: the dump is its first dimension
	Arrays LayoutForm = "arrays" // like datasets of a dump are one: the number of the array is its first dimension
	Both   LayoutForm = "both"   // like datasets of all dumps are one: its first dimensions are dump and number
)

// Values returns the valid words.
func (LayoutForm) Values() []string { return usage.Texts([]LayoutForm{Given, Dumps, Arrays, Both}) }

// LayoutStorage is how HDF5 stores datasets.
type LayoutStorage string

// The kinds of storage.
const (
	Contiguous LayoutStorage = "contiguous"
	Chunked    LayoutStorage = "chunked"
)

// Values returns the valid words.
func (LayoutStorage) Values() []string { return usage.Texts([]LayoutStorage{Contiguous, Chunked}) }

// LayoutMode is the mode of transfers.
type LayoutMode string

// The modes.
const (
	Independent LayoutMode = "independent"
	Collective  LayoutMode = "collective"
)

// Values returns the valid words.
func (LayoutMode) Values() []string { return usage.Texts([]LayoutMode{Independent, Collective}) }

// Layout is one way to store the data. The zero value is the workload as it is.
type Layout struct {
	Form    LayoutForm
	Storage LayoutStorage
	Mode    LayoutMode
}

// AsItIs is the text of the zero value of Layout.
const AsItIs = "as it is"

// String returns the layout in words.
func (l Layout) String() string {
	if l == (Layout{}) {
		return AsItIs
	}
	return strings.Join([]string{string(l.Form), string(l.Storage), string(l.Mode)}, ", ")
}

// LayoutOptions choose layouts. Empty lists stand for all values.
type LayoutOptions struct {
	Forms    []LayoutForm
	Storages []LayoutStorage
	Modes    []LayoutMode
	// Extent of chunks in the last dimensions, in elements; it is 1 in dimensions before them. Empty: a chunk is the
	// part of a rank.
	Chunk []uint64
}

// LayoutVariant is a workload in one of the layouts.
type LayoutVariant struct {
	Layout Layout
	// Same is the layout of the product that is the workload as it is, if there is one. The zero value of Layout alone
	// has it.
	Same     Layout
	Workload Resolved
}

// LeftOut is what cannot be done with a workload.
type LeftOut struct {
	What   string // forms, storage and modes
	Reason string
}

// MakeLayouts returns the layouts of a workload, the workload as it is first. In the others, storage is never filled
// with a value, unless the workload says when. Layouts that are the same workload are returned once. What cannot be
// done is left out. The error is about the workload as it is, or about what is chosen.
func MakeLayouts(r Resolved, job Job, o LayoutOptions) ([]LayoutVariant, []LeftOut, error) {
	m := maker{given: r, job: job, chunk: o.Chunk}
	if err := m.add(Layout{}, r.Workload); err != nil {
		return nil, nil, err
	}
	for _, form := range all(o.Forms, LayoutForm("").Values()) {
		w, err := forms[form](r.Workload)
		if err != nil {
			m.leave(string(form), err)
			continue
		}
		for _, storage := range all(o.Storages, LayoutStorage("").Values()) {
			stored, err := m.stored(w, storage)
			if err != nil {
				m.leave(fmt.Sprintf("%s, %s", form, storage), err)
				continue
			}
			for _, mode := range all(o.Modes, LayoutMode("").Values()) {
				l := Layout{form, storage, mode}
				transferred, err := moded(stored, mode)
				if err == nil {
					err = m.add(l, transferred)
				}
				if err != nil {
					m.leave(l.String(), err)
				}
			}
		}
	}
	return m.made, m.left, nil
}

// forms make workloads of the forms.
var forms = map[LayoutForm]func(Workload) (Workload, error){
	Given: func(w Workload) (Workload, error) { return w, nil },
	Dumps: joined, Arrays: stacked,
	Both: func(w Workload) (Workload, error) {
		w, err := stacked(w)
		if err != nil {
			return w, err
		}
		return joined(w)
	},
}

// all returns the chosen values, or if there are none, all of them.
func all[T ~string](chosen []T, values []string) []T {
	if len(chosen) > 0 {
		return chosen
	}
	for _, v := range values {
		chosen = append(chosen, T(v))
	}
	return chosen
}

// maker makes the layouts of a workload.
type maker struct {
	given Resolved
	job   Job
	chunk []uint64
	made  []LayoutVariant
	texts [][]byte // the workloads of made as JSON
	left  []LeftOut
}

// leave says that something is left out.
func (m *maker) leave(what string, err error) {
	reason, _, _ := strings.Cut(err.Error(), "\n") // a place in the workload that was made tells nobody anything
	one := LeftOut{what, reason}
	if !slices.Contains(m.left, one) {
		m.left = append(m.left, one)
	}
}

// add adds a layout, unless there is the same workload already.
func (m *maker) add(l Layout, w Workload) error {
	r, text, err := m.resolved(l, w)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(m.texts, func(other []byte) bool { return bytes.Equal(text, other) })
	switch {
	case at < 0:
		m.made, m.texts = append(m.made, LayoutVariant{Layout: l, Workload: r}), append(m.texts, text)
	case at == 0 && m.made[0].Same == (Layout{}):
		m.made[0].Same = l
	}
	return nil
}

// resolved returns a workload that is checked as one of a file, with its JSON.
func (m *maker) resolved(l Layout, w Workload) (Resolved, []byte, error) {
	text, err := w.JSON()
	if err != nil {
		return Resolved{}, nil, err
	}
	read, err := Read(l.String(), text)
	if err != nil {
		return Resolved{}, nil, err
	}
	r, err := Resolve(read, "", nil, Job{})
	if err != nil {
		return r, nil, err
	}
	r.Sizes, r.Choices = m.given.Sizes, m.given.Choices
	if _, err := r.Compile(0, m.job); err != nil {
		return r, nil, err
	}
	text, err = r.JSON()
	return r, text, err
}
