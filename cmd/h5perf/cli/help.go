package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/pkg/provenance"
)

// help is the help of a tool: its options, in groups, between head and tail. Without groups the head tells all.
type help struct {
	groups     []kong.Group
	head, tail string
}

func (h help) print(ctx *kong.Context, stdout io.Writer) error {
	if _, err := io.WriteString(stdout, h.head); err != nil {
		return err
	}
	if h.groups == nil {
		return nil
	}
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	_, err := io.WriteString(stdout, h.tail)
	return err
}

// printVersion prints the version, and where known the revision of the source and the MPI that this build is for.
func printVersion(stdout io.Writer) error {
	release, revision, flavour := provenance.Build()
	_, err := fmt.Fprintln(stdout, strings.Join(strings.Fields("h5perf "+release+" "+revision+" "+flavour), " "))
	return err
}
