package result

import (
	"fmt"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Enumerated is implemented by string types with a fixed list of values.
type Enumerated interface {
	// Values returns the valid values, in the order in which help and messages list them. The result does not depend on
	// the receiver.
	Values() []string
}

// EnumeratedString is a type constraint: string types that implement Enumerated.
type EnumeratedString interface {
	~string
	Enumerated
}

// ValuesOf returns the valid values of the type T as values of that type, in the order of T.Values.
func ValuesOf[T EnumeratedString]() []T {
	var zero T
	var all []T
	for _, value := range zero.Values() {
		all = append(all, T(value))
	}
	return all
}

// asStrings converts constants of a string type to strings.
func asStrings[T ~string](all ...T) []string { return usage.Strings(all) }

// State is the state of a run or a case.
type State string

// A run is Running until it ends as Complete, Failed or Interrupted. A case may also be Skipped.
const (
	Running     State = "running"
	Complete    State = "complete"
	Failed      State = "failed"
	Interrupted State = "interrupted"
	Skipped     State = "skipped"
)

// Values returns the valid values. It implements Enumerated.
func (State) Values() []string { return asStrings(Running, Complete, Failed, Interrupted, Skipped) }

// ExitStatus returns the exit status of a process whose run ended in this state.
func (s State) ExitStatus() int {
	switch s {
	case Complete:
		return ExitOK
	case Interrupted:
		return ExitStopped
	}
	return ExitFailed
}

// Kind says which tool made a run: parallel, serial or workload.
type Kind string

// The tools.
const (
	KindParallel Kind = "parallel"
	KindSerial   Kind = "serial"
	KindWorkload Kind = "workload"
)

// Values returns the valid values. It implements Enumerated.
func (Kind) Values() []string { return asStrings(KindParallel, KindSerial, KindWorkload) }

// Arm is the letter (A, B, ...) of one of several configurations that are measured alternately.
type Arm string

// The first two arms.
const (
	ArmA Arm = "A"
	ArmB Arm = "B"
)

// maxArms is the largest number of configurations that are measured alternately.
const maxArms = 3 * 26

// ArmsText lists the first n arms for people: "A and B", or "A to D".
func ArmsText(n int) string {
	all := ValuesOf[Arm]()
	if n == 2 {
		return "A and B"
	}
	return fmt.Sprintf("%s to %s", all[0], all[n-1])
}

// Values returns the valid values: A to Z, then AA to AZ and BA to BZ. It implements Enumerated.
func (Arm) Values() (all []string) {
	for i := range maxArms {
		name := string(rune('A' + i%26))
		if i >= 26 {
			name = string(rune('A'+i/26-1)) + name
		}
		all = append(all, name)
	}
	return all
}

// TuneStage is a part of h5perf tune.
type TuneStage string

// TuneSearch: single changes. TuneCombine: combinations of the best of them. TuneHoldOut: the best combination, in
// pairs with the unchanged configuration; only this stage proves a gain. TuneLeaveOut: the best combination without
// each of its changes. TuneHalf and TuneDouble: the best combination with data of half and of twice the size.
const (
	TuneSearch   TuneStage = "search"
	TuneCombine  TuneStage = "combine"
	TuneHoldOut  TuneStage = "hold-out"
	TuneLeaveOut TuneStage = "leave-out"
	TuneHalf     TuneStage = "half"
	TuneDouble   TuneStage = "double"
)

// Values returns the valid values. It implements Enumerated.
func (TuneStage) Values() []string {
	return asStrings(TuneSearch, TuneCombine, TuneHoldOut, TuneLeaveOut, TuneHalf, TuneDouble)
}

// Geometry is the number of dimensions of a dataset in the parallel tool.
type Geometry string

// The geometries.
const (
	Geometry1D Geometry = "1D"
	Geometry2D Geometry = "2D"
)

// Values returns the valid values. It implements Enumerated.
func (Geometry) Values() []string { return asStrings(Geometry1D, Geometry2D) }

// Pattern is how a dataset is divided among processes.
type Pattern string

// With PatternContiguous, each process has one contiguous region of the dataset. With PatternInterleaved, blocks are
// assigned to the processes one after the other, then again from the first.
const (
	PatternContiguous  Pattern = "contiguous"
	PatternInterleaved Pattern = "interleaved"
)

// Values returns the valid values. It implements Enumerated.
func (Pattern) Values() []string { return asStrings(PatternContiguous, PatternInterleaved) }

// Mode is how processes transfer data: each by itself, or all together.
type Mode string

// The modes.
const (
	ModeIndependent Mode = "independent"
	ModeCollective  Mode = "collective"
)

// Values returns the valid values. It implements Enumerated.
func (Mode) Values() []string { return asStrings(ModeIndependent, ModeCollective) }

// Layout is how a dataset is stored in a file.
type Layout string

// The storage layouts.
const (
	LayoutContiguous Layout = "contiguous"
	LayoutChunked    Layout = "chunked"
)

// Values returns the valid values. It implements Enumerated.
func (Layout) Values() []string { return asStrings(LayoutContiguous, LayoutChunked) }

// EndedBy says what ended the iterations of a case, if it was not the requested number of iterations.
type EndedBy string

// EndedByWidth: the confidence interval of the median was narrow enough. EndedBySeconds: the case was measured for long
// enough. EndedByCap: the largest number of iterations was reached first. EndedByDeadline: the remaining time of the
// run was too short for another iteration. EndedByChoice: a search, such as h5perf tune, went on with other arms, or
// had measured enough.
const (
	EndedByWidth   EndedBy = "width"
	EndedBySeconds EndedBy = "seconds"
	EndedByCap     EndedBy = "cap"

	EndedByDeadline EndedBy = "deadline"
	EndedByChoice   EndedBy = "choice"
)

// Values returns the valid values. It implements Enumerated.
func (EndedBy) Values() []string {
	return asStrings(EndedByWidth, EndedBySeconds, EndedByCap, EndedByDeadline, EndedByChoice)
}

// Operation is the direction in which data are transferred.
type Operation string

// The operations, in the order in which an iteration does them.
const (
	OperationWrite Operation = "write"
	OperationRead  Operation = "read"
)

// Values returns the valid values. It implements Enumerated.
func (Operation) Values() []string { return asStrings(OperationWrite, OperationRead) }

// Class is the name of a workload.StepClass: a kind of steps of a workload, such as opening files or transferring data.
type Class string

// ClassOf returns the name of a class.
func ClassOf(c workload.StepClass) Class { return Class(c.String()) }

// Values returns the valid values. It implements Enumerated.
func (Class) Values() []string {
	all := make([]string, workload.NumClasses)
	for c := range workload.NumClasses {
		all[c] = c.String()
	}
	return all
}

// Mark is a reason why the throughput of a sample may not be that of the storage.
type Mark string

// Warm: a read found its data in the page cache of the node, or the file system keeps files in memory. Short: all
// samples of the operation in the case together took less than ShortSeconds. Implausible: the throughput is higher than
// the rate at which the processors of the job can copy memory. Staggered: the processes did not work at the same time,
// see StaggeredRatio. Skewed: the times at which nodes left a barrier may differ too much for the length of the window,
// see SkewRatio. Shared: other programs were busy on a node, see SharedRatio. Disturbed: other programs on a node used
// the file system, see DisturbedRatio.
const (
	MarkWarm        Mark = "warm"
	MarkShort       Mark = "short"
	MarkImplausible Mark = "implausible"
	MarkStaggered   Mark = "staggered"
	MarkSkewed      Mark = "skewed"
	MarkShared      Mark = "shared"
	MarkDisturbed   Mark = "disturbed"
)

// Values returns the valid values. It implements Enumerated.
func (Mark) Values() []string {
	return asStrings(MarkWarm, MarkShort, MarkImplausible, MarkStaggered, MarkSkewed, MarkShared,
		MarkDisturbed)
}

// CacheMethod is how the content of the page cache was determined.
type CacheMethod string

// CacheCachestat and CacheMincore are the system calls. With CacheNone, the content is not known.
const (
	CacheCachestat CacheMethod = "cachestat"
	CacheMincore   CacheMethod = "mincore"
	CacheNone      CacheMethod = "none"
)

// Values returns the valid values. It implements Enumerated.
func (CacheMethod) Values() []string { return asStrings(CacheCachestat, CacheMincore, CacheNone) }

// CallKind is what a function of MPI-IO or POSIX does with data.
type CallKind string

// CallOther moves no data, such as opening files, setting views, syncing and locking.
const (
	CallWrite CallKind = "write"
	CallRead  CallKind = "read"
	CallOther CallKind = "other"
)

// Values returns the valid values. It implements Enumerated.
func (CallKind) Values() []string { return asStrings(CallWrite, CallRead, CallOther) }

// ThreadLevel is the level of thread support of MPI: MPI_THREAD_SINGLE and so on.
type ThreadLevel string

// The thread levels, lowest first.
const (
	ThreadSingle     ThreadLevel = "single"
	ThreadFunneled   ThreadLevel = "funneled"
	ThreadSerialized ThreadLevel = "serialized"
	ThreadMultiple   ThreadLevel = "multiple"
)

// Values returns the valid values. It implements Enumerated.
func (ThreadLevel) Values() []string {
	return asStrings(ThreadSingle, ThreadFunneled, ThreadSerialized, ThreadMultiple)
}

// StripeSystem is a file system whose striping can be queried.
type StripeSystem string

// The file systems, named as in Target.Type.
const (
	StripeLustre StripeSystem = "lustre"
	StripeBeeGFS StripeSystem = "beegfs"
)

// Values returns the valid values. It implements Enumerated.
func (StripeSystem) Values() []string { return asStrings(StripeLustre, StripeBeeGFS) }
