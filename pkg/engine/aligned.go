//go:build cgo

package engine

// #include "h5perf_list.h"
import "C"

import (
	"fmt"
	"slices"
)

// CheckAlignment checks transfers in a plain file against the alignment in bytes that a device requires for O_DIRECT.
// It returns nil if each run has an aligned size, an aligned offset in the file and an aligned address in memory. For
// regular moves, the addresses need no check: the buffers lie one after another in memory that begins at a page, so an
// aligned size also makes their addresses aligned.
func (s *KernelSet) CheckAlignment(align uint64) error {
	for _, k := range s.kernels {
		if err := k.checkAlignment(align); err != nil {
			return err
		}
		if o := &s.program.Objects[k.move.Object]; o.Base%align != 0 || o.Count > 1 && o.Stride%align != 0 {
			return fmt.Errorf("datasets begin at byte %d of the file, and %d bytes apart, but the device requires "+
				"multiples of %d", o.Base, o.Stride, align)
		}
	}
	return nil
}

// checkAlignment does the same check as CheckAlignment, but for one move, and assumes that the dataset has an aligned
// offset.
func (k *Kernel) checkAlignment(align uint64) error {
	nest := &k.move.Nest
	sizes := []uint64{nest.RunBytes, nest.Base}
	for _, l := range slices.Concat(nest.Runs, nest.Transfers) {
		sizes = append(sizes, l.Stride)
	}
	for _, n := range sizes {
		if n%align != 0 {
			return fmt.Errorf("calls have %d bytes at multiples of %d, but the device requires multiples of %d for "+
				"both: give such block and transfer sizes", nest.RunBytes, n, align)
		}
	}
	for _, r := range k.listEntries() {
		numbers := []C.uint64_t{r.bytes, r.offset}
		if r.count > 1 {
			numbers = append(numbers, r.stride)
		}
		if r.pieces == 0 {
			numbers = append(numbers, r.memory)
			if r.count > 1 {
				numbers = append(numbers, r.step)
			}
			if k.move.Buffer.Slots > 1 {
				numbers = append(numbers, k.c.slot_bytes)
			}
		}
		for _, n := range numbers {
			if uint64(n)%align != 0 {
				return fmt.Errorf("a run of %d bytes at offset %d of the dataset, and at byte %d of its memory: %d "+
					"is no multiple of %d, which the device requires", r.bytes, r.offset, r.memory, n, align)
			}
		}
	}
	return nil
}
