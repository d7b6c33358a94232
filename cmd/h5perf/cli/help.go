package cli

import (
	"fmt"
	"io"
	"strings"

	"h5perf/cmd/h5perf/help"
	"h5perf/pkg/provenance"
)

// pager makes the help of a command.
type pager func() (help.Page, error)

// write writes the help of a command.
func write(page pager, stdout io.Writer) error {
	p, err := page()
	if err != nil {
		return err
	}
	return p.Write(stdout)
}

// printVersion prints the version, and where known the revision of the source and the MPI that this build is for.
func printVersion(stdout io.Writer) error {
	release, revision, flavour := provenance.Build()
	_, err := fmt.Fprintln(stdout, strings.Join(strings.Fields("h5perf "+release+" "+revision+" "+flavour), " "))
	return err
}
