package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// caseRun is one case being measured.
type caseRun struct {
	*sweep
	plan    plan.Case
	spec    engine.Spec
	session engine.Session
	content *content
	out     result.Case

	op        engine.Op
	iteration int // from 1
	file      int // from 1
	path      string

	files []engine.FileSize // on the first process: what the last file that was written consists of
	guard *time.Timer       // running since a failure: ends a job that cannot even close its files
}

// measure measures a case and tells how it ended.
func (r *sweep) measure(p plan.Case, nodes int) result.State {
	c := &caseRun{sweep: r, plan: p, out: result.Case{
		Processes: p.Processes, Nodes: nodes, TransferBytes: p.Transfer, BufferBytes: p.BufferBytes(), API: p.API,
		DatasetBytes: p.DatasetBytes(), Bytes: p.Bytes(), State: result.Running, Samples: []result.Sample{},
	}}
	if r.first() {
		r.Observer.Begin(p, c.out)
	}
	c.out.State = result.Complete
	if f := c.run(); f != nil {
		c.out.State = codeState(f.code)
		c.out.Error = &f.error
	} else {
		c.out.Verified = p.Parameters.Verify && !p.Parameters.WriteOnly
	}
	if r.first() {
		r.Observer.End(p, c.out)
	}
	return c.out.State
}

// run prepares the case, runs its iterations and releases it.
func (c *caseRun) run() *failure {
	c.enter("prepare")
	f := c.agree("prepare", c.prepare())
	for c.iteration = 1; f == nil && c.iteration <= c.plan.Parameters.Iterations; c.iteration++ {
		f = c.iterate()
	}
	c.iteration, c.file, c.path = 0, 0, ""
	if f == nil {
		c.effective()
	}
	c.enter("release")
	after := c.agree("release", c.release())
	if c.guard != nil {
		c.guard.Stop()
	}
	if f != nil {
		return f
	}
	return after
}

// prepare makes the buffers and the session of the engine.
func (c *caseRun) prepare() error {
	rank := uint64(c.work.Rank())
	p := c.plan.Parameters
	file := c.plan.FileSequence(rank)
	slot := file.TransferBytes()
	slots := c.plan.Slots()
	pool, err := engine.Map(slots * slot)
	if err != nil {
		return err
	}
	c.spec = engine.Spec{
		Comm: c.work, Sequence: file, Nest: file.Nest(),
		Buffer: engine.Buffer{Pool: pool, Slots: slots, SlotBytes: slot, Grain: c.plan.Grain()},
		Stop:   c.Stop, Datasets: p.Datasets, DatasetBytes: c.plan.DatasetBytes(),
		Collective: p.Mode == "collective", View: c.plan.View(), Chunk: c.plan.Chunk(),
		Align: p.AlignmentBytes, Threshold: p.ThresholdBytes, MPIPosix: c.plan.MPIPosix(), HaveHints: p.HintsSet,
		Driver: c.plan.Driver(), DriverSettings: c.plan.DriverSettings(), Extendible: c.plan.Extendible(),
		SieveBuffer: c.plan.SieveBuffer(), ChunkCache: c.plan.ChunkCache(),
	}
	for _, h := range p.Hints {
		c.spec.Hints = append(c.spec.Hints, engine.Hint{Key: h.Key, Value: h.Value})
	}
	c.content = newContent(c.spec, fill.Position, c.Dir.RunID)
	newEngine, ok := c.Engines[c.plan.API]
	if !ok {
		return fmt.Errorf("%w: this program was built without the API %s", engine.ErrUnsupported, c.plan.API)
	}
	c.session, err = newEngine().Prepare(c.spec)
	return err
}

// iterate runs one iteration: each file is written, read and removed before the next is.
func (c *caseRun) iterate() *failure {
	var write, read measurement
	for c.file = 1; c.file <= c.plan.Parameters.Files; c.file++ {
		if f := c.oneFile(&write, &read); f != nil {
			return f
		}
	}
	c.sample(engine.Write, &write)
	if !c.plan.Parameters.WriteOnly {
		c.sample(engine.Read, &read)
	}
	return nil
}

func (c *caseRun) oneFile(write, read *measurement) *failure {
	collectGarbage()
	c.path = c.Dir.File(c.file, c.plan.API)
	if c.first() {
		c.Observer.File(c.path)
	}
	c.content.begin(c.iteration, c.file)
	f := c.phase(engine.Write, write)
	if f == nil {
		c.enter("check")
		f = c.agree("check", c.checkSize())
	}
	if f == nil && !c.plan.Parameters.WriteOnly {
		f = c.phase(engine.Read, read)
	}
	return c.remove(f)
}

// checkSize compares the size of a written file with the plan: MPI-IO can report success for a write that failed.
func (c *caseRun) checkSize() error {
	if c.work.Rank() != 0 {
		return nil
	}
	var err error
	if c.files, err = c.session.Files(c.path); err != nil {
		return err
	}
	var size uint64
	for _, f := range c.files {
		size += f.Bytes
	}
	want, exact := c.session.FileBytes()
	if size < want || exact && size != want {
		return fmt.Errorf("%s has %d bytes after all writes reported success, not the %d planned: data are missing", c.path, size, want)
	}
	return nil
}

// remove removes a file that is done with. A failure that came before counts for more than one to remove, and what there
// is of the file then is all that is in the directory.
func (c *caseRun) remove(f *failure) *failure {
	c.enter("remove")
	first := c.work.Rank() == 0 && !c.plan.Parameters.KeepFiles
	if f != nil {
		if first {
			_ = c.Dir.RemoveData() // it is tried again when the run ends, and told then
		}
		return f
	}
	var err error
	if first {
		for _, f := range c.files {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(c.path), f.Name)))
		}
	}
	return c.agree("remove", err)
}

// release gives all that prepare made back.
func (c *caseRun) release() error {
	var err error
	if c.session != nil {
		err = c.session.Close()
	}
	if c.spec.Buffer.Pool != nil {
		err = errors.Join(err, engine.Unmap(c.spec.Buffer.Pool))
	}
	return err
}

// effective asks the engine what it really did.
func (c *caseRun) effective() {
	e := c.session.Effective()
	sums := []uint64{e.Calls, e.SetViews, e.Extensions}
	c.work.SumUint64(sums)
	c.out.Effective = &result.Effective{Calls: sums[0], SetViews: sums[1], Extensions: sums[2], Driver: e.Driver}
	for _, f := range c.files {
		c.out.Effective.Files = append(c.out.Effective.Files, result.FileSize{Name: f.Name, Bytes: f.Bytes})
	}
	for _, h := range e.Hints {
		c.out.Effective.Hints = append(c.out.Effective.Hints, result.KeyValue{Key: h.Key, Value: h.Value})
	}
	c.out.Effective.Collective = c.collective(e.Collective)
}

// collective adds HDF5's accounts up. The words are those of the first process that was not fully collective.
func (c *caseRun) collective(own *engine.CollectiveUsed) *result.Collective {
	if own == nil { // on all processes alike
		return nil
	}
	sums := []uint64{own.Collective, own.Mixed, own.Independent}
	c.work.SumUint64(sums)
	code := good
	if own.Mixed+own.Independent > 0 {
		code = failed
	}
	_, rank, err := c.work.Agree(code, c.Stop.IsSet, Grace)
	if err != nil {
		c.Abort(c.newError("effective", err))
	}
	words := Broadcast(c.work, *own, rank)
	return &result.Collective{
		Collective: sums[0], Mixed: sums[1], Independent: sums[2],
		Optimization: words.Optimize, LocalCauses: words.LocalCause, GlobalCauses: words.GlobalCause,
	}
}
