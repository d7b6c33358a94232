package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/cmd/h5perf/cli"
	"h5perf/cmd/h5perf/cli/help"
)

// written returns all files of an installation.
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
	commands, err := table()
	if err != nil {
		t.Fatal(err)
	}
	if len(commands) != len(cli.Commands()) {
		t.Errorf("commands %v", names(commands))
	}
	bash := read(t, dir, "share/bash-completion/completions/h5perf")
	zsh := read(t, dir, "share/zsh/site-functions/_h5perf")
	fish := read(t, dir, "share/fish/vendor_completions.d/h5perf.fish")
	for _, c := range commands {
		page := read(t, dir, "share/man/man1", c.page()+".1")
		if !strings.HasPrefix(page, ".TH ") || !strings.Contains(page, " 2026-03-01 ") || c.summary == "" {
			t.Errorf("%s: no page:\n%.200s", c.page(), page)
		}
		if len(c.Options()) == 0 && c.name != "rerun" {
			t.Errorf("%s has no options", c.page())
		}
		for _, word := range slices.Concat(c.Words...) {
			for shell, text := range map[string]string{"bash": bash, "zsh": zsh, "fish": fish} {
				if !strings.Contains(text, word) {
					t.Errorf("%s: the word %s is not in the completion of %s", c.page(), word, shell)
				}
			}
		}
		for _, o := range c.Options() {
			text := "\n" + escapeLine(o.Text) + "\n"
			if !strings.Contains(page, escape("--"+o.Long)) || !strings.Contains(page, text) || o.Text == "" {
				t.Errorf("%s: option %+v is not in its page", c.page(), o)
			}
			for shell, text := range map[string]string{"bash": bash, "zsh": zsh, "fish": fish} {
				if !strings.Contains(text, o.Long) {
					t.Errorf("%s: option %s is not in the completion of %s", c.page(), o.Long, shell)
				}
			}
		}
	}
}

func TestPartsOfAHelpAreInThePage(t *testing.T) {
	c := command{name: "x", summary: "do it", Page: help.Page{
		Usage: []string{"h5perf x FILE", "h5perf x -"},
		About: "Does it.\n\n'Twice'.\n",
		Sections: []help.Section{
			{
				Options: [][]help.Option{{{Short: "o", Long: "output", Value: "FILE", Text: "Write there."}}},
				Text:    "Or not.\n",
			},
			{Title: "What 'x' has", Arguments: []help.Argument{{Shown: "FILE", Text: "What."}}},
		},
	}}
	const want = `.TH H5PERF\-X 1 2026-03-01 h5perf "User Commands"
.SH NAME
h5perf\-x \- do it
.SH SYNOPSIS
.nf
h5perf x FILE
h5perf x \-
.fi
.SH DESCRIPTION
.nf
Does it.
.fi
.PP
.nf
\(aqTwice\(aq.
.fi
.TP
\fB\-o, \-\-output=FILE\fR
Write there.
.nf
Or not.
.fi
.SH WHAT \(aqX\(aq HAS
.nf
  FILE    What.
.fi
.SH SEE ALSO
.BR h5perf (1)
`
	if d := cmp.Diff(want, c.roff([]command{{}, c}, "2026-03-01")); d != "" {
		t.Error(d)
	}
}

func TestTextsOfRoffAreNoRequests(t *testing.T) {
	if got := escapeLine(".PP -x 'y' \\"); got != `\&.PP \-x \(aqy\(aq \e` {
		t.Errorf("%s", got)
	}
}
