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
	return &m, nil
}

// AllInTurns returns all requests to measure in turns: m and m.Others. If the user limits neither iterations nor time
// of variants, each gets as many iterations as are needed to show a difference.
func (m Measurement) AllInTurns() ([]Measurement, error) {
	all := append([]Measurement{m}, m.Others...)
	if m.Variant == "" {
		return all, nil
	}
	needed, _ := history.RankingPairs(len(all), result.Parameters{
		WriteOnly: m.Options.WriteOnly, Conditions: option.Conditions{ReadOnly: m.Options.ReadOnly},
	})
	for i := range all {
		o := &all[i].Options
		all[i].JSON = variantPath(all[i].JSON, all[i].Variant)
		if o.Iterations == nil && o.RepeatUntil == nil && o.MinSeconds == nil {
			o.Iterations = &needed
		}
	}
	if most := len(result.ValuesOf[result.Arm]()); len(all) > most {
		return nil, usage.Errorf("%d variants: at most %d can be measured in turns", len(all), most)
	}
	return all, nil
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

layouts: the same arrays, with the same selections, stored in all ways that 'h5perf run --help' explains for
--layout. layout=PART-PART stands for those with these parts: layout=chunked,contiguous-collective.

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
