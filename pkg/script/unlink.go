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

// checkNotInTurns returns an error if objects that several ranks use, one after another, are unlinked or renamed.
func (h *objectHandle) checkNotInTurns(done string) error {
	before, after := h.recorder.neighbourRanks()
	if !h.ownedByRank && !h.file.alone && (before != workload.NoRank || after != workload.NoRank) {
		return fmt.Errorf("%s is %s in turns, but the next rank would open it: leave it out, or let one rank do it "+
			"with job.root", h.pathText(), done)
	}
	return nil
}

func unlinkObjects(h *objectHandle, c builtinCall) (starlark.Value, error) {
	var n namesValue
	err := c.unpackArgs("name", &n)
	if err = cmp.Or(err, c.checkWriting()); err != nil {
		return nil, err
	}
	of, err := h.existingFamily(n)
	if err != nil || of.count == 0 {
		return nil, err
	}
	if err := of.checkNotInTurns("unlinked"); err != nil {
		return nil, err
	}
	if err := h.recorder.checkWritesAreFenced(of.object, of.first, of.count); err != nil {
		return nil, err
	}
	if of.count == h.recorder.rankProgram.Objects[of.object].Count {
		h.recorder.objectStates[of.object].exists = false
	}
	return nil, h.recorder.addBatch(of.newBatch(workload.Unlink))
}

// unfencedObjects is the last use of objects that are files of their own, in a file that all ranks have open.
type unfencedObjects struct {
	renames bool // rank 0 alone, for all ranks, renames or unlinks them
	line    int
}

// checkObjectsAreFenced returns an error if a step uses objects that are files of their own, while a slower rank may
// not have done what comes before. HDF5 does such steps on all ranks together. With POSIX, rank 0 alone renames and
// unlinks.
func (r *recorder) checkObjectsAreFenced(s *workload.Step) error {
	renames := false
	switch s.Class {
	case workload.Rename, workload.Unlink:
		renames = true
	case workload.Create, workload.CreateLink, workload.Open, workload.Stat, workload.List:
	default:
		return nil
	}
	f := &r.rankProgram.Files[s.File]
	if !f.ObjectFiles || f.Group != workload.All {
		return nil
	}
	before, is := r.unfencedObjects[f.Name]
	if is && before.renames != renames {
		return fmt.Errorf("a slower rank may not have done line %d, and with object_files a step that renames or "+
			"unlinks is done by rank 0 alone: call job.fence() in between", before.line)
	}
	r.unfencedObjects[f.Name] = unfencedObjects{renames, s.Line}
	return nil
}
