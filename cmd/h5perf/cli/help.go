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

// printVersion prints the version and, if they are known, the revision of the source and the MPI of this build.
func printVersion(stdout io.Writer) error {
	release, revision, flavour := provenance.Build()
	_, err := fmt.Fprintln(stdout, strings.Join(strings.Fields("h5perf "+release+" "+revision+" "+flavour), " "))
	return err
}
