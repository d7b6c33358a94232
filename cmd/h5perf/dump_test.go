//go:build cgo && !nompi

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dumped returns the objects and attributes of a file from the output of h5dump, in the form of testdata/facts of
// package profiles. It leaves out the allocation time, since HDF5 always allocates early with a parallel file driver.
func dumped(t *testing.T, path, name string) []string {
	t.Helper()
	out, err := exec.Command("h5dump", "-p", "-A", path).CombinedOutput()
	if err != nil {
		t.Fatalf("h5dump: %v\n%s", err, out)
	}
	d := dump{words: dumpWords.FindAllString(string(out), -1), file: name}
	d.skipTo("GROUP")
	d.group("")
	return d.lines
}

// dumpWords matches the words of h5dump: names in quotes, punctuation marks, and text between blanks.
var dumpWords = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[{}()\[\];,/]|[^\s{}()\[\];,/"]+`)

// dump parses the words of h5dump.
type dump struct {
	words []string
	file  string
	lines []string
}

// next returns the next word, and moves past it.
func (d *dump) next() string {
	if len(d.words) == 0 {
		return "}"
	}
	w := d.words[0]
	d.words = d.words[1:]
	return w
}

// skipTo moves past the next occurrence of a word.
func (d *dump) skipTo(word string) {
	for len(d.words) > 0 && d.next() != word {
	}
}

// block returns the words in the next block, without its braces.
func (d *dump) block() []string {
	d.skipTo("{")
	return d.rest()
}

// rest returns the words up to the end of the current block.
func (d *dump) rest() (words []string) {
	for depth := 1; ; {
		w := d.next()
		switch w {
		case "{":
			depth++
		case "}":
			depth--
		}
		if depth == 0 {
			return words
		}
		words = append(words, w)
	}
}

func (d *dump) tell(path, format string, args ...any) {
	d.lines = append(d.lines, d.file+" "+path+" "+fmt.Sprintf(format, args...))
}

// name returns the next word, which is a name in quotes, without the quotes.
func (d *dump) name() string {
	w := d.next()
	return strings.ReplaceAll(w[1:len(w)-1], `\"`, `"`)
}

// group parses a group after the word GROUP: its attributes, and the objects in it.
func (d *dump) group(within string) {
	path := within + d.name()
	if path != "/" {
		d.tell(path, "group")
		path += "/"
	}
	d.skipTo("{")
	for {
		switch d.next() {
		case "GROUP":
			d.group(path)
		case "DATASET":
			d.dataset(path)
		case "ATTRIBUTE":
			d.attribute(path)
		case "}":
			return
		}
	}
}

// attribute parses an attribute of the object at a path.
func (d *dump) attribute(path string) {
	name := d.name()
	d.skipTo("DATATYPE")
	element := d.element()
	dims, _ := d.space()
	d.tell(max("/", strings.TrimSuffix(path, "/")), "@%s %s%s", name, element, dims)
	d.rest() // skips its values
}

func (d *dump) dataset(within string) {
	path := within + d.name()
	d.skipTo("DATATYPE")
	element := d.element()
	dims, most := d.space()
	text := element + dims
	if most != dims {
		text += " of" + most
	}
	attributes := dump{file: d.file}
	for {
		switch w := d.next(); w {
		case "STORAGE_LAYOUT":
			switch words := d.block(); words[0] {
			case "CHUNKED":
				text += " chunk" + extent(words[1:])
			case "COMPACT":
				text += " compact"
			}
		case "FILTERS":
			text += filters(d.block())
		case "FILLVALUE":
			if slices.Contains(d.block(), "H5D_FILL_TIME_NEVER") {
				text += " fill=never"
			}
		case "ALLOCATION_TIME":
			d.block()
		case "ATTRIBUTE":
			attributes.words = d.words
			attributes.attribute(path)
			d.words = attributes.words
		case "}":
			d.tell(path, "%s", text)
			d.lines = append(d.lines, attributes.lines...)
			return
		}
	}
}

// filters formats filters as in testdata/facts.
func filters(words []string) (text string) {
	for i, w := range words {
		switch w {
		case "SHUFFLE", "FLETCHER32":
			text += " " + strings.ToLower(w)
		case "DEFLATE":
			text += " deflate" + words[i+3] // COMPRESSION DEFLATE { LEVEL n }
		case "SZIP":
			text += " szip" + words[slices.Index(words, "PIXELS_PER_BLOCK")+1]
		}
	}
	return text
}

// element parses the type of elements, after the word DATATYPE or inside another type.
func (d *dump) element() string {
	w := d.next()
	switch w {
	case "H5T_STRING":
		words := d.block()
		return "text" + words[slices.Index(words, "STRSIZE")+1]
	case "H5T_ARRAY":
		d.skipTo("{")
		text, times := "", ""
		for text == "" {
			if d.words[0] != "[" {
				text = d.element()
				break
			}
			d.next()
			times += "*" + d.next()
			d.next()
		}
		d.skipTo("}")
		return text + times
	case "H5T_COMPOUND":
		d.skipTo("{")
		var members []string
		for d.words[0] != "}" {
			member := d.element()
			members = append(members, d.name()+":"+member)
			d.next() // ;
		}
		d.next()
		return "{" + strings.Join(members, ",") + "}"
	}
	_, w, _ = strings.Cut(w, "_") // H5T_STD_I32LE
	_, w, _ = strings.Cut(w, "_")
	return strings.ToLower(strings.TrimSuffix(w, "LE"))
}

// space parses the extents after the word DATASPACE. They are "" for a scalar.
func (d *dump) space() (dims, most string) {
	d.skipTo("DATASPACE")
	if d.next() != "SIMPLE" {
		return "", ""
	}
	words := d.block()
	slash := slices.Index(words, "/")
	return extent(words[:slash]), extent(words[slash+1:])
}

// extent formats the numbers between two parentheses.
func extent(words []string) string {
	words = words[1:slices.Index(words, ")")]
	return " [" + strings.ReplaceAll(strings.Join(words, ""), "H5S_UNLIMITED", "unlimited") + "]"
}
