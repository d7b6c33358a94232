package cli

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/launcher"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

// abGrammar holds the options of the command ab itself.
type abGrammar struct {
	NumIterations *int          `short:"i" type:"count" brief:"" help:"Number of iterations of A and of B. With --launch: how often each is launched (default: as often as is needed to show a difference)."`
	Seed          *uint64       `type:"seed" help:"Seed of the random order (default: random)."`
	Launch        []string      `placeholder:"A=COMMAND" sep:"none" brief:"" help:"Launch COMMAND with ARGS instead, once for A and once for B in each turn: \"A=mpiexec -n 4 /opt/a/bin/h5perf\". A shell reads COMMAND. Give it for A and for B, and start ab itself without a launcher."`
	FailOnWorse   *float64      `placeholder:"PERCENT" help:"With --launch: exit with status 1 if a result of B is significantly worse, and by at least this much. Without a verdict, as after a failed launch, the status is 2. For git bisect run, which skips a commit with status 125, let a script replace 2 by 125."`
	Timeout       time.Duration `type:"duration" placeholder:"DURATION" help:"With --launch: end a launch that takes longer than this (default: no limit). A launch that is told to end, after this time or by a signal to ab, has a minute to remove its files; then it is killed. A second signal to ab kills it at once."`
	JSONA         string        `name:"json-a" type:"word" placeholder:"FILE" help:"Write the document of A to FILE. Not with --launch, which has a document of each launch: give --results."`
	JSONB         string        `name:"json-b" type:"word" placeholder:"FILE" help:"Write the document of B to FILE. Not with --launch."`
	Results       string        `type:"word" placeholder:"DIR" brief:"Store both documents in the tree of results at DIR." help:"Store both documents in the tree of results at DIR. With --launch: store those of all launches, with -A or -B after their labels, so that no series over time mixes them with each other or with other runs."`
	Force         bool          `type:"flag" help:"Replace existing files. Not with --launch."`
	Quiet         bool          `short:"q" type:"flag" help:"Print only errors and cautions on standard error."`
	Help          bool          `short:"h" type:"flag" brief:"Show this text (-h), or all options (--help)." help:"Print the most used options (-h), or all options (--help)."`
}

// abHandler executes the command ab, which measures two configurations alternately, iteration by iteration.
type abHandler struct{}

func (abHandler) helpPage(Command) (help.Page, error) { return abHelpPage() }

func (abHandler) execute(_ Command, c commandCall) (int, error) {
	pair, err := parseAB(c.args, c.words[1:], c.lookup, c.outputWriter())
	switch {
	case pair == nil:
		return 0, err
	case pair.launches != nil:
		several := func(s launcher.LaunchSize) bool { return s.Processes > 1 }
		if slices.ContainsFunc(launcher.LaunchSizes(c.getenv), several) {
			return 0, errors.New("ab --launch launches jobs itself; start it without mpiexec or srun")
		}
		env := command.Env{Stdout: c.stdout, Stderr: c.stderr, Lookup: c.lookup, Now: time.Now}
		return command.ExitStatus(env, pair.launches.Run(env)), nil
	case pair.arms[0].tool == serialCommand:
		return c.tools.Serial(*pair.first), nil
	}
	return c.tools.Parallel(*pair.first), nil
}

// abArm holds the arguments of one of the two configurations that ab measures.
type abArm struct {
	words     []string
	variables map[string]string
	tool      string // command of the configuration: serial, run, or "" for the parallel tool
}

// abPair holds the two configurations to measure that a command line of ab asks for.
type abPair struct {
	arms  [2]abArm
	first *Measurement // configuration A, with B among its Others
	// launches holds what --launch asks for; then there are no configurations.
	launches *command.Launches
}

// parseAB parses the arguments after ab. If the arguments ask for help, parseAB prints the help and returns nil.
func parseAB(args, words []string, lookup func(string) (string, bool), stdout io.Writer) (*abPair, error) {
	var g abGrammar
	groups, err := parseBeforeSeparator(&g, abCommand, words)
	if err != nil {
		return nil, err
	}
	if g.Help {
		return nil, helpPrinter{abHelpPage, commandLineStart(args, abCommand), stdout}.printHelp(groups[0])
	}
	if g.Launch != nil {
		launches, err := g.launches(groups)
		if err != nil {
			return nil, err
		}
		return &abPair{launches: launches}, nil
	}
	if g.FailOnWorse != nil {
		return nil, errors.New("--fail-on-worse needs --launch; without it, give the documents of A and B to " +
			"h5perf compare --fail-on-worse")
	}
	if g.Timeout > 0 {
		return nil, errors.New("--timeout needs --launch; without it, give --timeout to A and to B, after --")
	}
	if len(groups) != 3 {
		return nil, fmt.Errorf("ab needs two configurations: ab [options] -- ARGS_A -- ARGS_B, not %d", len(groups)-1)
	}
	p := &abPair{}
	for i, name := range result.ValuesOf[result.Arm]()[:len(p.arms)] {
		if p.arms[i], err = parseArmWords(groups[i+1]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s := &p.arms[i]
		s.words = append(s.words,
			sharedArmWords(g.NumIterations, g.Force, g.Quiet, g.Results, []string{g.JSONA, g.JSONB}[i])...)
	}
	switch a, b := p.arms[0].tool, p.arms[1].tool; {
	case a == b:
	case a == serialCommand || b == serialCommand:
		return nil, errors.New("one configuration uses the serial tool and the other does not: " +
			"they run in one launch, so both must use the serial tool, or neither")
	default:
		return nil, errors.New("one configuration measures a workload and the other does not: " +
			"their cases cannot be compared, so both must begin with run, or neither")
	}
	if err := p.parseArms(args, g.Seed, lookup); err != nil {
		return nil, err
	}
	return p, nil
}

// launches returns what --launch asks for. groups holds the words before and after each separator.
func (g abGrammar) launches(groups [][]string) (*command.Launches, error) {
	if g.NumIterations != nil && *g.NumIterations == 0 {
		return nil, errors.New("-i 0: each is launched at least once")
	}
	l := &command.Launches{
		Turns: option.ValueOrZero(g.NumIterations), Results: g.Results, Quiet: g.Quiet, FailOnWorse: g.FailOnWorse,
		Timeout: g.Timeout,
	}
	if l.Seed = option.ValueOrZero(g.Seed); g.Seed == nil {
		l.Seed = rand.Uint64N(1 << 53)
	}
	for _, text := range g.Launch {
		name, words, _ := strings.Cut(text, "=")
		arm := slices.Index([]string{string(result.ArmA), string(result.ArmB)}, name)
		switch {
		case arm < 0 || strings.TrimSpace(words) == "":
			return nil, fmt.Errorf("--launch %q: give A=COMMAND or B=COMMAND", text)
		case l.Commands[arm] != "":
			return nil, fmt.Errorf("--launch: %s is given twice", name)
		}
		l.Commands[arm] = words
	}
	if slices.Contains(l.Commands[:], "") {
		return nil, errors.New("--launch: give it twice, once for A and once for B")
	}
	if len(groups) != 2 || len(groups[1]) == 0 {
		return nil, errors.New("ab --launch needs the arguments of both programs: ab --launch A=... --launch B=... " +
			"-- ARGS")
	}
	if g.JSONA != "" || g.JSONB != "" || g.Force {
		return nil, errors.New("--json-a, --json-b and --force: there is a document of each launch; give --results DIR")
	}
	l.Args = groups[1]
	for _, refused := range [][2]string{
		{"--json", "there is a document of each launch; give --results DIR before --"},
		{"--results", "give it before --, so that the documents say which are of A and of B"},
		{"--report", "ab always prints its comparison; leave --report out"},
	} {
		if slices.ContainsFunc(l.Args, func(word string) bool { return strings.HasPrefix(word, refused[0]) }) {
			return nil, fmt.Errorf("%s: %s", refused[0], refused[1])
		}
	}
	return l, nil
}

// sharedArmWords returns the options of ab and vary that they pass on to a configuration, as its tool writes them.
func sharedArmWords(iterations *int, force, quiet bool, results, json string) (words []string) {
	if iterations != nil {
		words = append(words, "--num-iterations="+strconv.Itoa(*iterations))
	}
	if force {
		words = append(words, "--force")
	}
	if quiet {
		words = append(words, "--quiet")
	}
	if results != "" {
		words = append(words, "--results="+results)
	}
	if json != "" {
		words = append(words, "--json="+json)
	}
	return words
}

// parseBeforeSeparator parses the words of a command before the first separator -- into a grammar. It returns the words
// before the first separator, and those after each.
func parseBeforeSeparator(grammar any, command string, words []string) (groups [][]string, err error) {
	parser, err := newParser(grammar, &optionValues{})
	if err != nil {
		return nil, err
	}
	groups = splitAtSeparator(words)
	if _, err := parser.Parse(groups[0]); err != nil {
		return nil, explainError(err, parser, command)
	}
	return groups, nil
}

// optionSection returns the section of the help about all options of a grammar.
func optionSection(grammar any) (help.Section, error) {
	parser, err := newParser(grammar, &optionValues{})
	if err != nil {
		return help.Section{}, err
	}
	options := help.OptionSections(parser.Model.Node)[0]
	options.Title = "Options"
	return options, nil
}

func splitAtSeparator(words []string) [][]string {
	groups := [][]string{nil}
	for _, w := range words {
		if w == "--" {
			groups = append(groups, nil)
			continue
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], w)
	}
	return groups
}

// assignment matches an assignment to an environment variable, such as USER=me.
var assignment = regexp.MustCompile(`(?s)^([A-Z][A-Z0-9_]*)=(.*)$`)

// abVariables holds the environment variables that can be set for one configuration alone.
var abVariables = []string{"HDF5_PARAPREFIX", "HDF5_PREFIX", "HDF5_NOCLEANUP", "HDF5_MPI_INFO", "USER", "LOGIN"}

// parseArmWords separates the variables of one configuration from its other arguments.
func parseArmWords(words []string) (abArm, error) {
	s := abArm{variables: map[string]string{}}
	for ; len(words) > 0; words = words[1:] {
		parts := assignment.FindStringSubmatch(words[0])
		if parts == nil {
			break
		}
		if !slices.Contains(abVariables, parts[1]) {
			return s, fmt.Errorf("%s cannot be set for one configuration alone; those that can are %s",
				parts[1], strings.Join(abVariables, ", "))
		}
		s.variables[parts[1]] = parts[2]
	}
	if s.words = words; len(words) > 0 && (words[0] == serialCommand || words[0] == runCommand) {
		s.tool = words[0]
	}
	return s, nil
}

// parseArms parses the arguments of both configurations, as the tool of each one does. Both configurations get the same
// seed of the random order. If seed is nil, the plans choose a seed.
func (p *abPair) parseArms(args []string, seed *uint64, lookup func(string) (string, bool)) error {
	var both []*Measurement
	for i, name := range result.ValuesOf[result.Arm]()[:len(p.arms)] {
		s := p.arms[i]
		m, err := s.parseMeasurement(args, run.LookupWithOverrides(s.variables, lookup))
		switch {
		case err != nil || m == nil:
			return wrapArmError(name, err)
		case m.JSON == "-":
			return fmt.Errorf("%s: --json -: standard output is for the comparison; give a file", name)
		case m.Form != "":
			return fmt.Errorf("%s: --report %s: ab always prints its comparison; leave --report out", name, m.Form)
		}
		m.Variables = s.variables
		c := &m.Options.Conditions
		c.Order, c.Seed, c.InTurns = option.OrderRandom, seed, true
		both = append(both, m)
	}
	p.first = both[0]
	p.first.Others, p.first.CommandName = []Measurement{*both[1]}, abCommand
	if both[0].Options.MPIIO.IOComponent != both[1].Options.MPIIO.IOComponent {
		return errors.New("--io-component: A and B run in one MPI job, which has one MPI-IO component; give both " +
			"the same")
	}
	return checkDistinctFiles(&both[0].Request, &both[1].Request)
}

// parseMeasurement parses the arguments of a configuration as its tool does. If the arguments ask for help or for the
// version, parseMeasurement returns nil.
func (s abArm) parseMeasurement(args []string, lookup func(string) (string, bool)) (*Measurement, error) {
	kind, words := splitTool(s.words)
	return parseMeasurement(kind, args, words, lookup, io.Discard)
}

// checkDistinctFiles returns an error if both configurations write to the same file.
func checkDistinctFiles(a, b *run.Request) error {
	for _, option := range []struct{ name, a, b string }{
		{"--json", a.JSON, b.JSON}, {"-o", a.Output, b.Output}, {"--textfile", a.Textfile, b.Textfile},
	} {
		if option.a != "" && absolutePath(option.a) == absolutePath(option.b) {
			return fmt.Errorf("%s %s: A and B would write to the same file", option.name, option.a)
		}
	}
	return nil
}

// wrapArmError adds the name of the configuration to an error. If err is nil, the configuration asked for help or for
// the version: then wrapArmError returns an error that says so.
func wrapArmError(name result.Arm, err error) error {
	if err == nil {
		err = errors.New("--help and --version cannot be used here; leave them out")
	}
	return fmt.Errorf("%s: %w", name, err)
}
