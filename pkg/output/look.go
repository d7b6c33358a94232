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

// Look is how text is shown on a stream.
type Look struct {
	Width  int  // in columns
	Colour bool // escape sequences for colours can be written
}

const (
	usualWidth = 80
	maxWidth   = 120 // longer lines are hard to read
)

// Look returns how text is shown on the stream.
func (s *Stream) Look() Look {
	if s.asFile {
		return LookOf(io.Discard)
	}
	return LookOf(s.w)
}

// LookOf returns how text is shown on w: as its method Look says, if it has one. Otherwise only a terminal has colour,
// unless NO_COLOR is set or TERM is dumb. The width is that of the variable COLUMNS, of the terminal, or the usual one.
func LookOf(w io.Writer) Look {
	if s, ok := w.(interface{ Look() Look }); ok {
		return s.Look()
	}
	look := Look{Width: usualWidth}
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			look.Width = cmp.Or(columns, usualWidth)
		}
		look.Colour = term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		look.Width = columns
	}
	look.Width = min(look.Width, maxWidth)
	return look
}

// Style is how a word stands out. Its text is the parameter of the escape sequence that selects it.
type Style string

// The styles.
const (
	Bold   Style = "1"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// StyleText returns text in a style, or text itself if the stream has no colour.
func (l Look) StyleText(s Style, text string) string {
	if !l.Colour || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Beginning is a text at the beginning of a line, and its style.
type Beginning struct {
	Text  string
	Style Style
}

// StyleBeginnings returns text with the beginnings of its lines in their styles. The first that fits counts.
func (l Look) StyleBeginnings(text string, all ...Beginning) string {
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

// complaints are the beginnings of lines on standard error.
var complaints = []Beginning{
	{"h5perf: " + plain.CautionHead, Yellow},
	{"h5perf: " + plain.NoteHead, Bold},
	{"h5perf: skipped:", Yellow},
	{"h5perf:", Red},
}
