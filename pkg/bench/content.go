package bench

import (
	"fmt"
	"hash/fnv"
	"strings"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/result"
)

// content is what the buffers of a case hold: it is made before clocks run, and compared while they stand still.
type content struct {
	spec   engine.Spec
	data   fill.Data
	rank   int  // whose part it is
	run    int  // number of the run in stamps
	inLoop bool // the transfer loop stamps what it writes

	writer fill.Tag // of the file
	tag    uint64   // the same
	seed   uint64   // of the buffers for it
	found  bool     // the writer is another run, and known by its first stamp

	wrong  uint64 // bytes that differed, of one dataset
	places []string
}

// tellMismatches is how many places with wrong data are described.
const tellMismatches = 3

func newContent(spec engine.Spec, data fill.Data, runID string, rank int) *content {
	h := fnv.New64a()
	_, _ = h.Write([]byte(runID)) // never fails (package hash)
	return &content{spec: spec, data: data, rank: rank, run: int(h.Sum64() >> 1), inLoop: data.InLoop(spec.Buffer.Grain)}
}

// dataOf is the kind of content that the conditions ask for.
func dataOf(c *result.Conditions) (fill.Data, error) {
	switch c.Data {
	case result.DataRandom:
		return fill.Random, nil
	case result.DataZero:
		return fill.Zero, nil
	case result.DataCompress:
		return fill.Compress(c.CompressRatio)
	default:
		return fill.Position, nil
	}
}

// begin is told which file of an iteration is next, and who writes it.
func (c *content) begin(iteration, file int) {
	c.found = false
	c.writtenBy(fill.Tag{Run: c.run, Iteration: iteration, File: file, Rank: c.rank})
}

func (c *content) writtenBy(writer fill.Tag) {
	c.writer, c.tag = writer, writer.Pack()
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, c.tag) // never fails
	c.seed = h.Sum64()
}

// findWriter learns who wrote a file of another run, once, from the first stamp that was read; what is written without
// stamps does not depend on that. Then everything else must fit it: the rest of the data of this process, and what the
// others find.
func (c *content) findWriter(k int, t uint64) {
	if !c.found && c.data.Stamped() {
		writer := fill.Writer(c.spec.Buffer.Slot(c.spec.Ordinal(k, t)))
		writer.Rank = c.rank
		c.writtenBy(writer)
	}
	c.found = true
}

// fill fills the buffers, for each file and process otherwise.
func (c *content) fill() { c.data.Fill(c.spec.Buffer.Pool, c.seed) }

// transfer describes the buffer of transfer t of dataset k.
func (c *content) transfer(k int, t uint64) fill.Transfer {
	base := uint64(k) * c.spec.DatasetBytes
	return fill.Transfer{
		Data: c.data, Seed: c.seed, At: c.spec.Buffer.At(c.spec.Ordinal(k, t)), Tag: c.tag,
		Offset:   func(run uint64) uint64 { return base + c.spec.Nest.Offset(t, run) },
		RunBytes: c.spec.Nest.RunBytes, Grain: c.spec.Buffer.Grain,
	}
}

// between tells whether there is something to do between transfers.
func (c *content) between(op engine.Op, verify bool) bool {
	return op == engine.Write && c.data.Before(c.spec.Buffer.Grain) || op == engine.Read && verify
}

// before makes the buffers of n transfers of dataset k from t on.
func (c *content) before(op engine.Op, k int, t, n uint64) {
	for end := t + n; t < end; t++ {
		slot := c.spec.Buffer.Slot(c.spec.Ordinal(k, t))
		if op == engine.Write {
			c.transfer(k, t).Stamp(slot)
		} else {
			fill.Poison(slot)
		}
	}
}

// compare compares the buffers of n transfers of dataset k from t on with what was written.
func (c *content) compare(k int, t, n uint64) {
	for end := t + n; t < end; t++ {
		wrong, found := c.transfer(k, t).Check(c.spec.Buffer.Slot(c.spec.Ordinal(k, t)), tellMismatches-len(c.places))
		c.wrong += wrong
		for _, m := range found {
			m.Offset -= uint64(k) * c.spec.DatasetBytes
			c.places = append(c.places, m.String())
		}
	}
}

// verdict is the error of dataset k of a file whose data are wrong, and forgets it. Offsets count from the start of the
// dataset's data.
func (c *content) verdict(path string, k int) error {
	if c.wrong == 0 {
		return nil
	}
	err := fmt.Errorf("%s, dataset %d: %d bytes differ from what rank %d wrote: %s",
		path, k+1, c.wrong, c.rank, strings.Join(c.places, "; "))
	c.wrong, c.places = 0, nil
	return err
}
