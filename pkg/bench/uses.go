package bench

import (
	"encoding/binary"
	"fmt"

	"h5perf/pkg/mpi"
	"h5perf/pkg/workload"
)

// maxGatheredBytes is the largest amount of data, in bytes, that all processes together send to rank 0 at once.
const maxGatheredBytes = 32 << 20

// fileUse describes how a process uses a file, in the form in which it is sent to the others.
type fileUse struct {
	File           uint64 // hash of its name
	Created        workload.FileCreation
	OpensUncreated bool // the process opens objects that it has not created
}

// fileCheckResult is the result of comparing how all processes use files: the first wrong use or, if there is none, the
// files whose objects must be compared next.
type fileCheckResult struct {
	Wrong    bool
	Rank     int // a process that uses the wrong file
	File     uint64
	Creators string // ranks that create the wrong file; "": no process creates it
	Compared []uint64
}

// objectCheckResult is the result of comparing objects: the first object that is opened in another way than it was
// created. Rank -1: none.
type objectCheckResult struct {
	Rank, Use int
	Number    uint64
	// The process that creates it in another way, and its use; -1: no process creates it.
	Creator, Creation int
	Misplaced         bool // it fits, but in plain files its data are at another place
}

// reduceUses adds a hash of how this process uses files and objects to a reduction. The function that it returns
// reports, after the reduction, whether the uses of the processes must be compared.
func reduceUses(u *workload.ProgramUses, all *mpi.Reduction) (needed func() bool) {
	hash := u.Hash()
	low, high := all.Add(float64(uint32(hash))), all.Add(float64(hash>>32))
	asks := all.AddFlag(opensWithoutCreating(u) || createsAlone(u))
	return func() bool { return low.Min != low.Max || high.Min != high.Max || asks.Max > 0 }
}

// opensWithoutCreating reports whether a process opens files or objects that it has not created.
func opensWithoutCreating(u *workload.ProgramUses) bool {
	for i := range u.Objects {
		if !u.Objects[i].Created {
			return true
		}
	}
	for i := range u.Files {
		if u.Files[i].Created == workload.OnlyOpened {
			return true
		}
	}
	return false
}

// createsAlone reports whether a process creates a file without the other processes.
func createsAlone(u *workload.ProgramUses) bool {
	for i := range u.Files {
		if u.Files[i].Created == workload.CreatedAlone {
			return true
		}
	}
	return false
}

// checkUses returns an error if the processes use files or objects in ways that do not fit together: several create a
// file by themselves, none creates it, or a process opens objects that were created in another way or, in plain files,
// at another offset. Collective.
func checkUses(comm mpi.Comm, u *workload.ProgramUses, plain bool) error {
	last := comm.Size() - 1
	model := mpi.Broadcast(comm, u.Hash(), last)
	c := useComparison{comm: comm, uses: u, plain: plain}
	// A process with the same uses as the last one sends nothing, unless it creates a file by itself: that is another
	// file.
	c.sendsNothing = comm.Rank() != last && u.Hash() == model && !createsAlone(u)
	bytes := uint64(len(u.Files) * binary.Size(fileUse{}))
	mpi.SumInPlace(comm, &bytes)
	rounds := bytes/maxGatheredBytes + 1
	for round := range rounds {
		v := mpi.Broadcast(comm, c.compareFiles(func(file uint64) bool { return file%rounds == round }), 0)
		if v.Wrong {
			return c.wrongFileError(v)
		}
		if len(v.Compared) == 0 {
			continue
		}
		if o := mpi.Broadcast(comm, c.compareObjects(v.Compared), 0); o.Rank >= 0 {
			return c.wrongObjectError(o)
		}
	}
	return nil
}

// useComparison compares how the processes use files and objects.
type useComparison struct {
	comm         mpi.Comm
	uses         *workload.ProgramUses
	plain        bool // some of the files are plain files
	sendsNothing bool // another process sends the same uses
}

// compareFiles compares how the processes use the files for which the function some returns true. The result is valid
// on rank 0. Collective.
func (c *useComparison) compareFiles(some func(file uint64) bool) (v fileCheckResult) {
	opened := map[uint64]bool{}
	for i := range c.uses.Objects {
		o := &c.uses.Objects[i]
		opened[o.FileHash] = opened[o.FileHash] || !o.Created
	}
	var own []fileUse
	for i := range c.uses.Files {
		f := &c.uses.Files[i]
		if file := f.Hash(); !c.sendsNothing && some(file) {
			own = append(own, fileUse{file, f.Created, opened[file]})
		}
	}
	type file struct {
		first    int // first process that uses it
		created  bool
		compared bool
		creators []int // ranks that create it by themselves
	}
	files := map[uint64]*file{}
	var order []uint64
	for rank, all := range gather(c.comm, own) {
		for _, u := range all {
			f := files[u.File]
			if f == nil {
				f = &file{first: rank}
				files[u.File], order = f, append(order, u.File)
			}
			f.created = f.created || u.Created != workload.OnlyOpened
			f.compared = f.compared || u.OpensUncreated
			if u.Created == workload.CreatedAlone {
				f.creators = append(f.creators, rank)
			}
		}
	}
	for _, hash := range order {
		switch f := files[hash]; {
		case !f.created:
			return fileCheckResult{Wrong: true, Rank: f.first, File: hash}
		case len(f.creators) > 1:
			return fileCheckResult{Wrong: true, Rank: f.creators[0], File: hash, Creators: rankRangesText(f.creators)}
		case f.compared:
			v.Compared = append(v.Compared, hash)
		}
	}
	return v
}

// compareObjects compares the uses of the objects in some files. The result is valid on rank 0. Collective.
func (c *useComparison) compareObjects(files []uint64) objectCheckResult {
	some := map[uint64]bool{}
	for _, file := range files {
		some[file] = true
	}
	var own []workload.ObjectUse
	var numbers []uint32
	for i := range c.uses.Objects {
		if o := &c.uses.Objects[i]; !c.sendsNothing && some[o.FileHash] {
			own, numbers = append(own, *o), append(numbers, uint32(i))
		}
	}
	var all []workload.ObjectUse
	for _, of := range gather(c.comm, own) {
		all = append(all, of...)
	}
	type from struct{ rank, use int }
	var origin []from
	for rank, of := range gather(c.comm, numbers) {
		for _, number := range of {
			origin = append(origin, from{rank, int(number)})
		}
	}
	opens, creates, number, found := workload.FindUncreated(all)
	misplaced := !found && c.plain
	if misplaced {
		opens, creates, number, found = workload.FindMisplaced(all)
	}
	if !found {
		return objectCheckResult{Rank: -1}
	}
	v := objectCheckResult{
		Rank: origin[opens].rank, Use: origin[opens].use, Number: number, Creator: -1, Misplaced: misplaced,
	}
	if creates >= 0 {
		v.Creator, v.Creation = origin[creates].rank, origin[creates].use
	}
	return v
}

// gather returns the values of all processes on rank 0, and nil on the others. T must have a fixed size. Collective.
func gather[T any](comm mpi.Comm, own []T) [][]T {
	data, _ := binary.Append(nil, binary.LittleEndian, own) // cannot fail: T has a fixed size
	var all [][]T
	for _, data := range comm.Gather(data) {
		var one T
		values := make([]T, len(data)/binary.Size(one))
		_, _ = binary.Decode(data, binary.LittleEndian, values)
		all = append(all, values)
	}
	return all
}

// wrongFileError returns the error about a wrong use of a file. Collective.
func (c *useComparison) wrongFileError(v fileCheckResult) error {
	var fault workload.Fault
	for i := range c.uses.Files {
		f := &c.uses.Files[i]
		if f.Hash() != v.File || c.comm.Rank() != v.Rank {
			continue
		}
		fault = workload.Fault{Line: f.Line, Reason: fmt.Sprintf("file %s is created by %s, each by itself: the later "+
			"ones empty what the first one has written; let all ranks create it together, or give each rank a file of "+
			"another name", f.Name, v.Creators)}
		if v.Creators == "" {
			fault.Reason = fmt.Sprintf("file %s is opened, but no step of any rank has created it: create it in part "+
				"write", f.Name)
		}
	}
	return broadcastFault(c.comm, fault, v.Rank)
}

// wrongObjectError returns the error about a wrong use of an object. Collective.
func (c *useComparison) wrongObjectError(v objectCheckResult) error {
	created, line := "", 0
	if v.Creator >= 0 {
		if c.comm.Rank() == v.Creator {
			_, created = c.uses.ObjectText(v.Creation, v.Number)
			line = c.uses.LineOfObject(v.Creation)
			created = fmt.Sprintf("rank %d creates it %s (line %d)", v.Creator, created, line)
		}
		line = mpi.Broadcast(c.comm, line, v.Creator)
		created = string(c.comm.Bcast([]byte(created), v.Creator))
	}
	var fault workload.Fault
	if c.comm.Rank() == v.Rank {
		name, what := c.uses.ObjectText(v.Use, v.Number)
		fault = workload.Fault{
			Line: c.uses.LineOfObject(v.Use),
			Reason: fmt.Sprintf("%s is opened by rank %d %s, but %s: "+
				"give it the same type, extent and storage on all ranks, or deal objects to ranks with numbered(name, "+
				"job.deal(n))", name, v.Rank, what, created),
		}
		switch {
		case v.Misplaced:
			fault.Reason = fmt.Sprintf("%s: rank %d opens the datasets of its file in another order than rank %d "+
				"creates them (line %d), or only some of them: for POSIX and MPI-IO open them all, in the order of "+
				"creation, or measure with -A phdf5", name, v.Rank, v.Creator, line)
		case created == "":
			fault.Reason = fmt.Sprintf("%s is opened by rank %d, but no step of any rank has created it: create it in "+
				"part write; in turns, the first rank creates what is not dealt to ranks with numbered(name, "+
				"job.deal(n))", name, v.Rank)
		}
	}
	return broadcastFault(c.comm, fault, v.Rank)
}
