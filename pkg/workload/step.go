package workload

import (
	"iter"
	"slices"
	"time"
)

// Class is a kind of work. Each has a clock of its own.
type Class int

// The classes.
const (
	FileOpen    Class = iota // files are created or opened
	Create                   // groups and datasets are created
	Open                     // groups and datasets are opened
	Attribute                // attributes are created, opened, written or read
	Select                   // selections are built
	Transfer                 // data are moved
	Extend                   // datasets are extended
	ObjectClose              // groups and datasets are closed
	Sync                     // written data are made durable
	FileClose                // files are closed
	Unlink                   // objects are unlinked
	Compute                  // the application computes; the process sleeps
	Fence                    // processes wait for one another
	Classes
)

// String returns the name of the class.
func (c Class) String() string {
	return [...]string{
		"file open", "create", "open", "attribute", "select", "transfer", "extend", "object close", "sync",
		"file close", "unlink", "compute", "fence",
	}[c]
}

// Step is one step of an epoch: a batch that an engine does, or something that the harness does.
type Step struct {
	Batch
	Line     int           // of the workload file that asks for it; 0: not known
	Duration time.Duration // of Compute
	Turn     TurnPart      // of Fence
	// Of a turn: the rank from which it comes, or to which it is passed on; NoRank before the first rank of a band, and
	// after the last one.
	Neighbour int
}

// NoRank is no rank.
const NoRank = -1

// TurnPart is what a fence of a Band is for. The processes of a band do steps one after another: one waits for its
// turn, does its steps, and passes the turn on to the next one. Awaiting is the first step of an epoch, and passing on
// the last one.
type TurnPart int

// The parts of a turn.
const (
	NoTurn TurnPart = iota // the fence is for all processes at once
	Await                  // the process waits until the one before it in the band has passed the turn on
	Pass                   // the next process of the band may go on
)

// Batch is a number of like operations, which an engine does in one call.
type Batch struct {
	Class Class
	Op    Op // of FileOpen, Attribute and Transfer, and of what is done to objects in between

	File     int    // in Program.Files
	Path     string // of the file; the harness sets it
	Existing bool   // FileOpen with Write: the file is not created, but opened to be changed
	// FileOpen with Write: the file is empty when the first process opens it. Other processes may have written to it
	// since, so that no process that opens it by itself may truncate it.
	Empty bool

	// Objects First to First + Count - 1 of a family. Classes Create, Open, Attribute, Transfer, Extend, ObjectClose
	// and Unlink.
	Object       int
	First, Count uint64

	// Class Attribute: the family, in Program.Attributes. With Object NoParent, they are of the root group of the file.
	Attributes int
	Extent     []uint64 // Extend: of the dataset from then on

	// The move that transfers. Classes Create and Open: the move whose transfers begin with the dataset, or NoMove;
	// class ObjectClose: the move whose transfers end, or NoMove. Class Select: the listed move whose selection is
	// built.
	Move  int
	Times uint64 // number of transfers
	// Transfer: the transfers begin and end with this batch, in each of the datasets.
	Whole bool
	// Transfer, with Whole: several datasets in one call, those of this number of listed moves from Move on; 0: one
	// after another, each of one move. Their buffers follow each other in one mapping, and have a slot for each
	// dataset.
	Together int

	// Set by the harness where transfers begin.
	Tag      uint64 // who writes: see package fill
	Stamping bool   // transfers write stamps with the tag into buffers, or read what has such stamps
}

// Moves yields the moves of a batch of transfers.
func (b *Batch) Moves() iter.Seq[int] {
	return func(yield func(int) bool) {
		for move := b.Move; move < b.Move+max(1, b.Together); move++ {
			if !yield(move) {
				return
			}
		}
	}
}

// NoMove is the move of a batch that begins no transfers.
const NoMove = -1

// Steps yields the steps of a part, in their order.
func (p *Part) Steps() iter.Seq[*Step] {
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

// Transfers yields the transfers of a part of the program: a step with each of its moves.
func (p *Program) Transfers(part *Part) iter.Seq2[*Step, *Move] {
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

// withEpochs returns the part with what do returns in the place of the epochs before the dumps, of each dump, and after
// the dumps.
func (p Part) withEpochs(do func([]Epoch) []Epoch) Part {
	p.Begin, p.Dumps = do(p.Begin), slices.Clone(p.Dumps)
	for i := range p.Dumps {
		p.Dumps[i].Epochs = do(p.Dumps[i].Epochs)
	}
	p.End = do(p.End)
	return p
}

// withSteps returns the part with what do returns in the place of the steps of each epoch.
func (p Part) withSteps(do func([]Step) []Step) Part {
	return p.withEpochs(func(epochs []Epoch) []Epoch {
		epochs = slices.Clone(epochs)
		for i := range epochs {
			epochs[i].Steps = do(epochs[i].Steps)
		}
		return epochs
	})
}

// Sections returns the epochs before the dumps, of each dump, and after the dumps.
func (p *Part) Sections() [][]Epoch {
	all := [][]Epoch{p.Begin}
	for i := range p.Dumps {
		all = append(all, p.Dumps[i].Epochs)
	}
	return append(all, p.End)
}
