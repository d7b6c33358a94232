package main

import (
	"fmt"
	"strings"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/plain"
)

// names returns the names of all commands except the parallel tool, which has no name.
func names(commands []command) (all []string) {
	for _, c := range commands {
		if c.name != "" {
			all = append(all, c.name)
		}
	}
	return all
}

// words returns the short and the long names of all options of the command.
func (c command) words() (all []string) {
	for _, o := range c.Options() {
		all = append(all, "--"+o.Long)
		if o.Short != "" {
			all = append(all, "-"+o.Short)
		}
	}
	return all
}

// forms returns the short and the long name of an option, such as -i | --num-iterations, as a pattern for bash.
func forms(o help.Option) string {
	if o.Short == "" {
		return "--" + o.Long
	}
	return "-" + o.Short + " | --" + o.Long
}

// bash returns the completion for bash: commands, options, the words that options accept, and files.
func bash(commands []command, program string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Completion of %[1]s for bash.
_%[1]s() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} `+
		`first=${COMP_WORDS[1]} options='' words='' arguments='' commands='%[2]s'
    [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
    [ "$word" != = ] || word=''
    case $first in
`, program, strings.Join(names(commands), " "))
	for _, c := range commands {
		pattern := c.name
		if pattern == "" {
			continue
		}
		fmt.Fprintf(&b, "    %s)\n", pattern)
		c.bashOptions(&b)
	}
	b.WriteString("    *)\n")
	for _, c := range commands {
		if c.name == "" {
			c.bashOptions(&b)
		}
	}
	fmt.Fprintf(&b, `    esac
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    elif [ "${word:0:1}" = - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    elif [ "$COMP_CWORD" = 1 ] && [ -n "$commands" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -W "$arguments" -f -- "$word")
    fi
}
complete -o filenames -F _%[1]s %[1]s
`, program)
	return b.String()
}

func (c command) bashOptions(b *strings.Builder) {
	fmt.Fprintf(b, "        options='%s'\n        case $before in\n", strings.Join(c.words(), " "))
	for _, o := range c.Options() {
		if choices := o.Choices(); choices != nil {
			fmt.Fprintf(b, "        %s) words='%s' ;;\n", forms(o), strings.Join(choices, " "))
		}
	}
	b.WriteString("        esac\n")
	for i, words := range c.Words {
		fmt.Fprintf(b, "        [ \"$COMP_CWORD\" != %d ] || arguments='%s'\n", 2+i, strings.Join(words, " "))
	}
	b.WriteString("        ;;\n")
}

// zsh returns the completion for zsh, for both names of the program, h5perf and h5perf_serial.
func zsh(commands []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, `#compdef %[1]s %[2]s
# Completion of %[1]s and %[2]s for zsh.
local command=$words[2] n=2
if [[ $service == %[2]s ]]; then
    command=%[3]s n=1
elif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    local -a commands=(
`, toolName, serialName, serialCommand)
	for _, c := range commands {
		if c.name != "" {
			fmt.Fprintf(&b, "        %s\n", plain.Quoted(c.name+":"+c.summary))
		}
	}
	b.WriteString("    )\n    _describe command commands\n    return\nfi\ncase $command in\n")
	for _, c := range commands {
		if c.name != "" {
			fmt.Fprintf(&b, "%s)\n    (( n == 1 )) || { shift words; (( CURRENT-- )) }\n", c.name)
			c.zshOptions(&b)
		}
	}
	b.WriteString("*)\n")
	commands[0].zshOptions(&b)
	b.WriteString("esac\n")
	return b.String()
}

func (c command) zshOptions(b *strings.Builder) {
	b.WriteString("    _arguments -s -S \\\n")
	for _, o := range c.Options() {
		action := ""
		if o.Value != "" {
			action = ":" + zshText(o.Value) + ":_files"
			if choices := o.Choices(); choices != nil {
				action = ":" + zshText(o.Long) + ":(" + strings.Join(choices, " ") + ")"
			}
		}
		text, equals := "["+zshText(o.Text)+"]", ""
		if o.Value != "" {
			equals = "="
		}
		fmt.Fprintf(b, "        %s \\\n", plain.Quoted("*--"+o.Long+equals+text+action))
		if o.Short != "" {
			fmt.Fprintf(b, "        %s \\\n", plain.Quoted("*-"+o.Short+text+action))
		}
	}
	for i, words := range c.Words {
		action := fmt.Sprintf(`:_alternative "words\:word\:(%s)" "files\:file\:_files"`, strings.Join(words, " "))
		fmt.Fprintf(b, "        %s \\\n", plain.Quoted(fmt.Sprintf("%d:word%s", 1+i, action)))
	}
	b.WriteString("        '*:file:_files'\n    ;;\n")
}

// zshText escapes text for a specification of _arguments.
var zshText = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace

// fish returns the completion for fish.
func fish(commands []command, program string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %s for fish.\n", program)
	all := strings.Join(names(commands), " ")
	for _, c := range commands {
		condition := "__fish_seen_subcommand_from " + c.name
		if c.name == "" {
			condition = "not __fish_seen_subcommand_from " + all
		} else {
			fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", program, c.name,
				fishQuote(c.summary))
		}
		if all == "" {
			condition = "true"
		}
		for i, words := range c.Words {
			fmt.Fprintf(&b, "complete -c %s -n '%s; and test (count (commandline -poc)) -eq %d' -a '%s'\n", program,
				condition, 2+i, strings.Join(words, " "))
		}
		for _, o := range c.Options() {
			fmt.Fprintf(&b, "complete -c %s -n '%s' -l %s", program, condition, o.Long)
			if o.Short != "" {
				fmt.Fprintf(&b, " -s %s", o.Short)
			}
			if o.Value != "" {
				b.WriteString(" -r")
			}
			if choices := o.Choices(); choices != nil {
				fmt.Fprintf(&b, " -f -a '%s'", strings.Join(choices, " "))
			}
			fmt.Fprintf(&b, " -d %s\n", fishQuote(o.Text))
		}
	}
	return b.String()
}

func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
