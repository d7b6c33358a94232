//go:build cgo

package h5_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/workload"
)

const (
	filteredElements = 4096 // of a dataset of 4-byte integers
	filteredChunk    = 1000 // elements of a chunk
)

// smoothNumbers returns the bytes of numbers that filters make smaller.
func smoothNumbers() []byte {
	data := make([]byte, 4*filteredElements)
	for i := range filteredElements {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(70_000+i/3+i*i%5))
	}
	return data
}

// writeFiltered writes data to a dataset with filters in a new file, and returns the path of the file.
func writeFiltered(t *testing.T, data []byte, filters ...workload.Filter) string {
	t.Helper()
	return serial(t, func(o *objects, file *hdf5.File) {
		shape := o.shape(workload.Object{
			Type: workload.Type{Class: workload.Unsigned, Size: 4}, Dims: []uint64{filteredElements},
			Chunk: []uint64{filteredChunk}, Filters: filters,
		})
		set := o.datasets(file.ID(), "d", 1, shape)[0]
		o.must(h5test.Write(set, hdf5.T_STD_U32LE, shape.Space, shape.Space, hdf5.P_DEFAULT, data))
	})
}

// readFiltered reads the dataset that writeFiltered wrote.
func readFiltered(t *testing.T, path string) ([]byte, error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	o := &objects{t: t}
	defer o.close()
	fapl, err := h5.NewAccessList()
	o.keep(fapl, err)
	o.must(h5.SetSec2(fapl))
	file, err := h5.OpenFile(path, hdf5.F_ACC_RDONLY, fapl)
	o.keep(file, err)
	set, err := file.OpenDataset("d")
	o.keep(set, err)
	space := o.space([]uint64{filteredElements}, nil)
	got := make([]byte, 4*filteredElements)
	return got, h5test.Read(set.ID(), hdf5.T_STD_U32LE, space, space, got)
}

func TestFiltersGiveBackWhatWasWritten(t *testing.T) {
	for _, c := range []struct {
		filters []workload.Filter
		dump    string // in the output of h5dump
	}{
		{[]workload.Filter{{Name: "zstd", Level: 3}}, "FILTER_ID 32015"},
		{[]workload.Filter{{Name: "shuffle"}, {Name: "zstd", Level: 22}}, "PARAMS { 22 }"},
		{[]workload.Filter{{Name: "lz4"}}, "FILTER_ID 32004"},
		{[]workload.Filter{{Number: 32004, Values: []uint32{257}}}, "PARAMS { 257 }"}, // several blocks of a chunk
		{[]workload.Filter{{Name: "shuffle"}, {Name: "lz4"}, {Name: "fletcher32"}}, "FILTER_ID 32004"},
		{[]workload.Filter{{Name: "nbit"}}, "COMPRESSION NBIT"},
		{[]workload.Filter{{Name: "scaleoffset"}}, "COMPRESSION SCALEOFFSET"},
	} {
		if lacksFilter(workload.Object{Filters: c.filters}) {
			t.Logf("%v: %v", c.filters, h5.CheckFilter(c.filters[0].Name))
			continue
		}
		for name, data := range map[string][]byte{"smooth": smoothNumbers(), "noise": noise(4 * filteredElements)} {
			path := writeFiltered(t, data, c.filters...)
			got, err := readFiltered(t, path)
			// HDF5 1.14.5 does not read what scaleoffset could not make smaller.
			if err != nil && c.filters[0].Name == "scaleoffset" && name == "noise" && h5.VersionAtLeast(1, 14, 0) {
				continue
			}
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%v, %s: other data come back, error %v", c.filters, name, err)
			}
			contains(t, dumped(t, path, "-H", "-p"), c.dump)
			stored, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			smaller := c.filters[0].Name != "nbit" && name == "smooth" // the numbers have no unused bits
			if data := stored.Size() - 4096; smaller != (data < 4*filteredElements*3/4) {
				t.Errorf("%v, %s: %d bytes are stored", c.filters, name, data)
			}
		}
	}
}

// noise returns bytes that cannot be compressed.
func noise(count int) []byte {
	b := make([]byte, count)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// A chunk with the filter lz4 has its size in 8 bytes, the size of a block in 4, and for each block its compressed size
// in 4, all big-endian. A chunk with zstd is a frame.
func TestChunksThatFiltersCannotDecodeAreRefused(t *testing.T) {
	const chunkBytes, blockBytes = 4 * filteredChunk, 1000
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, chunkBytes), blockBytes)
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd}
	for _, c := range []struct {
		filter workload.Filter
		start  []byte // of a chunk
		at     int
		bytes  []byte // which replace those at `at` in the first chunk
	}{
		{workload.Filter{Number: 32004, Values: []uint32{blockBytes}}, header, 0, []byte{0x7f}},         // huge
		{workload.Filter{Number: 32004, Values: []uint32{blockBytes}}, header, 5, []byte{1}},            // larger
		{workload.Filter{Number: 32004, Values: []uint32{blockBytes}}, header, 0, make([]byte, 8)},      // no bytes
		{workload.Filter{Number: 32004, Values: []uint32{blockBytes}}, header, 8, make([]byte, 4)},      // empty block
		{workload.Filter{Number: 32004, Values: []uint32{blockBytes}}, header, 8, []byte{0xff}},         // large block
		{workload.Filter{Number: 32004, Values: []uint32{blockBytes}}, header, 12, []byte{0xff}},        // beyond it
		{workload.Filter{Number: 32004, Values: []uint32{blockBytes}}, header, 14, []byte{0, 0}},        // no bytes
		{workload.Filter{Number: 32004, Values: []uint32{blockBytes}}, header, 16, noise(100)},          // no code
		{workload.Filter{Number: 32015, Values: []uint32{3}}, frame, 0, []byte{1}},                      // no frame
		{workload.Filter{Number: 32015, Values: []uint32{3}}, frame, 4, []byte{0xe0, 0xff, 0xff, 0xff}}, // huge
		{workload.Filter{Number: 32015, Values: []uint32{3}}, frame, 10, noise(100)},
	} {
		if err := h5.CheckFilter(map[int]string{32004: "lz4", 32015: "zstd"}[c.filter.Number]); err != nil {
			t.Log(err)
			continue
		}
		path := writeFiltered(t, smoothNumbers(), c.filter)
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		start := bytes.Index(file, c.start)
		if start < 0 {
			t.Fatalf("%v: no chunk begins with % x", c.filter, c.start)
		}
		copy(file[start+c.at:], c.bytes)
		broken := filepath.Join(t.TempDir(), "broken.h5")
		if err := os.WriteFile(broken, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readFiltered(t, broken); err == nil {
			t.Errorf("%v: no error with % x at byte %d of a chunk", c.filter, c.bytes[:min(8, len(c.bytes))], c.at)
		}
	}
}

func TestTheFiltersOfAFileAreDescribedByName(t *testing.T) {
	for _, want := range []workload.Filter{
		{Name: "zstd", Level: 5}, {Name: "lz4"}, {Name: "nbit"}, {Name: "scaleoffset"},
	} {
		if lacksFilter(workload.Object{Filters: []workload.Filter{want}}) {
			continue
		}
		d, err := h5.DescribeFile(writeFiltered(t, smoothNumbers(), want))
		if err != nil || fmt.Sprint(d.Objects[1].Filters) != fmt.Sprint([]workload.Filter{want}) {
			t.Errorf("%v: %v, %+v", want, err, d)
		}
	}
}
