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
	OpensApart     bool // the process opens it without the others, or reads it in part write
}

// fileCheckResult is the result of comparing how all processes use files: the first wrong use or, if there is none, the
// files whose objects must be compared next.
type fileCheckResult struct {
	Wrong    bool
	Rank     int // a process that uses the wrong file
	File     uint64
	Creators string // ranks that create the wrong file; "": no process creates it
	Compared []uint64
	Ordered  []uint64 // files whose accesses must be compared next
}

// orderCheckResult is the result of comparing when processes use a file: an access that must come first, and another
// one that does not wait for it.
type orderCheckResult struct {
	Found         bool
	Before, After workload.RankAccess
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
	asks := all.AddFlag(opensWithoutCreating(u) || createsAlone(u) || len(filesOpenedApart(u)) > 0)
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

// filesOpenedApart returns the hashes of the files that a process opens without the others, or reads in part write.
func filesOpenedApart(u *workload.ProgramUses) map[uint64]bool {
	apart := map[uint64]bool{}
	for i := range u.Accesses {
		if a := &u.Accesses[i]; !a.Together || a.Kind == workload.TransferAccess && !a.Changes {
			apart[a.FileHash] = true
		}
	}
	return apart
}

// checkUses returns an error if the processes use files or objects in ways that do not fit together: several create a
// file by themselves, none creates it, a process uses it while another one may still write it, or a process opens
// objects that were created in another way or, in plain files, at another offset. Collective.
func checkUses(comm mpi.Comm, u *workload.ProgramUses, plain bool) error {
	last := comm.Size() - 1
	model := mpi.Broadcast(comm, u.Hash(), last)
	c := useComparison{comm: comm, uses: u, plain: plain}
	// A process with the same uses as the last one sends nothing, unless it creates a file by itself: that is another
	// file. But two processes send when they use files, since the same accesses of two processes may not fit together.
	c.sendsObjects = comm.Rank() == last || u.Hash() != model || createsAlone(u)
	c.sendsFiles = c.sendsObjects || comm.Rank() == last-1
	bytes := uint64(len(u.Files)*binary.Size(fileUse{}) + len(u.Accesses)*binary.Size(workload.FileAccess{}))
	mpi.SumInPlace(comm, &bytes)
	rounds := bytes/maxGatheredBytes + 1
	for round := range rounds {
		v := mpi.Broadcast(comm, c.compareFiles(func(file uint64) bool { return file%rounds == round }), 0)
		if v.Wrong {
			return c.wrongFileError(v)
		}
		if len(v.Ordered) > 0 {
			if o := mpi.Broadcast(comm, c.compareAccesses(v.Ordered), 0); o.Found {
				return c.wrongOrderError(o)
			}
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
	sendsObjects bool // no other process sends the same objects
	sendsFiles   bool // this process sends how and when it uses files
}

// compareFiles compares how the processes use the files for which the function some returns true. The result is valid
// on rank 0. Collective.
func (c *useComparison) compareFiles(some func(file uint64) bool) (v fileCheckResult) {
	opened := map[uint64]bool{}
	for i := range c.uses.Objects {
		o := &c.uses.Objects[i]
		opened[o.FileHash] = opened[o.FileHash] || !o.Created
	}
	apart := filesOpenedApart(c.uses)
	var own []fileUse
	for i := range c.uses.Files {
		f := &c.uses.Files[i]
		if file := f.Hash(); c.sendsFiles && some(file) {
			own = append(own, fileUse{file, f.Created, opened[file], apart[file]})
		}
	}
	type file struct {
		first    int // first process that uses it
		users    int
		created  bool
		compared bool
		apart    bool
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
			f.apart = f.apart || u.OpensApart
			f.users++
			if u.Created == workload.CreatedAlone {
				f.creators = append(f.creators, rank)
			}
		}
	}
	for _, hash := range order {
		f := files[hash]
		switch {
		case !f.created:
			return fileCheckResult{Wrong: true, Rank: f.first, File: hash}
		case len(f.creators) > 1:
			return fileCheckResult{Wrong: true, Rank: f.creators[0], File: hash, Creators: rankRangesText(f.creators)}
		}
		if f.compared {
			v.Compared = append(v.Compared, hash)
		}
		if f.apart && f.users > 1 {
			v.Ordered = append(v.Ordered, hash)
		}
	}
	return v
}

// hashSet returns a set of hashes.
func hashSet(hashes []uint64) map[uint64]bool {
	set := map[uint64]bool{}
	for _, hash := range hashes {
		set[hash] = true
	}
	return set
}

// compareAccesses compares when the processes use some files. The result is valid on rank 0. Collective.
func (c *useComparison) compareAccesses(files []uint64) (v orderCheckResult) {
	some := hashSet(files)
	var own []workload.FileAccess
	for _, a := range c.uses.Accesses {
		if c.sendsFiles && some[a.FileHash] {
			own = append(own, a)
		}
	}
	byFile := map[uint64][]workload.RankAccess{}
	for rank, all := range gather(c.comm, own) {
		for _, a := range all {
			byFile[a.FileHash] = append(byFile[a.FileHash], workload.RankAccess{FileAccess: a, Rank: rank})
		}
	}
	for _, hash := range files {
		if v.Before, v.After, v.Found = workload.FindUnorderedAccess(byFile[hash]); v.Found {
			break
		}
	}
	return v
}

// compareObjects compares the uses of the objects in some files. The result is valid on rank 0. Collective.
func (c *useComparison) compareObjects(files []uint64) objectCheckResult {
	some := hashSet(files)
	var own []workload.ObjectUse
	var numbers []uint32
	for i := range c.uses.Objects {
		if o := &c.uses.Objects[i]; c.sendsObjects && some[o.FileHash] {
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

// wrongOrderError returns the error about accesses to a file of which one does not wait for the other. Collective.
func (c *useComparison) wrongOrderError(v orderCheckResult) error {
	before, after := &v.Before, &v.After
	var fault workload.Fault
	for i := range c.uses.Files {
		if f := &c.uses.Files[i]; c.comm.Rank() == after.Rank && f.Hash() == after.FileHash {
			fault = workload.Fault{Line: int(after.Line), Reason: "file " + f.Name}
		}
	}
	first, wait := fmt.Sprintf("rank %d", before.Rank), fmt.Sprintf("write job.fence() before line %d, a step of all "+
		"ranks", after.Line)
	switch {
	case after.Kind == workload.TransferAccess:
		fault.Reason += fmt.Sprintf(" is read by rank %d, and %s may still write it (line %d), for which parallel "+
			"HDF5 makes no promise: %s, or read another file", after.Rank, first, before.Line, wait)
	case after.To < before.From:
		fault.Reason += fmt.Sprintf(" is opened by rank %d before %s creates it (line %d): let %s close it first, and "+
			"then %s", after.Rank, first, before.Line, first, wait)
	default:
		fault.Reason += fmt.Sprintf(" is opened by rank %d, and %s may still write it (it opens it in line %d): let "+
			"%s close it first, and then %s", after.Rank, first, before.Line, first, wait)
	}
	return broadcastFault(c.comm, fault, after.Rank)
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
