package result

import "h5perf/pkg/pattern"

// Serial tells whether the parameters are those of a serial run.
func (p Parameters) Serial() bool { return len(p.DatasetExtent) > 0 }

// Box is the access pattern of a serial run with these parameters.
func (p Parameters) Box() pattern.Box {
	b := pattern.Box{Dims: p.DatasetExtent, Buffer: p.BufferExtent}
	for _, d := range p.DimensionOrder {
		b.Order = append(b.Order, d-1)
	}
	return b
}

// DriverSettings are the settings of an HDF5 file driver; only those that it has are set.
type DriverSettings struct {
	CoreIncrementBytes   uint64 `json:"core_increment_bytes,omitempty"`
	CoreBackingStore     *bool  `json:"core_backing_store,omitempty"`
	FamilyMemberBytes    uint64 `json:"family_member_bytes,omitempty"`
	DirectAlignmentBytes uint64 `json:"direct_alignment_bytes,omitempty"` // of memory
	DirectBlockBytes     uint64 `json:"direct_block_bytes,omitempty"`     // of the file system
	DirectBufferBytes    uint64 `json:"direct_buffer_bytes,omitempty"`    // for copies of what is not aligned
	MultiMap             string `json:"multi_map,omitempty"`              // default or metadata

	SubfilingStripeBytes uint64 `json:"subfiling_stripe_bytes,omitempty" since:"2"` // in a subfile before the next comes
	SubfilingFiles       int    `json:"subfiling_files,omitempty" since:"2"`        // absent: one of each concentrator
	SubfilingPerNode     int    `json:"subfiling_per_node,omitempty" since:"2"`     // processes of a node that do I/O for all: the concentrators
	SubfilingThreads     int    `json:"subfiling_threads,omitempty" since:"2"`      // of a concentrator
}
