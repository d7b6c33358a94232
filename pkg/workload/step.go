package workload

import (
	"iter"
	"slices"
	"time"
)

// StepClass is a kind of work. The time of each class is measured separately.
type StepClass int

// The classes.
const (
	FileOpen    StepClass = iota // files are created or opened
	Create                       // groups and datasets are created
	Open                         // groups and datasets are opened
	CreateLink                   // links are created
	Stat                         // the library is asked about objects or links, by their names
	List                         // groups are listed
	Rename                       // objects are given other names
	Attribute                    // attributes are created, opened, written or read
	Select                       // selections are built
	Transfer                     // data are transferred
	ReadBack                     // data are read in part Write: a class of times alone, since its steps are transfers
	Extend                       // datasets are extended
	ObjectClose                  // groups and datasets are closed
	Sync                         // files are synced: written data are made durable
	FileClose                    // files are closed
	Unlink                       // objects are unlinked
	Compute                      // the application computes; the process sleeps
	Fence                        // processes wait for one another
	NumClasses
)

var classNames = [NumClasses]string{
	"file open", "create", "open", "link", "stat", "list", "rename", "attribute", "select", "transfer", "read back",
	"extend", "object close", "sync", "file close", "unlink", "compute", "fence",
}

// String returns the name of the class.
func (c StepClass) String() string { return classNames[c] }

// Step is one step of an epoch: a batch of operations for an engine, or an operation of the harness.
type Step struct {
	Batch
	Line     int           // line in the workload file; 0: not known
	Duration time.Duration // Compute: how long
	Turn     TurnPart      // Fence: its part of a turn
	// For a turn: the rank that passes the turn to this rank (AwaitTurn), or that gets the turn next (PassTurn).
	// NoRank: there is no such rank in the band.
	NeighbourRank int
}

// MinRatedObjects is the smallest number of objects of a class of steps that have a rate: the time of fewer is that of
// opening their file, and the first calls.
const MinRatedObjects = 100

// NumObjects returns the number of objects (groups, datasets, links and attributes) that a step is for; 0 if its class
// is about files, data or time.
func (p *Program) NumObjects(s *Step) uint64 {
	switch s.Class {
	case Create, Open, CreateLink, Stat, List, Rename, Extend, ObjectClose, Unlink:
		return s.Count
	case Attribute:
		return s.Count * p.Attributes[s.Attributes].Count
	}
	return 0
}

// IsReadBack reports whether a step of a part reads data while other processes may write.
func (s *Step) IsReadBack(part Op) bool { return part == Write && s.Class == Transfer && s.Op == Read }

// TimedClass returns the class to which the time of a step of a part is added.
func (s *Step) TimedClass(part Op) StepClass {
	if s.IsReadBack(part) {
		return ReadBack
	}
	return s.Class
}

// NoRank stands for a neighbour that does not exist.
const NoRank = -1

// TurnPart says which part of a turn a fence is. The processes of a band (a group of processes that take turns) do
// steps one after another: each waits for its turn, does its steps, and passes the turn on to the next process.
// AwaitTurn is the first step of an epoch, and PassTurn the last one.
type TurnPart int

// The parts of a turn.
const (
	NoTurn    TurnPart = iota // the fence is for all processes at once
	AwaitTurn                 // the process waits until its predecessor in the band has passed the turn on
	PassTurn                  // the next process of the band may go on
)

// Batch is a number of similar operations, which an engine does in one call.
type Batch struct {
	Class StepClass
	// Direction of FileOpen, Attribute and Transfer, and of operations on objects in between: that of the part, except
	// for a Transfer that reads in part Write, and for opening and closing a file that is only read there.
	Op Op

	File     int    // in Program.Files
	Path     string // path of the file; the harness sets it
	Existing bool   // FileOpen with Write: an existing file is opened to be changed
	// FileOpen with Write: the file is empty when the first process opens it. Other processes may have written to it
	// since. So a process that opens it alone must not truncate it.
	InitiallyEmpty bool

	// Objects First to First + Count - 1 of a family. Classes Create, Open, CreateLink, Stat, List, Rename, Attribute,
	// Transfer, Extend, ObjectClose and Unlink.
	Object       int
	First, Count uint64

	// Class Attribute: the family, in Program.Attributes. With Object NoParent, the attributes belong to the root group
	// of the file.
	Attributes int
	Extent     []uint64 // Extend: new extent of the dataset
	Info       ObjectInfo
	// Class List: the listed groups are this number of levels above the objects: with 1, their parents. With Visits,
	// all that is below a group is listed, too. The objects are all members of the listed groups.
	Levels int
	Visits bool
	// Class Rename: the family of the new names, in Program.Objects. Its members have the numbers of the old ones, and
	// the same parents.
	NewNames int

	// Class Transfer: the move. Classes Create and Open: the move whose transfers begin with the dataset, or NoMove.
	// Class ObjectClose: the move whose transfers end, or NoMove. Class Select: the listed move whose selection is
	// built.
	Move         int
	NumTransfers uint64 // number of transfers
	// Transfer: the transfers begin and end with this batch, in each of the datasets.
	BeginsAndEnds bool
	// Transfer, with BeginsAndEnds: several datasets are transferred in one call, those of this number of listed moves
	// from Move on; 0: one dataset after another, with one move. The buffers of the moves are consecutive in one
	// mapping, and have a slot for each dataset.
	MultiMoves int
	// Transfer, with BeginsAndEnds: each of this number of listed moves from Move on does one transfer in the same
	// dataset, one after another; the engine selects a hyperslab before each. 0: one move, or MultiMoves.
	SeriesMoves int

	// Set by the harness where transfers begin.
	Tag      uint64 // identifies the writer: see package fill
	Stamping bool   // writes stamp their buffers with the tag; reads expect such stamps
}

// ObjectInfo says what a step of class Stat asks about objects.
type ObjectInfo int

// What HDF5 tells about objects (H5Oget_info): each costs other reads of the file.
const (
	BasicInfo      ObjectInfo = iota // kind of object, and number of its links
	TimeInfo                         // the times, too
	AttributesInfo                   // the number of attributes, too
	HeaderInfo                       // the object header, too
	StorageInfo                      // the bytes of indices and heaps, too
	AllInfo                          // all of these
	numInfos
)

// String returns "basic", "time", "attributes", "header", "storage" or "all".
func (i ObjectInfo) String() string {
	return [...]string{"basic", "time", "attributes", "header", "storage", "all"}[i]
}

// ObjectInfoNames returns the names of what can be asked, in the order of the constants.
func ObjectInfoNames() []string {
	names := make([]string, numInfos)
	for i := range numInfos {
		names[i] = i.String()
	}
	return names
}

// Moves yields the index of each move of the batch. A move is what this rank transfers with one dataset; a batch has
// several if it transfers with several datasets at once.
func (b *Batch) Moves() iter.Seq[int] {
	return func(yield func(int) bool) {
		for move := b.Move; move < b.Move+b.NumMoves(); move++ {
			if !yield(move) {
				return
			}
		}
	}
}

// NumMoves returns the number of moves of a batch that has a move.
func (b *Batch) NumMoves() int { return max(1, b.MultiMoves, b.SeriesMoves) }

// NoMove is the move of a batch that belongs to no transfers.
const NoMove = -1

// Steps yields the steps of a part, in their order.
func (p *ProgramPart) Steps() iter.Seq[*Step] {
	return func(yield func(*Step) bool) {
		for _, epochs := range p.Sections() {
			for i := range epochs {
				for j := range epochs[i].Steps {
					if !yield(&epochs[i].Steps[j]) {
						return
					}
				}
			}
		}
	}
}

// Transfers yields the transfers of a part of the program: each step of class Transfer with each of its moves.
func (p *Program) Transfers(part *ProgramPart) iter.Seq2[*Step, *Move] {
	return func(yield func(*Step, *Move) bool) {
		for s := range part.Steps() {
			if s.Class != Transfer {
				continue
			}
			for move := range s.Moves() {
				if !yield(s, &p.Moves[move]) {
					return
				}
			}
		}
	}
}

// TogetherMoves returns the indices of the moves that one call transfers with others.
func (p *Program) TogetherMoves() map[int]bool {
	together := map[int]bool{}
	for op := range p.Parts {
		for s := range p.Parts[op].Steps() {
			for move := range s.Moves() {
				if s.MultiMoves > 1 {
					together[move] = true
				}
			}
		}
	}
	return together
}

// withEpochs returns a copy of the part, in which the function do has replaced the epochs of each section: before the
// dumps, of each dump, and after the dumps.
func (p ProgramPart) withEpochs(do func([]Epoch) []Epoch) ProgramPart {
	p.Begin, p.Dumps = do(p.Begin), slices.Clone(p.Dumps)
	for i := range p.Dumps {
		p.Dumps[i].Epochs = do(p.Dumps[i].Epochs)
	}
	p.End = do(p.End)
	return p
}

// withSteps returns a copy of the part, in which the function do has replaced the steps of each epoch.
func (p ProgramPart) withSteps(do func([]Step) []Step) ProgramPart {
	return p.withEpochs(func(epochs []Epoch) []Epoch {
		epochs = slices.Clone(epochs)
		for i := range epochs {
			epochs[i].Steps = do(epochs[i].Steps)
		}
		return epochs
	})
}

// Sections returns the epochs of each section: before the dumps, of each dump, and after the dumps.
func (p *ProgramPart) Sections() [][]Epoch {
	all := [][]Epoch{p.Begin}
	for i := range p.Dumps {
		all = append(all, p.Dumps[i].Epochs)
	}
	return append(all, p.End)
}
