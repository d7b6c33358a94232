package main

import (
	"fmt"
	"strings"

	"h5perf/cmd/h5perf/cli"
	"h5perf/cmd/h5perf/cli/help"
)

// Names of the program.
const (
	toolName      = "h5perf"
	serialName    = "h5perf_serial"
	serialCommand = "serial"
)

// command is a command and its help.
type command struct {
	name    string // "" for the parallel tool
	summary string // a phrase without a capital letter and without a full stop
	help.Page
}

// table returns all commands of the program, the parallel tool first.
func table() (commands []command, err error) {
	for _, c := range cli.Commands() {
		p, err := c.Page()
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", toolName, c.Name, err)
		}
		summary := strings.ToLower(c.Summary[:1]) + strings.TrimSuffix(c.Summary[1:], ".")
		commands = append(commands, command{c.Name, summary, p})
	}
	return commands, nil
}

// serial returns only the serial tool, for the program that is installed as h5perf_serial.
func serial(commands []command) []command {
	for _, c := range commands {
		if c.name == serialCommand {
			c.name = ""
			return []command{c}
		}
	}
	return nil
}
