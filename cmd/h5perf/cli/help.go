package cli

import (
	"fmt"
	"io"
	"strings"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/provenance"
)

// pager returns the help of a command.
type pager func() (help.Page, error)

// write writes the help of a command to a stream.
func write(page pager, stdout io.Writer) error {
	p, err := page()
	if err != nil {
		return err
	}
	return p.Write(stdout)
}

// printVersion prints the version and, if they are known, the revision of the source, the MPI of this build and the
// build id of the image around it.
func printVersion(stdout io.Writer) error {
	release, revision, flavour := provenance.Build()
	words := strings.Fields("h5perf " + release + " " + revision + " " + flavour)
	if image := provenance.Machine().Image; image != nil && image.Build != "" {
		words = append(words, "(image build "+image.Build+")")
	}
	_, err := fmt.Fprintln(stdout, strings.Join(words, " "))
	return err
}
