package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"h5perf/pkg/workload"
)

// existingFamily returns the family of the objects with names n in a file or group, and a handle for these objects,
// which are not opened. It returns an error if they do not exist, as far as this rank knows.
func (h *objectHandle) existingFamily(n namesValue) (*objectHandle, error) {
	k, first, count, err := h.recorder.resolveNames(h, n)
	if err != nil {
		return nil, err
	}
	i, is := h.recorder.objects[k]
	if count > 0 && (!is || !h.recorder.objectStates[i].exists) {
		return nil, h.recorder.notFoundError(h, n, k)
	}
	return h.recorder.newHandle(h, h.typeName, i, first, count, h.ownedByRank || n.isDealt), nil
}

// statObjects implements stat: it asks the library about objects, by their names.
func statObjects(h *objectHandle, c builtinCall) (starlark.Value, error) {
	var n namesValue
	word := workload.BasicInfo.String()
	if err := c.unpackArgs("name", &n, "fields?", &word); err != nil {
		return nil, err
	}
	if err := checkOneOf("fields", word, workload.ObjectInfoNames()...); err != nil {
		return nil, err
	}
	of, err := h.existingFamily(n)
	if err != nil || of.count == 0 {
		return nil, err
	}
	b := of.newBatch(workload.Stat)
	b.Info = workload.ObjectInfo(max(0, slices.Index(workload.ObjectInfoNames(), word)))
	return nil, h.recorder.addBatch(b)
}

// listGroups implements list, which lists a group that holds objects of the given names, and visit, which lists a group
// and all that is below it: the names are those of each level.
func listGroups(h *objectHandle, c builtinCall) (starlark.Value, error) {
	if len(c.kwargs) > 0 || len(c.args) == 0 || c.name == "list" && len(c.args) > 1 {
		return nil, fmt.Errorf("%s: give the names that it finds, such as numbered(\"d%%d\", 10); visit: those of "+
			"each level", c.name)
	}
	at := h
	for _, arg := range c.args {
		var n namesValue
		err := n.Unpack(arg)
		if err == nil && n.numNames != n.familyCount && !n.isDealt {
			err = errors.New("a group is listed as a whole: give all names of the row")
		}
		if err != nil {
			return nil, err
		}
		if at, err = at.existingFamily(n); err != nil || at.count == 0 {
			return nil, err
		}
	}
	o := &h.recorder.rankProgram.Objects[at.object]
	if c.name == "visit" && o.Kind == workload.LinkObject {
		return nil, fmt.Errorf("%s is a link: visit finds objects; list finds links, too", at.pathText())
	}
	if at.first%o.PerGroup != 0 || at.count%o.PerGroup != 0 {
		return nil, fmt.Errorf("%s: a group is listed as a whole, but other ranks have some of these names",
			at.pathText())
	}
	b := at.newBatch(workload.List)
	b.Levels = len(c.args)
	if c.name == "visit" {
		b.Visits = true
	}
	return nil, h.recorder.addBatch(b)
}

// renameObjects implements move: it gives objects other names in the same group.
func renameObjects(h *objectHandle, c builtinCall) (starlark.Value, error) {
	var from, to namesValue
	if err := cmp.Or(c.unpackArgs("source", &from, "dest", &to), c.checkWriting()); err != nil {
		return nil, err
	}
	old, err := h.existingFamily(from)
	if err != nil || old.count == 0 {
		return nil, err
	}
	if err := old.checkNotInTurns("renamed"); err != nil {
		return nil, err
	}
	r := h.recorder
	o := r.rankProgram.Objects[old.object]
	switch k, first, count, err := r.resolveNames(h, to); {
	case err != nil:
		return nil, err
	case first != old.first || count != old.count || k.count != o.PerGroup || from.isDealt != to.isDealt:
		return nil, fmt.Errorf("%s: %d objects get %d names: give as many names, in a row as long", old.pathText(),
			old.count, count)
	}
	if o.Kind == workload.GroupObject && slices.ContainsFunc(r.rankProgram.Objects,
		func(child workload.Object) bool { return child.Parent == old.object }) {
		return nil, fmt.Errorf("%s has had objects in it: rename a group that was always empty", old.pathText())
	}
	return nil, r.addRename(h, old, to)
}

// addRename adds the step that gives the objects of a handle other names in the file or group in, and declares the
// family of these names, which is like that of the old ones.
func (r *recorder) addRename(in, old *objectHandle, to namesValue) error {
	k, _, _, err := r.resolveNames(in, to)
	if err != nil {
		return err
	}
	i, is := r.objects[k]
	switch {
	case is && r.rankProgram.Objects[i].OldNames != old.object+1:
		return fmt.Errorf("%s is or was the name of another object: give one that is new",
			r.rankProgram.PathOf(i, old.first))
	case !is:
		r.keyBuffer = append(r.keyBuffer[:0], r.objectStates[old.object].likeness...)
		if i, err = r.declareFamily(in, k, r.rankProgram.Objects[old.object]); err != nil {
			return err
		}
		r.rankProgram.Objects[i].OldNames = old.object + 1
		r.objectStates[i].createdDims = r.objectStates[old.object].createdDims
	}
	was := attributeOwner{in.file.name, old.object}
	now := attributeOwner{in.file.name, i}
	r.attributesByOwner[now] = slices.Clone(r.attributesByOwner[was])
	r.objectStates[i].dims, r.objectStates[i].exists = r.objectStates[old.object].dims, true
	if old.count == r.rankProgram.Objects[old.object].Count {
		r.objectStates[old.object].exists = false
	}
	b := old.newBatch(workload.Rename)
	b.NewNames = i
	return r.addBatch(b)
}
