package script

import (
	"errors"
	"fmt"
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

// maxSearchedObjects is the largest number of object families in a program in which the target of a hard link is
// searched. In larger programs HDF5 reports a link without target.
const maxSearchedObjects = 1000

// mayHavePath reports whether an object of the file may have a path. It returns false only if that is certain: all
// ranks open the file, and each of its objects has a name of its own.
func (h *objectHandle) mayHavePath(path string) bool {
	program := h.recorder.rankProgram
	file := program.Files[h.file.index]
	if file.Group != workload.All || len(program.Objects) > maxSearchedObjects {
		return true
	}
	var wanted []string
	for name := range strings.SplitSeq(path, "/") {
		if name != "" && name != "." {
			wanted = append(wanted, name)
		}
	}
	wantedPath := file.Name + ":/" + strings.Join(wanted, "/")
	if len(wanted) == 0 {
		return true // the root group
	}
	for i := range program.Objects {
		o := &program.Objects[i]
		if program.Files[o.File].Name != file.Name || !h.recorder.objectStates[i].exists {
			continue
		}
		found := program.PathOf(i, 0)
		if o.Count > 1 || found == wantedPath ||
			o.Kind == workload.LinkObject && strings.HasPrefix(wantedPath, found+"/") { // the link leads elsewhere
			return true
		}
	}
	return false
}
