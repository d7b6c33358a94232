package workload

import "h5perf/pkg/pattern"

// Sweep is the workload of one process for one file in h5perf and h5perf_serial. The process transfers its part of each
// dataset, one dataset after another, with transfers of one size.
type Sweep struct {
	Sequence       pattern.Sequence
	Nest           pattern.LoopNest
	Buffer         Buffer
	Datasets       int
	DatasetBytes   uint64   // size of one dataset, with the parts of all processes
	Chunk          []uint64 // HDF5: extent of a chunk in elements; nil: contiguous storage
	Slab           SlabMethod
	Collective     bool
	ContiguousPart bool // the part of each process is one run of the file: 1D, contiguous pattern
	Extendible     bool // HDF5, chunked: a dataset begins with the extent of a transfer buffer, and grows
	FilePerProcess bool // each process has its own file with its own datasets
	RootCreates    bool // process 0 creates the file and its datasets alone; then all processes open them
	SyncDatasets   bool // the file is synced after the transfers of each dataset
	SyncFile       bool // the file is synced before it is closed
}

// Program returns the program of a sweep: a dump in each direction, with one epoch for each phase.
func (s Sweep) Program() Program {
	object := Object{
		Kind: DatasetObject, Parent: NoParent, PerGroup: uint64(s.Datasets), Count: uint64(s.Datasets),
		Name: "Dataset_%d", First: 1, Type: Type{Class: Unsigned, Size: s.Sequence.Element},
		Dims: s.Sequence.Dims, Chunk: s.Chunk, Stride: s.DatasetBytes,
	}
	if s.Extendible {
		object.InitialDims, object.MaxExtent = s.Sequence.BufferShape(), make([]uint64, len(s.Sequence.Dims))
		for d := range object.MaxExtent {
			object.MaxExtent[d] = Unlimited
		}
	}
	p := Program{
		Uniform: true,

		Files:   []File{{Bytes: uint64(s.Datasets) * s.DatasetBytes}},
		Objects: []Object{object},
		Moves: []Move{{
			Sequence: s.Sequence, Nest: s.Nest, Buffer: s.Buffer, Slab: s.Slab, Collective: s.Collective,
			ContiguousPart: s.ContiguousPart,
			Extends:        s.Extendible,
		}},
	}
	if s.FilePerProcess {
		p.Files[0].Group = Self
	}
	if s.RootCreates {
		p.Files = append(p.Files, p.Files[0]) // two entries for the same file: of process 0, and of all processes
		p.Files[0].Group, p.Objects[0].File = Root, 1
	}
	for _, op := range []Op{Write, Read} {
		p.Parts[op].Dumps = []Dump{s.newDump(op)}
	}
	return p
}

// newDump returns the dump of one direction.
func (s Sweep) newDump(op Op) Dump {
	var d Dump
	file, existing := 0, false
	add := func(b Batch) {
		b.Op, b.File = op, file
		d.Epochs = append(d.Epochs, Epoch{[]Step{{Batch: b}}})
	}
	begin := Create
	if op == Read {
		begin = Open
	}
	if s.RootCreates {
		if op == Write {
			all := uint64(s.Datasets)
			add(Batch{Class: FileOpen, Move: NoMove})
			add(Batch{Class: Create, Count: all, Move: NoMove})
			add(Batch{Class: ObjectClose, Count: all, Move: NoMove})
			add(Batch{Class: FileClose, Move: NoMove})
			begin, existing = Open, true
		}
		file = 1
	}
	add(Batch{Class: FileOpen, Move: NoMove, Existing: existing})
	for k := range uint64(s.Datasets) {
		add(Batch{Class: begin, First: k, Count: 1})
		add(Batch{Class: Transfer, First: k, Count: 1, NumTransfers: s.Sequence.NumTransfers()})
		if op == Write && s.SyncDatasets {
			add(Batch{Class: Sync, Move: NoMove})
		}
		add(Batch{Class: ObjectClose, First: k, Count: 1})
	}
	if op == Write && s.SyncFile {
		add(Batch{Class: Sync, Move: NoMove})
	}
	add(Batch{Class: FileClose, Move: NoMove})
	return d
}
