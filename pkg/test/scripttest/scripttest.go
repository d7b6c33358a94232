// Package scripttest writes random scripts, for tests that hold for any script.
package scripttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Ranks and Nodes are the size of the job for which the scripts are written: in others, more of them have errors.
const (
	Ranks = 3
	Nodes = 2
)

// Kind tells which scripts are wanted.
type Kind int

// Kinds of scripts. A script of the first kind does less than a thousand small steps, and makes files of less than a
// MiB. One of the second kind may also take more time or memory than scripts are allowed.
const (
	Small Kind = iota
	Wasteful
)

// Script returns the script of a number: the same one in each call. Most are valid, and read what they have written.
// Some have one or several mistakes, each of them in its own place.
func Script(seed uint64, kind Kind) string {
	g := &grammar{Rand: rand.New(rand.NewPCG(seed, 0))}
	g.mistakes, g.wasteful = g.oneIn(4), kind == Wasteful
	g.script()
	text := []byte(g.String())
	if g.mistakes && g.oneIn(4) { // something is missing
		at := g.IntN(len(text))
		text = append(text[:at], text[min(len(text), at+1+g.IntN(5)):]...)
	}
	return string(text)
}

// grammar writes a script.
type grammar struct {
	*rand.Rand
	strings.Builder
	mistakes bool // the script may have mistakes
	wasteful bool // it may do too much
	indent   int
	names    int
	files    []*file // that were written
}

func (g *grammar) line(format string, args ...any) {
	g.WriteString(strings.Repeat("    ", g.indent))
	fmt.Fprintf(g, format+"\n", args...)
}

// block writes lines that belong to a line.
func (g *grammar) block(head string, body func()) {
	g.line("%s", head)
	g.indent++
	g.line("pass")
	body()
	g.indent--
}

func (g *grammar) pick(words ...string) string { return words[g.IntN(len(words))] }

// oneIn reports true once in n times.
func (g *grammar) oneIn(n int) bool { return g.IntN(n) == 0 }

// rarely returns the second word once in a while, where the first one is right.
func (g *grammar) rarely(right, wrong string) string {
	if g.mistakes && g.oneIn(20) {
		return wrong
	}
	return right
}

// name returns a new name.
func (g *grammar) name() string {
	g.names++
	return fmt.Sprint("n", g.names)
}

// between returns a number from least to most, or rarely a mistake.
func (g *grammar) between(least, most int) string {
	n := g.rarely(fmt.Sprint(least+g.IntN(most-least+1)), g.pick("0", "-1", "1 << 40", "1 << 62", "1.5", "'x'", "None",
		"[1]", "undefined"))
	return g.rarely(n, "size("+n+", 'late')")
}

// script writes the script.
func (g *grammar) script() {
	g.line(`"""What chance says."""`)
	if g.oneIn(4) {
		g.line("settings(%s)", g.rarely(g.pick(`libver = "latest"`, `align = "4K"`, `align = "4K", threshold = "1K"`,
			`meta_block_size = "64K"`, `collective_metadata = "both"`), `align = "x"`))
	}
	g.line("cells = size(%s, \"cells\", max = 100)", g.rarely("24", g.between(1, 12)))
	g.line("mode = choice(\"collective\", %q, about = \"how\")", g.rarely("independent", ""))
	if g.oneIn(2) {
		g.line("mode = \"independent\"")
	}
	g.waste()
	g.block("def write(job):", g.write)
	g.block("def read(job):", g.read)
}

// write writes what write(job) does.
func (g *grammar) write() {
	if g.oneIn(4) {
		g.line("job.handles(samples = %s)", g.between(1, 9))
	}
	if g.oneIn(3) { // a file that is open in all dumps
		f := g.beginFile(file{name: fmt.Sprintf("%q", g.name()), by: all})
		defer func() {
			g.line("%s", g.rarely("job.end()", "job.dump()"))
			g.objects(f)
			g.endFile(f)
		}()
		g.objects(f)
	}
	for range g.IntN(3) {
		g.line("job.dump()")
		g.steps()
		g.steps()
	}
	g.line("job.dump()")
	g.steps()
}

// steps writes the steps of some ranks.
func (g *grammar) steps() {
	g.waste()
	if g.oneIn(6) {
		g.line("job.%s", g.rarely("fence()", "compute(milliseconds = "+g.between(1, 2)+")"))
	}
	f := file{by: who(g.IntN(int(number))), groups: 1 + g.IntN(2)}
	f.name = g.nameOfFile(f.by)
	if f.by == all && g.oneIn(4) { // several files that are open at once
		one := g.beginFile(f)
		other := g.beginFile(file{name: g.nameOfFile(alone), by: alone})
		g.objects(one)
		g.objects(other)
		g.endFile(one)
		g.endFile(other)
		return
	}
	g.doneBy(&f, func() {
		open := g.beginFile(f)
		g.objects(open)
		g.endFile(open)
	})
	if f.by == root && g.oneIn(2) { // all add to what rank 0 has created
		g.again(g.files[len(g.files)-1])
	}
}
