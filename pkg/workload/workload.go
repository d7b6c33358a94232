// Package workload defines programs: the files, objects and steps of one process. A Program is complete: the engines
// and the harness that execute it compute no geometry and make no decisions.
//
// The package is pure: no I/O, no clock, no cgo.
package workload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
)

// Op is the direction of transfers.
type Op int

// The directions: Write writes files, and Read reads them.
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

// Program is the part of one process in a workload. Its size depends on the steps and runs of this process, not on the
// number of processes.
type Program struct {
	Files      []File
	Objects    []Object // a group comes before what is in it
	Attributes []Attributes
	Moves      []Move
	Parts      [2]ProgramPart // by Op: part Write is executed before part Read
	// Each epoch has one step, which all processes do together or leave out. So the class of each epoch is known in
	// advance.
	Uniform bool
}

// HasSharedFiles reports whether there is a file that all processes open together.
func (p *Program) HasSharedFiles() bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return f.Group == All })
}

// HasOnlyRegularMoves reports whether all moves are regular and none is listed (see Move), as in a Sweep. Then all
// processes together transfer whole datasets.
func (p *Program) HasOnlyRegularMoves() bool {
	return !slices.ContainsFunc(p.Moves, func(m Move) bool { return m.Listed })
}

// ProgramPart is the work in one direction.
type ProgramPart struct {
	Begin []Epoch // before the first dump
	Dumps []Dump
	End   []Epoch // after the last dump
	// Things other than bytes that all processes together handle in each dump.
	Quantities []Quantity
}

// Quantity is a number of things, such as samples, that an application handles in each dump.
type Quantity struct {
	Name   string
	Number uint64
}

// Dump is one round of output or input. A time limit or a signal ends a run only between dumps.
type Dump struct {
	Epochs []Epoch
}

// Epoch is the work of a process between two points at which the harness synchronizes processes. The harness does
// nothing during an epoch.
type Epoch struct {
	Steps []Step
}

// RankGroup is a set of processes.
type RankGroup int

// The groups. The processes of one group open a file.
const (
	All       RankGroup = iota // all processes of the case
	Self                       // each process alone
	Root                       // process 0 alone
	TurnGroup                  // processes that share a file in turn
)

// String describes the processes: "all ranks", "rank 0 alone".
func (g RankGroup) String() string {
	return [...]string{"all ranks", "some ranks by themselves", "rank 0 alone", "ranks in turns"}[g]
}

// File is a file that a group of processes uses.
type File struct {
	Name string // base name without suffix, of letters, digits and underscores; "": what the harness calls it
	// Processes that open the file. If the group is not All, one process opens it at a time, and HDF5 uses the serial
	// file driver.
	Group    RankGroup
	Bytes    uint64 // size of a plain file with the data of all its datasets
	Tracking Tracking
	// POSIX: each object of the file is a file of its own, in a directory; groups are directories in it.
	ObjectFiles bool
}

// ObjectsSuffix is the end of the name of a directory with the objects of a file. It follows the name of the file.
const ObjectsSuffix = ".objects"

// ExternalSuffix is the end of the name of the file with the data of external datasets. It follows the name of the file
// with these datasets.
const ExternalSuffix = ".external"

// HasExternalData reports whether datasets of the program are in external files. Then each of its files has one.
func (p *Program) HasExternalData() bool {
	return slices.ContainsFunc(p.Objects, func(o Object) bool { return o.External })
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

// LiteralFormat returns a format (see Object.Name) that yields name for each number.
func LiteralFormat(name string) string { return strings.ReplaceAll(name, "%", "%%") }

// ObjectKind is a kind of object.
type ObjectKind int

// The kinds of object.
const (
	GroupObject ObjectKind = iota
	DatasetObject
	LinkObject // it is created, but never opened
)

// NoParent is the parent of objects in the root group of their file.
const NoParent = -1

// MaxCompactBytes is the largest size in bytes of a compact dataset in the oldest file format. HDF5 pads the message in
// the object header, which has 4 bytes more, to a multiple of 8, and has 16 bits for its size.
const MaxCompactBytes = 65_524

// Object is a family of groups or datasets that differ only in their names. Its members are numbered from 0.
type Object struct {
	Kind     ObjectKind
	File     int    // index in Program.Files
	Parent   int    // index in Program.Objects of the family of parent groups, or NoParent
	PerGroup uint64 // members in each group of Parent, or in the file; at least 1
	Count    uint64 // number of members
	Name     string // a format; several members in a group: with a verb for the number; %% is a percent sign
	First    uint64 // number of the first member of each group, for Name
	Tracking Tracking

	Link Link // of links: what they point to

	// Fields of datasets.
	Type        Type
	Null        bool     // the dataspace is null: no extent, no elements, no transfers
	Dims        []uint64 // final extent in elements, slowest dimension first; none: a scalar
	InitialDims []uint64 // extent when it is created; nil: Dims
	MaxExtent   []uint64 // largest extent; nil: Dims; Unlimited: no limit
	Chunk       []uint64 // extent of a chunk in elements; nil: contiguous storage, or compact
	Compact     bool
	// The data are in another file (ExternalSuffix), at the position that they have in a plain file. Their storage is
	// contiguous, and HDF5 never fills it.
	External         bool
	Filters          []Filter
	CompressionRatio float64        // compression ratio of the data: see fill.FieldValues
	ValueKind        fill.ValueKind // with a CompressionRatio: random
	Fill             FillPolicy
	// If these are new names of objects: the family of their old names, plus 1. The data keep their position.
	OldNames int
	// Position of the data of member m in a plain file: Base + m × Stride bytes from its start.
	Base, Stride uint64
}

// FirstNames returns the family of the first names of the objects of a family: another one if they were renamed. The
// values of their data depend on the first names.
func (p *Program) FirstNames(family int) int {
	for p.Objects[family].OldNames > 0 {
		family = p.Objects[family].OldNames - 1
	}
	return family
}

// Link is what a link points to.
type Link struct {
	Kind LinkKind
	File string // external link: the name of a file in the same directory, which need not exist
	Path string // of an object; hard link: from the root group on, and the object exists
}

// LinkKind is a kind of link.
type LinkKind int

// The kinds of links.
const (
	HardLink LinkKind = iota
	SoftLink
	ExternalLink
)

// String returns "hard", "soft" or "external".
func (k LinkKind) String() string { return [...]string{"hard", "soft", "external"}[k] }

// Unlimited is an extent without a limit (H5S_UNLIMITED).
const Unlimited = ^uint64(0)

// NameOf returns the name of a member, without its path.
func (o *Object) NameOf(member uint64) string { return memberName(o.Name, o.First+member%o.PerGroup) }

// HasName reports whether a member of the family has a name.
func (o *Object) HasName(name string) bool {
	before, _, after := splitAtVerb(o.Name)
	text, _ := strings.CutPrefix(name, before)
	text, _ = strings.CutSuffix(text, after)
	number, _ := strconv.ParseUint(text, 10, 64) // of other names NameOf differs
	member := number - o.First
	return name == o.NameOf(0) || member < o.PerGroup && name == o.NameOf(member)
}

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

// Bytes returns the size of the data of a dataset in bytes.
func (o *Object) Bytes() uint64 {
	if o.Null {
		return 0
	}
	return o.Type.Bytes() * pattern.Product(o.Dims)
}

// Values describes the data that are written to a dataset, for a seed.
func (o *Object) Values(seed uint64) fill.FieldValues {
	return fill.FieldValues{
		Seed: seed, ElementSize: o.Type.Bytes(), Fields: o.Type.Fields(), Ratio: o.CompressionRatio, Kind: o.ValueKind,
	}
}

// Compresses reports whether a filter of the dataset compresses data.
func (o *Object) Compresses() bool { return slices.ContainsFunc(o.Filters, Filter.Compresses) }

// Filter is an HDF5 filter, with its parameter if it has one.
type Filter struct {
	// deflate, shuffle, szip, fletcher32, nbit, scaleoffset, zstd or lz4; "": another filter of the library, or one in
	// a plugin
	Name   string
	Level  int
	Number int      // number of a filter without Name
	Values []uint32 // its parameters
}

// MaxZstdLevel is the highest level of the filter zstd; the lowest is 1.
const MaxZstdLevel = 22

// Compresses reports whether the filter compresses data. Filters without a name are taken to do so.
func (f Filter) Compresses() bool {
	return slices.Contains([]string{"", "deflate", "szip", "scaleoffset", "zstd", "lz4"}, f.Name)
}

// Library returns the shared library that a filter needs if HDF5 has no plugin for it. It returns "" if HDF5 may have
// the filter itself.
func (f Filter) Library() string {
	return map[string]string{
		"zstd": "libzstd.so.1 (package libzstd1 in Debian)", "lz4": "liblz4.so.1 (package liblz4-1 in Debian)",
	}[f.Name]
}

// IsSetUpOnce reports whether HDF5 itself sets parameters of the filter. If a dataset has it several times, HDF5 sets
// those of the first one only, and skips the others when it writes.
func (f Filter) IsSetUpOnce() bool {
	return slices.Contains([]string{"shuffle", "szip", "nbit", "scaleoffset"}, f.Name)
}

// HasNameOf reports whether the filters have the same name.
func (f Filter) HasNameOf(other Filter) bool { return f.Name == other.Name }

// String returns the name of the filter and its parameter, or its number and parameters.
func (f Filter) String() string {
	if f.Name == "" {
		return fmt.Sprint(f.Number, " ", f.Values)
	}
	return fmt.Sprint(f.Name, " ", f.Level)
}

// FillPolicy says when HDF5 fills and allocates storage, and with what. "" stands for the default of HDF5.
type FillPolicy struct {
	Time     string // alloc, never or ifset
	Allocate string // early, late or incremental
	Value    []byte // an element as it is in the file; nil: zeros, the default of HDF5
}

// Attributes is a family of attributes of an object that differ only in their names.
type Attributes struct {
	Name  string // a format, as Object.Name
	Count uint64 // number of attributes
	Type  Type
	Null  bool     // the dataspace is null: no elements
	Dims  []uint64 // extent in elements; none: a scalar
}

// NumElements returns the number of elements of an attribute.
func (a *Attributes) NumElements() uint64 {
	if a.Null {
		return 0
	}
	return pattern.Product(a.Dims)
}

// Move is one or several transfers between each dataset of a family and the memory of this process.
//
// The transfers of a regular move are hyperslabs, whose elements are contiguous in memory. A listed move is one
// transfer, with any selection, which may be empty, and any form of memory. Fields that only the other kind uses are
// zero.
type Move struct {
	Object int // family of datasets
	// Regular moves: the transfers as a hyperslab that moves through the dataset, and as runs of a plain file. For
	// HDF5, these runs are in row-major order, like the buffer.
	Sequence pattern.Sequence
	Nest     pattern.LoopNest
	Buffer   Buffer
	Slab     SlabMethod // how HDF5 selects the hyperslab

	Listed         bool
	Rule           Rule              // rule by which processes divide the dataset; no Name: none
	Selection      pattern.Selection // of elements of the dataset
	PlainSelection pattern.Selection // Selection, or its bytes that belong to Member, in a plain file
	Form           pattern.MemoryArrangement
	Union          UnionMethod
	Member         string // only this member of the compounds in the file is transferred; "": all members are
	// If the Form is of kind Member and elements are compounds: the type of the structures in memory. They have the
	// members of the compounds one after another, and further members.
	StructureType Type
	// The part of this process is split into several such moves, each with one run. Processes may have different
	// numbers of them.
	OneRun bool
	// Bytes that all processes together transfer with this move, if all of them do the same step; 0: not known.
	AllBytes uint64

	Collective     bool
	ContiguousPart bool // the part of each process is one run of the file
	Extends        bool // HDF5, chunked: the dataset begins with the extent of a transfer buffer, and grows
}

// SlabMethod is how HDF5 selects the hyperslab of regular transfers.
type SlabMethod int

// The ways to select a hyperslab.
const (
	SlabAtOnce SlabMethod = iota // H5Sselect_hyperslab
	SlabBlocks                   // one block after another: H5Sselect_hyperslab with H5S_SELECT_OR
	SlabPoints                   // one element after another: H5Sselect_elements
)

// UnionMethod is how HDF5 builds an irregular selection.
type UnionMethod int

// The ways to build an irregular selection.
const (
	UnionMerge UnionMethod = iota // halves are built and combined, recursively: H5Scombine_select
	UnionOr                       // one box after another, at a quadratic cost: H5Sselect_hyperslab with H5S_SELECT_OR
)

// NumTransfers returns the number of transfers with a dataset.
func (m *Move) NumTransfers() uint64 {
	if m.Listed {
		return 1
	}
	return m.Sequence.NumTransfers()
}

// TransferBytes returns the number of bytes of one transfer.
func (m *Move) TransferBytes() uint64 {
	if m.Listed {
		return m.PlainSelection.Bytes()
	}
	return m.Sequence.TransferBytes()
}

// MaxContiguousBytes returns the length in bytes of the longest contiguous range of a transfer in a plain file.
// Adjacent runs count as one range.
func (m *Move) MaxContiguousBytes() uint64 {
	longest := m.Nest.RunBytes
	for _, l := range slices.Backward(m.Nest.Runs) {
		if l.Stride != longest {
			break
		}
		longest *= l.Count
	}
	for _, bytes := range m.PlainSelection.Runs() {
		longest = max(longest, bytes)
	}
	return longest
}

// Ordinal returns the index of transfer t of member k among all transfers of the move. All three count from 0. The
// ordinal selects the buffer: see Buffer.
func (m *Move) Ordinal(k, t uint64) uint64 { return k*m.NumTransfers() + t }

// Buffer is the memory for the transfers of a move: transfer buffers in Pool, one after another, whose number is Slots.
// The transfer with ordinal n (Move.Ordinal) uses slot n mod Slots. With OneForReads, all reads use slot 0.
type Buffer struct {
	Pool        []byte // not in the Go heap
	Slots       uint64
	OneForReads bool
	SlotBytes   uint64 // size of a transfer buffer, with the gaps of its form
	Grain       uint64 // bytes between two stamps of a run; see package fill
}

// SlotsUsedBy returns the number of slots that transfers of a direction use.
func (b Buffer) SlotsUsedBy(op Op) uint64 {
	if b.OneForReads && op == Read {
		return 1
	}
	return b.Slots
}

// SlotOffset returns the offset in bytes, within Pool, of the slot for an ordinal.
func (b Buffer) SlotOffset(ordinal uint64) uint64 { return ordinal % b.Slots * b.SlotBytes }

// Slot returns the memory of the slot for an ordinal.
func (b Buffer) Slot(ordinal uint64) []byte {
	at := b.SlotOffset(ordinal)
	return b.Pool[at : at+b.SlotBytes : at+b.SlotBytes]
}

// EachPiece calls yield for each piece of a transfer that is contiguous in both the dataset and the buffer. file is the
// offset in the dataset, as in a plain file; memory is the offset in the buffer; both are in bytes.
func (m *Move) EachPiece(yield func(file, memory, bytes uint64)) error {
	if m.Listed {
		pieces, err := pattern.ContiguousPieces(m.PlainSelection, m.Form)
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

// PathOf returns the path of an object: the name of its file, and the names of its groups and of the object.
func (p *Program) PathOf(object int, member uint64) string {
	o := &p.Objects[object]
	if o.Parent == NoParent {
		return p.Files[o.File].Name + ":/" + o.NameOf(member)
	}
	return p.PathOf(o.Parent, member/o.PerGroup) + "/" + o.NameOf(member)
}
