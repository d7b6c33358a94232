package result

// Enumerated is a type of texts of which only some are valid.
type Enumerated interface {
	// Values returns the valid texts, in the order in which people are told of them. It is the same for all values of
	// the type.
	Values() []string
}

// Vocabulary is an enumerated type of this package, or one like them.
type Vocabulary interface {
	~string
	Enumerated
}

// All returns the valid values of a type, in the order of Values.
func All[T Vocabulary]() []T {
	var zero T
	var all []T
	for _, value := range zero.Values() {
		all = append(all, T(value))
	}
	return all
}

func values[T ~string](all ...T) []string {
	texts := make([]string, len(all))
	for i, value := range all {
		texts[i] = string(value)
	}
	return texts
}

// State is how far a run, or a case of it, came.
type State string

// A run is Running until it ends as Complete, Failed or Interrupted. A case may be Skipped besides.
const (
	Running     State = "running"
	Complete    State = "complete"
	Failed      State = "failed"
	Interrupted State = "interrupted"
	Skipped     State = "skipped"
)

// Values implements Enumerated.
func (State) Values() []string { return values(Running, Complete, Failed, Interrupted, Skipped) }

// Kind is the tool that made a run.
type Kind string

// The tools.
const (
	KindParallel Kind = "parallel"
	KindSerial   Kind = "serial"
)

// Values implements Enumerated.
func (Kind) Values() []string { return values(KindParallel, KindSerial) }

// Arm is one of two configurations that are measured in turns.
type Arm string

// The arms, in the order of the command line.
const (
	ArmA Arm = "A"
	ArmB Arm = "B"
)

// Values implements Enumerated.
func (Arm) Values() []string { return values(ArmA, ArmB) }

// Geometry is the number of dimensions of a dataset of the parallel tool.
type Geometry string

// The geometries.
const (
	Geometry1D Geometry = "1D"
	Geometry2D Geometry = "2D"
)

// Values implements Enumerated.
func (Geometry) Values() []string { return values(Geometry1D, Geometry2D) }

// Pattern is how a dataset is divided among processes.
type Pattern string

// PatternContiguous gives each process one region of the dataset; with PatternInterleaved they take turns block by
// block.
const (
	PatternContiguous  Pattern = "contiguous"
	PatternInterleaved Pattern = "interleaved"
)

// Values implements Enumerated.
func (Pattern) Values() []string { return values(PatternContiguous, PatternInterleaved) }

// Mode is whether processes transfer data each by itself or together.
type Mode string

// The modes.
const (
	ModeIndependent Mode = "independent"
	ModeCollective  Mode = "collective"
)

// Values implements Enumerated.
func (Mode) Values() []string { return values(ModeIndependent, ModeCollective) }

// Layout is how a dataset is stored in a file.
type Layout string

// The storage layouts.
const (
	LayoutContiguous Layout = "contiguous"
	LayoutChunked    Layout = "chunked"
)

// Values implements Enumerated.
func (Layout) Values() []string { return values(LayoutContiguous, LayoutChunked) }

// Sync is when written data are made durable.
type Sync string

// Data are made durable never, before a file is closed, after the transfers of a dataset, or after each transfer.
const (
	SyncNone  Sync = "none"
	SyncClose Sync = "close"
	SyncPhase Sync = "phase"
	SyncEach  Sync = "each"
)

// Values implements Enumerated.
func (Sync) Values() []string { return values(SyncNone, SyncClose, SyncPhase, SyncEach) }

// Order is the order in which cases are measured.
type Order string

// OrderGiven is the order of the sweep, OrderRandom another random order in every iteration.
const (
	OrderGiven  Order = "given"
	OrderRandom Order = "random"
)

// Values implements Enumerated.
func (Order) Values() []string { return values(OrderGiven, OrderRandom) }

// Data is what is written.
type Data string

// DataPosition are words that tell their place, DataCompress data that a compressor shrinks to a given part.
const (
	DataPosition Data = "position"
	DataRandom   Data = "random"
	DataZero     Data = "zero"
	DataCompress Data = "compress"
)

// Values implements Enumerated.
func (Data) Values() []string { return values(DataPosition, DataRandom, DataZero, DataCompress) }

// Profile is a set of conditions and sizes that go together.
type Profile string

// The profiles; package plan says what each sets.
const (
	ProfileQuick    Profile = "quick"
	ProfileStandard Profile = "standard"
	ProfileStrict   Profile = "strict"
)

// Values implements Enumerated.
func (Profile) Values() []string { return values(ProfileQuick, ProfileStandard, ProfileStrict) }

// EndedBy is why a case with an open number of iterations has no more of them.
type EndedBy string

// The interval of the median was narrow enough, the case was measured long enough, or the largest number of iterations
// was reached before that.
const (
	EndedByWidth   EndedBy = "width"
	EndedBySeconds EndedBy = "seconds"
	EndedByCap     EndedBy = "cap"
)

// Values implements Enumerated.
func (EndedBy) Values() []string { return values(EndedByWidth, EndedBySeconds, EndedByCap) }

// Operation is the direction in which data are transferred.
type Operation string

// The operations, in the order of an iteration.
const (
	OperationWrite Operation = "write"
	OperationRead  Operation = "read"
)

// Values implements Enumerated.
func (Operation) Values() []string { return values(OperationWrite, OperationRead) }

// Mark is a reason not to take the figure of a sample for that of the storage.
type Mark string

// Warm: a read found its data in this client's page cache, or the file system is memory. Short: it took less than a
// second. Implausible: it is above what the memory of the nodes can copy.
const (
	Warm        Mark = "warm"
	Short       Mark = "short"
	Implausible Mark = "implausible"
)

// Values implements Enumerated.
func (Mark) Values() []string { return values(Warm, Short, Implausible) }

// CacheMethod is how the page cache was looked into.
type CacheMethod string

// CacheCachestat and CacheMincore are the system calls; with CacheNone it is not known what the page cache held.
const (
	CacheCachestat CacheMethod = "cachestat"
	CacheMincore   CacheMethod = "mincore"
	CacheNone      CacheMethod = "none"
)

// Values implements Enumerated.
func (CacheMethod) Values() []string { return values(CacheCachestat, CacheMincore, CacheNone) }

// ThreadLevel is which threads may call MPI, lowest first: MPI_THREAD_SINGLE and so on.
type ThreadLevel string

// The thread levels.
const (
	ThreadSingle     ThreadLevel = "single"
	ThreadFunneled   ThreadLevel = "funneled"
	ThreadSerialized ThreadLevel = "serialized"
	ThreadMultiple   ThreadLevel = "multiple"
)

// Values implements Enumerated.
func (ThreadLevel) Values() []string {
	return values(ThreadSingle, ThreadFunneled, ThreadSerialized, ThreadMultiple)
}

// StripeSystem is a file system whose striping is known.
type StripeSystem string

// The file systems, by their type as in Target.
const (
	StripeLustre StripeSystem = "lustre"
	StripeBeeGFS StripeSystem = "beegfs"
)

// Values implements Enumerated.
func (StripeSystem) Values() []string { return values(StripeLustre, StripeBeeGFS) }
