package script

import (
	"math"

	"go.starlark.net/starlark"
)

// chunksArgument is the argument chunks of create_dataset: an extent, True for the chunks that h5py chooses, or False
// for no chunks.
type chunksArgument struct {
	extentArgument
	chosen bool
}

func (c *chunksArgument) Unpack(v starlark.Value) error {
	if b, is := v.(starlark.Bool); is {
		c.chosen = bool(b)
		return nil
	}
	return c.extentArgument.Unpack(v)
}

// chunkExtent returns the extent of the chunks of a dataset, or nil if it has no chunks. element is the size of an
// element in bytes.
func (c *chunksArgument) chunkExtent(shape extentArgument, element uint64) extentArgument {
	if c.chosen && len(shape) > 0 {
		return chunksAsH5py(shape, element)
	}
	return c.extentArgument
}

// chunksAsH5py returns the chunks that h5py chooses for chunks = True: it halves the dimensions in turn until a chunk
// has about a target size. The target is 8 KiB for small datasets, and at most 1 MiB for large ones. An extent of 0
// counts as 1024. element is the size of an element in bytes.
func chunksAsH5py(shape extentArgument, element uint64) extentArgument {
	const base, least, most = 16 << 10, 8 << 10, 1 << 20
	chunk := make(extentArgument, len(shape))
	bytes := func() float64 {
		n := float64(element)
		for _, extent := range chunk {
			n *= float64(extent)
		}
		return n
	}
	for d, n := range shape {
		if chunk[d] = n; n == 0 {
			chunk[d] = 1024
		}
	}
	target := min(max(base*math.Exp2(math.Log10(bytes()/(1<<20))), least), most)
	for d := 0; ; d = (d + 1) % len(chunk) {
		n := bytes()
		if (n < target || (n-target)/target < 0.5) && n < most || n == float64(element) {
			return chunk
		}
		chunk[d] = (chunk[d] + 1) / 2
	}
}
