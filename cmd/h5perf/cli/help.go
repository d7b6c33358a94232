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

// commandsHelp lists the commands beside the tools.
const commandsHelp = `Commands:
  doctor      Tell, before anything is measured, whether a run would work here.
  plan        Tell what a run would do, and how long it would take.
  report      Show results: as a table, CSV, a page or a picture.
  compare     Compare two sets of results.
  ab          Measure two sets of options in turns, and compare them.
  trend       Find since when results are better or worse.
  rerun       Repeat a run from its document.
  push        Push stored results to a Prometheus Pushgateway.
  prune       Remove old groups from a Prometheus Pushgateway.
  clean       List and remove what ended runs have left in a directory.
`

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
