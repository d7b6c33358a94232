package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/history"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// layoutsGrammar describes the command line of layouts for kong: the options of layouts itself, and the options of run.
type layoutsGrammar struct {
	Forms       []string `type:"list" group:"layouts" brief:"Forms of datasets: given, dumps, arrays, both." help:"Which arrays share a dataset: given (as in the workload), dumps (one dataset for all dumps), arrays (one dataset for all similar arrays of a dump), both (dumps and arrays). The default is all forms."`
	Layout      []string `type:"list" group:"layouts" brief:"Layouts: contiguous, chunked." help:"Layout of datasets: contiguous, chunked (default: both)."`
	Mode        []string `type:"list" group:"layouts" brief:"Transfer modes: independent, collective." help:"Transfer mode: independent, collective (default: both)."`
	ChunkExtent []uint64 `type:"sizes" placeholder:"N[,N]" group:"layouts" brief:"" help:"Chunk size in elements, for the last dimensions of a dataset; in all other dimensions it is 1. The default is the part that one process writes."`
	runGrammar  `set:"iterations=as many as are needed to show a difference"`
}

// layoutsOnlyOptions holds the options of layouts that run does not have.
var layoutsOnlyOptions = []string{"forms", "layout", "mode", "chunk-extent"}

// runOnlyOptions holds the options of run that layouts does not have.
var runOnlyOptions = []string{"--api", "--order", "--report", "--output"}

// layoutsHandler executes the command layouts, which measures storage layouts of a workload alternately, iteration by
// iteration.
type layoutsHandler struct{}

func (layoutsHandler) helpPage(Command) (help.Page, error) { return layoutsHelpPage() }

func (layoutsHandler) execute(_ Command, c commandCall) (int, error) {
	p, err := parseLayouts(c.args, c.words[1:], c.lookup, c.outputWriter())
	if p == nil {
		return 0, err
	}
	return c.tools.Parallel(*p), nil
}

// parseLayouts parses the arguments after layouts. If the arguments ask for help or for the version, parseLayouts
// prints the help or the version and returns nil.
func parseLayouts(args, words []string, lookup func(string) (string, bool), stdout io.Writer) (*Measurement, error) {
	g := layoutsGrammar{}
	var v optionValues
	h := helpPrinter{layoutsHelpPage, commandLineStart(args, layoutsCommand), stdout}
	parser, err := newParser(&g, &v)
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse(words); err != nil {
		return nil, explainError(err, parser, layoutsCommand)
	}
	switch {
	case g.Help:
		return nil, h.printHelp(words)
	case g.Version:
		return nil, printVersion(stdout)
	case g.Workload == "":
		g.Workload = defaultWorkload
	}
	if err := errors.Join(g.checkOutputs(), g.checkUnusedOptions()); err != nil {
		return nil, err
	}
	chosen, err := g.chosenLayouts()
	if err != nil {
		return nil, err
	}
	options, err := g.toPlanOptions(lookup)
	if err != nil {
		return nil, err
	}
	given := slices.DeleteFunc(v.given,
		func(o result.GivenParameter) bool { return slices.Contains(layoutsOnlyOptions, o.Name) })
	given = append(given, result.GivenParameter{Name: "api", Value: result.PHDF5}) // for reruns
	p := &Measurement{
		Request: g.baseRequest(args, given, lookup, variablesByKind[result.KindWorkload]...),
		Options: options, Layouts: chosen,
	}
	c := &p.Options.Conditions
	c.Order, c.InTurns = option.OrderRandom, true
	return p, nil
}

// defaultWorkload is the workload that layouts measures if none is given.
const defaultWorkload = "arrays"

// checkUnusedOptions returns an error for options of run that layouts does not use.
func (g layoutsGrammar) checkUnusedOptions() error {
	switch {
	case len(g.APIs) > 0:
		return errors.New("-A: layouts measures only HDF5; leave -A out")
	case g.CaseOrder != "":
		return errors.New("--order: the variants are measured in turns, in random order; leave --order out")
	case g.Report != "" || g.Output != "":
		return errors.New("--report and -o: layouts always prints its comparison; leave them out")
	case g.JSON == "-":
		return errors.New("--json -: standard output is for the comparison; give a file")
	}
	return nil
}

// chosenLayouts returns the layouts that the options select.
func (g layoutsGrammar) chosenLayouts() (*workload.LayoutOptions, error) {
	o := &workload.LayoutOptions{Chunk: g.ChunkExtent}
	err := errors.Join(appendOptionValues("--forms", g.Forms, &o.Forms),
		appendOptionValues("--layout", g.Layout, &o.Storages),
		appendOptionValues("--mode", g.Mode, &o.Modes))
	if len(o.Chunk) > 0 && len(o.Storages) > 0 && !slices.Contains(o.Storages, workload.StorageChunked) {
		err = errors.Join(err, errors.New("--chunk-extent without chunks: give --layout chunked, or leave it out"))
	}
	if slices.Contains(o.Chunk, 0) {
		err = errors.Join(err, errors.New("--chunk-extent: must be at least 1 in each dimension"))
	}
	return o, err
}

// appendOptionValues adds the values of an option to a list, without duplicates. appendOptionValues returns an error
// for an unknown value.
func appendOptionValues[T result.EnumeratedString](option string, given []string, list *[]T) error {
	for _, word := range given {
		one, err := usage.ValidOrDefault(option, T(word), result.ValuesOf[T]()...)
		if err != nil {
			return err
		}
		if word != "" && !slices.Contains(*list, one) {
			*list = append(*list, one)
		}
	}
	return nil
}

// SplitByLayout returns one request for each layout that can be measured in the job. If the user limits neither
// iterations nor time, each layout gets as many iterations as are needed to show a difference. Only the first request,
// for the workload with its own layout, publishes metrics.
func (m Measurement) SplitByLayout(job plan.JobFacts) ([]Measurement, []workload.LayoutError, error) {
	made, err := m.Options.LayoutRuns(*m.Layouts, job)
	if err != nil {
		return nil, nil, err
	}
	needed, _ := history.RankingPairs(len(made.Runs), made.WriteOnly)
	var all []Measurement
	for i := range made.Runs {
		one, run := m, made.Runs[i]
		if c := run.Conditions; run.Iterations == nil && c.RepeatUntil == nil && c.MinSeconds == nil {
			run.Iterations = &needed
		}
		one.Options, one.JSON = run, layoutPath(m.JSON, run.Workload.Recorded.Variant)
		if i > 0 {
			one.Textfile, one.Pushgateway = "", ""
		}
		all = append(all, one)
	}
	return all, made.LeftOut, nil
}

// layoutPath returns the path of the document of a layout: the given path, with the name of the layout before the file
// extension.
func layoutPath(path, layout string) string {
	if path == "" {
		return ""
	}
	name, _, _ := strings.Cut(layout, " (")
	name = strings.NewReplacer(", ", "-", " ", "-").Replace(name)
	suffix := filepath.Ext(path)
	return fmt.Sprintf("%s-%s%s", strings.TrimSuffix(path, suffix), name, suffix)
}

func layoutsHelpPage() (help.Page, error) {
	parser, err := newParser(&layoutsGrammar{}, &optionValues{},
		runOptionGroups("MPI-IO and HDF5", kong.Group{Key: "layouts", Title: "Variants"}))
	if err != nil {
		return help.Page{}, err
	}
	return help.Page{
		Words: [][]string{script.ProfileNames()},
		Usage: []string{"h5perf layouts [WORKLOAD] [options]", "mpiexec -n N h5perf layouts [WORKLOAD] [options]"},
		Short: `Find the fastest way to store the data of a workload in HDF5. WORKLOAD is the name of a profile, or a
workload file (default: arrays).`,
		About: `Find the fastest way to store the data of a workload in HDF5. The same arrays, with the same
selections, are measured in variants: each variant has a form, a layout and a mode. WORKLOAD is the name
of a profile (see 'h5perf workload list') or a workload file (default: arrays, the data of hdf5-iotest).

The form says which arrays share a dataset. given: as in the workload. dumps: all dumps of an array share
one dataset, with the dump as its first dimension. arrays: all similar arrays of a dump share one dataset.
both: dumps and arrays. Each form is measured in contiguous and in chunked layout, with independent and with
collective transfers. HDF5 writes no fill values in these variants, unless the workload sets a fill time.
Variants that a workload does not allow are left out; the output says why.

One job measures all variants in turns: each iteration measures each of them once, in random order. Each
variant is compared with the unchanged workload. The probability that all conclusions are right is 95 %.
Without -i, there are as many iterations as are needed to show a difference.

--json FILE writes a document for each variant, whose file name contains the form, layout and mode. --results
stores them all.`,
		Sections: append(removeOptions(slices.Concat(plan.UnsupportedOptions(), runOnlyOptions),
			help.OptionSections(parser.Model.Node)),
			workloadPresetSection("-i as without a preset."),
			help.Section{
				Title: "Examples", Brief: true,
				Text: `  mpiexec -n 4 h5perf layouts --size tiny
      arrays of doubles, in a size for a first try
  mpiexec -n 4 h5perf layouts particles --size tiny --layout contiguous
      the data of a profile, contiguous in each form
`,
			}),
	}, nil
}
