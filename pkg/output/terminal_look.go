package output

import (
	"cmp"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"h5perf/pkg/plain"
)

// TerminalLook holds the properties of a terminal on which text is shown: width and colour.
type TerminalLook struct {
	Width  int  // in columns
	Colour bool // the stream shows escape sequences for colours
}

const (
	defaultWidth = 80
	maxWidth     = 100 // longer lines are hard to read
)

// Look returns the width of the stream and whether it shows colour.
func (s *Stream) Look() TerminalLook {
	if s.asFile {
		return LookOf(io.Discard)
	}
	return LookOf(s.w)
}

// LookOf returns the width of w and whether it shows colour. It returns w.Look() if w has this method. Otherwise only a
// terminal has colour, unless NO_COLOR is set or TERM is dumb. The width is the environment variable COLUMNS, otherwise
// the width of the terminal, otherwise 80, but at most 100.
func LookOf(w io.Writer) TerminalLook {
	if s, ok := w.(interface{ Look() TerminalLook }); ok {
		return s.Look()
	}
	look := TerminalLook{Width: defaultWidth}
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			look.Width = cmp.Or(columns, defaultWidth)
		}
		look.Colour = term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		look.Width = columns
	}
	look.Width = min(look.Width, maxWidth)
	return look
}

// Style is a colour or bold text, as the parameter of the escape sequence for terminals that selects it.
type Style string

// The styles.
const (
	Bold   Style = "1"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// StyleText returns text with escape sequences for a style, or unchanged if the stream has no colour.
func (l TerminalLook) StyleText(s Style, text string) string {
	if !l.Colour || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// StyledPrefix is a text at the beginning of a line, such as "Caution: ", with the style in which it is shown.
type StyledPrefix struct {
	Text  string
	Style Style
}

// StylePrefixes applies the style of a StyledPrefix to the beginning of each line that begins with its Text. If several
// match a line, it uses the first.
func (l TerminalLook) StylePrefixes(text string, all ...StyledPrefix) string {
	if !l.Colour {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, begin := range all {
			if rest, found := strings.CutPrefix(line, begin.Text); found {
				line = l.StyleText(begin.Style, begin.Text) + rest
				break
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// stderrStyles holds the styles for the beginnings of lines on standard error. What is neither caution nor note nor a
// skipped file is an error.
var stderrStyles = []StyledPrefix{
	{"h5perf: " + plain.CautionHead, Yellow},
	{"h5perf: " + plain.NoteHead, Bold},
	{"h5perf: skipped:", Yellow},
	{"h5perf:", Red},
}
