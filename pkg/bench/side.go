package bench

import (
	"errors"
	"fmt"

	"h5perf/pkg/engine"
	"h5perf/pkg/result"
)

// side is what a process writes or reads of the files of a case: its own part of them, or in reads that of another.
type side struct {
	spec    engine.Spec
	session engine.Session
	content *content
}

// prepare makes the buffers and the sessions of the engine: one for both directions, unless this process reads what another
// one has written.
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
		c.sides[engine.Write] = &side{}
		if err := c.prepareSide(c.sides[engine.Write], c.work.Rank()); err != nil {
			return err
		}
	}
	switch {
	case !c.reads():
	case c.writes() && source == c.work.Rank():
		c.sides[engine.Read] = c.sides[engine.Write]
	default:
		c.sides[engine.Read] = &side{}
		return c.prepareSide(c.sides[engine.Read], source)
	}
	return nil
}

// source is the process whose data this one reads.
func (c *caseRun) source() int {
	n := c.work.Size()
	return ((c.work.Rank()+c.conditions().Shift)%n + n) % n
}

// prepareSide prepares for the part of a process.
func (c *caseRun) prepareSide(s *side, rank int) error {
	p := c.plan.Parameters
	file := c.plan.FileSequence(uint64(rank))
	s.spec = engine.Spec{
		Comm: c.work, Sequence: file, Nest: file.Nest(),
		Buffer: engine.Buffer{Pool: c.pool, Slots: c.plan.Slots(), OneForReads: !p.Verify, SlotBytes: file.TransferBytes(), Grain: c.plan.Grain()},
		Stop:   c.Stop, Dir: c.dataDir(), Direct: c.direct(), Datasets: p.Datasets, DatasetBytes: c.plan.DatasetBytes(),
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
	s.content = newContent(s.spec, data, c.arm.Dir.RunID, rank)
	newEngine, ok := c.arm.Engines[c.plan.API]
	if !ok {
		return fmt.Errorf("%w: this program was built without the API %s", engine.ErrUnsupported, c.plan.API)
	}
	s.session, err = newEngine().Prepare(s.spec)
	return err
}

// distinct are the sides that there are, each once, that of writing first.
func (c *caseRun) distinct() []*side {
	var all []*side
	for _, s := range c.sides {
		if s != nil && (len(all) == 0 || all[0] != s) {
			all = append(all, s)
		}
	}
	return all
}

// anySide is one that tells of the files: that of writing, where there is one.
func (c *caseRun) anySide() *side { return c.distinct()[0] }

// release gives all that prepare made back.
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
	c.sides, c.pool = [2]*side{}, nil
	return err
}
