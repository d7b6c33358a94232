package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// written are all files of an installation.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for range 2 { // also over an older one
		if err := write(dir, "/opt/h5perf", "2026-03-01"); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryCommandHasAPageWithAllItsOptions(t *testing.T) {
	dir := written(t)
	commands, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "serial", "report", "compare", "ab", "plan", "push"} {
		if !slices.ContainsFunc(commands, func(c command) bool { return c.name == name }) {
			t.Errorf("no command %q among %v", name, names(commands))
		}
	}
	bash := read(t, dir, "share/bash-completion/completions/h5perf")
	zsh := read(t, dir, "share/zsh/site-functions/_h5perf")
	fish := read(t, dir, "share/fish/vendor_completions.d/h5perf.fish")
	for _, c := range commands {
		page := read(t, dir, "share/man/man1", c.page()+".1")
		if !strings.HasPrefix(page, ".TH ") || !strings.Contains(page, " 2026-03-01 ") || c.summary == "" {
			t.Errorf("%s: no page:\n%.200s", c.page(), page)
		}
		if len(c.options()) == 0 && c.name != "rerun" {
			t.Errorf("%s has no options", c.page())
		}
		for _, o := range c.options() {
			if !strings.Contains(page, "\n\\fB"+escape(o.shown)+"\\fR\n") || o.text == "" && o.long != "help" {
				t.Errorf("%s: option %+v is not in its page", c.page(), o)
			}
			for shell, text := range map[string]string{"bash": bash, "zsh": zsh, "fish": fish} {
				if !strings.Contains(text, o.long) {
					t.Errorf("%s: option %s is not in the completion of %s", c.page(), o.long, shell)
				}
			}
		}
	}
}

func TestOptionsAreReadAsTheHelpShowsThem(t *testing.T) {
	all := sections("Usage: h5perf x\n\nDoes it.\n\nOutput of it:\n  -o, --output=FILE    Write it\n                       to FILE.\n      --sync=none|each\n" +
		"                       When.\n      --list=SIZE[,SIZE]    Two.\n\nExample:\n  h5perf x -o f\n")
	c := command{sections: all}
	want := []option{
		{"-o, --output=FILE", "o", "output", "FILE", "Write it to FILE."},
		{"--sync=none|each", "", "sync", "none|each", "When."},
		{"--list=SIZE[,SIZE]", "", "list", "SIZE[,SIZE]", "Two."},
	}
	if got := c.options(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := want[1].choices(); !slices.Equal(got, []string{"none", "each"}) || want[0].choices() != nil {
		t.Errorf("choices %v", got)
	}
	var titles []string
	for _, s := range all {
		titles = append(titles, s.title)
	}
	if !slices.Equal(titles, []string{"", "Output of it", "Example"}) {
		t.Errorf("titles %q", titles)
	}
}

func TestTextsOfRoffAreNoRequests(t *testing.T) {
	if got := escapeLine(".PP -x 'y' \\"); got != `\&.PP \-x \(aqy\(aq \e` {
		t.Errorf("%s", got)
	}
}
