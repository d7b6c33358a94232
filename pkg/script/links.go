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
	_, err := h.recorder.createOrOpen(h, n, workload.Object{Kind: workload.LinkObject, Link: l}, workload.Create)
	return err
}
