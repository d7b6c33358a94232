package cli

import (
	"fmt"
	"io"
	"strings"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/node"
)

// pager returns the help of a command.
type pager func() (help.Page, error)

// helper prints the help of a command that was called in a way.
type helper struct {
	page   pager
	called string
	stdout io.Writer
}

// show prints what words ask for: the whole help by --help, else the brief one.
func (h helper) show(words []string) error {
	p, err := h.page()
	if err != nil {
		return err
	}
	return p.Show(h.stdout, words, h.called+" --help")
}

// printVersion prints the version and, if they are known, the revision of the source, the MPI of this build and the
// build id of the image around it.
func printVersion(stdout io.Writer) error {
	release, revision, flavour := node.Build()
	words := strings.Fields("h5perf " + release + " " + revision + " " + flavour)
	if image := node.Machine().Image; image != nil && image.Build != "" {
		words = append(words, "(image build "+image.Build+")")
	}
	_, err := fmt.Fprintln(stdout, strings.Join(words, " "))
	return err
}
