package pkg_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allowed are the licences that modules may have, as NOTICE names them, by words of their texts.
var allowed = []struct{ name, words string }{
	{"Apache 2.0", "Apache License Version 2.0"},
	{"Apache 2.0", "Licensed under the Apache License, Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{
		"BSD 3-Clause",
		"may be used to endorse or promote products derived from this software " +
			"without specific prior written permission",
	},
	{"CC BY 4.0", "Creative Commons Attribution 4.0 International Public License"},
	{"FreeType", "your choice of exactly one of the following two licenses: * The FreeType License"},
}

// licenceFiles are the names of the files in which modules have their licence.
var licenceFiles = regexp.MustCompile(`(?i)^(licen[cs]e|copying)(\.(md|txt|code))?$`)

// modules are the modules that packages need, with their folders. Those of the tests come with the words -test ./...
func modules(t *testing.T, arguments ...string) map[string]string {
	t.Helper()
	list := exec.Command(
		"go",
		append(
			[]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}"},
			arguments...)...)
	list.Dir, list.Env = "..", append(os.Environ(), "CGO_ENABLED=1") // it compiles nothing
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, found := strings.Cut(strings.TrimSpace(line), " "); found {
			all[path] = dir
		}
	}
	if all["github.com/sbromberger/gompi"] == "" {
		t.Fatalf("modules %v", all)
	}
	return all
}

// licence is the text of a module's licence with single blanks, and the names of those allowed that are in it.
func licence(t *testing.T, dir string) (text string, names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !licenceFiles.MatchString(e.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text += strings.Join(strings.Fields(string(content)), " ")
	}
	for _, l := range allowed {
		if strings.Contains(text, l.words) {
			names = append(names, l.name)
		}
	}
	return text, slices.Compact(names)
}

// notice is the file NOTICE, and what it says of each module: its line.
func notice(t *testing.T) (text string, lines map[string]string) {
	t.Helper()
	content, err := os.ReadFile("../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	lines = map[string]string{}
	for line := range strings.Lines(string(content)) {
		if path, rest, found := strings.Cut(strings.TrimSpace(line), " "); found && strings.HasPrefix(line, "  ") {
			lines[path] = strings.TrimSpace(rest)
		}
	}
	return strings.Join(strings.Fields(string(content)), " "), lines
}

func TestLicencesOfModulesAreAllowedAndNamed(t *testing.T) {
	text, lines := notice(t)
	all := modules(t, "-test", "./...")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		_, names := licence(t, all[path])
		if len(names) == 0 {
			t.Errorf("%s: its licence is none of those allowed; read %s", path, all[path])
		}
		for _, name := range names {
			if !strings.Contains(lines[path], name) {
				t.Errorf("NOTICE does not name %s with its licence %s: %q", path, name, lines[path])
			}
		}
	}
	for path := range lines {
		if strings.Contains(path, ".") && all[path] == "" {
			t.Errorf("NOTICE names %s, which is not needed", path)
		}
	}
	gompi, _ := licence(t, all["github.com/sbromberger/gompi"])
	for _, words := range []string{
		"Please note the following limitation with respect to redistribution:",
		"Redistribution in any form with modification is expressly prohibited.",
	} {
		if !strings.Contains(strings.ReplaceAll(gompi, "*", ""), words) || !strings.Contains(text, words) {
			t.Errorf("the limit of gompi is not in both its licence and NOTICE: %q", words)
		}
	}
}
