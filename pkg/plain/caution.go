package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Caution is what readers must know before they believe a figure.
type Caution struct {
	Word string `json:"word,omitempty"` // in a few words; none if a summary says it elsewhere
	Text string `json:"text"`           // whole sentences
	Help string `json:"help,omitempty"` // what to use the next time; none if nothing is known to help
}

// String returns the text, and what to use the next time.
func (c Caution) String() string {
	if c.Help == "" {
		return c.Text
	}
	return c.Text + " Use " + c.Help + "."
}

// Line returns the caution as a line. of is what it is about, or "".
func (c Caution) Line(of string) string { return headedLine(CautionHead, of, c.String()) }

// CautionHead is the beginning of a line with cautions, and NoteHead that of a line with a note.
const (
	CautionHead = "Caution: "
	NoteHead    = "Note: "
)

// NoteLine returns a note, which is a whole sentence, as a line. of is what it is about, or "".
func NoteLine(of, text string) string { return headedLine(NoteHead, of, text) }

// ConditionsLine returns conditions as a line.
func ConditionsLine(all []string) string {
	return headedLine("Conditions: ", "", strings.Join(all, ", "))
}

// Sentence returns words as a sentence.
func Sentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:] + "."
}

// headedLine returns a text as a line after what it is and what it is about.
func headedLine(head, of, text string) string {
	if of != "" {
		head += of + ": "
	}
	return Line(head + text)
}
