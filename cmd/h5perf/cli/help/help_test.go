package help

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
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
	got, err := OfGrammar(&struct{}{}, kong.Name("tool"), other, kong.DynamicCommand("do", "Does it.", "", &grammar{}))
	want := Page{
		Usage: []string{"tool do <file> ... [flags]"}, About: "Does it.", Flow: true,
		Sections: []Section{
			{Title: "Arguments", Arguments: []Argument{{"<file> ...", "What to read."}}},
			{Title: "Flags", Options: [][]Option{
				{{"h", "help", "", "Show context-sensitive help."}},
				{
					{"", "sync", "none|each|RATIO|x=y", "When. It is a long text, which goes on in a second line."},
					{"n", "name", "STRING", "Name ($A_NAME)."},
				},
			}},
			{Title: "Other things", Options: [][]Option{{{"", "quiet", "", "Say nothing."}}}},
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

// A page with the usual layout is the same as what kong prints.
func TestThePageReadsAsKongsOwn(t *testing.T) {
	about := "Does it, and says so. " + strings.Repeat("word ", 30)
	options := []kong.Option{kong.Name("tool"), kong.DynamicCommand("do", about, "", &grammar{})}
	for _, columns := range []string{"40", "80", "150"} {
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
		_, _ = k.Parse([]string{"do", "--help"})
		if d := cmp.Diff(kongs.String(), own.String()); d != "" {
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

func TestALayoutThatIsFixed(t *testing.T) {
	t.Setenv("COLUMNS", "30")
	p := Page{
		Usage: []string{"tool a", "tool b"},
		About: "Does it.\n",
		Sections: []Section{{
			Options: [][]Option{{
				{"o", "out", "FILE", "Where it goes, in a line that is long,\nand in another."},
				{"", "all", "", "All."},
			}},
			Layout: Layout{Equals: " ", Gap: 2, Fixed: true},
			Text:   "That is it.\n",
		}},
	}
	const want = `Usage: tool a
       tool b

Does it.

  -o, --out FILE  Where it goes, in a line that is long,
                  and in another.
      --all       All.

That is it.
`
	var out bytes.Buffer
	if err := p.Write(&out); err != nil || out.String() != want {
		t.Errorf("%v, %s", err, &out)
	}
	if line := p.Options()[0].Line(); line != "Where it goes, in a line that is long, and in another." {
		t.Error(line)
	}
}
