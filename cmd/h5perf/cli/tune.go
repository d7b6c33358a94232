package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// tuneGrammar describes the command line of tune for kong, up to the separator --.
type tuneGrammar struct {
	Workload string        `arg:"" optional:"" name:"workload"`
	Try      []string      `sep:"none" placeholder:"VARIANT" brief:"" help:"Try this VARIANT: layouts, settings, hints, aggregators, stripes, or NAME=VALUE[,VALUE] of an option, an MPI-IO hint, or a size or a choice of the workload. May be repeated. The default is all that the words stand for, the choices mode and calls of a workload and, in a sweep, collective transfers and chunks."`
	Time     time.Duration `type:"time-limit" placeholder:"DURATION" default:"30m" brief:"" help:"Take at most about this long (default 30m), with the runs that --resume goes on with. 0 means no limit."`
	Runs     *int          `type:"count" placeholder:"N" brief:"" help:"Search with at most N measurements (default: 5 for each variant). The 24 to 80 measurements that prove the gain come on top. There is no -i: tune chooses how often it measures."`
	variedGrammar
}

// tuneHandler executes the command tune, which searches the fastest variant of a configuration.
type tuneHandler struct{}

func (tuneHandler) helpPage(Command) (help.Page, error) { return tuneHelpPage() }

func (tuneHandler) execute(_ Command, c commandCall) (int, error) {
	m, err := parseTune(c.args, c.words[1:], c.lookup, c.outputWriter())
	if m == nil {
		return 0, err
	}
	return c.tools.Parallel(*m), nil
}

// Tuning is a request to find the fastest variant of a configuration. It makes the requests of all its arms.
type Tuning struct {
	tuneGrammar
	// Subfiling says that HDF5 has the file driver subfiling, and that the configuration does not choose the driver.
	Subfiling bool

	args    []string
	base    variedConfiguration
	lookup  func(string) (string, bool)
	changes []variant
}

// Reasons why options of a run cannot be given to tune.
const (
	chosenNumber = "tune chooses how often it measures; limit it by --runs or --time before --"
	notPublished = "tune publishes nothing; store its documents with --results, and publish some with 'h5perf push'"
)

// parseTune parses the arguments after tune. If the arguments ask for help, parseTune prints the help and returns nil.
// The request is that of the unchanged configuration.
func parseTune(args, words []string, lookup func(string) (string, bool), stdout io.Writer) (*Measurement, error) {
	var g tuneGrammar
	groups, err := parseBeforeSeparator(&g, tuneCommand, words)
	if err != nil {
		return nil, err
	}
	switch {
	case g.Help:
		return nil, helpPrinter{tuneHelpPage, commandLineStart(args, tuneCommand), stdout}.printHelp(groups[0])
	case g.Runs != nil && *g.Runs < 2:
		return nil, errors.New("--runs: a search needs at least 2 measurements")
	case g.Workload != "" && len(groups) < 3:
		groups = [][]string{nil, slices.Concat(append([][]string{{runCommand, g.Workload}}, groups[1:]...)...)}
	}
	t := &Tuning{tuneGrammar: g, args: args, lookup: lookup}
	if t.base, err = g.parseConfiguration(tuneCommand, groups[1:], nil, map[string]string{
		"num-iterations": chosenNumber, "warmup": chosenNumber, "min-seconds": chosenNumber,
		"repeat-until": chosenNumber, "max-iterations": chosenNumber,
		"sweep":       "tune chooses the values itself; leave it out, or use --try NAME=VALUE,VALUE",
		"pushgateway": notPublished, "textfile": notPublished,
	}); err != nil {
		return nil, err
	}
	if t.base.tool == serialCommand {
		return nil, errors.New("tune measures with the parallel tool and run; for the serial tool, use vary")
	}
	m, err := t.measurement(variant{name: workload.UnchangedLayout})
	if err != nil {
		return nil, err
	}
	m.Tuning = t
	for _, what := range g.Try { // a mistake is told before MPI starts, and UsesThreads looks at all variants
		some, err := t.parseTry(what, plan.JobFacts{Processes: 1, Nodes: 1})
		if err != nil {
			return nil, fmt.Errorf("--try %w", err)
		}
		for _, one := range some {
			other, err := t.measurement(one)
			if err != nil {
				return nil, fmt.Errorf("--try %s: %w", one.name, err)
			}
			m.Others = append(m.Others, *other)
		}
	}
	return m, nil
}

// measurement returns the request to measure a variant of the configuration.
func (t *Tuning) measurement(v variant) (*Measurement, error) {
	m, err := t.parseVariant(t.args, t.base, v, t.lookup)
	if err != nil {
		return nil, err
	}
	m.CommandName, m.Textfile, m.Pushgateway = tuneCommand, "", ""
	// The rounds of a stage end when enough is known, and the first run of all is a warm-up.
	c := &m.Options.Conditions
	c.Warmup, c.MinSeconds, c.RepeatUntil, c.MaxIterations = new(0), nil, nil, nil
	return m, nil
}

// Words for several variants that depend on the job or on the file system.
const (
	allAggregators = "aggregators"
	allStripes     = "stripes"
)

// parseTry returns the variants that an argument of --try names.
func (t *Tuning) parseTry(what string, job plan.JobFacts) (all []variant, err error) {
	switch what {
	case allAggregators:
		for n := 1; n <= min(job.Processes, 8*job.Nodes); n *= 2 {
			all = append(all, hintVariant("cb_nodes", strconv.Itoa(n)))
		}
		return all, nil
	case allStripes:
		for _, stripe := range []string{"1", "4", "-1", "-1,4M", "-1,16M"} {
			all = append(all, variant{"stripe=" + stripe, []string{"--stripe=" + stripe}})
		}
		return all, nil
	}
	return t.base.varied.parseVariants(what)
}

// ProposeChanges finds out which changes can be tried in a job, and returns their names. m is the unchanged
// configuration. What cannot be tried is left out with the reason.
func (t *Tuning) ProposeChanges(m Measurement, job plan.JobFacts) (names []string, left []plan.LeftOut, err error) {
	try := t.Try
	if len(try) == 0 {
		try = []string{allStripes, "collective=on", "chunk=on", allAggregators, allHints, allSettings}
		if m.Options.Workload != nil {
			try = []string{allStripes, allLayouts, allAggregators, allHints, allSettings}
			choices, err := m.Options.Workload.Choices(job)
			if err != nil {
				return nil, nil, err
			}
			for _, c := range choices { // that mostly say how ranks move the same data; a run leaves out others
				if c.Name == "mode" || c.Name == "calls" {
					try = slices.Insert(try, len(try)-3, c.Name+"="+strings.Join(c.Words, ","))
				}
			}
		}
		if t.triesSubfiling() {
			try = append(try, "driver=subfiling")
		}
	}
	for _, what := range try {
		some, err := t.parseTry(what, job)
		if err != nil {
			return nil, nil, fmt.Errorf("--try %w", err)
		}
		for _, one := range some {
			if !slices.Contains(names, one.name) {
				t.changes, names = append(t.changes, one), append(names, one.name)
			}
		}
	}
	if most := len(result.ValuesOf[result.Arm]()) - 1; len(names) > most {
		for _, name := range names[most:] {
			reason := fmt.Sprintf("at most %d changes can be tried; name fewer with --try", most)
			left = append(left, plan.LeftOut{Variant: name, Reason: reason})
		}
		t.changes, names = t.changes[:most], names[:most]
	}
	if t.Runs == nil {
		t.Runs = new(5 * (1 + len(names)))
	}
	return names, left, nil
}

// triesSubfiling reports whether the file driver subfiling is tried without being asked for.
func (t *Tuning) triesSubfiling() bool { return t != nil && t.Subfiling && len(t.Try) == 0 }

// Arm returns the request to measure a trial in a stage, and what its size changes. m is the unchanged configuration.
func (t *Tuning) Arm(m Measurement, stage command.TuneStage, name string, trial []int, job plan.JobFacts) (
	one Measurement, sized string, err error,
) {
	var words []string
	for _, i := range trial {
		words = append(words, t.changes[i].words...)
	}
	made, err := t.measurement(variant{name, words})
	if err != nil {
		return one, "", err
	}
	one = *made
	o := &one.Options
	if o.Workload != nil {
		o.Workload.Text = m.Options.Workload.Text
	}
	o.Iterations, o.Seed = &stage.Iterations, cmp.Or(o.Seed, m.Options.Seed)
	if stage.Size != 1 {
		if one.Options, sized, err = one.Options.Resized(stage.Size, job); err != nil {
			return one, "", err
		}
	}
	one.Deadline = m.Deadline
	one.JSON, one.Quiet = variantPath(one.JSON, string(stage.Name)+" "+name), true
	one.Tune = m.Tune
	one.Tune.Stage = stage.Name
	return one, sized, nil
}

func tuneHelpPage() (help.Page, error) {
	options, err := optionSection(&tuneGrammar{})
	return help.Page{
		Usage: []string{
			"h5perf tune [WORKLOAD] [options] [-- ARGS]",
			"mpiexec -n N h5perf tune [WORKLOAD] [options] [-- ARGS]",
		},
		Short: `Search the settings, hints and layouts that make a configuration fastest here, and prove what they
gain. ARGS is the configuration: options of run for WORKLOAD, or options of the parallel tool.`,
		About: `Search the settings, hints and layouts that make a configuration fastest here, and prove what they
gain. ARGS is the configuration: options of run for WORKLOAD or, without WORKLOAD, options of the parallel tool
or what vary accepts there. HDF5 is measured, unless ARGS has -A with another API.

The search measures in rounds: each round measures every variant that is left, and the unchanged configuration,
once, in random order, on new files. After some rounds it drops the slower half. Then it measures combinations
of the best three changes. That a variant was the fastest of many proves nothing. So the winner is measured
again, in 12 to 40 pairs with the unchanged configuration, on new files. Only this result is reported: the gain
with its interval, or "none shown" with the gain that would have been seen. If there is a gain, tune also measures
what each change contributes, and whether the gain holds with data of half and of twice the size.

The result is given as options of h5perf, as a hints file, and as calls of HDF5 in C and in h5py. It holds for
this workload, size and number of processes. A variant that is refused or fails is left out; the output says why.
Each measurement is in a document, see --json and --results.`,
		Sections: []help.Section{
			options,
			{
				Title: "Examples", Brief: true,
				Text: `  mpiexec -n 4 h5perf tune particles -- --size tiny
      all changes that may help a workload, in a size for a first try
  mpiexec -n 4 h5perf tune --try settings --try cb_nodes=1,2 -- -C -x 1M -e 16M
      settings of HDF5 and numbers of aggregators, for a sweep
`,
			},
		},
	}, err
}
