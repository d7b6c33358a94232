package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/history"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// varyGrammar describes the command line of vary for kong, up to the separator --.
type varyGrammar struct {
	Variants      []string       `arg:"" optional:"" name:"variant"`
	NumIterations *int           `short:"i" type:"count" brief:"" help:"Number of iterations of each variant (default: as many as are needed to show a difference)."`
	Time          *time.Duration `type:"time-limit" placeholder:"DURATION" brief:"" help:"Take at most about this long: after a first round, which does not count, drop as many of the last variants as are necessary. The others keep all their iterations."`
	variedGrammar
	Forms       []string `type:"list" help:"For layouts: which arrays share a dataset: given (as in the workload), dumps (one dataset for all dumps), arrays (one dataset for all similar arrays of a dump), both (dumps and arrays). The default is all forms."`
	Layout      []string `type:"list" help:"For layouts: contiguous, chunked (default: both)."`
	Mode        []string `type:"list" help:"For layouts: transfer mode: independent, collective (default: both)."`
	ChunkExtent []uint64 `type:"sizes" placeholder:"N[,N]" help:"For layouts: chunk size in elements, for the last dimensions of a dataset; in all other dimensions it is 1. The default is the part that one process writes."`
}

// varyHandler executes the command vary, which measures variants of a configuration alternately, iteration by
// iteration.
type varyHandler struct{}

func (varyHandler) helpPage(Command) (help.Page, error) { return varyHelpPage() }

func (varyHandler) execute(_ Command, c commandCall) (int, error) {
	m, err := parseVary(c.args, c.words[1:], c.lookup, c.outputWriter())
	switch {
	case m == nil:
		return 0, err
	case m.Options.Serial != nil:
		return c.tools.Serial(*m), nil
	}
	return c.tools.Parallel(*m), nil
}

// Words that stand for several variants.
const (
	allLayouts  = "layouts"
	allSettings = "settings"
	allHints    = "hints"
)

// parseVary parses the arguments after vary. If the arguments ask for help, parseVary prints the help and returns nil.
func parseVary(args, words []string, lookup func(string) (string, bool), stdout io.Writer) (*Measurement, error) {
	var g varyGrammar
	groups, err := parseBeforeSeparator(&g, varyCommand, words)
	if err != nil {
		return nil, err
	}
	switch {
	case g.Help:
		return nil, helpPrinter{varyHelpPage, commandLineStart(args, varyCommand), stdout}.printHelp(groups[0])
	case len(g.Variants) == 0:
		return nil, errors.New("vary needs something to vary: layouts, settings, hints, or NAME=VALUE[,VALUE]")
	}
	base, err := g.parseConfiguration(varyCommand, groups[1:], g.NumIterations, map[string]string{
		"num-iterations": "all variants have the same number: give -i before --",
	})
	if err != nil {
		return nil, err
	}
	return g.measurement(args, base, lookup)
}

// measurement returns the request to measure a configuration and its variants in turns.
func (g varyGrammar) measurement(args []string, base variedConfiguration, lookup func(string) (string, bool)) (
	*Measurement, error,
) {
	if err := g.checkLayoutOptions(); err != nil {
		return nil, err
	}
	variants := []variant{{name: workload.UnchangedLayout}}
	for _, what := range g.Variants {
		some, err := base.varied.parseVariants(what)
		if err != nil {
			return nil, err
		}
		for _, v := range some {
			if !slices.ContainsFunc(variants, func(w variant) bool { return w.name == v.name }) {
				variants = append(variants, v)
			}
		}
	}
	var all []Measurement
	for i, v := range variants {
		one, err := g.parseVariant(args, base, v, lookup)
		switch {
		case err != nil && i > 0:
			return nil, fmt.Errorf("%s: %w", v.name, err)
		case err != nil:
			return nil, err
		case g.Resume != "" && one.Options.IsOpenEnded():
			return nil, errors.New("--resume: the number of iterations must be known before; leave out " +
				"--repeat-until, --min-seconds and --preset")
		}
		one.CommandName = varyCommand
		c := &one.Options.Conditions
		if g.Time != nil && *g.Time > 0 {
			if c.Warmup != nil && *c.Warmup == 0 {
				return nil, errors.New("--time with --warmup 0: a round of warm-up shows how long the variants take; " +
					"leave one of them out")
			}
			one.Budget, c.Warmup = *g.Time, cmp.Or(c.Warmup, new(1))
		}
		if i > 0 {
			one.Textfile, one.Pushgateway = "", "" // only the results of the unchanged configuration are published
		}
		all = append(all, *one)
	}
	m := all[0]
	m.Others = all[1:]
	if slices.Contains(g.Variants, allLayouts) {
		if m.Options.Workload == nil {
			return nil,
				errors.New("layouts: only the data of a workload have several layouts; give a workload after --")
		}
		if m.Options.Sweep != nil {
			return nil, errors.New("layouts with --sweep: vary layouts for one value at a time; leave one of them out")
		}
		layouts, err := g.chosenLayouts()
		if err != nil {
			return nil, err
		}
		m.Layouts = layouts
	}
	return &m, nil
}

// checkLayoutOptions returns an error for options of layouts if layouts are not varied.
func (g varyGrammar) checkLayoutOptions() error {
	given := len(g.Forms)+len(g.Layout)+len(g.Mode)+len(g.ChunkExtent) > 0
	if given && !slices.Contains(g.Variants, allLayouts) {
		return errors.New("--forms, --layout, --mode and --chunk-extent choose layouts: write vary layouts, or leave " +
			"them out")
	}
	return nil
}

// chosenLayouts returns the layouts that the options select.
func (g varyGrammar) chosenLayouts() (*workload.LayoutOptions, error) {
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

// AllInTurns returns all requests to measure in turns: m, its layouts and m.Others, and the layouts that the workload
// cannot have. If the user limits neither iterations nor time of variants, each gets as many iterations as are needed
// to show a difference.
func (m Measurement) AllInTurns(job plan.JobFacts) (all []Measurement, leftOut []plan.LeftOut, err error) {
	all = []Measurement{m}
	writeOnly := m.Options.WriteOnly
	if m.Layouts != nil {
		made, err := m.Options.LayoutRuns(*m.Layouts, job)
		if err != nil {
			return nil, nil, err
		}
		all, leftOut, writeOnly = nil, made.LeftOut, made.WriteOnly
		for i, run := range made.Runs {
			one := m
			one.Options, one.Variant = run.Options, run.Variant
			if i > 0 {
				one.Textfile, one.Pushgateway = "", ""
			}
			all = append(all, one)
		}
	}
	all = append(all, m.Others...)
	if m.Variant == "" {
		return all, leftOut, nil
	}
	needed, _ := history.RankingPairs(len(all), result.Parameters{
		WriteOnly: writeOnly, Conditions: option.Conditions{ReadOnly: m.Options.ReadOnly},
	})
	for i := range all {
		o := &all[i].Options
		all[i].JSON = variantPath(all[i].JSON, all[i].Variant)
		if o.Iterations == nil && o.RepeatUntil == nil && o.MinSeconds == nil {
			o.Iterations = &needed
		}
	}
	if most := len(result.ValuesOf[result.Arm]()); len(all) > most {
		return nil, nil, usage.Errorf("%d variants: at most %d can be measured in turns", len(all), most)
	}
	return all, leftOut, nil
}

// variantPath returns the path of the document of a variant: the given path, with the name of the variant before the
// file extension.
func variantPath(path, name string) string {
	if path == "" {
		return ""
	}
	name, _, _ = strings.Cut(name, " (")
	name = strings.NewReplacer(", ", "-", " ", "-", "/", "-").Replace(name)
	suffix := filepath.Ext(path)
	return fmt.Sprintf("%s-%s%s", strings.TrimSuffix(path, suffix), name, suffix)
}

func varyHelpPage() (help.Page, error) {
	options, err := optionSection(&varyGrammar{})
	return help.Page{
		Words: [][]string{{allLayouts, allSettings, allHints}},
		Usage: []string{
			"h5perf vary VARIANT... [options] [-- ARGS]",
			"mpiexec -n N h5perf vary VARIANT... [options] [-- ARGS]",
		},
		Short: `Find out which setting, hint or layout makes a configuration faster here. ARGS is the configuration: a
workload and options of run, options of the parallel tool, or "serial" and options of the serial tool.
VARIANT is NAME=VALUE[,VALUE] of an option, of an MPI-IO hint, or of a size or a choice of the workload;
settings: each setting of HDF5; hints: each MPI-IO hint; layouts: other layouts of the data of a workload.`,
		About: `Find out which setting or layout makes a configuration faster here. One job measures the configuration
and all its variants in turns: each iteration measures each of them once, in random order, on new files.
Each variant is compared with the unchanged configuration. The probability that all conclusions are right is
95 %. Without -i, there are as many iterations as are needed to show a difference.

ARGS is the configuration: a workload and options of run (see 'h5perf workload list'), or options of the
parallel tool, or "serial" and options of the serial tool. Without ARGS it is the workload arrays, the data of
hdf5-iotest. HDF5 is measured, unless ARGS has -A with another API.

VARIANT is one of these:

NAME=VALUE[,VALUE]: one variant for each value. NAME is an option of ARGS, such as align, or an MPI-IO hint,
such as cb_nodes, or a size or a choice of the workload.

settings: each setting of HDF5 with a value that may make a difference.

hints: each MPI-IO hint that the library in use may read, with a value that may make a difference.

layouts: the same arrays, with the same selections, stored in other ways: in other forms, in contiguous and
chunked layout, with independent and collective transfers. The form says which arrays share a dataset. HDF5
writes no fill values in these variants, unless the workload sets a fill time.

Variants that are not possible here are left out; the output says why.`,
		Sections: []help.Section{
			options,
			{
				Title: "Examples", Brief: true,
				Text: `  mpiexec -n 4 h5perf vary layouts -- arrays --size tiny
      in which layout to store arrays of doubles, in a size for a first try
  mpiexec -n 4 h5perf vary settings -- particles --size tiny
      which setting of HDF5 helps a workload
  mpiexec -n 4 h5perf vary align=64K,1M cb_nodes=1 -- -C -x 1M -X 1M -e 16M
      alignment, and one process that writes for all, in a sweep
`,
			},
		},
	}, err
}
