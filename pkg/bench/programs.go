package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"h5perf/pkg/mpi"
	"h5perf/pkg/workload"
)

// CheckPrograms returns an error, the same on all processes, if the processes cannot run their programs together: a
// step is impossible, a process would wait in a step for others that never do it, uses of a file or of objects do not
// fit together, or a process would read data that no process has written. The error is a *workload.Fault if the line of
// the workload file is known that causes it. The function of returns the program of this process. plain means that some
// files are plain files: all processes must then place a dataset at the same offset. CheckPrograms opens no file.
// Collective.
func CheckPrograms(comm mpi.Comm, of func() (workload.Program, error), plain bool) error {
	program, reads, written, err := makeProgram(of)
	whole := newCollectivesHash(comm.Rank())
	for c := range program.CollectiveOperations() {
		whole.addNextCollective(&c)
	}
	all := mpi.Reduction{}
	failed := all.AddFlag(err != nil)
	differs := whole.addToReduction(&all)
	most := all.Add(float64(whole.length))
	asked := all.AddFlag(len(reads) > 0)
	uses := program.Uses()
	needed := reduceUses(&uses, &all)
	all.Run(comm)
	if failed.Max > 0 {
		text := ""
		if err != nil {
			text = fmt.Sprintf("rank %d: %v", comm.Rank(), err)
		}
		return errors.New(string(comm.Bcast([]byte(text), failed.MaxRank)))
	}
	if differs() {
		return findFirstDifference(comm, &program, uint64(most.Max))
	}
	if needed() {
		if err := checkUses(comm, &uses, plain); err != nil {
			return err
		}
	}
	if asked.Max == 0 {
		return nil
	}
	return checkReadDataExists(comm, &program, reads, written)
}

// broadcastFault sends the fault of the process with the given rank to all processes, and returns it as an error.
// Collective.
func broadcastFault(comm mpi.Comm, fault workload.Fault, rank int) error {
	return &workload.Fault{
		Line: mpi.Broadcast(comm, fault.Line, rank), Reason: string(comm.Bcast([]byte(fault.Reason), rank)),
	}
}

// MaxComparedPrograms is the largest number of processes whose programs are compared before a job exists, in memory.
const MaxComparedPrograms = 8

// CheckAllPrograms runs CheckPrograms for the programs of all processes of a job, and returns its error.
func CheckAllPrograms(programs []workload.Program, plain bool) error {
	errs := make([]error, len(programs))
	var running sync.WaitGroup
	for rank, comm := range mpi.MemoryWorld(len(programs)) {
		running.Go(func() {
			errs[rank] = CheckPrograms(comm, func() (workload.Program, error) { return programs[rank], nil }, plain)
		})
	}
	running.Wait()
	return errs[0]
}

// makeProgram returns the program of this process, which it gets from of, with two lists: its reads of datasets that
// the process itself has not written before, and the datasets that it writes.
func makeProgram(of func() (workload.Program, error)) (
	program workload.Program, reads []workload.UnwrittenRead, written workload.WrittenDatasets, err error,
) {
	if program, err = of(); err == nil {
		reads, written, err = program.UnwrittenReads()
	}
	if err != nil {
		program = workload.Program{}
	}
	return program, reads, written, err
}

// collectivesHash is a hash of the first collective steps of a program: processes whose hashes are equal do the same
// steps.
type collectivesHash struct {
	rank        int
	length      uint64
	hash        uint64
	turnBalance uint32 // turns passed to this process minus turns that it passes on; 0 in sum over all processes
	cyclic      bool   // a turn comes from a higher rank, or goes to a lower one
}

func newCollectivesHash(rank int) collectivesHash { return collectivesHash{rank: rank, hash: 1} }

// mixHashes returns a number that depends on all bits of both arguments.
func mixHashes(a, b uint64) uint64 {
	a = (a ^ b) * 0x9e3779b97f4a7c15
	a = (a ^ a>>32) * 0xd6e8feb86659fd93
	return a ^ a>>32
}

func (p *collectivesHash) addNextCollective(c *workload.CollectiveOperation) {
	p.length++
	p.hash = mixHashes(p.hash, c.Hash)
	if !c.IsTurn {
		return
	}
	between := func(from, to int) uint32 {
		return uint32(mixHashes(mixHashes(p.length, uint64(from)), uint64(to)))
	}
	if c.PreviousRank != workload.NoRank {
		p.turnBalance += between(c.PreviousRank, p.rank)
		p.cyclic = p.cyclic || c.PreviousRank >= p.rank
	}
	if c.NextRank != workload.NoRank {
		p.turnBalance -= between(p.rank, c.NextRank)
		p.cyclic = p.cyclic || c.NextRank <= p.rank
	}
}

// addToReduction adds the hash to a reduction. The function that it returns reports, after the reduction, whether the
// processes have different hashes.
func (p *collectivesHash) addToReduction(all *mpi.Reduction) (differs func() bool) {
	low, high := all.Add(float64(uint32(p.hash))), all.Add(float64(p.hash>>32))
	turns, cyclic := all.Add(float64(p.turnBalance)), all.AddFlag(p.cyclic)
	return func() bool {
		return low.Min != low.Max || high.Min != high.Max || uint64(turns.Sum)<<32 != 0 || cyclic.Max > 0
	}
}

// findFirstDifference returns an error that describes the first collective step in which processes differ. It finds
// that step by binary search in the first most steps, which are known to contain a difference. Collective.
func findFirstDifference(comm mpi.Comm, program *workload.Program, most uint64) error {
	equal := uint64(0) // the first equal collectives are equal on all processes
	for most-equal > 1 {
		middle := (equal + most) / 2
		p, all := newCollectivesHash(comm.Rank()), mpi.Reduction{}
		for c := range program.CollectiveOperations() {
			if p.length == middle {
				break
			}
			p.addNextCollective(&c)
		}
		differs := p.addToReduction(&all)
		if all.Run(comm); differs() {
			most = middle
		} else {
			equal = middle
		}
	}
	own, text, n := rankCollective{Before: workload.NoRank, After: workload.NoRank}, "nothing more", uint64(0)
	for c := range program.CollectiveOperations() {
		if n++; n == most {
			own, text = rankCollective{c.Hash, c.Line, c.IsTurn, c.PreviousRank, c.NextRank}, c.String()
			break
		}
	}
	return describeDifference(comm, own, text, most)
}

// describeDifference returns an error that says which processes differ in the collective step with the given number,
// and what each does. The error names the first line of the workload file that is known for one of these steps.
// Collective.
func describeDifference(comm mpi.Comm, own rankCollective, text string, number uint64) error {
	if own.Turn {
		text += fmt.Sprintf(", after %s and before %s", rankOrNoneText(own.Before), rankOrNoneText(own.After))
	}
	data, _ := json.Marshal(own) // cannot fail
	var all []rankCollective
	for _, data := range comm.Gather(data) {
		var s rankCollective
		_ = json.Unmarshal(data, &s)
		all = append(all, s)
	}
	groups, line := mpi.Broadcast(comm, groupRanksByStep(all), 0), 0
	var b strings.Builder
	fmt.Fprintf(&b, "ranks would wait for one another for ever: they differ in step %d of those that all do together",
		number)
	for i, g := range groups {
		line = cmp.Or(line, g.Line)
		if i == maxNamedRanks {
			fmt.Fprintf(&b, "; and %d other steps", len(groups)-i)
			break
		}
		fmt.Fprintf(&b, "; %s: %s", g.Ranks, comm.Bcast([]byte(text), g.First))
	}
	b.WriteString("; let all ranks do the same steps, in the same order, with a file that all of them open")
	return &workload.Fault{Line: line, Reason: b.String()}
}

// maxNamedRanks is the largest number of different steps, and of ranges of ranks for each step, that an error lists.
const maxNamedRanks = 4

// rankCollective describes a collective step of one process, in the form in which it is sent to the others.
type rankCollective struct {
	Hash          uint64
	Line          int
	Turn          bool
	Before, After int
}

// sameStepRanks is a group of processes that do the same step: the first of them, its line, and all of them as text.
type sameStepRanks struct {
	First, Line int
	Ranks       string
}

// groupRanksByStep groups the processes by the collective that they do. If all do the same, they differ in their turns:
// it then returns the first two processes that disagree about whose turn comes next.
func groupRanksByStep(all []rankCollective) (same []sameStepRanks) {
	var order []uint64
	ranks := map[uint64][]int{}
	for rank, s := range all {
		if ranks[s.Hash] == nil {
			order = append(order, s.Hash)
		}
		ranks[s.Hash] = append(ranks[s.Hash], rank)
	}
	if len(order) > 1 {
		for _, hash := range order {
			same = append(same, sameStepRanks{ranks[hash][0], all[ranks[hash][0]].Line, rankRangesText(ranks[hash])})
		}
		return same
	}
	fits := func(from, to int) bool {
		return from < to && to < len(all) && from >= 0 && all[from].After == to && all[to].Before == from
	}
	for rank, s := range all {
		for _, turn := range [][2]int{{s.Before, rank}, {rank, s.After}} {
			if slices.Contains(turn[:], workload.NoRank) || fits(turn[0], turn[1]) {
				continue
			}
			for _, one := range turn {
				if one < len(all) {
					same = append(same, sameStepRanks{one, all[one].Line, rankRangesText([]int{one})})
				}
			}
			return same
		}
	}
	return same
}

// rankRangesText formats ranks, which are in increasing order, such as "ranks 0 to 3, 7".
func rankRangesText(ranks []int) string {
	var parts []string
	for i := 0; i < len(ranks); {
		last := i
		for last+1 < len(ranks) && ranks[last+1] == ranks[last]+1 {
			last++
		}
		switch {
		case len(parts) == maxNamedRanks:
			return "ranks " + strings.Join(parts, ", ") + " and others"
		case last == i:
			parts = append(parts, fmt.Sprint(ranks[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d to %d", ranks[i], ranks[last]))
		}
		i = last + 1
	}
	if len(ranks) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ", ")
}

// rankOrNoneText formats a rank.
func rankOrNoneText(rank int) string {
	if rank == workload.NoRank {
		return "no rank"
	}
	return fmt.Sprint("rank ", rank)
}

// maxAskedReads is the largest number of reads about which a process asks the others at once.
const maxAskedReads = 256

// checkReadDataExists returns an error for a read of datasets that no process has written. reads are the reads of
// datasets that this process has not written, and written are the datasets that it has. One process after another sends
// its reads to all processes, which answer whether they have written the datasets. Collective.
func checkReadDataExists(
	comm mpi.Comm, program *workload.Program, reads []workload.UnwrittenRead, written workload.WrittenDatasets,
) error {
	for {
		var all mpi.Reduction
		asks := all.AddFlag(len(reads) > 0)
		if all.Run(comm); asks.Max == 0 {
			return nil
		}
		asker := asks.MaxRank
		asked := mpi.Broadcast(comm, reads[:min(len(reads), maxAskedReads)], asker)
		from := make([]float64, len(asked))
		for i, r := range asked {
			from[i] = float64(r.From)
		}
		if i := skipWrittenDatasets(comm, asked, from, written); i >= 0 {
			var fault workload.Fault
			if comm.Rank() == asker {
				fault = reads[i].Fault(program, uint64(from[i]))
			}
			return broadcastFault(comm, fault, asker)
		}
		if comm.Rank() == asker {
			reads = reads[len(asked):]
			continue
		}
		done := map[string]bool{}
		for _, r := range asked {
			done[datasetsKey(&r)] = true
		}
		reads = slices.DeleteFunc(reads, func(r workload.UnwrittenRead) bool { return done[datasetsKey(&r)] })
	}
}

// datasetsKey returns a key that is equal for reads of the same datasets.
func datasetsKey(r *workload.UnwrittenRead) string {
	return fmt.Sprint(r.From, " ", r.To, " ", r.Place)
}

// skipWrittenDatasets advances from[i], for each read asked[i], over the datasets that some process has written. It
// returns the index of a read with a dataset that no process has written, or -1 if there is no such read. Collective.
func skipWrittenDatasets(comm mpi.Comm, asked []workload.UnwrittenRead, from []float64,
	written workload.WrittenDatasets,
) int {
	for {
		own := make([]float64, len(asked))
		for i, r := range asked {
			own[i] = float64(written.FirstUnwritten(r.Place, uint64(from[i]), r.To))
		}
		left := false
		for i, all := range comm.Reduce(own) {
			end := float64(asked[i].To)
			if from[i] < end && all.Max == from[i] {
				return i
			}
			from[i] = all.Max
			left = left || all.Max < end
		}
		if !left {
			return -1
		}
	}
}
