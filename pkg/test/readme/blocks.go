// Package readme finds the commands that READMEs show, so that make test-readme can run them.
package readme

import (
	"fmt"
	"slices"
	"strings"
)

// Block is a block of code of a README.
type Block struct {
	File string // path from the top of the checkout
	Line int    // of its first line
	Text string // without its indentation or fences
}

// String returns the place of the block and its first line.
func (b Block) String() string { return fmt.Sprintf("%s:%d: %s", b.File, b.Line, b.first()) }

// first returns the first line of the block.
func (b Block) first() string {
	line, _, _ := strings.Cut(b.Text, "\n")
	return line
}

// Blocks returns the blocks of code of a README: those between fences, and those that are indented by four columns or
// more after an empty line. Blocks between fences that name the language text, json or python are no
// commands, and left out.
func Blocks(file, text string) []Block {
	var all []Block
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		var found []string
		start := i + 1 // lines count from 1
		language, fenced := strings.CutPrefix(strings.TrimSpace(lines[i]), "```")
		switch {
		case fenced:
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				found = append(found, lines[i])
			}
			start++
		case indented(lines[i]) && (i == 0 || strings.TrimSpace(lines[i-1]) == ""):
			for ; i < len(lines) && (indented(lines[i]) || strings.TrimSpace(lines[i]) == ""); i++ {
				found = append(found, lines[i])
			}
			i-- // the line that ends it may be a fence
		}
		if body := outdent(found); body != "" && !slices.Contains([]string{"text", "json", "python"}, language) {
			all = append(all, Block{file, start, body})
		}
	}
	return all
}

// indented reports whether a line begins with four blanks, and has more.
func indented(line string) bool {
	return strings.HasPrefix(line, "    ") && strings.TrimSpace(line) != ""
}

// outdent returns lines without the indentation that all have, and without empty lines at the end.
func outdent(lines []string) string {
	least := -1
	for _, line := range lines {
		if blanks := len(line) - len(strings.TrimLeft(line, " ")); line != "" && (least < 0 || blanks < least) {
			least = blanks
		}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line[min(len(line), max(least, 0)):] + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// Plan is what the file exceptions says.
type Plan struct {
	skipped  []skipped
	replaced [][2]string // what, and by what
}

// skipped stands for the blocks of a file that begin with first. They are not run.
type skipped struct{ file, first string }

// Read reads the file exceptions. Its entries are separated by empty lines; lines that begin with # are comments:
//
//	skip FILE: WORDS THAT THE BLOCK BEGINS WITH
//	    reason
//
//	replace WORDS
//	    by
func Read(text string) (Plan, error) {
	var p Plan
	for entry := range strings.SplitSeq(text, "\n\n") {
		var lines []string
		for line := range strings.SplitSeq(entry, "\n") {
			if !strings.HasPrefix(line, "#") && line != "" {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		kind, head, _ := strings.Cut(lines[0], " ")
		rest := strings.Join(strings.Fields(strings.Join(lines[1:], " ")), " ")
		file, first, named := strings.Cut(head, ": ")
		switch {
		case rest == "":
			return Plan{}, fmt.Errorf("%q: a line with the reason, or with the words to put there, is missing",
				lines[0])
		case kind == "skip" && named:
			p.skipped = append(p.skipped, skipped{file, first})
		case kind == "replace" && head != "":
			p.replaced = append(p.replaced, [2]string{head, rest})
		default:
			return Plan{}, fmt.Errorf("%q: want skip FILE: WORDS, or replace WORDS", lines[0])
		}
	}
	return p, nil
}

// Apply returns the blocks that are to be run, as they are to be run. An entry that matches no block is an error.
func (p Plan) Apply(all []Block) ([]Block, error) {
	var run []Block
	used := map[string]int{}
	for _, b := range all {
		if s := p.skips(b); s != nil {
			used[s.file+": "+s.first]++
			continue
		}
		for _, r := range p.replaced {
			used[r[0]] += strings.Count(b.Text, r[0])
			b.Text = strings.ReplaceAll(b.Text, r[0], r[1])
		}
		run = append(run, b)
	}
	for _, s := range p.skipped {
		if used[s.file+": "+s.first] == 0 {
			return nil, fmt.Errorf("skip %s: %s: no block begins so", s.file, s.first)
		}
	}
	for _, r := range p.replaced {
		if used[r[0]] == 0 {
			return nil, fmt.Errorf("replace %s: no block that is run has this", r[0])
		}
	}
	return run, nil
}

// skips returns the entry that a block is skipped by, or nil.
func (p Plan) skips(b Block) *skipped {
	for i, s := range p.skipped {
		if s.file == b.File && strings.HasPrefix(b.first(), s.first) {
			return &p.skipped[i]
		}
	}
	return nil
}
