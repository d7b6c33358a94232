package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// boxes fills in how the walk goes over the dataset. All lists have an entry for each dimension.
func (p *Plan) boxes(o SerialOptions) error {
	s := &p.Parameters
	rank := len(s.DatasetExtent)
	s.BufferExtent, s.DimensionOrder = o.Buffer, o.Order
	if o.Buffer == nil {
		s.BufferExtent = []uint64{defaultBuffer}
	}
	if o.Order == nil {
		for d := range rank {
			s.DimensionOrder = append(s.DimensionOrder, d+1)
		}
	}
	ranks, differ := fmt.Sprintf("-e %s has %d dimension(s)", sizes(s.DatasetExtent), rank), false
	for _, l := range []struct {
		option, text string
		rank         int
	}{
		{"-x", sizes(o.Buffer), len(o.Buffer)},
		{"-r", list(o.Order, strconv.Itoa), len(o.Order)},
		{"-c", sizes(o.Chunk), len(o.Chunk)},
	} {
		if l.rank > 0 {
			ranks += fmt.Sprintf(", %s %s has %d", l.option, l.text, l.rank)
			differ = differ || l.rank != rank
		}
	}
	if differ {
		return usage.Errorf("%s: all lists must have as many", ranks)
	}
	if o.Buffer == nil && rank > 1 {
		return usage.Errorf("-x is missing: -e %s has %d dimensions, which the transfer buffer must have too; give for example -x %s",
			sizes(s.DatasetExtent), rank, sizes(bufferFor(s.DatasetExtent)))
	}
	return nil
}

// checkBoxes refuses a dataset that is not a whole number of transfer buffers in each dimension.
func (p *Plan) checkBoxes() error {
	s := p.Parameters
	for i, extent := range s.DatasetExtent {
		if buffer := s.BufferExtent[i]; buffer == 0 || extent%buffer != 0 {
			return usage.Errorf("dimension %d: the dataset, -e %s, must be a multiple of the transfer buffer, -x %s; give for example -x %s",
				i+1, units.FormatSize(extent), units.FormatSize(buffer), sizes(bufferFor(s.DatasetExtent)))
		}
	}
	return nil
}

// checkOrder refuses an order that does not name each dimension once.
func (p *Plan) checkOrder() error {
	order := p.Parameters.DimensionOrder
	for i, d := range order {
		if d < 1 || d > len(order) || slices.Contains(order[:i], d) {
			return usage.Errorf("-r %s: %d is %s; each dimension, 1 to %d, must be there once",
				list(order, strconv.Itoa), d, either(slices.Contains(order[:i], d), "there twice", "not a dimension"), len(order))
		}
	}
	return nil
}

// checkBoxChunk refuses chunks that HDF5 refuses.
func (p *Plan) checkBoxChunk() error {
	s := p.Parameters
	if s.ChunkBytes == nil || !s.UsesHDF5() {
		return nil
	}
	for i, extent := range s.ChunkBytes {
		if extent == 0 || !s.Extendible && extent > s.DatasetExtent[i] {
			return usage.Errorf("dimension %d: HDF5 wants a chunk, -c %s, of at least 1 byte and, without -t, at most the dataset's, -e %s",
				i+1, units.FormatSize(extent), units.FormatSize(s.DatasetExtent[i]))
		}
	}
	if !fits(maxChunk, s.ChunkBytes...) {
		return usage.Errorf("-c %s: HDF5 wants chunks of at most %d bytes", sizes(s.ChunkBytes), uint64(maxChunk))
	}
	return nil
}

// bufferFor is a transfer buffer that fits a dataset: as much as possible of its fastest dimensions, within the default
// size.
func bufferFor(dataset []uint64) []uint64 {
	buffer, room := slices.Clone(dataset), uint64(defaultBuffer)
	for d := len(buffer) - 1; d >= 0; d-- {
		if buffer[d] > room {
			buffer[d] = commonDivisor(buffer[d], room)
		}
		room /= buffer[d]
	}
	return buffer
}

// commonDivisor is the greatest (Euclid).
func commonDivisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// sizes writes a list of sizes as it is given.
func sizes(items []uint64) string { return list(items, units.FormatSize) }

// list writes a list as it is given.
func list[T any](items []T, format func(T) string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = format(item)
	}
	return strings.Join(texts, ",")
}
