package workload

// How HDF5 executes transfers that are requested as collective. It may move chunks in one access for all of them, or
// chunk by chunk.
const (
	CollectiveTransfers  = "collective"
	MixedTransfers       = "mixed"
	IndependentTransfers = "independent"
	LinkedChunks         = "linked chunks"
	ChunkByChunk         = "chunk by chunk"
)

// TransferKinds lists the words for how HDF5 executes collective transfers.
var TransferKinds = []string{
	CollectiveTransfers, MixedTransfers, IndependentTransfers, LinkedChunks, ChunkByChunk,
}
