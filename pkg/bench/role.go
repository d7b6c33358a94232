package bench

import (
	"errors"
	"fmt"

	"h5perf/pkg/engine"
	"h5perf/pkg/result"
)

// role is what a process does in one operation of a case: the part of the files that it writes or reads, and the
// session for that. With Conditions.Shift, a process reads the part that another process has written.
type role struct {
	spec    engine.Spec
	session engine.Session
	content *content
}

// prepare makes the buffers, and the roles with their sessions. Both operations share one role, unless this process
// reads the part of another.
func (c *caseRun) prepare() error {
	conditions := c.conditions()
	var err error
	if c.pool, err = engine.Map(c.plan.Slots() * c.plan.BufferBytes()); err != nil {
		return err
	}
	if conditions.TimeLimit > 0 {
		c.written = make([]uint64, c.plan.Parameters.Datasets)
	}
	source := c.source()
	if c.writes() {
		c.roles[engine.Write] = &role{}
		if err := c.prepareRole(c.roles[engine.Write], c.work.Rank()); err != nil {
			return err
		}
	}
	switch {
	case !c.reads():
	case c.writes() && source == c.work.Rank():
		c.roles[engine.Read] = c.roles[engine.Write]
	default:
		c.roles[engine.Read] = &role{}
		return c.prepareRole(c.roles[engine.Read], source)
	}
	return nil
}

// source returns the rank of the process whose part this one reads.
func (c *caseRun) source() int { return c.sourceOf(c.work.Rank()) }

// sourceOf returns the rank of the process whose part a rank reads.
func (c *caseRun) sourceOf(rank int) int {
	n := c.work.Size()
	return ((rank+c.conditions().Shift)%n + n) % n
}

// prepareRole fills in a role for the part of a rank.
func (c *caseRun) prepareRole(s *role, rank int) error {
	p := c.plan.Parameters
	file := c.plan.FileSequence(uint64(rank))
	s.spec = engine.Spec{
		Comm: c.work, Sequence: file, Nest: file.Nest(),
		Buffer: engine.Buffer{
			Pool: c.pool, Slots: c.plan.Slots(), OneForReads: !p.Verify, SlotBytes: file.TransferBytes(),
			Grain: c.plan.Grain(),
		},
		Stop: c.Stop, Zeros: p.Conditions.Data == result.DataZero, Compared: p.Verify,
		Dir: c.dataDir(), At: c.directory(), Direct: c.direct(),
		Datasets: p.Datasets, DatasetBytes: c.plan.DatasetBytes(),
		Collective: p.Mode == result.ModeCollective, Region: c.plan.Region(),
		Chunk: c.plan.Chunk(), Extendible: p.Extendible, HDF5: p.HDF5Settings, MPIIO: p.MPIIOSettings,
	}
	if p.Conditions.Latency {
		var err error
		if s.spec.Latency, err = engine.NewLatency(); err != nil {
			return err
		}
	}
	data, err := dataOf(&p.Conditions)
	if err != nil {
		return err
	}
	s.content = newContent(s.spec, data, c.arm.Dir.RunID, rank, c.plan)
	newEngine, ok := c.arm.Engines[c.plan.API]
	if !ok {
		return fmt.Errorf("%w: this program was built without the API %s", engine.ErrUnsupported,
			result.APIOf(c.plan.API).Label)
	}
	s.session, err = newEngine().Prepare(s.spec)
	return err
}

// distinct returns the roles of this process, each once, that of writing first.
func (c *caseRun) distinct() []*role {
	var all []*role
	for _, s := range c.roles {
		if s != nil && (len(all) == 0 || all[0] != s) {
			all = append(all, s)
		}
	}
	return all
}

// anyRole returns the role of writing, or that of reading if this run does not write. Either knows the files.
func (c *caseRun) anyRole() *role { return c.distinct()[0] }

// release releases what prepare has made, also if prepare failed.
func (c *caseRun) release() error {
	var err error
	for _, s := range c.distinct() {
		if s.session != nil {
			err = errors.Join(err, s.session.Close())
		}
		if s.spec.Latency != nil {
			err = errors.Join(err, engine.FreeLatency(s.spec.Latency))
		}
	}
	if c.pool != nil {
		err = errors.Join(err, engine.Unmap(c.pool))
	}
	c.roles, c.pool = [2]*role{}, nil
	return err
}
