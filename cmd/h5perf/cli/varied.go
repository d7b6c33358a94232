package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/run"
)

// variedGrammar describes the options that vary and tune share.
type variedGrammar struct {
	Seed    *uint64 `type:"seed" help:"Seed of the random order (default: random)."`
	JSON    string  `name:"json" type:"word" placeholder:"FILE" brief:"" help:"Write a document for each variant. Its name, in tune after that of the part, is added to the name of FILE."`
	Results string  `type:"word" placeholder:"DIR" brief:"" help:"Store all documents in the tree of results at DIR."`
	Resume  string  `type:"word" placeholder:"DIR" brief:"" help:"As --results DIR, and go on with the runs in DIR that the same command began and did not complete. vary can have another -i then, and another --time if it had one; another --seed and, in tune, another --time or --runs are refused. Without such runs, begin. Another process that measures the same is refused. If nothing is missing, print the result again. So a job that is killed can be submitted again."`
	Force   bool    `type:"flag" help:"Replace existing files."`
	Quiet   bool    `short:"q" type:"flag" help:"Print only errors and cautions on standard error."`
	Help    bool    `short:"h" type:"flag" brief:"Show this text (-h), or all options (--help)." help:"Print the most used options (-h), or all options (--help)."`
}

// variedConfiguration is the configuration whose variants are measured.
type variedConfiguration struct {
	abArm
	varied variedTool
}

// defaultWorkload is the workload that is measured if no configuration is given.
const defaultWorkload = "arrays"

// parseConfiguration parses the configuration that command varies: the words after each separator. Without any, it is a
// workload with its default sizes. instead says what to write in place of options that cannot be there, by their names.
func (g variedGrammar) parseConfiguration(command string, groups [][]string, iterations *int,
	instead map[string]string,
) (c variedConfiguration, err error) {
	if g.Resume != "" && g.Results != "" {
		return c, errors.New("--resume and --results: --resume stores the documents, too; leave --results out")
	}
	base := []string{runCommand, defaultWorkload}
	switch len(groups) {
	case 0:
	case 1:
		base = groups[0]
	default:
		return c, fmt.Errorf("%s needs one configuration, after the only --, not %d", command, len(groups))
	}
	if len(base) > 0 && !strings.HasPrefix(base[0], "-") && base[0] != serialCommand && base[0] != runCommand {
		base = slices.Concat([]string{runCommand}, base)
	}
	if c.abArm, err = parseArmWords(base); err != nil {
		return c, err
	}
	if c.varied, err = newVariedTool(splitTool(c.words)); err != nil {
		return c, err
	}
	instead = maps.Clone(instead)
	instead["seed"] = "the order is that of all variants: give --seed before --"
	for _, name := range slices.Sorted(maps.Keys(instead)) {
		if c.varied.given[name] {
			return c, fmt.Errorf("--%s after --: %s", name, instead[name])
		}
	}
	c.words = slices.Concat(c.words,
		sharedArmWords(iterations, g.Force, g.Quiet, cmp.Or(g.Resume, g.Results), g.JSON))
	if !c.varied.given["api"] {
		c.words = append(c.words, "--api="+c.varied.hdf5API())
	}
	return c, nil
}

// parseVariant returns the request to measure a variant of a configuration.
func (g variedGrammar) parseVariant(args []string, c variedConfiguration, v variant,
	lookup func(string) (string, bool),
) (*Measurement, error) {
	c.words = slices.Concat(c.words, v.words)
	m, err := c.parseMeasurement(args, run.LookupWithOverrides(c.variables, lookup))
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, errors.New("--help and --version cannot be used after --; leave them out")
	case m.Options.Order != "":
		return nil, errors.New("--order: the variants are measured in turns, in random order; leave --order out")
	case m.Form != "" || m.Output != "":
		return nil, errors.New("--report and -o: the comparison is always printed; leave them out")
	case m.JSON != g.JSON:
		return nil, errors.New("--json: each variant has a document; give --json before --")
	case m.JSON == "-":
		return nil, errors.New("--json -: standard output is for the comparison; give a file")
	case len(m.Options.GivenAPIs()) != 1:
		return nil, errors.New("-A: one API is measured; give one, or leave -A out to measure HDF5")
	}
	m.Variables, m.Variant, m.Resume = c.variables, v.name, g.Resume
	o := &m.Options.Conditions
	o.Order, o.Seed, o.InTurns = option.OrderRandom, g.Seed, true
	return m, nil
}
