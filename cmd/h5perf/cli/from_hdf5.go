package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/output"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/script/fromfile"
)

// fromGrammar holds options and arguments of the command 'workload from'.
type fromGrammar struct {
	File      string   `arg:"" name:"HDF5-FILE"`
	Decompose []string `sep:"none" placeholder:"RULE|PATH=RULE"`
	Output    string   `short:"o" placeholder:"FILE"`
	Force     bool
}

// workloadFileKind describes workload files as outputs. An existing one is not replaced, since it may have been changed
// by hand.
var workloadFileKind = output.FileKind{
	Name: "workload file", IsOwn: func([]byte) bool { return false }, WrittenOnce: true,
	RefusalReason: "it may have been changed by hand",
}

// printFromFile prints, or writes to a file, a workload script that is made from an HDF5 file.
func (f workloadHandler) printFromFile(words []string, c commandCall) (int, error) {
	o := fromGrammar{}
	_, err := help.Parse(words, io.Discard, &o, kong.Name("h5perf workload from"))
	if err != nil {
		return 0, err
	}
	var all []fromfile.Decomposition
	for _, text := range o.Decompose {
		d, err := fromfile.ParseDecomposition(text)
		if err != nil {
			return 0, fmt.Errorf("--decompose %s: %w", text, err)
		}
		all = append(all, d)
	}
	if o.Output != "" {
		if err := workloadFileKind.Check(o.Output, o.Force); err != nil {
			return 0, err
		}
	}
	if c.silent {
		return result.ExitOK, nil
	}
	d, err := c.tools.Describe(o.File)
	if err != nil {
		_, _ = fmt.Fprintf(c.stderr, "h5perf: %s: %s\n", plain.VisibleLine(o.File), plain.VisibleLine(err.Error()))
		return result.ExitFailed, nil
	}
	text, err := fromfile.Script(o.File, d, all)
	if err != nil {
		return 0, err
	}
	_, _ = io.WriteString(c.stderr, leftOutText(fromfile.ListOmissions(d, all)))
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
	if o.Output == "" {
		err = write(c.stdout)
	} else {
		err = workloadFileKind.Write(o.Output, o.Force, write)
	}
	if err != nil {
		_, _ = fmt.Fprintf(c.stderr, "h5perf: %v\n", err)
		return result.ExitFailed, nil
	}
	return result.ExitOK, nil
}

// maxNamedItems is how many left-out items are named for each reason.
const maxNamedItems = 5

// leftOutText lists for people which items of the HDF5 file the workload lacks, grouped by reason.
func leftOutText(all []fromfile.OmittedItem) string {
	var reasons []string
	by := map[string][]string{}
	for _, l := range all {
		if by[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		by[l.Reason] = append(by[l.Reason], l.What)
	}
	var b strings.Builder
	for _, reason := range reasons {
		what := by[reason]
		more := ""
		if n := len(what) - maxNamedItems; n > 0 {
			what, more = what[:maxNamedItems], fmt.Sprintf(" and %d more, which the workload names", n)
		}
		fmt.Fprintf(&b, "left out (%s): %s%s\n", plain.VisibleLine(reason), plain.VisibleLine(strings.Join(what, ", ")),
			more)
	}
	return b.String()
}
