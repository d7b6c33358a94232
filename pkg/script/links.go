package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"h5perf/pkg/workload"
)

// linkValue is what a link points to, as a value of scripts: f["name"] = soft_link("/x").
type linkValue struct {
	baseValue
	link workload.Link
}

// newLink implements hard_link, soft_link and external_link.
func newLink(c builtinCall) (starlark.Value, error) {
	l := workload.Link{Kind: map[string]workload.LinkKind{
		"hard_link": workload.HardLink, "soft_link": workload.SoftLink, "external_link": workload.ExternalLink,
	}[c.name]}
	var err error
	if l.Kind == workload.ExternalLink {
		err = c.unpackArgs("file", &l.File, "path", &l.Path)
	} else {
		err = c.unpackArgs("path", &l.Path)
	}
	switch {
	case err != nil:
		return nil, err
	case l.Path == "" || l.Kind == workload.HardLink && l.Path[0] != '/':
		err = fmt.Errorf("%q is no path: give one such as \"/group/dataset\"", l.Path)
	case strings.ContainsRune(l.Path+l.File, 0) || !utf8.ValidString(l.Path+l.File):
		err = errors.New("a path of a link has a character NUL, or is not in UTF-8")
	case len(l.Path) > maxLinkBytes || len(l.File) > maxNameBytes:
		err = fmt.Errorf("a link has at most %d bytes of a path, and %d of the name of a file", maxLinkBytes,
			maxNameBytes)
	case l.Kind == workload.ExternalLink && (strings.Contains(l.File, "/") || strings.Trim(l.File, ".") == ""):
		err = fmt.Errorf("%q is no name of a file in the directory of the run: give it without folders", l.File)
	}
	return linkValue{baseValue{"link"}, l}, err
}

// maxLinkBytes is the largest size in bytes of a path to which a link points.
const maxLinkBytes = 4096

// createLinks creates links in a file or group. k holds their names.
func (h *objectHandle) createLinks(k starlark.Value, l workload.Link) error {
	var n namesValue
	if err := n.Unpack(k); err != nil {
		return err
	}
	if h.recorder.op == workload.Read {
		return errors.New("a link changes a file: create it in write(job); read(job) only reads")
	}
	if l.Kind == workload.HardLink && !h.mayHavePath(l.Path) {
		return fmt.Errorf("hard_link(%q): the file has no object of this path; create it before the link", l.Path)
	}
	_, err := h.recorder.createOrOpen(h, n, workload.Object{Kind: workload.LinkObject, Link: l}, workload.Create)
	return err
}

// maxSearchedObjects is the largest number of object families of a file in which the target of a hard link is
// searched. In larger files HDF5 reports a link without target.
const maxSearchedObjects = 1000

// mayHavePath reports whether an object of the file may have a path. It returns false only if that is certain: this
// rank has seen the file created, and no other rank creates objects in it by itself.
func (h *objectHandle) mayHavePath(path string) bool {
	r := h.recorder
	all := r.objectsByFile[h.file.name]
	if !h.file.isNew && (!r.createdFiles[h.file.name] || r.rankProgram.Files[h.file.index].Group != workload.All) ||
		len(all) > maxSearchedObjects {
		return true
	}
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return len(names) == 0 || // the root group
		slices.ContainsFunc(all, func(i int) bool {
			rest, is := r.cutPath(names, i)
			leadsElsewhere := r.rankProgram.Objects[i].Kind == workload.LinkObject
			return r.objectStates[i].exists && is && (len(rest) == 0 || leadsElsewhere)
		})
}

// cutPath returns the rest of a path after the names of a member of a family and of its groups, and whether the path
// begins with such names.
func (r *recorder) cutPath(names []string, family int) (rest []string, is bool) {
	if family == workload.NoParent {
		return names, true
	}
	o := &r.rankProgram.Objects[family]
	rest, is = r.cutPath(names, o.Parent)
	if !is || len(rest) == 0 || !o.HasName(rest[0]) {
		return nil, false
	}
	return rest[1:], true
}
