package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// withSerialCase adds the case of a serial run to a plan: one step with one process and one transfer size.
func withSerialCase(p Plan, o Options) (Plan, error) {
	walk, err := chosenSerialAccess(*o.Serial)
	if err != nil {
		return p, err
	}
	transfer, chunked := multiplyAll(walk.buffer), o.Serial.ChunkSize != nil
	s := &p.Parameters
	s.MinProcesses, s.MaxProcesses, s.Files, s.Datasets = 1, 1, 1, 1
	s.MinTransferSize, s.MaxTransferSize = transfer, transfer
	s.Layout = conditional(chunked, result.LayoutChunked, result.LayoutContiguous)
	s.ChunkSize, s.Extendible = o.Serial.ChunkSize, o.Serial.Extendible
	s.DatasetExtent, s.BufferExtent, s.DimensionOrder = walk.dataset, walk.buffer, walk.order
	p.ProcessSteps = []ProcessStep{{Processes: 1, TransferSizes: []uint64{transfer}}}
	return p, nil
}

// serialAccess holds the dataset and transfers of a serial run. All slices have one element per dimension.
type serialAccess struct {
	dataset []uint64 // extent in bytes
	buffer  []uint64 // extent of a transfer in bytes
	order   []int    // dimensions, counted from 1; the walk advances first along order[0]
}

// chosenSerialAccess returns the given extents and order, or their defaults.
func chosenSerialAccess(o option.SerialSizes) (serialAccess, error) {
	if o.Extendible && o.ChunkSize == nil {
		return serialAccess{}, usage.Errorf("-t needs -c: HDF5 can extend only datasets of chunked layout")
	}
	dataset, err := chosenDataset(o.DatasetExtent)
	if err != nil {
		return serialAccess{}, err
	}
	if err := checkDimensions(o, dataset); err != nil {
		return serialAccess{}, err
	}
	buffer, err := chosenBuffer(o.BufferExtent, dataset)
	if err != nil {
		return serialAccess{}, err
	}
	order, err := chosenOrder(o.Order.Dimensions, len(dataset))
	return serialAccess{dataset, buffer, order}, err
}

// The default extents in bytes, as in the design note of h5perf_serial.
const (
	defaultDataset = 16 << 20
	defaultBuffer  = 256 << 10
)

// chosenDataset returns the given extent of the dataset, or its default.
func chosenDataset(given []uint64) ([]uint64, error) {
	if given == nil {
		return []uint64{defaultDataset}, nil
	}
	if len(given) > pattern.MaxDims {
		return nil, usage.Errorf("-e has %d dimensions; at most %d are possible", len(given), pattern.MaxDims)
	}
	for i, extent := range given {
		if extent == 0 {
			return nil, usage.Errorf("-e %s: dimension %d must have at least 1 byte", sizesText(given), i+1)
		}
	}
	if !fitsLimit(maxBytes, given...) {
		return nil, usage.Errorf("-e %s: the dataset is larger than %d bytes", sizesText(given), uint64(maxBytes))
	}
	return given, nil
}

// checkDimensions refuses slices that do not have one element per dimension of the dataset.
func checkDimensions(o option.SerialSizes, dataset []uint64) error {
	all := []string{
		fmt.Sprintf("-e %s has %s", sizesText(dataset), units.Count(len(dataset), "dimension", "dimensions")),
	}
	differ := false
	for _, l := range []struct {
		option, text string
		dimensions   int
	}{
		{"-x", sizesText(o.BufferExtent), len(o.BufferExtent)},
		{"-r", joinTexts(o.Order.Dimensions, strconv.Itoa), len(o.Order.Dimensions)},
		{"-c", sizesText(o.ChunkSize), len(o.ChunkSize)},
	} {
		if l.dimensions > 0 {
			all = append(all, fmt.Sprintf("%s %s has %d", l.option, l.text, l.dimensions))
			differ = differ || l.dimensions != len(dataset)
		}
	}
	if differ {
		return usage.Errorf("%s; give all lists the same number", strings.Join(all, ", "))
	}
	return nil
}

// chosenBuffer returns the given extent of the transfer buffer. If none is given, it returns the default for a dataset
// with one dimension, and an error for more dimensions. It refuses a dataset that is not a multiple of the buffer in
// each dimension.
func chosenBuffer(given, dataset []uint64) ([]uint64, error) {
	buffer := given
	if given == nil {
		if len(dataset) > 1 {
			return nil, usage.Errorf("-x is missing: -e %s has %d dimensions, and the transfer buffer needs as many, "+
				"for example -x %s", sizesText(dataset), len(dataset), sizesText(fittingBuffer(dataset)))
		}
		buffer = []uint64{defaultBuffer}
	}
	for i, extent := range dataset {
		if buffer[i] == 0 || extent%buffer[i] != 0 {
			return nil, usage.Errorf("dimension %d: the transfer buffer, -x %s, must divide the dataset, -e %s%s",
				i+1, units.FormatSize(buffer[i]), units.FormatSize(extent), nearestDivisorsText(extent, buffer[i]))
		}
	}
	return buffer, nil
}

// fittingBuffer returns a transfer buffer that fits the dataset: it covers as much as possible of the fastest
// dimensions, up to the default size.
func fittingBuffer(dataset []uint64) []uint64 {
	buffer, room := slices.Clone(dataset), uint64(defaultBuffer)
	for d := len(buffer) - 1; d >= 0; d-- {
		if buffer[d] > room {
			buffer[d] = commonDivisor(buffer[d], room)
		}
		room /= buffer[d]
	}
	return buffer
}

// chosenOrder returns the given order of the dimensions, or ascending order. It refuses an order that does not contain
// each dimension exactly once.
func chosenOrder(given []int, dimensions int) ([]int, error) {
	if given == nil {
		order := make([]int, dimensions)
		for d := range order {
			order[d] = d + 1
		}
		return order, nil
	}
	for i, d := range given {
		twice := slices.Contains(given[:i], d)
		if d < 1 || d > len(given) || twice {
			return nil, usage.Errorf("-r %s: %d %s; give each dimension, 1 to %d, once",
				joinTexts(given, strconv.Itoa), d, conditional(twice, "occurs twice", "is not a dimension"), len(given))
		}
	}
	return given, nil
}
