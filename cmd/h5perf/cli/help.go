package cli

import (
	"fmt"
	"io"
	"strings"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/node"
)

// pageFunc is a function that returns the help of a command.
type pageFunc func() (help.Page, error)

type helpPrinter struct {
	page   pageFunc
	called string
	stdout io.Writer
}

// printHelp prints the help that the arguments ask for: the whole help if the arguments have --help, else the brief
// help.
func (h helpPrinter) printHelp(words []string) error {
	p, err := h.page()
	if err != nil {
		return err
	}
	return p.Show(h.stdout, words, h.called+" --help")
}

// printVersion prints the version. It also prints the revision of the source, the MPI of this build, and the build id
// of the container image, as far as they are known.
func printVersion(stdout io.Writer) error {
	release, revision, flavour := node.BuildInfo()
	words := strings.Fields("h5perf " + release + " " + revision + " " + flavour)
	if image := node.Machine().Image; image != nil && image.Build != "" {
		words = append(words, "(image build "+image.Build+")")
	}
	_, err := fmt.Fprintln(stdout, strings.Join(words, " "))
	return err
}
