package plan

import (
	"math"
	"math/bits"

	"h5perf/pkg/engine"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// MaxSamples limits the samples of a run: all are kept, in memory and in the document.
const MaxSamples = 1_000_000

const (
	maxBytes = math.MaxInt64  // what a file offset holds
	maxChunk = math.MaxUint32 // the largest HDF5 chunk (H5Pset_chunk)
)

// checkAmount refuses sizes that do not fit in a file offset. The largest step is the first.
func (p *Plan) checkAmount() error {
	s := p.Parameters
	e, n := s.BytesPerProcess, uint64(s.MaxProcesses)
	dataset, what := []uint64{e, n}, "bytes per process × processes"
	if s.Geometry == result.Geometry2D {
		dataset, what = []uint64{e, n, e, n}, "(bytes per process × processes)²"
	}
	if !fits(maxBytes, dataset...) {
		return usage.Errorf("-e %s with %d process(es) in %s: the dataset, %s, is larger than %d bytes; give a smaller -e",
			units.FormatSize(e), n, s.Geometry, what, int64(maxBytes))
	}
	if !fits(maxBytes, append(dataset, uint64(s.Files), uint64(s.Datasets))...) {
		return usage.Errorf("-F %d -d %d -e %s with %d process(es): all files, files × datasets × %s, are larger than %d bytes; give less",
			s.Files, s.Datasets, units.FormatSize(e), n, what, int64(maxBytes))
	}
	return nil
}

// fits tells whether a product is at most limit, as are its factors one after the other.
func fits(limit uint64, factors ...uint64) bool {
	product := uint64(1)
	for _, f := range factors {
		high, low := bits.Mul64(product, f)
		if high != 0 || low > limit {
			return false
		}
		product = low
	}
	return true
}

// checkSteps refuses what the access pattern cannot do. The C tool makes most of these checks once per case, and carries
// on with figures of 0.00.
func (p *Plan) checkSteps() error {
	s := p.Parameters
	e, b := s.BytesPerProcess, s.BlockBytes
	if b == 0 {
		return usage.Errorf("-B: the default, half of -e %d, is 0 bytes; give a block size (-B) of at least 1", e)
	}
	if s.MinTransferBytes == 0 {
		return usage.Errorf("-x: the default, half of -e %d, is 0 bytes; give a transfer size (-x) of at least 1", e)
	}
	if e%b != 0 && s.Geometry == result.Geometry2D {
		return usage.Errorf("-B %s -e %s: in 2D the block size must divide the bytes per process", units.FormatSize(b), units.FormatSize(e))
	}
	for _, step := range p.Steps {
		if step.Skip != "" {
			continue
		}
		for _, x := range step.Transfers {
			if err := p.checkTransfer(step.Processes, x); err != nil {
				return err
			}
		}
		if err := p.checkChunk(step.Processes); err != nil {
			return err
		}
	}
	return nil
}

// checkTransfer refuses a transfer size that does not divide the data into whole transfers of whole blocks. What passes
// has a transfer buffer no larger than the dataset.
func (p *Plan) checkTransfer(n int, x uint64) error {
	s := p.Parameters
	if x%s.BlockBytes != 0 {
		return usage.Errorf("step of %d process(es), transfer size %s: the transfer size (-x, doubled up to -X) must be a multiple of the block size, -B %s",
			n, units.FormatSize(x), units.FormatSize(s.BlockBytes))
	}
	if s.Geometry == result.Geometry1D && s.BytesPerProcess%x != 0 {
		return usage.Errorf("step of %d process(es), transfer size %s: the transfer size (-x, doubled up to -X) must divide the bytes per process, -e %s",
			n, units.FormatSize(x), units.FormatSize(s.BytesPerProcess))
	}
	if side := s.BytesPerProcess * uint64(n); side%x != 0 {
		return usage.Errorf("step of %d process(es), transfer size %s: in 2D the transfer size (-x, doubled up to -X) must divide the side of the dataset, -e %s × %d = %s",
			n, units.FormatSize(x), units.FormatSize(s.BytesPerProcess), n, units.FormatSize(side))
	}
	return nil
}

// checkChunk refuses chunks that HDF5 refuses.
func (p *Plan) checkChunk(n int) error {
	s := p.Parameters
	if !s.UsesHDF5() {
		return nil
	}
	for _, extent := range s.ChunkBytes {
		side := s.BytesPerProcess * uint64(n)
		if extent == 0 || extent > side {
			return usage.Errorf("step of %d process(es), chunk extent %s: HDF5 wants an extent of at least 1 and at most that of the dataset, %s; give another --chunk-size",
				n, units.FormatSize(extent), units.FormatSize(side))
		}
	}
	if !fits(maxChunk, s.ChunkBytes...) {
		return usage.Errorf("HDF5 chunk of %d bytes a side: HDF5 wants chunks of at most %d bytes; give a smaller --chunk-size (default: the block size, -B)",
			s.ChunkBytes, uint64(maxChunk))
	}
	return nil
}

// checkSamples refuses a run of more samples than are kept.
func (p *Plan) checkSamples() error {
	s := p.Parameters
	perIteration := 0 // at most 63 transfer sizes in each of 63 steps
	for range p.Cases() {
		perIteration += len(p.Operations())
	}
	option, n := "-i", s.Iterations
	if s.Conditions.MaxIterations > 0 {
		option, n = "--max-iterations", s.Conditions.MaxIterations
	}
	if limit := MaxSamples/perIteration - s.Conditions.Warmup; n > limit {
		return usage.Errorf("%s %d: the number of iterations must be at most %d here, for each makes %d sample(s) and a run keeps at most %d",
			option, n, limit, perIteration, MaxSamples)
	}
	return nil
}

// Operations are what an iteration does with each file, in order.
func (p Plan) Operations() []engine.Op {
	switch {
	case p.Parameters.WriteOnly:
		return []engine.Op{engine.Write}
	case p.Parameters.Conditions.ReadOnly != "":
		return []engine.Op{engine.Read}
	}
	return []engine.Op{engine.Write, engine.Read}
}
