package bench

import (
	"errors"
	"fmt"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// ioRole describes the part of the files that a process writes or reads in a case, with the program, the engine session
// and the data for that. With Conditions.Shift, a process reads the part that another process has written.
type ioRole struct {
	rank         int // rank that writes this part
	env          engine.Env
	program      workload.Program
	session      engine.Session
	data         roleData
	sweepContent *sweepData // data of a sweep, which change between transfers of an epoch; nil in a workload
	pool         []byte     // memory of the moves of a workload
}

// roleData makes the data that a role writes, and compares the data that it reads. Its methods are called only while no
// clock measures.
type roleData interface {
	// beginFile starts a file of an iteration; both are counted from 1.
	beginFile(iteration, file int)
	// fillMemory fills the memory that epochs write from. poisonMemory overwrites the memory that they read into.
	fillMemory(epochs []workload.Epoch) error
	poisonMemory(epochs []workload.Epoch) error
	// compareMemory returns an error if the data that epochs have read differ from the data that were written to a
	// file.
	compareMemory(epochs []workload.Epoch, path string) error
	// setBatchStamp sets the stamp that the transfers of a batch write into buffers. known means that this run wrote
	// the data.
	setBatchStamp(b *workload.Batch, known bool)
	// endOfWrittenBytes returns the offset at which the writes of this process to the files of a family end, if these
	// are plain files. all reports instead that the processes together write every byte of the files.
	endOfWrittenBytes(family int) (end uint64, all bool)
}

// prepareRoles prepares the buffers, and the roles with their sessions. Both operations share one role, unless this
// process reads the part of another. Collective over the processes of the case.
func (c *caseRun) prepareRoles() *failure {
	if c.writesFiles() {
		if f := c.prepareRole(workload.Write, c.work.Rank()); f != nil {
			return f
		}
	}
	source := c.sourceRank()
	switch {
	case !c.readsFiles():
		return nil
	case c.writesFiles() && source == c.work.Rank():
		c.roles[workload.Read] = c.roles[workload.Write]
		return nil
	}
	return c.prepareRole(workload.Read, source)
}

// sourceRank returns the rank of the process whose part this process reads.
func (c *caseRun) sourceRank() int { return c.sourceRankOf(c.work.Rank()) }

// sourceRankOf returns the rank of the process whose part the given rank reads.
func (c *caseRun) sourceRankOf(rank int) int {
	return c.shiftedRank(rank, option.ValueOrZero(c.conditions().Shift))
}

// readerRankOf returns the rank of the process that reads the part of the given rank.
func (c *caseRun) readerRankOf(rank int) int {
	return c.shiftedRank(rank, -option.ValueOrZero(c.conditions().Shift))
}

// shiftedRank returns rank+by, modulo the number of processes of the case.
func (c *caseRun) shiftedRank(rank, by int) int {
	n := c.work.Size()
	return ((rank+by)%n + n) % n
}

// prepareRole makes the role of an operation, for the part of a rank. All processes agree on errors before and after
// they make the session, which is collective. Collective over the processes of the case.
func (c *caseRun) prepareRole(op workload.Op, rank int) *failure {
	s := &ioRole{rank: rank}
	c.roles[op] = s
	if f := c.agreeOnError(result.PhasePrepare, c.prepareLocally(s)); f != nil {
		return f
	}
	c.enterPhase(result.PhasePrepare)
	var err error
	s.session, err = c.arm.Engines[c.plan.API]().Prepare(s.env, s.program)
	return c.agreeOnError(result.PhasePrepare, err)
}

// prepareLocally makes everything that a role needs before its session can be made. It does not communicate with other
// processes.
func (c *caseRun) prepareLocally(s *ioRole) (err error) {
	if s.program, err = c.plan.Program(uint64(s.rank)); err != nil {
		return err
	}
	if !c.plan.HasRegularTransfers() {
		s.program = s.program.JoinTransfers()
	}
	s.env = engineEnv(c.plan, c.work, c.Stop)
	s.env.Dir, s.env.DirHandle = c.dataDirPath(), c.dirHandle()
	if c.conditions().Latency {
		if s.env.Latency, err = engine.NewLatencyHistogram(); err != nil {
			return err
		}
	}
	if _, ok := c.arm.Engines[c.plan.API]; !ok {
		return fmt.Errorf("%w: this program was built without the API %s", engine.ErrUnsupported,
			result.APIOf(c.plan.API).Label)
	}
	return c.assignMemory(s, s.rank)
}

// engineEnv returns the environment of the engine for a case, without the directory.
func engineEnv(c plan.Case, comm mpi.Comm, stop *engine.StopFlag) engine.Env {
	p := &c.Parameters
	return engine.Env{
		Comm: comm, Stop: stop, DataMayBeZeros: p.Conditions.Data == option.DataZero, HarnessComparesReads: p.Verify,
		UseODirect: usesDirect(c), HDF5: p.HDF5Settings, MPIIO: p.MPIIOSettings,
	}
}

// TestLibraries returns an error if a library cannot write the workload of an arm: see engine.LibraryTester. comm holds
// all processes of the run, but only rank 0 calls TestLibraries.
func TestLibraries(a Arm, comm mpi.Comm, stop *engine.StopFlag) error {
	for c := range a.Plan.Cases() {
		newEngine, is := a.Engines[c.API]
		if !is || c.HasRegularTransfers() || c.Parameters.Conditions.ReadOnly != "" {
			continue
		}
		trier, is := newEngine().(engine.LibraryTester)
		if !is {
			continue
		}
		program, err := c.Program(0)
		if err != nil {
			return err
		}
		env := engineEnv(c, comm, stop)
		env.Dir, env.DirHandle = a.Dir.Path, a.Dir.Handle()
		if err := trier.TestWrites(env, program, a.Dir.DataPath("tried_out", c.API)); err != nil {
			return fmt.Errorf("%s: %w", result.APIOf(c.API).Label, err)
		}
	}
	return nil
}

// assignMemory assigns buffers to the moves of a role, and sets the data that fill them.
func (c *caseRun) assignMemory(s *ioRole, rank int) (err error) {
	if !c.plan.HasRegularTransfers() {
		s.data = &workloadData{program: &s.program, run: c.arm.Dir.RunID}
		s.pool, err = mapMoveMemory(&s.program)
		return err
	}
	if c.pool == nil { // both roles share it
		if c.pool, err = engine.MapMemory(c.plan.NumBuffers() * c.plan.BufferBytes()); err != nil {
			return err
		}
	}
	if option.ValueOrZero(c.conditions().TimeLimit) > 0 {
		c.transfersWritten = make([]uint64, c.plan.Parameters.Datasets)
	}
	s.program.Moves[0].Buffer.Pool = c.pool
	data, err := dataFromConditions(&c.plan.Parameters.Conditions)
	if err != nil {
		return err
	}
	s.sweepContent = newSweepData(&s.program, data, c.arm.Dir.RunID, rank, c.plan)
	s.data = s.sweepContent
	return nil
}

// distinctRoles returns the different roles of this process, the role of writing first.
func (c *caseRun) distinctRoles() []*ioRole {
	var all []*ioRole
	for _, s := range c.roles {
		if s != nil && (len(all) == 0 || all[0] != s) {
			all = append(all, s)
		}
	}
	return all
}

// firstRole returns the role of writing, or the role of reading if this run does not write. Both know the files.
func (c *caseRun) firstRole() *ioRole { return c.distinctRoles()[0] }

// releaseRoles releases what prepareRoles has allocated, even if prepareRoles failed.
func (c *caseRun) releaseRoles() error {
	var err error
	var pools [][]byte
	if c.pool != nil {
		pools = append(pools, c.pool)
	}
	for _, s := range c.distinctRoles() {
		if s.pool != nil {
			pools = append(pools, s.pool)
		}
		if s.session != nil {
			err = errors.Join(err, s.session.Close())
		}
		if s.env.Latency != nil {
			err = errors.Join(err, engine.FreeLatencyHistogram(s.env.Latency))
		}
	}
	for _, pool := range pools {
		err = errors.Join(err, engine.UnmapMemory(pool))
	}
	c.roles, c.pool = [2]*ioRole{}, nil
	return err
}
