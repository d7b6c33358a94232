package workload

import (
	"cmp"
	"slices"
)

// FileAccess says when a process uses a file in part Write. The time of the part is divided into periods, which are
// numbered from 1: a period begins when all processes wait for one another, at the begin of an epoch or at a fence. It
// has a fixed size, so that it can be sent.
type FileAccess struct {
	FileHash uint64
	From, To uint64 // from the first to the last period of the access
	Line     uint32 // in the workload file; 0: not known
	Kind     AccessKind
	Creates  bool // the file is created
	Changes  bool // the file is created, or something is written to it
	Together bool // all processes open the file together
	InTurn   bool // the access is within a turn of the process, and so after those of the processes before it
}

// AccessKind is a kind of access to a file.
type AccessKind uint8

// The kinds of access.
const (
	OpenAccess     AccessKind = iota // from opening the file to closing it
	TransferAccess                   // data are transferred, of a file that all processes have opened together
)

// fileAccesses returns the accesses of part Write.
func (p *Program) fileAccesses() []FileAccess {
	c := accessCollector{Program: p, open: map[int]FileAccess{}, known: map[FileAccess]bool{}}
	for _, epochs := range p.Parts[Write].Sections() {
		for i := range epochs {
			c.period++
			for j := range epochs[i].Steps {
				c.addStep(&epochs[i].Steps[j])
			}
			c.inTurn = false
		}
	}
	return c.all
}

type accessCollector struct {
	*Program
	all    []FileAccess
	open   map[int]FileAccess  // by index of the file
	known  map[FileAccess]bool // transfers of the current period, without their lines
	period uint64
	inTurn bool
}

// addStep notes which file a step uses.
func (c *accessCollector) addStep(s *Step) {
	switch {
	case s.Class == Fence && s.Turn == NoTurn:
		c.period++
	case s.Class == Fence:
		c.inTurn = s.Turn == AwaitTurn
	case s.Class == FileOpen:
		f := &c.Files[s.File]
		c.open[s.File] = FileAccess{
			FileHash: hashOfText(f.Name), From: c.period, Line: uint32(s.Line), Creates: !s.Existing,
			Changes: !s.Existing, Together: f.Group == All, InTurn: c.inTurn,
		}
	case s.Class == FileClose:
		a := c.open[s.File]
		a.To = c.period
		a.InTurn = a.InTurn && a.From == a.To
		c.all = append(c.all, a)
		delete(c.open, s.File)
	case s.Class == Transfer:
		c.addTransfer(s)
	case s.changesFile():
		c.noteChange(s)
	}
}

// changesFile reports whether a step of part Write changes its file, apart from opening and closing it.
func (s *Step) changesFile() bool {
	switch s.Class {
	case Create, CreateLink, Rename, Attribute, Extend, Unlink:
		return true
	case Transfer:
		return s.Op == Write
	}
	return false
}

// addTransfer notes a step that transfers data.
func (c *accessCollector) addTransfer(s *Step) {
	moves := slices.Collect(s.Moves())
	if !slices.ContainsFunc(moves, func(m int) bool { return c.Moves[m].TransferBytes() > 0 }) {
		return
	}
	if s.changesFile() {
		c.noteChange(s)
	}
	a := c.open[s.File]
	if !a.Together {
		return
	}
	a = FileAccess{
		FileHash: a.FileHash, From: c.period, To: c.period, Kind: TransferAccess, Changes: s.changesFile(),
		Together: true,
	}
	if !c.known[a] {
		c.known[a] = true
		a.Line = uint32(s.Line)
		c.all = append(c.all, a)
	}
}

// noteChange notes a step that changes its file.
func (c *accessCollector) noteChange(s *Step) {
	a := c.open[s.File]
	a.Changes = true
	c.open[s.File] = a
}

// OpenToRead makes steps of part Write open files for reading that a process opens alone and changes nothing in, as an
// application does: then others may read them at the same time, in spite of the locks of HDF5.
func (p *Program) OpenToRead() {
	type openSteps struct {
		opens   *Step
		changes bool
	}
	open := map[int]openSteps{}
	for s := range p.Parts[Write].Steps() {
		switch {
		case s.Class == FileOpen:
			open[s.File] = openSteps{s, !s.Existing || p.Files[s.File].Group != Self}
		case s.Class == FileClose:
			if f := open[s.File]; f.opens != nil && !f.changes {
				f.opens.Op, s.Op = Read, Read
			}
		case s.changesFile() || s.Class == Sync: // MPI syncs files only that are open for writing
			open[s.File] = openSteps{open[s.File].opens, true}
		}
	}
}

// RankAccess is an access of a process.
type RankAccess struct {
	FileAccess
	Rank int
}

// FindUnorderedAccess searches the accesses of all processes to one file for two of different processes, of which one
// must wait for the other and does not: one of them changes the file, and both may be at the same time, or the file is
// opened before another process creates it. before is the access that must come first, and after is the other one.
// found is false if there are no such accesses. It sorts all.
func FindUnorderedAccess(all []RankAccess) (before, after RankAccess, found bool) {
	slices.SortStableFunc(all, func(a, b RankAccess) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(firstIf(a.Creates), firstIf(b.Creates)),
			cmp.Compare(firstIf(a.Changes), firstIf(b.Changes)))
	})
	if created := slices.IndexFunc(all, func(a RankAccess) bool { return a.Creates }); created > 0 {
		return all[created], all[0], true
	}
	// Accesses of the same form conflict with the same accesses. So for each form it is enough to know the access that
	// ends last, and the one that ends last on another process.
	type form struct {
		kind                      AccessKind
		changes, together, inTurn bool
	}
	last := map[form][]RankAccess{}
	for _, a := range all {
		for _, ended := range last {
			for _, b := range ended {
				if a.conflictsWith(&b) {
					if a.Changes && !b.Changes {
						a, b = b, a
					}
					return b, a, true
				}
			}
		}
		f := form{a.Kind, a.Changes, a.Together, a.InTurn}
		last[f] = lastOfTwoRanks(append(last[f], a))
	}
	return before, after, false
}

// firstIf returns a number for comparisons that sort true before false.
func firstIf(first bool) int {
	if first {
		return 0
	}
	return 1
}

// conflictsWith reports whether the accesses may be at the same time, are of different processes, and one of them
// changes the file. What all processes do together with a file does not conflict, apart from transfers.
func (a *RankAccess) conflictsWith(b *RankAccess) bool {
	switch {
	case a.Rank == b.Rank || !a.Changes && !b.Changes || b.To < a.From || a.To < b.From || a.InTurn && b.InTurn:
		return false
	case a.Together && b.Together: // writes of several processes are of parts of the file
		return a.Kind == TransferAccess && b.Kind == TransferAccess && a.Changes != b.Changes
	}
	return a.Kind == OpenAccess && b.Kind == OpenAccess
}

// lastOfTwoRanks returns the access that ends last, and the one of another process that ends last.
func lastOfTwoRanks(all []RankAccess) []RankAccess {
	slices.SortStableFunc(all, func(a, b RankAccess) int { return cmp.Compare(b.To, a.To) })
	kept := all[:1]
	for _, a := range all[1:] {
		if a.Rank != kept[0].Rank {
			return append(kept, a)
		}
	}
	return kept
}
