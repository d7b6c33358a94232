//go:build cgo

package hdf5_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// shapes returns parts of datasets with contiguous storage: boxes of the serial tool, and the parts of the second of
// three processes in the parallel tool.
func shapes() []pattern.Sequence {
	all := []pattern.Sequence{pattern.BoxPattern{
		Dims: []uint64{12, 64, 32}, Buffer: []uint64{4, 16, 16},
		Order: []int{2, 0, 1},
	}.Sequence()}
	for _, p := range []pattern.ParallelPattern{
		{BytesPerProcess: 1 << 16, TransferSize: 1 << 14, BlockSize: 1 << 12},
		{BytesPerProcess: 1 << 14, TransferSize: 1 << 12, BlockSize: 1 << 9, Interleaved: true},
		{BytesPerProcess: 64, TransferSize: 64 * 3, BlockSize: 32, TwoD: true},
		{BytesPerProcess: 96, TransferSize: 96, BlockSize: 48, TwoD: true, Interleaved: true},
	} {
		p.Processes = 3
		all = append(all, p.Sequence(1))
	}
	return all
}

// Without a sieve buffer, HDF5 makes one system call for each run of a transfer, and no other calls for data.
func TestSystemCallsOfTransfers(t *testing.T) {
	lockThread(t)
	all := shapes()
	file := func(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("data_%d.h5", i)) }
	if dir := enginetest.Traced(); dir != "" {
		for i, s := range all {
			spec, err := enginetest.NewSpec(mpi.Self{}, s, 1, 0)
			must(t, err)
			using("sec2")(&spec)
			spec.HDF5.SieveBufferBytes, spec.DataMayBeZeros = new(uint64(0)), true
			withSpec(t, spec, func(e *prepared) {
				for _, op := range []workload.Op{workload.Write, workload.Read} {
					e.inFile(file(dir, i), op, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
				}
			})
		}
		return
	}
	dir := t.TempDir()
	trace := enginetest.Trace(t, dir, "pwrite64,pread64")
	for i, s := range all {
		want := planned(s, 2048) // HDF5 puts contiguous storage at offset 2048
		for _, function := range []string{"pwrite64", "pread64"} {
			got := slices.DeleteFunc(enginetest.DataCalls(t, trace, function, file(dir, i)),
				func(c enginetest.Call) bool { return c.Offset < 2048 })
			if !slices.Equal(got, want) {
				t.Errorf("shape %d: %s of (offset, bytes) %v, want %v", i, function, got, want)
			}
		}
	}
}

// planned returns the calls for the runs of all transfers. The data of the dataset begin at offset base. Adjacent runs
// of a transfer are joined.
func planned(s pattern.Sequence, base uint64) []enginetest.Call {
	n := s.LoopNest()
	var out []enginetest.Call
	for tr := range s.NumTransfers() {
		first := len(out)
		for run := range n.RunsPerTransfer() {
			at := int(base + n.RunOffset(tr, run))
			if last := len(out) - 1; last >= first && out[last].Offset+out[last].Bytes == at {
				out[last].Bytes += int(n.RunBytes)
			} else {
				out = append(out, enginetest.Call{Offset: at, Bytes: int(n.RunBytes)})
			}
		}
	}
	return out
}
