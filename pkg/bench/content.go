package bench

import (
	"fmt"
	"hash/fnv"
	"strings"

	"h5perf/pkg/fill"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/workload"
)

// sweepData fills the buffers of a role in a sweep, and compares them after reads. Its methods are called only while no
// clock measures.
type sweepData struct {
	move         *workload.Move
	object       *workload.Object
	data         fill.Data
	rank         int  // the process that writes the data
	run          int  // number of the run in stamps
	hotBuffers   bool // this run writes from buffers that stay in a cache
	stampsInLoop bool // the transfer loop stamps what it writes

	hotSlots uint64 // number of buffers that stay in a cache

	writer      fill.Tag // writer of the current file
	tag         uint64   // writer, packed
	seed        uint64   // seed of the buffers for this writer
	writerFound bool     // findWriter was called for the current file

	wrong  uint64   // bytes of the current dataset that differ
	places []string // descriptions of the first differences
}

// maxPlaces is the largest number of places with wrong data that are described.
const maxPlaces = 3

// newSweepData returns the data that the given rank writes in a sweep, for its part of each file.
func newSweepData(program *workload.Program, data fill.Data, runID string, rank int, of plan.Case) *sweepData {
	h := fnv.New64a()
	_, _ = h.Write([]byte(runID)) // never fails (package hash)
	move := &program.Moves[0]
	return &sweepData{
		move: move, object: &program.Objects[move.Object], data: data, rank: rank,
		run: int(h.Sum64() >> 1), hotBuffers: of.HasCachedBuffers(), hotSlots: of.NumCachedBuffers(),
		stampsInLoop: data.StampsInLoop(move.Buffer.Grain),
	}
}

// dataFromConditions returns the kind of data that the conditions ask for.
func dataFromConditions(c *option.Conditions) (fill.Data, error) {
	switch c.Data {
	case option.DataRandom:
		return fill.Random, nil
	case option.DataZero:
		return fill.Zero, nil
	case option.DataCompress:
		return fill.CompressibleData(c.CompressRatio)
	default:
		return fill.Position, nil
	}
}

// beginFile starts a file of an iteration; both are counted from 1. It assumes that this run wrote the file.
func (c *sweepData) beginFile(iteration, file int) {
	c.writerFound = false
	c.setWriter(fill.Tag{Run: c.run, Iteration: iteration, File: file, Rank: c.rank, FromCachedPool: c.hotBuffers})
}

// setWriter sets the writer of the current file.
func (c *sweepData) setWriter(writer fill.Tag) {
	c.writer, c.tag = writer, writer.Pack()
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, c.tag) // never fails
	c.seed = h.Sum64()
}

// findWriter sets the writer of a file that another run wrote. On its first call for a file, it takes the writer from
// the stamp in the data that transfer t of dataset k has read; later calls do nothing. All other data that this process
// reads from the file must have the same writer. checkOneWriter checks that all processes found the same writer.
func (c *sweepData) findWriter(k, t uint64) {
	if !c.writerFound {
		writer := fill.WriterOf(c.move.Buffer.Slot(c.move.Ordinal(k, t)))
		writer.Rank = c.rank
		c.setWriter(writer)
	}
	c.writerFound = true
}

// fillMemory fills the buffers. The data depend on the file and on the process.
func (c *sweepData) fillMemory([]workload.Epoch) error {
	c.data.Fill(c.move.Buffer.Pool, c.seed)
	return nil
}

// poisonMemory does nothing: prepareBuffers overwrites the buffers between transfers.
func (c *sweepData) poisonMemory([]workload.Epoch) error { return nil }

// compareMemory does nothing: compareBuffers compares the buffers between transfers.
func (c *sweepData) compareMemory([]workload.Epoch, string) error { return nil }

// setBatchStamp makes the transfers of a batch write stamps with the tag of the writer, if the transfer loop writes
// stamps.
func (c *sweepData) setBatchStamp(b *workload.Batch, known bool) {
	if b.Move != workload.NoMove && b.Class != workload.ObjectClose {
		b.Tag, b.Stamping = c.tag, c.stampsInLoop && known
	}
}

// endOfWrittenBytes reports that a sweep writes all bytes of a file: see roleData.
func (c *sweepData) endOfWrittenBytes(int) (end uint64, all bool) { return 0, true }

// datasetBase returns the offset of the first byte of dataset k in a plain file.
func (c *sweepData) datasetBase(k uint64) uint64 { return c.object.Base + k*c.object.Stride }

// transferData describes the data of transfer t of dataset k.
func (c *sweepData) transferData(k, t uint64) fill.Transfer {
	base := c.datasetBase(k)
	written := c.move.Buffer
	if c.writer.FromCachedPool {
		written.Slots = c.hotSlots
	}
	return fill.Transfer{
		Data: c.data, Seed: c.seed, PoolOffset: written.SlotOffset(c.move.Ordinal(k, t)), Tag: c.tag,
		Offset:   func(run uint64) uint64 { return base + c.move.Nest.RunOffset(t, run) },
		RunBytes: c.move.Nest.RunBytes, Grain: c.move.Buffer.Grain,
	}
}

// needsBufferWork reports whether buffers must be prepared or compared between transfers.
func (c *sweepData) needsBufferWork(op workload.Op, verify bool) bool {
	return op == workload.Write && c.data.StampsBefore(c.move.Buffer.Grain) || op == workload.Read && verify
}

// prepareBuffers prepares the buffers of n transfers of dataset k, starting at transfer t. It stamps buffers to write,
// and overwrites buffers to read.
func (c *sweepData) prepareBuffers(op workload.Op, k, t, n uint64) {
	for end := t + n; t < end; t++ {
		slot := c.move.Buffer.Slot(c.move.Ordinal(k, t))
		if op == workload.Write {
			c.transferData(k, t).Stamp(slot)
		} else {
			fill.Poison(slot)
		}
	}
}

// compareBuffers compares the buffers of n transfers of dataset k, starting at transfer t, with the data that were
// written, and adds up the differences.
func (c *sweepData) compareBuffers(k, t, n uint64) {
	for end := t + n; t < end; t++ {
		slot := c.move.Buffer.Slot(c.move.Ordinal(k, t))
		wrong, found := c.transferData(k, t).Check(slot, maxPlaces-len(c.places))
		c.wrong += wrong
		for _, m := range found {
			m.Offset -= c.datasetBase(k)
			c.places = append(c.places, m.String())
		}
	}
}

// differenceError returns an error if compareBuffers found differences in dataset k of a file, and resets them. Offsets
// in the error count from the start of the dataset's data.
func (c *sweepData) differenceError(path string, k uint64) error {
	if c.wrong == 0 {
		return nil
	}
	err := fmt.Errorf("%s, dataset %d: %d bytes differ from the data that rank %d wrote: %s",
		path, k+1, c.wrong, c.rank, strings.Join(c.places, "; "))
	c.wrong, c.places = 0, nil
	return err
}
