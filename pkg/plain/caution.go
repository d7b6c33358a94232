package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Caution is a warning: what readers must know before they trust a result.
type Caution struct {
	Keyword string `json:"word,omitempty"` // in a few words; absent if a summary has it elsewhere
	Text    string `json:"text"`           // whole sentences
	Help    string `json:"help,omitempty"` // what to use next time, such as an option; absent if not known
}

// String returns the text of the caution, followed by a sentence that says what helps.
func (c Caution) String() string {
	if c.Help == "" {
		return c.Text
	}
	return c.Text + " Use " + c.Help + "."
}

// Line returns the caution as a line of output. The parameter of is the name of what the caution is about, such as a
// case, or "".
func (c Caution) Line(of string) string { return labelledLine(CautionHead, of, c.String()) }

// CautionHead is the beginning of a line with a caution. NoteHead is the beginning of a line with a note.
const (
	CautionHead = "Caution: "
	NoteHead    = "Note: "
)

// NoteLine returns a note as a line of output. text is a whole sentence. The parameter of is the name of what the note
// is about, or "".
func NoteLine(of, text string) string { return labelledLine(NoteHead, of, text) }

// ConditionsLine returns the conditions of a run as a line of output.
func ConditionsLine(all []string) string {
	return labelledLine("Conditions: ", "", strings.Join(all, ", "))
}

// Sentence makes a sentence from the text words: the sentence begins with a capital letter and ends with a full stop.
func Sentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:] + "."
}

// labelledLine returns a line that consists of head, of (if it is not "") and text.
func labelledLine(head, of, text string) string {
	if of != "" {
		head += of + ": "
	}
	return VisibleLine(head + text)
}
