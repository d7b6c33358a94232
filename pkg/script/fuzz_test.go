package script_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// grammar writes scripts, most of which are valid.
type grammar struct {
	*rand.Rand
	strings.Builder
	indent int
	names  int
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

// rarely returns the second word once in a while, where the first one is right.
func (g *grammar) rarely(right, wrong string) string {
	if g.IntN(40) == 0 {
		return wrong
	}
	return right
}

// name returns a new name.
func (g *grammar) name() string {
	g.names++
	return fmt.Sprint("n", g.names)
}

func (g *grammar) number() string {
	n := g.rarely(fmt.Sprint(1+g.IntN(12)), g.pick("0", "-1", "1 << 40", "1 << 62", "1.5", "'x'", "None", "[1]",
		"undefined"))
	return g.rarely(n, "size("+n+", 'late')")
}

func (g *grammar) dtype() string {
	return g.rarely(g.pick(`"f8"`, `"f4"`, `">i2"`, `"u1"`, `"S7"`, `"V3"`, "bits(16)", `opaque(5, tag = "t")`,
		`array("i4", (2, 3))`, `[("a", "f8"), ("b", "i4")]`, `enum({"NO": 0, "YES": 1}, "i1")`, "text(5)"),
		g.pick(`"f3"`, "[]", "7", "compound([1])", `array("f8", (1 << 40, 1 << 40))`))
}

func (g *grammar) part() string {
	return g.rarely(g.pick("block()", "slab()", "everything()", "nothing()", "slab(idle = 2)", "concat(shared = 24)",
		"concat(base = 1, modulus = 2)", "concat(each = [1, 0, 2])", "strided(count = 1, length = 2)",
		"cyclic(dim = 0, length = 3)", "map(dim = 0, length = 4, seed = 1)", "random(seed = 2)",
		"random(count = 1, first = 2, seed = 5)", "everything(ranks = 1)", "[hyperslab(job.rank, 1)]",
		"[hyperslab(i, 1) for i in range(job.rank, 6, job.ranks)]", "points([[job.rank], [job.rank + 3]])"),
		g.pick("frame(width = 1)", "diagonal(width = 2)", "block(grid = (7, 7, 7))", "slice(dim = 9, index = 1)",
			"concat(count = 1 << 60)", "[1]", "hyperslab(1 << 60, 1)", "random(count = 1 << 50, seed = 1)",
			"map(dim = 0, length = 0)", "slab(record = (1, 2, 3))"))
}

// transfer writes a transfer of a dataset of one dimension.
func (g *grammar) transfer(d, verb string) {
	options := g.pick("", ", collective = True", ", collective = True", `, select = "points"`, `, select = "or"`,
		`, select = "runs"`, ", memory = ghost(1)", ", memory = strided_memory(2)", `, memory = members(["a"])`)
	if strings.Contains(options, "members") && g.IntN(4) > 0 {
		options = ""
	}
	g.line("%s.%s(%s%s)", d, verb, g.part(), options)
}

// objects writes steps about what is in a file or group.
func (g *grammar) objects(of string, depth int) {
	for range g.IntN(4) {
		name := g.name()
		switch g.IntN(7) {
		case 0:
			if depth < 3 {
				g.line("%s = %s.create_group(%q)", name, of, name)
				g.objects(name, depth+1)
				g.line("%s.close()", g.rarely(name, of))
			}
		case 1:
			g.line("%s.attrs[%q] = %s", of, name, g.rarely(g.pick("1", "2.5", `"text"`, "[1, 2]"), "[[1], 'a']"))
		case 2:
			g.line("%s.attrs.create(numbered(%q, %s), %s)", of, name+"_%d", g.number(), g.dtype())
		case 3:
			g.line(`%s = %s.create_dataset(numbered(%q, %s), %s, 24)`, name, of, name+g.rarely("_%02d", "%d%s"),
				g.number(), g.dtype())
			g.transfer(name, "write")
			g.line("%s.close()", name)
		case 4:
			g.line("%s = %s.create_dataset(%q, %s, 12, maxshape = %s, chunks = %s)", name, of, name, g.dtype(),
				g.rarely(g.pick("None", "(None,)", "24"), "12"), g.number())
			g.line("%s.resize(%s)", name, g.rarely("24", g.number()))
			g.transfer(name, "write")
			g.line("%s.close()", name)
		case 5:
			g.line(`%s = %s.create_dataset(%q, %s, 24, chunks = 6, compression = "gzip", shuffle = True)`, name, of,
				name, g.dtype())
			g.line("%s.write(%s, collective = True)", name, g.part())
			g.line("%s.close()", g.rarely(name, "nothing"))
			if g.IntN(4) == 0 {
				g.line("%s.unlink(%q)", of, name)
			}
		default:
			g.block("for i in range("+g.number()+"):", func() {
				each := g.rarely(fmt.Sprintf("%q %% i", name+"_%d"), `"same"`)
				g.line("%s = %s.create_dataset(%s, %s, 24)", name, of, each, g.dtype())
				g.transfer(name, "write")
				g.line("%s.close()", name)
			})
		}
	}
}

// file writes steps with a file.
func (g *grammar) file(name, how string) {
	f := g.name()
	g.line("%s = job.%s(%s)", f, g.rarely("create", "open"), name+how)
	g.objects(f, 0)
	if g.IntN(3) == 0 {
		g.line("%s.flush()", f)
	}
	if g.IntN(40) > 0 {
		g.line("%s.close()", f)
	}
}

// waste writes steps that take too long, or too much.
func (g *grammar) waste() {
	switch g.IntN(6) {
	case 0:
		g.block("for a in range(1 << 20):", func() {
			g.block("for b in range(1 << 20):", func() { g.line("c = a * b") })
		})
	case 1:
		g.line("s = [1]")
		larger := g.pick("s + s", "[s, s]", "s * 2", "[x for x in s] + s")
		g.block("for a in range(100):", func() { g.line("s = %s", larger) })
		g.line("s == s")
	case 2:
		g.line("s = %s", g.pick(`"x" * (1 << 40)`, "[0] * (1 << 40)", "list(range(1 << 20)) * 200", `"%0999d" % 1`,
			"1 << 1000"))
	case 3:
		g.block("for a in range(1 << 20):", func() { g.line(`job.create("f%%d" %% a).create_group("x" * 900)`) })
	case 4:
		g.line("x = [list(range(1 << 20)) for a in range(1000)]")
	default:
		g.block("for a in range(1 << 20):", func() { g.line("job.fence()") })
	}
}

// steps writes the steps of a dump.
func (g *grammar) steps() {
	name := g.name()
	switch g.IntN(7) {
	case 0:
		g.block("def "+name+"():", func() { g.file(fmt.Sprintf("%q", name), "") })
		g.line("job.root(%s)", name)
	case 1:
		g.block("def "+name+"():", func() {
			g.file(fmt.Sprintf("%q %% job.rank", name+"_%d"), g.rarely(", alone = True", ""))
		})
		g.line("job.leaders(%s)", name)
	case 2:
		g.block("def "+name+"(group):", func() { g.file(fmt.Sprintf("%q %% group", name+"_%d"), "") })
		g.line("job.turns(%s, groups = %s)", name, g.rarely("1", g.number()))
	case 3:
		g.file(fmt.Sprintf("%q %% job.rank", name+"_%d"), ", alone = True")
	case 4:
		g.line("job.%s", g.rarely("fence()", "compute(seconds = "+g.number()+")"))
	default:
		g.file(fmt.Sprintf("%q", name), "")
	}
	if g.IntN(60) == 0 {
		g.waste()
	}
}

// script writes a script.
func (g *grammar) script() string {
	g.line(`"""What chance says."""`)
	g.line("cells = size(%s, \"cells\", max = 100)", g.rarely("24", g.number()))
	g.line("mode = choice(\"collective\", %q, about = \"how\")", g.rarely("independent", ""))
	if g.IntN(60) == 0 {
		g.waste()
	}
	g.block("def write(job):", func() {
		for range g.IntN(3) {
			g.line("job.dump()")
			g.steps()
			g.steps()
		}
		g.line("%s", g.rarely("job.end()", "job.dump()"))
		g.line(`f = job.create("last")`)
		g.line(`d = f.create_dataset("d", "f8", cells)`)
		g.line("d.write(%s)", g.part())
		g.line("f.close()")
	})
	g.block("def read(job):", func() {
		g.line(`job.dump()`)
		g.line(`f = job.open("last")`)
		g.line("d = f[%q]", g.rarely("d", "e"))
		g.transfer("d", g.rarely("read", "write"))
		g.line("f.close()")
	})
	text := []byte(g.String())
	if g.IntN(20) == 0 { // something is missing
		at := g.IntN(len(text))
		text = append(text[:at], text[min(len(text), at+1+g.IntN(5)):]...)
	}
	return string(text)
}

// epochs returns the numbers of epochs, which all ranks have in common.
func epochs(p workload.Program) (all []int) {
	for op := range p.Parts {
		part := &p.Parts[op]
		all = append(all, len(part.Begin), len(part.End))
		for _, d := range part.Dumps {
			all = append(all, len(d.Epochs))
		}
	}
	return all
}

// used returns the time that the process has computed.
func used(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// makes returns what goes wrong with a script, but for errors that have a place. made says that it has programs.
func makes(text string) (made bool, wrong error) {
	fails := func(err error) error {
		if e, is := errors.AsType[*script.Error](err); is && strings.HasPrefix(e.Place, "fuzz.star:") {
			return nil
		}
		return fmt.Errorf("an error without a place: %w", err)
	}
	s, err := script.Read("fuzz.star", []byte(text))
	if err != nil {
		return false, fails(err)
	}
	var first []int
	for rank := range int64(3) {
		p, err := s.Program(rank, script.Job{Ranks: 3, Nodes: 2})
		if err != nil {
			return false, fails(err)
		}
		if all := epochs(p); rank == 0 {
			first = all
		} else if fmt.Sprint(first) != fmt.Sprint(all) {
			return false, fmt.Errorf("ranks 0 and %d have %v and %v epochs", rank, first, all)
		}
	}
	return true, nil
}

func TestScriptsOfAGrammarAreProgramsOrErrorsWithPlaces(t *testing.T) {
	cases := uint64(200)
	if allCases {
		cases = 2000
	}
	programs := uint64(0)
	for seed := range cases {
		g := &grammar{Rand: rand.New(rand.NewPCG(seed, 0))}
		text := g.script()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := used(t)
		made, wrong := makes(text)
		if d := used(t) - start; d > 3*time.Second { // for three ranks, with collecting garbage
			wrong = fmt.Errorf("it took %v", d)
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 3*mostAllocated {
			wrong = fmt.Errorf("it took %d MiB", (after.TotalAlloc-before.TotalAlloc)>>20)
		}
		if wrong != nil {
			t.Errorf("case %d: %v\n%s", seed, wrong, text)
		}
		if made {
			programs++
		}
	}
	if t.Logf("%d of %d scripts have programs", programs, cases); programs < cases/3 {
		t.Error("too few: the grammar knows less than the language")
	}
}
