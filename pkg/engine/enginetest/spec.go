package enginetest

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// Spec returns the spec of a sequence of blocks: independent access to one dataset of contiguous storage, without
// hints. The buffer has the given number of slots; 0: one for each transfer. Free its pool with engine.Unmap.
func Spec(comm mpi.Comm, seq pattern.Sequence, block, slots uint64) (engine.Spec, error) {
	if slots == 0 || slots > seq.Transfers() {
		slots = seq.Transfers()
	}
	stop, err := engine.NewStop()
	if err != nil {
		return engine.Spec{}, err
	}
	size := seq.TransferBytes()
	pool, err := engine.Map(slots * size)
	if err != nil {
		return engine.Spec{}, err
	}
	return engine.Spec{
		Comm: comm, Sequence: seq, Nest: seq.Nest(), Stop: stop,
		Buffer:   engine.Buffer{Pool: pool, Slots: slots, SlotBytes: size, Grain: fill.Grain(block)},
		Datasets: 1, DatasetBytes: seq.DatasetBytes(),
	}, nil
}
