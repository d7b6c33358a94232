package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// mistakenOptions holds hints for options that users know from IOR or from the other tool, by tool and option. If a
// tool has an option with the same letter, the hint is added to the error about an invalid value.
var mistakenOptions = map[string]map[string]string{
	parallelCommand: {
		"-a": "IOR's -a, the API, is -A here",
		"-b": "use -e for IOR's -b (bytes per process); -B is the block size inside a transfer",
		"-t": "IOR's -t, the size of a transfer, is -x and -X here, the smallest and the largest one",
		"-s": "IOR's -s (segments) does not exist here; use -d (datasets) or -F (files)",
		"-k": "IOR's -k, keep the files, is --keep here",
		"-F": "IOR's -F, a file for each process, is --files-per-process here; -F is the number of files",
		"-N": "IOR's -N, the number of processes, is -P here",
		"-v": "-v and --file-driver belong to 'h5perf serial'; the HDF5 file driver of the parallel tool is --driver",

		"--file-driver": "it is an option of 'h5perf serial'; the HDF5 file driver of the parallel tool is --driver",
		"--profile":     "quick, standard and strict are values of --preset",
	},
	serialCommand: {
		"-a": "IOR's -a, the API, is -A here",
		"-b": "use -e for IOR's -b (bytes per process)",
		"-k": "IOR's -k, keep the files, is --keep here",
		"-X": "the serial tool has one size of transfer, -x",

		"--driver": "it is an option of the parallel tool; the HDF5 file driver of the serial tool is -v, " +
			"--file-driver",
		"--profile": "quick, standard and strict are values of --preset",
	},
}

// explainError replaces errors of kong by messages that users understand. name is the command that was called.
func explainError(err error, parser *kong.Kong, name string) error {
	if value, ok := errors.AsType[*valueError](err); ok {
		short, _, _ := strings.Cut(value.option, ",")
		if text := mistakenOptions[name][short]; text != "" {
			return fmt.Errorf("%w; %s", value, text)
		}
		return value
	}
	if refused, ok := errors.AsType[*usage.Error](err); ok {
		return refused
	}
	if strings.Contains(err.Error(), " applies to the default command ") {
		return errors.New("serial is a command only as the first argument")
	}
	err = help.ExplainError(err, findToolNode(parser, name),
		func(option string) string { return optionHint(parser, name, option) })
	word, unexpected := errors.AsType[*help.UnexpectedError](err)
	if unexpected && word.Word != parallelCommand && findCommand(word.Word).Name == word.Word {
		return fmt.Errorf("%w; %s is a command only as the first argument", word, word.Word)
	}
	return err
}

// optionHint returns a hint about what to use instead of an option that the command name does not have, or "" if there
// is no hint.
func optionHint(parser *kong.Kong, name, option string) string {
	switch name {
	case abCommand:
		return suggestOptionsOfAB(option)
	case tuneCommand:
		if option == "-i" || option == "--num-iterations" {
			return chosenNumber
		}
		return "write the options of the runs after --, as in: h5perf tune particles -- --size tiny"
	case varyCommand:
		return "write the options of the runs after --, as in: h5perf vary settings -- particles --size tiny"
	case runCommand:
		return ""
	}
	if text := mistakenOptions[name][option]; text != "" {
		return text
	}
	own, other := "'h5perf'", serialCommand
	if name == serialCommand {
		own, other = "'h5perf serial'", parallelCommand
	}
	for _, f := range findToolNode(parser, other).Flags {
		if matchesOption(f, option) {
			return fmt.Sprintf("it is an option of the %s tool, not of %s", findToolNode(parser, other).Name, own)
		}
	}
	return ""
}

// suggestOptionsOfAB says where in a command line of ab the user must write an option of the measuring tools. It
// returns "" for options that no tool has.
func suggestOptionsOfAB(option string) string {
	for _, kind := range result.ValuesOf[result.Kind]() {
		flags, _, err := toolOptions(kind, nil)
		if err != nil {
			return ""
		}
		for _, f := range flags {
			if matchesOption(f, option) {
				return "write the options of the runs after --, as in: h5perf ab -i 20 -- -A mpiio -- -A mpiio -C"
			}
		}
	}
	return ""
}

// matchesOption reports whether word is the short or the long form of an option.
func matchesOption(f *kong.Flag, word string) bool {
	return word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short)
}

// findToolNode returns kong's node of the parallel tool or of the serial tool, whichever has the name.
func findToolNode(parser *kong.Kong, name string) *kong.Node {
	for _, node := range parser.Model.Children {
		if (node.Name == serialCommand) == (name == serialCommand) {
			return node
		}
	}
	return parser.Model.Node
}
