package script

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"h5perf/pkg/workload"
)

// unfencedWrites is a range of members of a family of datasets, [from, to). All ranks have written them independently,
// and have not waited for one another since, for example in job.fence().
type unfencedWrites struct {
	from, to uint64
	line     int // line of the last transfer
}

// recordUnfencedWrites records that all ranks write datasets independently. Until all ranks have waited for one
// another, slower ranks may still write while others do the next steps.
func (r *recorder) recordUnfencedWrites(h *objectHandle) {
	w, is := r.unfencedByFamily[h.object]
	if !is {
		w.from, w.to = h.first, h.first+h.count
	}
	r.unfencedByFamily[h.object] = unfencedWrites{min(w.from, h.first), max(w.to, h.first+h.count), r.currentLine()}
}

// checkWritesAreFenced returns an error if objects are unlinked while a slower rank may still write to these datasets,
// or to datasets in these groups. HDF5 reuses the bytes of unlinked objects for new objects.
func (r *recorder) checkWritesAreFenced(object int, first, count uint64) error {
	for _, i := range slices.Sorted(maps.Keys(r.unfencedByFamily)) {
		w := r.unfencedByFamily[i]
		if i == object && (w.to <= first || first+count <= w.from) {
			continue
		}
		for in := i; in != workload.NoParent; in = r.rankProgram.Objects[in].Parent {
			if in == object {
				return fmt.Errorf("%s is unlinked, but a slower rank may still write it (line %d), into bytes that "+
					"are given to what is created next: call job.fence() before", r.rankProgram.PathOf(i, w.from),
					w.line)
			}
		}
	}
	return nil
}

func unlinkObjects(h *objectHandle, c builtinCall) (starlark.Value, error) {
	var n namesValue
	err := c.unpackArgs("name", &n)
	if err = cmp.Or(err, c.checkWriting()); err != nil {
		return nil, err
	}
	k, first, count, err := h.recorder.resolveNames(h, n)
	i, is := h.recorder.objects[k]
	if err != nil || count == 0 {
		return nil, err
	}
	if !is || !h.recorder.objectStates[i].exists {
		return nil, fmt.Errorf("there is no %s in %s", n.firstName(), h.pathText())
	}
	if before, after := h.recorder.neighbourRanks(); !h.ownedByRank && !n.isDealt && !h.file.alone &&
		(before != workload.NoRank ||
			after != workload.NoRank) {
		return nil, fmt.Errorf("%s is unlinked in turns, but the next rank would open it: leave it out, or let one "+
			"rank do it with job.root", h.recorder.rankProgram.PathOf(i, first))
	}
	if err := h.recorder.checkWritesAreFenced(i, first, count); err != nil {
		return nil, err
	}
	if count == h.recorder.rankProgram.Objects[i].Count {
		h.recorder.objectStates[i].exists = false
	}
	return nil,
		h.recorder.addBatch(h.recorder.newHandle(h, h.typeName, i, first, count, false).newBatch(workload.Unlink))
}
