package cli_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/launcher"
	"h5perf/pkg/result"
)

func TestEveryCommandHasHelp(t *testing.T) {
	var names []string
	for _, c := range cli.Commands() {
		names = append(names, c.Name)
		if !strings.HasSuffix(c.Summary, ".") || len(c.Summary) > 65 {
			t.Errorf("%s: summary %q, want a sentence that fits into the list of commands", c.Name, c.Summary)
		}
		var out, errs bytes.Buffer
		words := strings.Fields("h5perf " + c.Name + " --help")
		if status := cli.Run(words, variables(nil), &out, &errs, cli.Tools{}); status != 0 || errs.Len() > 0 {
			t.Errorf("%q: exit status %d, %s", words, status, &errs)
		}
		usage := strings.TrimSpace("Usage: h5perf "+c.Name) + " "
		if !strings.HasPrefix(out.String(), usage) {
			t.Errorf("%q prints %.80q, want %q first", words, &out, usage)
		}
		page, err := c.Page()
		var text bytes.Buffer
		if err == nil {
			err = page.Write(&text)
		}
		if err != nil || text.String() != out.String() {
			t.Errorf("%s: the page is not what --help prints: %v", c.Name, err)
		}
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(cli.Commands()) || names[0] != "" {
		t.Errorf("commands %q, want one of each name, and one that needs none", names)
	}
}

// Only commands on documents call Tools.Documents.
func TestCommandsOnDocumentsPrepareTheProcess(t *testing.T) {
	for words, want := range map[string]int{"report missing": 1, "plan": 0, "serial -A posix": 0, "rerun missing": 0} {
		got := 0
		var out bytes.Buffer
		cli.Run(append([]string{"h5perf"}, strings.Fields(words)...), variables(nil), &out, &out, cli.Tools{
			Serial:    func(cli.Measurement) int { return 0 },
			Documents: func() { got++ },
		})
		if got != want {
			t.Errorf("%s: the process was prepared %d times, want %d\n%s", words, got, want, &out)
		}
	}
}

// The brief help fits on a screen. If there is more help, it says so.
func TestTheBriefHelpFitsOnAScreen(t *testing.T) {
	const lines, columns = 50, 80
	for _, c := range cli.Commands() {
		var brief, whole, errs bytes.Buffer
		words := strings.Fields("h5perf " + c.Name)
		for option, out := range map[string]*bytes.Buffer{"-h": &brief, "--help": &whole} {
			status := cli.Run(append(slices.Clone(words), option), variables(nil), out, &errs, cli.Tools{})
			if status != 0 || errs.Len() > 0 {
				t.Errorf("%q %s: exit status %d, %s", words, option, status, &errs)
			}
		}
		all := strings.Split(strings.TrimSuffix(brief.String(), "\n"), "\n")
		if len(all) > lines {
			t.Errorf("%q -h has %d lines", words, len(all))
		}
		for _, line := range all {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%q -h has a line of %d columns: %s", words, n, line)
			}
		}
		more := "'" + strings.Join(words, " ") + " --help' shows all options"
		if brief.String() != whole.String() && !strings.Contains(brief.String(), more) {
			t.Errorf("%q -h does not say where the rest is: %s", words, &brief)
		}
		for _, about := range [][]string{{"h5perf", "help", c.Name}, {"h5perf", "help"}} {
			var out bytes.Buffer
			about = slices.DeleteFunc(about, func(w string) bool { return w == "" })
			status := cli.Run(about, variables(nil), &out, &errs, cli.Tools{})
			if status != 0 || errs.Len() > 0 || len(about) == 3 && out.String() != brief.String() {
				t.Errorf("%q: exit status %d, %s, want %s", about, status, &out, &brief)
			}
		}
	}
}

func TestTheHelpOfTheToolsListsTheOtherCommands(t *testing.T) {
	for _, tool := range []string{"h5perf", "h5perf_serial"} {
		var out bytes.Buffer
		cli.Run([]string{tool, "--help"}, variables(nil), &out, &out, cli.Tools{})
		_, list, _ := strings.Cut(out.String(), "\nCommands:\n")
		list, _, _ = strings.Cut(list, "\n\n")
		var listed []string
		for line := range strings.Lines(list) {
			listed = append(listed, strings.Join(strings.Fields(line), " "))
		}
		var want []string
		for _, c := range cli.Commands() {
			if c.Group != cli.Measuring {
				want = append(want, c.Name+" "+c.Summary)
			}
		}
		if !slices.Equal(listed, want) {
			t.Errorf("%s lists %q, want %q", tool, listed, want)
		}
	}
}

func TestWhatIsNoCommandIsRefused(t *testing.T) {
	const meant = `; did you mean "report"?`
	document := filepath.Join("..", "..", "..", "results", "examples", "serial.json")
	for word, want := range map[string]string{
		"":       `unexpected argument ""`,
		"Report": `unknown command "Report"` + meant, "reports": `unknown command "reports"` + meant,
		"version":              `unknown command "version"; did you mean "--version"?`,
		"testdata/none.json":   `unknown command "testdata/none.json"`,
		document:               `unknown command "` + document + `"; to show it: h5perf report ` + document,
		filepath.Dir(document): `unknown command "` + filepath.Dir(document) + `"`,
		"rep":                  `unknown command "rep"` + meant, "parallels": `unknown command "parallels"`,
	} {
		var out, errs bytes.Buffer
		status := cli.Run([]string{"/usr/bin/h5perf", word}, variables(nil), &out, &errs, cli.Tools{})
		want = "h5perf: " + want + "\nSee 'h5perf -h'.\n"
		if status != result.ExitUsage || out.Len() > 0 || errs.String() != want {
			t.Errorf("%q: exit status %d, %s%s", word, status, &out, &errs)
		}
	}
}

// All processes of a job get the same command line. For commands on documents, only the first process parses it.
func TestTheFirstProcessOfAJobTellsOfAUsageError(t *testing.T) {
	for _, c := range cli.Commands() {
		for rank := range 2 {
			var out, errs bytes.Buffer
			var slept time.Duration
			words := append(strings.Fields("h5perf "+c.Name), "--speed")
			env := variables(map[string]string{"OMPI_COMM_WORLD_RANK": strconv.Itoa(rank)})
			status := cli.Run(words, env, &out, &errs, cli.Tools{Sleep: func(d time.Duration) { slept += d }})
			speaks, runs := rank == 0 || c.Job == cli.EachRankAlone, rank == 0 || c.Job != cli.FirstRankOnly
			told, waited := errs.Len() > 0, slept == launcher.FirstRankHeadStart
			if (status == result.ExitUsage) != runs || told != speaks || waited != (runs && !speaks) || out.Len() > 0 {
				t.Errorf("%q, rank %d: exit status %d after %v, %s%s", words, rank, status, slept, &out, &errs)
			}
		}
	}
}

func TestTheFirstProcessOfAJobShowsDocuments(t *testing.T) {
	for _, c := range cli.Commands() {
		documents := c.Group == cli.Results || c.Name == "prune" || c.Name == "settings"
		if documents != (c.Job == cli.FirstRankOnly) {
			t.Errorf("%q: job %v", c.Name, c.Job)
		}
	}
	words := []string{"h5perf", "report", filepath.Join("..", "..", "..", "results", "examples", "serial.json")}
	for rank := range 2 {
		var out, errs bytes.Buffer
		env := variables(map[string]string{"PMI_RANK": strconv.Itoa(rank)})
		status := cli.Run(words, env, &out, &errs, cli.Tools{})
		if status != result.ExitOK || (out.Len() > 0) != (rank == 0) || errs.Len() > 0 {
			t.Errorf("rank %d: exit status %d, %s%s", rank, status, &out, &errs)
		}
	}
}
