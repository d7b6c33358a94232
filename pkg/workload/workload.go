// Package workload defines programs: the files, objects and steps of one process. A Program is complete: engines and
// the harness that execute it compute no geometry and decide nothing.
//
// The package is pure: no I/O, no clock, no cgo.
package workload

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
)

// Op is the direction of transfers.
type Op int

// Write creates files, Read opens them.
const (
	Write Op = iota
	Read
)

// String returns "write" or "read".
func (o Op) String() string {
	if o == Write {
		return "write"
	}
	return "read"
}

// Program is a workload as one process takes part in it. Its size depends on the steps and runs of this process, not on
// the number of processes.
type Program struct {
	Files      []File
	Objects    []Object // a group comes before what is in it
	Attributes []Attributes
	Moves      []Move
	Parts      [2]Part // by Op: first all is written, then all is read
	// Each epoch is one step, which all processes do together, or leave out: the class of each epoch is known before.
	Uniform bool
}

// HasSharedFiles reports whether all processes open files together.
func (p *Program) HasSharedFiles() bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return f.Group == All })
}

// IsRegular reports whether all moves are regular, as those of a Sweep: together, all processes move whole datasets.
func (p *Program) IsRegular() bool {
	return !slices.ContainsFunc(p.Moves, func(m Move) bool { return m.Listed })
}

// Part is all that is written, or all that is read.
type Part struct {
	Begin []Epoch // before the first dump
	Dumps []Dump
	End   []Epoch // after the last dump
	// What each dump handles beside bytes, as all processes together.
	Handles []Units
}

// Units is a number of things of which an application handles some in each dump, such as samples.
type Units struct {
	Name   string
	Number uint64
}

// Dump is one round of output or input. A time limit, and a signal to stop, act between dumps.
type Dump struct {
	Epochs []Epoch
}

// Epoch is what processes do between two rendezvous of the harness, which has no part in it.
type Epoch struct {
	Steps []Step
}

// RankGroup is a set of processes.
type RankGroup int

// The groups. Each file is opened by the processes of one.
const (
	All  RankGroup = iota // all processes of the case
	Self                  // each process alone
	Root                  // process 0 alone
	Band                  // processes that share a file in turn
)

// String returns the processes, in words.
func (g RankGroup) String() string {
	return [...]string{"all ranks", "some ranks by themselves", "rank 0 alone", "ranks in turns"}[g]
}

// File is a file, as some processes use it.
type File struct {
	Name string // base name without suffix, of letters, digits and underscores; "": what the harness calls it
	// Processes that open a file together. If that is not All, one process opens it at a time, and HDF5 uses the serial
	// file driver.
	Group RankGroup
	Bytes uint64 // size of a plain file with the data of all its datasets
}

// memberName returns the name of a member of a family.
func memberName(name string, number uint64) string {
	switch verbs := strings.Count(name, "%") - 2*strings.Count(name, "%%"); {
	case !strings.Contains(name, "%"):
		return name
	case verbs == 0:
		return strings.ReplaceAll(name, "%%", "%")
	}
	return fmt.Sprintf(name, number)
}

// LiteralFormat returns the format, as of Object.Name, of a name without a number.
func LiteralFormat(name string) string { return strings.ReplaceAll(name, "%", "%%") }

// ObjectKind is a kind of object.
type ObjectKind int

// The kinds of object.
const (
	GroupObject ObjectKind = iota
	DatasetObject
)

// NoParent is the parent of objects in the root group of their file.
const NoParent = -1

// Object is a family of like groups or datasets. Its members are numbered from 0.
type Object struct {
	Kind   ObjectKind
	File   int    // that holds it, in Program.Files
	Parent int    // family of the groups that hold it, in Program.Objects, or NoParent
	Each   uint64 // members in each group of Parent, or in the file; at least 1
	Count  uint64 // number of members
	Name   string // a format: for several members in a group with one verb, for their number; %% is a percent sign
	First  uint64 // number of the first member in its group

	// Of datasets.
	Type      Type
	Null      bool     // there are no elements: it has no extent, and nothing is transferred
	Dims      []uint64 // extent in elements, slowest dimension first, when all is written; none: a scalar
	Initial   []uint64 // extent when it is created; nil: Dims
	MaxExtent []uint64 // largest extent; nil: Dims; Unlimited: no limit
	Chunk     []uint64 // extent of a chunk in elements; nil: contiguous storage, or compact
	Compact   bool
	Filters   []Filter
	Ratio     float64 // by which a compressor makes the data smaller: see fill.Values
	Fill      Fill
	// Where the data of member m are in a plain file: Base + m × Stride bytes from its start.
	Base, Stride uint64
}

// Unlimited is an extent without a limit (H5S_UNLIMITED).
const Unlimited = ^uint64(0)

// NameOf returns the name of a member in its group.
func (o *Object) NameOf(member uint64) string { return memberName(o.Name, o.First+member%o.Each) }

// NumChunks returns the number of chunks of a dataset; 0 if its storage is not chunked.
func (o *Object) NumChunks() uint64 {
	if o.Chunk == nil {
		return 0
	}
	n := uint64(1)
	for d, extent := range o.Chunk {
		n *= (o.Dims[d] + extent - 1) / extent
	}
	return n
}

// ChunkBytes returns the size of a chunk in bytes.
func (o *Object) ChunkBytes() uint64 {
	return o.Type.Bytes() * pattern.Product(o.Chunk)
}

// Bytes returns the size of the data of a dataset.
func (o *Object) Bytes() uint64 {
	if o.Null {
		return 0
	}
	return o.Type.Bytes() * pattern.Product(o.Dims)
}

// Values returns the data that are written to a dataset, for a seed.
func (o *Object) Values(seed uint64) fill.Values {
	return fill.Values{Seed: seed, Element: o.Type.Bytes(), Fields: o.Type.Fields(), Ratio: o.Ratio}
}

// Compresses reports whether a filter makes the data smaller.
func (o *Object) Compresses() bool { return slices.ContainsFunc(o.Filters, Filter.Compresses) }

// Filter is a filter of the library, with its parameter, if it has one.
type Filter struct {
	Name  string // deflate, shuffle, szip or fletcher32
	Level int
}

// Compresses reports whether the filter makes data smaller.
func (f Filter) Compresses() bool { return f.Name == "deflate" || f.Name == "szip" }

// Fill says when storage is allocated and filled. Empty is the library's default.
type Fill struct {
	Time     string // alloc, never or ifset
	Allocate string // early, late or incremental
}

// Attributes is a family of like attributes of an object.
type Attributes struct {
	Name  string // as of Object
	Count uint64 // number of attributes
	Type  Type
	Null  bool     // there are no elements
	Dims  []uint64 // extent in elements; none: a scalar
}

// NumElements returns the number of elements of an attribute.
func (a *Attributes) NumElements() uint64 {
	if a.Null {
		return 0
	}
	return pattern.Product(a.Dims)
}

// Move is one or several transfers of this process between each dataset of a family and its memory.
//
// The transfers of a regular move are hyperslabs, and their elements follow each other in memory without gaps. A listed
// move is one transfer: a selection of any kind, which may select nothing, and memory of any form. What only the other
// form has is zero.
type Move struct {
	Object int // family of datasets
	// Transfers as a hyperslab that moves through the dataset, and the same as runs of a plain file; for HDF5, runs in
	// row-major order, that of the buffer.
	Sequence pattern.Sequence
	Nest     pattern.Nest
	Buffer   Buffer

	Listed    bool
	Rule      Rule              // by which processes divide the dataset, if they divide it by one
	Selection pattern.Selection // of elements of the dataset
	Plain     pattern.Selection // the same in a plain file: of Selection, or of its bytes that belong to Member
	Form      pattern.MemoryForm
	Union     UnionMethod
	Member    string // of the compounds in the file, the only member that is moved; "": all are
	// Of compounds with a Form of kind Member: the structures in memory, which have the members of the compounds after
	// one another, and others.
	Within Type
	// Several such moves, each with one run, have the part of this process. Processes have different numbers of them.
	OneRun bool
	// Bytes that all processes together move with it, if those that do other steps than this one do less; 0: not known.
	AllBytes uint64

	Collective bool
	Region     bool // the part of each process is one run of the file
	Extends    bool // HDF5, chunked: the dataset has the extent of a transfer buffer at first, and grows with transfers
}

// UnionMethod is how HDF5 builds an irregular selection.
type UnionMethod int

// The ways to build an irregular selection.
const (
	Merge UnionMethod = iota // halves are built and combined, again and again: H5Scombine_select
	Or                       // one box after another, at a quadratic cost: H5Sselect_hyperslab with H5S_SELECT_OR
)

// NumTransfers returns the number of transfers with a dataset.
func (m *Move) NumTransfers() uint64 {
	if m.Listed {
		return 1
	}
	return m.Sequence.NumTransfers()
}

// TransferBytes returns the number of bytes that one transfer moves.
func (m *Move) TransferBytes() uint64 {
	if m.Listed {
		return m.Plain.Bytes()
	}
	return m.Sequence.TransferBytes()
}

// LongestStretch returns the length in bytes of the longest contiguous stretch of a transfer, in a plain file: adjacent
// runs count as one.
func (m *Move) LongestStretch() uint64 {
	longest := m.Nest.RunBytes
	for _, l := range slices.Backward(m.Nest.Runs) {
		if l.Stride != longest {
			break
		}
		longest *= l.Count
	}
	for _, bytes := range m.Plain.Runs() {
		longest = max(longest, bytes)
	}
	return longest
}

// Ordinal returns the number of transfer t of member k among all transfers of its file. All three count from 0. It
// selects the buffer: see Buffer.
func (m *Move) Ordinal(k, t uint64) uint64 { return k*m.NumTransfers() + t }

// Buffer is the memory of a process's transfers: Slots transfer buffers in Pool, one after another. The transfer with
// ordinal n (Move.Ordinal) uses slot n mod Slots; with OneForReads, all reads use slot 0.
type Buffer struct {
	Pool        []byte // not in the Go heap
	Slots       uint64
	OneForReads bool
	SlotBytes   uint64 // size of a transfer buffer, with the gaps of its form
	Grain       uint64 // bytes between two stamps of a run; see package fill
}

// SlotsUsedBy returns the number of slots that an operation uses.
func (b Buffer) SlotsUsedBy(op Op) uint64 {
	if b.OneForReads && op == Read {
		return 1
	}
	return b.Slots
}

// SlotOffset returns the offset in the pool, in bytes, of the slot of an ordinal.
func (b Buffer) SlotOffset(ordinal uint64) uint64 { return ordinal % b.Slots * b.SlotBytes }

// Slot returns the slot of an ordinal.
func (b Buffer) Slot(ordinal uint64) []byte {
	at := b.SlotOffset(ordinal)
	return b.Pool[at : at+b.SlotBytes : at+b.SlotBytes]
}

// EachPiece calls yield for each stretch of a transfer that is contiguous in the dataset and in the buffer: the offset
// in the dataset, as of a plain file, the offset in the buffer, and the number of bytes.
func (m *Move) EachPiece(yield func(file, memory, bytes uint64)) error {
	if m.Listed {
		pieces, err := pattern.Pieces(m.Plain, m.Form)
		if err != nil {
			return err
		}
		for p := range pieces {
			yield(p.File, p.Memory, p.Bytes)
		}
		return nil
	}
	for run := range m.Nest.RunsPerTransfer() {
		yield(m.Nest.RunOffset(0, run), run*m.Nest.RunBytes, m.Nest.RunBytes)
	}
	return nil
}

// PathOf returns the path of an object: the name of its file, and those of its groups and of itself.
func (p *Program) PathOf(object int, member uint64) string {
	o := &p.Objects[object]
	if o.Parent == NoParent {
		return p.Files[o.File].Name + ":/" + o.NameOf(member)
	}
	return p.PathOf(o.Parent, member/o.Each) + "/" + o.NameOf(member)
}
