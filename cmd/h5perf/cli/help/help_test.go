package help

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/output"
)

// grammar is a command line with arguments, and options in groups and without one.
type grammar struct {
	File  []string `arg:"" help:"What to read."`
	Sync  string   `placeholder:"none|each|RATIO|x=y" help:"When. It is a long text, which goes on in a second line."`
	Name  string   `short:"n" env:"A_NAME" help:"Name."`
	Quiet bool     `group:"other" help:"Say nothing."`
}

var other = kong.ExplicitGroups([]kong.Group{{Key: "other", Title: "Other things"}})

func TestThePageOfAGrammar(t *testing.T) {
	got, err := PageOfGrammar(&struct{}{}, kong.Name("tool"), other,
		kong.DynamicCommand("do", "Does it.", "", &grammar{}))
	want := Page{
		Usage: []string{"tool do <file> ... [options]"}, About: "Does it.",
		Sections: []Section{
			{Title: "Arguments", Brief: true, Arguments: []Argument{{"<file> ...", "What to read."}}},
			{Title: "Options", Options: [][]Option{
				{{"h", "help", "", "Print this help.", ""}},
				{
					{"", "sync", "none|each|RATIO|x=y", "When. It is a long text, which goes on in a second line.", ""},
					{"n", "name", "STRING", "Name ($A_NAME).", ""},
				},
			}},
			{Title: "Other things", Options: [][]Option{{{"", "quiet", "", "Say nothing.", ""}}}},
		},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	if words := got.Options()[1].Choices(); !slices.Equal(words, []string{"none", "each"}) {
		t.Errorf("choices %q", words)
	}
	if words := got.Options()[2].Choices(); words != nil {
		t.Errorf("choices %q of a placeholder that names none", words)
	}
}

// A page with the usual layout is the same as the page that kong prints.
func TestThePageReadsAsKongsOwn(t *testing.T) {
	about := "Does it, and says so. " + strings.Repeat("word ", 30)
	options := []kong.Option{kong.Name("tool"), kong.DynamicCommand("do", about, "", &grammar{})}
	for _, columns := range []string{"40", "80", "100"} {
		t.Setenv("COLUMNS", columns)
		var own, kongs bytes.Buffer
		asked, err := Parse([]string{"do", "--help"}, &own, &struct{}{}, append(options, other)...)
		if !asked || err != nil {
			t.Errorf("asked %v, %v", asked, err)
		}
		groups := kong.ExplicitGroups([]kong.Group{{Key: "other", Title: "Other things:"}})
		quiet := []kong.Option{groups, kong.Writers(&kongs, &kongs), kong.Exit(func(int) {})}
		k, err := kong.New(&struct{}{}, append(quiet, options...)...)
		if err != nil {
			t.Fatal(err)
		}
		k.Model.HelpFlag.Help = "Print this help."
		_, _ = k.Parse([]string{"do", "--help"})
		same := strings.NewReplacer("[flags]", "[options]", "Flags:", "Options:")
		if d := cmp.Diff(same.Replace(kongs.String()), own.String()); d != "" {
			t.Errorf("%s columns: %s", columns, d)
		}
	}
}

func TestParseReadsWhatIsNotHelp(t *testing.T) {
	var g grammar
	var out bytes.Buffer
	asked, err := Parse([]string{"a", "-n", "x"}, &out, &g, other)
	if asked || err != nil || g.Name != "x" || out.Len() > 0 {
		t.Errorf("asked %v, %v, %+v, %s", asked, err, g, &out)
	}
	if asked, err := Parse([]string{"a", "--nam"}, &out, &g, other); asked || err == nil {
		t.Errorf("asked %v, %v", asked, err)
	}
}

func TestTheBriefHelpHasWhatMatters(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	examples := Section{Title: "Examples", Brief: true, Text: "  tool x\n"}
	p := Page{
		Usage: []string{"tool a", "tool b"}, About: "Does it,\nin short.\n\nAnd more.",
		Sections: []Section{
			{Options: [][]Option{{
				{Short: "o", Long: "out", Value: "FILE", Text: "Where it goes.", Brief: "Output."},
				{Long: "all", Text: "All."},
			}}},
			examples,
			{Title: "Files", Text: "  f\n"},
		},
	}
	const want = `Usage: tool a
       tool b

Does it, in short.

And more.

Options:
  -o, --out=FILE    Output.

Examples:
  tool x

'tool --help' shows all options and explains them.
`
	for _, c := range []struct {
		words []string
		want  string
	}{
		{nil, want}, {[]string{"-h"}, want}, {[]string{"a", "--help"}, p.pageText(output.TerminalLook{Width: 80})},
	} {
		var out bytes.Buffer
		if err := p.Show(&out, c.words, "tool --help"); err != nil || out.String() != c.want {
			t.Errorf("%q: %v, %s", c.words, err, &out)
		}
	}
	p.Short = "Short."
	if got := p.Brief("").About; got != "Short." {
		t.Errorf("about %q", got)
	}
	p.Sections = p.Sections[1:]
	if d := cmp.Diff(p, p.Brief("")); d != "" {
		t.Errorf("without options in the brief help: %s", d)
	}
}

// terminal is a terminal with colours.
type terminal struct{ bytes.Buffer }

func (*terminal) Look() output.TerminalLook { return output.TerminalLook{Width: 20, Colour: true} }

func TestTitlesStandOutOnATerminal(t *testing.T) {
	p := Page{
		Usage: []string{"tool"}, About: "Does what it says it does.",
		Sections: []Section{{Title: "Examples", Text: "  x\n"}},
	}
	const want = "\x1b[1mUsage:\x1b[0m tool\n\nDoes what it says it\ndoes.\n\n\x1b[1mExamples:\x1b[0m\n  x\n"
	var tty terminal
	if err := p.Write(&tty); err != nil || tty.String() != want {
		t.Errorf("%v, %q", err, tty.String())
	}
}

func TestErrorsAreInTheWordsOfTheProgram(t *testing.T) {
	t.Setenv("A_NAME", "")
	for want, words := range map[string][]string{
		`unknown option "--anme"; did you mean "--name"?`:  {"a", "--anme"},
		`unknown option "-z"`:                              {"a", "-z"},
		"<file> ... is missing":                            nil,
		"--name: needs a value":                            {"a", "--name"},
		`--name: needs a value, but the next word is "-n"`: {"a", "--name", "-n"},
	} {
		if _, err := Parse(words, io.Discard, &grammar{}, other); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", words, err, want)
		}
	}
}
