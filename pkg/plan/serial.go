package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// NewSerial returns the plan of a serial run: one step of one process and one transfer size. Of the job only memory,
// target and seed count. What cannot be measured is refused with a *usage.Error, which names the nearest sizes that
// fit.
func NewSerial(o SerialOptions, job Job) (Plan, error) {
	given := o.Iterations
	o, err := profiledSerial(o)
	if err != nil {
		return Plan{}, err
	}
	o, err = sizedByMemorySerial(o, job)
	if err != nil {
		return Plan{}, err
	}
	if o.Extendible && o.ChunkSize == nil {
		return Plan{}, usage.Errorf("-t needs -c: HDF5 can extend only datasets of chunked layout")
	}
	apis, err := chosenAPIs(o.APIs, SerialAPIs())
	if err != nil {
		return Plan{}, err
	}
	iterations, err := iterationsOf(o.Iterations, o.Conditions)
	if err != nil {
		return Plan{}, err
	}
	conditions, err := completed(o.Conditions, iterations, job)
	if err != nil {
		return Plan{}, err
	}
	hdf5, notes, err := o.HDF5.Complete(option.HDF5Run{
		Serial: true, Measured: usesHDF5(apis), Chunked: o.ChunkSize != nil, WriteOnly: o.WriteOnly, Library: job.HDF5,
	})
	if err != nil {
		return Plan{}, err
	}
	walk, err := walkOf(o)
	if err != nil {
		return Plan{}, err
	}
	transfer := product(walk.buffer)
	p := Plan{
		Parameters: result.Parameters{
			APIs:         apis,
			MinProcesses: 1, MaxProcesses: 1,
			MinTransferBytes: transfer, MaxTransferBytes: transfer,
			Iterations: iterations, Files: 1, Datasets: 1,
			Layout:     either(o.ChunkSize != nil, result.LayoutChunked, result.LayoutContiguous),
			ChunkBytes: o.ChunkSize,
			WriteOnly:  o.WriteOnly, Verify: o.Verify, KeepFiles: o.Keep,
			HDF5Settings: hdf5, Conditions: conditions,
			DatasetExtent: walk.dataset, BufferExtent: walk.buffer, DimensionOrder: walk.order,
			Extendible: o.Extendible,
		},
		Steps: []Step{{Processes: 1, Transfers: []uint64{transfer}}},
		Notes: notes,
	}
	return finished(enoughPairs(p, given, o.Conditions), job, checkSerialChunk)
}
