//go:build cgo

package engine

// #include <stdlib.h>
// #include "h5perf_list.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"h5perf/pkg/pattern"
)

// buildList makes the list of the runs of a listed transfer in a plain file, in the order of the selection. whole means
// that one call moves all runs: then points are sorted by their offsets, and buildList returns an error if they
// overlap. The result staging is the size in bytes of the buffer in which the transfer packs its data.
func (k *Kernel) buildList(whole bool) (staging uint64, err error) {
	pieces, err := pattern.ContiguousPieces(k.move.PlainSelection, k.move.Form)
	if err != nil {
		return 0, err
	}
	if whole && k.move.PlainSelection.Kind() == pattern.Points {
		if pieces, err = sortPieces(pieces); err != nil {
			return 0, err
		}
	}
	b := listBuilder{dense: true}
	for p := range pieces {
		b.addPiece(p)
	}
	b.endRun()
	l := k.c.list
	l.run, l.runs = copySliceToC(b.runs), C.uint64_t(len(b.runs))
	l.piece = copySliceToC(b.pieces)
	l.dense = flagToC(b.dense)
	if len(b.runs) > 0 {
		k.c.first = b.runs[0].offset
	}
	switch {
	case !whole:
		return b.largestPackedRun, nil
	case b.dense:
		return 0, nil
	}
	return b.bytes, nil
}

// sortPieces sorts pieces by their offsets in the file. It returns an error if they overlap.
func sortPieces(pieces iter.Seq[pattern.ContiguousPiece]) (iter.Seq[pattern.ContiguousPiece], error) {
	all := slices.SortedFunc(pieces, func(a, b pattern.ContiguousPiece) int { return cmp.Compare(a.File, b.File) })
	for i := 1; i < len(all); i++ {
		if all[i-1].File+all[i-1].Bytes > all[i].File {
			return nil, fmt.Errorf("a collective transfer that selects byte %d twice: %w: an MPI file view for "+
				"writing must not overlap itself", all[i].File, ErrUnsupported)
		}
	}
	return slices.Values(all), nil
}

// copySliceToC returns a copy of a slice in C memory.
func copySliceToC[T any](all []T) *T {
	if len(all) == 0 {
		return nil
	}
	p := (*T)(C.malloc(C.size_t(uintptr(len(all)) * unsafe.Sizeof(all[0])))) // without memory, cgo ends the program
	copy(unsafe.Slice(p, len(all)), all)
	return p
}

// listBuilder groups the pieces of a transfer into runs.
type listBuilder struct {
	runs             []C.h5perf_runs
	pieces           []C.h5perf_pieces
	currentRun       C.h5perf_runs // the current run, to which pieces are added; it has 0 bytes if there is none
	bytes            uint64        // sum of all pieces added
	dense            bool          // the pieces follow each other in memory without gaps
	largestPackedRun uint64        // size in bytes of the largest run that is not contiguous in memory
}

// addPiece adds the next piece of the file.
func (b *listBuilder) addPiece(p pattern.ContiguousPiece) {
	b.dense = b.dense && p.Memory == b.bytes
	b.bytes += p.Bytes
	bytes, offset, memory := C.uint64_t(p.Bytes), C.uint64_t(p.File), C.uint64_t(p.Memory)
	if b.currentRun.bytes == 0 || b.currentRun.offset+b.currentRun.bytes != offset {
		b.endRun()
		b.currentRun = C.h5perf_runs{offset: offset, memory: memory, count: 1, first: C.uint64_t(len(b.pieces))}
	}
	b.currentRun.bytes += bytes
	memory -= b.currentRun.memory
	if n := len(b.pieces); n > int(b.currentRun.first) {
		last := &b.pieces[n-1]
		if last.count == 1 {
			last.step = memory - last.memory
		}
		if last.bytes == bytes && last.memory+last.count*last.step == memory {
			last.count++
			return
		}
	}
	b.pieces = append(b.pieces, C.h5perf_pieces{bytes: bytes, memory: memory, count: 1})
}

// endRun ends the current run. If the run has the same pieces as the runs of the last entry, and follows them at the
// same distance, endRun adds it to that entry; otherwise it makes a new entry.
func (b *listBuilder) endRun() {
	r := b.currentRun
	if b.currentRun.bytes = 0; r.bytes == 0 {
		return
	}
	own := b.pieces[r.first:]
	if len(own) == 1 && own[0].count == 1 {
		own = nil
	} else {
		b.largestPackedRun = max(b.largestPackedRun, uint64(r.bytes))
	}
	r.pieces = C.uint64_t(len(own))
	if n := len(b.runs); n > 0 {
		last := &b.runs[n-1]
		if last.count == 1 {
			last.stride, last.step = r.offset-last.offset, r.memory-last.memory
		}
		if last.bytes == r.bytes && last.offset+last.count*last.stride == r.offset &&
			last.memory+last.count*last.step == r.memory &&
			slices.Equal(b.pieces[last.first:last.first+last.pieces], own) {
			last.count++
			b.pieces = b.pieces[:r.first]
			return
		}
	}
	b.pieces = b.pieces[:int(r.first)+len(own)]
	b.runs = append(b.runs, r)
}

// MaxLevelCount returns the largest of these numbers: the iterations of each loop over runs or transfers, the entries
// of the list of runs, and the runs that one entry describes.
func (k *Kernel) MaxLevelCount() uint64 {
	n := uint64(len(k.listEntries()))
	for _, r := range k.listEntries() {
		n = max(n, uint64(r.count))
	}
	for _, l := range slices.Concat(k.move.Nest.Runs, k.move.Nest.Transfers) {
		n = max(n, l.Count)
	}
	return n
}

// listEntries returns the list entries of a listed move, or nil for a regular move.
func (k *Kernel) listEntries() []C.h5perf_runs {
	if k.c.list == nil {
		return nil
	}
	return unsafe.Slice(k.c.list.run, k.c.list.runs)
}

func (k *Kernel) freeList() {
	l := k.c.list
	if l == nil {
		return
	}
	C.free(unsafe.Pointer(l.run))
	C.free(unsafe.Pointer(l.piece))
	C.free(unsafe.Pointer(l))
}

// BuildLists makes the lists of the listed moves. The function whole reports whether one call moves all runs of a
// transfer; points are then sorted by their offsets. The result staging is the size in bytes of the buffer in which
// transfers in plain files pack their data.
func (s *KernelSet) BuildLists(whole func(*Kernel) bool) (staging uint64, err error) {
	for _, k := range s.kernels {
		if k.c.list == nil {
			continue
		}
		one, err := k.buildList(whole(k))
		if err != nil {
			return 0, err
		}
		staging = max(staging, one)
	}
	return staging, nil
}

// BuildPlainLists makes the lists like BuildLists, for engines that write plain files. It also maps the staging buffer.
func (s *KernelSet) BuildPlainLists(whole func(*Kernel) bool) error {
	most, err := s.BuildLists(whole)
	if err != nil || most == 0 {
		return err
	}
	if s.staging, err = MapMemory(most); err != nil {
		return errors.Join(errors.New("memory in which a transfer is packed"), err)
	}
	clear(s.staging) // allocates the pages now, so that no transfer waits for page faults
	for _, k := range s.kernels {
		if l := k.c.list; l != nil {
			l.staging = (*C.uchar)(unsafe.SliceData(s.staging))
		}
	}
	return nil
}
