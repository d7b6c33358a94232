package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"h5perf/cmd/h5perf/cli"
)

// Names of the program.
const (
	toolName      = "h5perf"
	serialName    = "h5perf_serial"
	serialCommand = "serial"
)

// command is what the help of a command says.
type command struct {
	name     string // "" is the parallel tool
	summary  string
	sections []section
}

// section is a part of a help: its title, "" of the first, and its paragraphs.
type section struct {
	title string
	parts []part
}

// part is an option with its explanation, or lines of text.
type part struct {
	option *option
	lines  []string
}

// option is an option as the help shows it.
type option struct {
	shown       string // such as -i, --num-iterations=N
	short, long string // without hyphens; short may be empty
	value       string // what it takes, "" of a flag
	text        string
}

var (
	optionLine  = regexp.MustCompile(`^ {2,6}((?:-(\w), )?--([a-z0-9-]+)(?:\[?[= ]([^ ]+))?)(?: {2,}(.*))?$`)
	titleLine   = regexp.MustCompile(`^([A-Z][^.]*):$`)
	commandLine = regexp.MustCompile(`^  ([a-z]+) {2,}(\S.*)$`)
)

// ask asks all commands for their help. Those that there are are in the help of the parallel tool.
func ask() ([]command, error) {
	tool, err := askOne("")
	if err != nil {
		return nil, err
	}
	tool.summary = "measure a file system the way HDF5 applications use it"
	all := []command{tool}
	listed := [][2]string{{serialCommand, "Measure a file system from one process, without MPI."}}
	for _, s := range tool.sections {
		for _, p := range s.parts {
			for _, line := range p.lines {
				if m := commandLine.FindStringSubmatch(line); s.title == "Commands" && m != nil {
					listed = append(listed, [2]string{m[1], m[2]})
				}
			}
		}
	}
	if len(listed) == 1 {
		return nil, fmt.Errorf("the help of %s lists no commands", toolName)
	}
	for _, l := range listed {
		c, err := askOne(l[0])
		if err != nil {
			return nil, err
		}
		c.summary = strings.ToLower(l[1][:1]) + strings.TrimSuffix(l[1][1:], ".")
		all = append(all, c)
	}
	return all, nil
}

// serial is the serial tool alone, as it is under its own name.
func serial(commands []command) []command {
	for _, c := range commands {
		if c.name == serialCommand {
			c.name = ""
			return []command{c}
		}
	}
	return nil
}

// askOne asks a command for its help.
func askOne(name string) (command, error) {
	args := []string{toolName, name, "--help"}
	if name == "" {
		args = []string{toolName, "--help"}
	}
	var stdout, stderr bytes.Buffer
	none := func(string) (string, bool) { return "", false }
	status := cli.Run(args, none, &stdout, &stderr, cli.Tools{})
	if status != 0 {
		return command{}, fmt.Errorf("%s: exit status %d: %s", strings.Join(args, " "), status, stderr.String())
	}
	return command{name: name, sections: sections(stdout.String())}, nil
}

// sections reads a help.
func sections(help string) []section {
	all := []section{{}}
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, " \n")
		last := &all[len(all)-1]
		if m := titleLine.FindStringSubmatch(line); m != nil {
			all = append(all, section{title: m[1]})
			continue
		}
		if m := optionLine.FindStringSubmatch(line); m != nil {
			o := &option{shown: m[1], short: m[2], long: m[3], value: m[4], text: m[5]}
			last.parts = append(last.parts, part{option: o})
			continue
		}
		n := len(last.parts)
		switch {
		case n > 0 && last.parts[n-1].option != nil && strings.HasPrefix(line, "          "): // it goes on
			o := last.parts[n-1].option
			o.text = strings.TrimSpace(o.text + " " + strings.TrimSpace(line))
		case n == 0 || last.parts[n-1].option != nil:
			last.parts = append(last.parts, part{lines: []string{line}})
		default:
			last.parts[n-1].lines = append(last.parts[n-1].lines, line)
		}
	}
	return all
}

// options are all options of a command.
func (c command) options() []option {
	var all []option
	for _, s := range c.sections {
		for _, p := range s.parts {
			if p.option != nil {
				all = append(all, *p.option)
			}
		}
	}
	return all
}

// choices are the words that an option takes; none where it takes others.
func (o option) choices() []string {
	if !strings.Contains(o.value, "|") {
		return nil
	}
	var words []string
	for word := range strings.SplitSeq(o.value, "|") {
		if word == strings.ToLower(word) && !strings.Contains(word, "=") {
			words = append(words, word)
		}
	}
	return words
}
