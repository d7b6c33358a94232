package workload

import (
	"errors"
	"iter"
	"math"
	"math/bits"
	"slices"
	"time"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
)

// Amounts is the work of all ranks of a job, with the memory and the storage that it needs.
type Amounts struct {
	Ops    [2]Amount
	Memory uint64 // largest size of the buffers of a rank in bytes, with what HDF5 has in memory for variable lengths
	// Upper bound of the bytes of datasets and attributes in all files, as if nothing were compressed or unlinked. What
	// nobody writes counts only where HDF5 stores fill values.
	DiskBytes uint64
	Files     uint64 // number of files that are created
	// Number of those that have another file for external data where the API is HDF5.
	ExternalFiles uint64
	Filtered      FilteredBytes
	// Number of ranks whose programs were examined, if the totals are estimated from a sample; 0: all ranks were. With
	// a sample, maxima over ranks are those of the sample. Totals over ranks are the amount of rank 0 plus that of the
	// other sampled ranks, scaled up. Bytes are exact if the moves know the bytes of all ranks, or if all ranks divide
	// a dataset by the same rule.
	Sampled uint64
}

// FilteredBytes holds the size of the data in datasets with filters that compress, before and after the filters, when
// all the data are written.
type FilteredBytes struct {
	Bytes        uint64 // before the filters
	AfterFilters uint64 // after the filters, from the ratios of the data; smooth and repeated data are left out
	NoRatio      uint64 // part of Bytes and of AfterFilters: data without a ratio
}

// Amount is the work of all ranks in one direction. An operation that all processes do together counts once. An
// operation that each process does by itself counts once for each process.
type Amount struct {
	Dumps        uint64
	Bytes        uint64 // transferred bytes of datasets; what several ranks write or read counts for each
	Estimated    bool   // Bytes is scaled up from some ranks, and may be inexact
	ReadBack     uint64 // bytes that are read in part Write; scaled up if a sample of ranks was examined
	MaxRankBytes uint64 // maximum over ranks
	Calls        uint64 // maximum over ranks: calls of H5Dwrite or H5Dread
	AllCalls     uint64 // calls of all ranks, also those that transfer nothing
	Runs         uint64 // contiguous runs of file bytes, of all ranks
	Files        uint64 // files that are created or opened
	Groups       uint64 // groups that are created or opened; the same for datasets and attributes
	Datasets     uint64
	NewDatasets  uint64 // datasets that are created
	// Objects that steps are for, by class (see Program.NumObjects), and those that are files where the API makes files
	// of objects.
	Objects, FileObjects [NumClasses]uint64
	Steps                uint64 // maximum over ranks
	Compute              time.Duration
}

// totalsOverRanks returns pointers to the numbers that are sums over ranks.
func (a *Amounts) totalsOverRanks() []*uint64 {
	all := []*uint64{
		&a.DiskBytes, &a.Files, &a.ExternalFiles, &a.Filtered.Bytes, &a.Filtered.AfterFilters, &a.Filtered.NoRatio,
	}
	for i := range a.Ops {
		o := &a.Ops[i]
		all = append(all, &o.Bytes, &o.ReadBack, &o.AllCalls, &o.Runs, &o.Files, &o.Groups, &o.Datasets, &o.NewDatasets)
		for class := range o.Objects {
			all = append(all, &o.Objects[class], &o.FileObjects[class])
		}
	}
	return all
}

// Limits of the number of programs that AmountsOf examines. If there are more ranks, or if the programs are long, it
// examines a sample.
const (
	maxPrograms        = 4096
	maxSampledWork     = 1 << 17 // limit of the steps and runs of all examined programs
	maxUnsampledRanks  = 16      // up to so many ranks, all are examined
	maxProgramsBySteps = 16      // examined if their steps are within maxSampledWork, however many runs they have
	minSampled         = 2       // rank 0, which may have steps of its own, and another rank
)

// AmountsOf returns the work of all ranks of a job. program returns the program of a rank. It returns the error of
// program, or errOverflow.
func AmountsOf(ranks uint64, program func(rank uint64) (Program, error)) (Amounts, error) {
	s := amountSummer{
		ranks: ranks, written: map[string]*writtenStorage{}, createdAlone: map[string]bool{},
		writtenTogether: map[string]bool{},
	}
	add := func(rank uint64) error {
		p, err := program(rank)
		if err == nil {
			s.addProgram(&p, rank)
		}
		if rank == 0 && err == nil {
			s.exactBytes = s.bytesOfAllRanks(&p)
		}
		return err
	}
	if err := add(0); err != nil || ranks == 1 {
		return s.scaledAmounts(1, err)
	}
	if err := add(ranks - 1); err != nil {
		return s.scaledAmounts(1, err)
	}
	steps := s.collective.Ops[Write].Steps + s.collective.Ops[Read].Steps
	some := max(maxSampledWork*2/max(1, s.work), min(maxProgramsBySteps, maxSampledWork/max(1, steps)))
	some = min(ranks, maxPrograms, max(minSampled, some))
	if ranks <= maxUnsampledRanks {
		some = ranks
	}
	for rank := range sampledRanks(ranks, some) {
		if err := add(rank); err != nil {
			return s.scaledAmounts(1, err)
		}
	}
	return s.scaledAmounts(ranks, nil)
}

// sampledRanks yields the ranks to examine after the first and the last rank. sampleSize includes these two ranks.
// Ranks 1 and ranks-2 come first, since scripts have steps for single ranks; others follow in a shuffled order.
func sampledRanks(ranks, sampleSize uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		order := NewPermutation(ranks, 1)
		ends := []uint64{0, ranks - 1, 1, ranks - 2}
		for i, left := uint64(0), sampleSize-2; left > 0; i++ {
			rank := i + 1 // if all ranks are examined
			switch {
			case sampleSize == ranks:
			case i < 2:
				rank = ends[2+i]
			default:
				if rank = order.At(i - 2); slices.Contains(ends, rank) {
					continue
				}
			}
			left--
			if !yield(rank) {
				return
			}
		}
	}
}

// errOverflow is the error of totals that do not fit in 64 bits.
var errOverflow = errors.New("the workload has 2^64 bytes, objects or calls, or more: lower its sizes")

// amountSummer adds up the work in the programs of ranks. The work that all ranks do together is in each program, and
// counts once. The work that each rank does by itself is added over ranks.
type amountSummer struct {
	ranks       uint64    // of the job
	numPrograms uint64    // programs so far
	work        uint64    // steps and runs of these programs
	exactBytes  [2]uint64 // bytes of all ranks, from the moves of the first program; 0: not known
	collective  Amounts   // work of all ranks together: the maximum over programs
	firstRank   Amounts   // of rank 0, whose program comes first
	otherRanks  Amounts   // the sum over the other programs
	divided     [2]dividedBytes
	written     map[string]*writtenStorage // in shared files; the key is the path of a family of datasets
	// Bytes that are not stored in the files that one rank has alone: of rank 0, and the minimum over other ranks.
	unwrittenByFirst, unwrittenByOther uint64
	createdAlone, writtenTogether      map[string]bool // paths of families of datasets
	writeToOthers                      bool            // ranks write alone, or in turns, to datasets that others create
	overflow                           bool            // a sum was too large
}

// dividedBytes splits the bytes of all ranks in one direction: bytes of datasets that all ranks divide by a rule, and
// the rest, the other bytes that each rank transfers.
type dividedBytes struct {
	all             uint64 // bytes of all ranks, computed from the rules of a program
	differ          bool   // programs yield different values of all, so it is not valid
	firstRest       uint64 // rest of rank 0
	secondRest      uint64 // rest of the second program
	sumOfOtherRests uint64 // the sum over the other programs
	restsDiffer     bool   // rests differ between ranks other than 0
}

// addProduct adds the product of factors to a sum.
func (s *amountSummer) addProduct(to *uint64, factors ...uint64) {
	product := uint64(1)
	for _, f := range factors {
		high, low := bits.Mul64(product, f)
		s.overflow, product = s.overflow || high != 0, low
	}
	total, carry := bits.Add64(*to, product, 0)
	s.overflow, *to = s.overflow || carry != 0, total
}

// addProgram adds the work in the program of a rank.
func (s *amountSummer) addProgram(p *Program, rank uint64) {
	var together Amounts
	apart := &s.otherRanks
	if s.numPrograms == 0 {
		apart = &s.firstRank
	}
	_, slots, memory := p.PlaceBuffers()
	s.collective.Memory = max(s.collective.Memory, memory+p.variableMemory(slots))
	for op := range p.Parts {
		part := &p.Parts[op]
		own := Amount{Dumps: uint64(len(part.Dumps))}
		for step := range part.Steps() {
			own.Steps++
			into := apart
			if step.Class != Compute && step.Class != Fence && p.Files[step.File].Group == All {
				into = &together
			}
			s.addStep(p, Op(op), step, &own, into)
		}
		all, most := &apart.Ops[op], &s.collective.Ops[op]
		s.addProduct(&all.Bytes, own.MaxRankBytes)
		s.addProduct(&all.ReadBack, own.ReadBack)
		s.addProduct(&all.AllCalls, own.Calls)
		s.addProduct(&all.Runs, own.Runs)
		s.addDividedBytes(p, Op(op), rank, own.MaxRankBytes)
		s.work += own.Steps + own.Runs
		most.Dumps, most.Steps = max(most.Dumps, own.Dumps), max(most.Steps, own.Steps)
		most.MaxRankBytes, most.Calls = max(most.MaxRankBytes, own.MaxRankBytes), max(most.Calls, own.Calls)
		most.Compute = max(most.Compute, own.Compute)
	}
	for i, n := range s.collective.totalsOverRanks() {
		*n = max(*n, *together.totalsOverRanks()[i])
	}
	s.addWrittenStorage(p)
	s.numPrograms++
}

// addDividedBytes updates dividedBytes with the program of a rank. bytes is the number of bytes that this rank
// transfers.
func (s *amountSummer) addDividedBytes(p *Program, op Op, rank, bytes uint64) {
	d := &s.divided[op]
	var all uint64
	rest := bytes
	for step, m := range p.Transfers(&p.Parts[op]) {
		if total := bytesByRule(p, step, m, rank, s.ranks); total > 0 && !step.IsReadBack(op) {
			s.addProduct(&all, step.Count, step.NumTransfers, total)
			rest -= step.Count * step.NumTransfers * m.TransferBytes()
		}
	}
	switch s.numPrograms {
	case 0:
		d.all, d.firstRest = all, rest
	case 1:
		d.secondRest = rest
	}
	d.differ = d.differ || all != d.all
	if s.numPrograms > 0 {
		d.restsDiffer = d.restsDiffer || rest != d.secondRest
		s.addProduct(&d.sumOfOtherRests, rest)
	}
}

// bytesByRule returns the bytes that all ranks transfer with a move of one rank, if all divide the dataset by the rule
// of the move. It returns 0 if they do not, or if each rank has the whole dataset.
func bytesByRule(p *Program, step *Step, m *Move, rank, ranks uint64) uint64 {
	own, selected := m.TransferBytes(), m.Selection.Bytes()
	if !m.Listed || m.Rule.Name == "" || m.Rule.Name == AllRule || p.Files[step.File].Group != All ||
		m.Member != "" && selected == 0 {
		return 0
	}
	dims, element := m.Selection.Dims(), m.Selection.ElementBytes()
	part, err := m.Rule.Selection(dims, element, rank, ranks)
	if err != nil || part.Bytes() != selected { // only some ranks divide it, or runs are moved one by one
		return 0
	}
	all, err := m.Rule.TotalBytes(dims, element, ranks)
	switch {
	case err != nil:
		return 0
	case m.Member != "": // a part of each element
		return all / element * (own / m.Selection.NumElements())
	}
	return all
}

// bytesOfAllRanks returns the bytes that all ranks transfer, by direction, from Move.AllBytes; It returns zeros if
// AllBytes of a move is not known.
func (s *amountSummer) bytesOfAllRanks(p *Program) (all [2]uint64) {
	for op := range p.Parts {
		for step, m := range p.Transfers(&p.Parts[op]) {
			if step.IsReadBack(Op(op)) {
				continue
			}
			if p.Files[step.File].Group == Self || m.AllBytes == 0 && m.TransferBytes() > 0 {
				return [2]uint64{}
			}
			s.addProduct(&all[op], step.Count, step.NumTransfers, m.AllBytes)
		}
	}
	return all
}

// addStep adds the work of a step. The transfers of the rank are added to own, and the operations on files and objects
// to into.
func (s *amountSummer) addStep(p *Program, op Op, step *Step, own *Amount, into *Amounts) {
	done := &into.Ops[op]
	n := p.NumObjects(step)
	s.addProduct(&done.Objects[step.Class], n)
	if step.usesObjects() && p.Files[step.File].ObjectFiles {
		s.addProduct(&done.FileObjects[step.Class], n)
	}
	switch step.Class {
	case FileOpen:
		done.Files++
		if op == Write && !step.Existing {
			into.Files++
			if p.HasExternalData() {
				into.ExternalFiles++
			}
		}
	case Create, Open:
		o := &p.Objects[step.Object]
		if o.Kind != DatasetObject {
			if o.Kind == GroupObject {
				s.addProduct(&done.Groups, step.Count)
			}
			break
		}
		s.addProduct(&done.Datasets, step.Count)
		if step.Class == Create {
			s.addProduct(&done.NewDatasets, step.Count)
			s.addStoredBytes(into, o, step.Count)
		}
	case Attribute:
		a := &p.Attributes[step.Attributes]
		if op == Write {
			s.addProduct(&into.DiskBytes, step.Count, a.Count, a.NumElements(), a.Type.StoredBytes())
		}
	case Transfer:
		bytes := &own.MaxRankBytes
		if step.IsReadBack(op) { // the bytes of a direction are those on which its throughput rests
			bytes = &own.ReadBack
		}
		for i := range step.Moves() {
			m := &p.Moves[i]
			s.addProduct(bytes, step.Count, step.NumTransfers, m.TransferBytes())
			s.addProduct(&own.Runs, step.Count, step.NumTransfers, m.PlainSelection.RunCount())
			if step.MultiMoves == 0 {
				s.addProduct(&own.Calls, step.Count, step.NumTransfers)
			}
		}
		if step.MultiMoves > 0 {
			own.Calls++
		}
	case Compute:
		if step.Duration > math.MaxInt64-own.Compute {
			s.overflow = true
		}
		own.Compute += step.Duration
	}
}

// addStoredBytes adds the stored bytes of count datasets of a family.
func (s *amountSummer) addStoredBytes(into *Amounts, o *Object, count uint64) {
	bytes := o.StoredBytes()
	s.addProduct(&into.DiskBytes, count, bytes)
	if !o.Compresses() || o.Type.IsVariable() { // filters then work on references
		return
	}
	s.addProduct(&into.Filtered.Bytes, count, bytes)
	switch {
	case o.ValueKind != fill.RandomValues: // only the filters know how small these become
	case o.CompressionRatio == 0:
		s.addProduct(&into.Filtered.NoRatio, count, bytes)
		s.addProduct(&into.Filtered.AfterFilters, count, bytes)
	default:
		s.addProduct(&into.Filtered.AfterFilters, uint64(float64(count)*float64(bytes)/o.CompressionRatio))
	}
}

// StoredBytes returns the size of the data of a dataset in bytes, rounded up to whole chunks.
func (o *Object) StoredBytes() uint64 {
	if o.Null {
		return 0
	}
	elements := pattern.Product(o.Dims)
	if o.Chunk != nil {
		elements = o.NumChunks() * pattern.Product(o.Chunk)
	}
	return elements * o.Type.StoredBytes()
}

// scaledAmounts returns the totals for the given number of ranks. If only some ranks were examined, it scales their
// totals. If err is not nil, it returns only err.
func (s *amountSummer) scaledAmounts(ranks uint64, err error) (Amounts, error) {
	if err != nil {
		return Amounts{}, err
	}
	all := s.collective
	first, others := s.firstRank.totalsOverRanks(), s.otherRanks.totalsOverRanks()
	for i, n := range all.totalsOverRanks() {
		s.addProduct(n, *first[i])
		if ranks > 1 {
			s.addProduct(n, s.scaleToRanks(*others[i], ranks-1, s.numPrograms-1))
		}
	}
	all.DiskBytes -= min(all.DiskBytes, s.unwrittenBytes())
	if s.numPrograms < ranks {
		all.Sampled = s.numPrograms
		for op := range all.Ops {
			s.setTransferredBytes(&all.Ops[op], Op(op))
		}
	}
	if s.overflow {
		return Amounts{}, errOverflow
	}
	return all, nil
}

// setTransferredBytes sets the bytes that all ranks transfer, if only a sample of the ranks was examined.
func (s *amountSummer) setTransferredBytes(to *Amount, op Op) {
	d := &s.divided[op]
	switch {
	case s.exactBytes[op] > 0:
		to.Bytes = s.exactBytes[op]
		return
	case !d.differ:
		to.Bytes = d.all
		s.addProduct(&to.Bytes, d.firstRest)
		s.addProduct(&to.Bytes, s.scaleToRanks(d.sumOfOtherRests, s.ranks-1, s.numPrograms-1))
	}
	const rankZeroAndAnother = 2
	to.Estimated = d.differ || d.restsDiffer || d.sumOfOtherRests > 0 && s.numPrograms == rankZeroAndAnother
}

// scaleToRanks scales n, a sum over the examined ranks, to the given number of ranks, and rounds the result.
func (s *amountSummer) scaleToRanks(n, ranks, examined uint64) uint64 {
	high, low := bits.Mul64(n, ranks)
	if high >= examined {
		s.overflow = true
		return 0
	}
	quotient, rest := bits.Div64(high, low, examined)
	if rest >= examined-rest {
		quotient++
	}
	return quotient
}
