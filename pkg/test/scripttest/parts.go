package scripttest

import (
	"fmt"
	"strings"
)

// typ is a type of elements, as an expression.
type typ struct {
	text    string
	members []string // of a compound
}

// typeOf returns a type.
func (g *grammar) typeOf() typ {
	if g.oneIn(6) {
		return typ{`[("a", "f8"), ("b", "i4")]`, []string{"a", "b"}}
	}
	return typ{text: g.rarely(g.pick(`"f8"`, `"f4"`, `">i2"`, `"u1"`, `"S7"`, `"V3"`, "bits(16)",
		`opaque(5, tag = "t")`, `array("i4", (2, 3))`, `enum({"NO": 0, "YES": 1}, "i1")`, "text(5)"),
		g.pick(`"f3"`, "[]", "7", "compound([1])", `array("f8", (1 << 40, 1 << 40))`))}
}

// covering returns a part, of which the ranks that share a file have all elements together.
func (g *grammar) covering(dims []int, f *file) string {
	if len(dims) == 0 {
		return g.rarely(g.pick("everything()", "everything(ranks = 1)"), "block()")
	}
	d := g.IntN(len(dims))
	return g.rarely(g.pick("block()", "block()", "slab()", "everything()", "everything(ranks = 1)", "slab(idle = 2)",
		fmt.Sprintf("concat(shared = %d)", dims[0]), fmt.Sprintf("cyclic(dim = %d, length = %d)", d, 1+g.IntN(dims[d])),
		fmt.Sprintf("map(dim = %d, length = %d, seed = %d)", d, 1+g.IntN(3), g.IntN(9)),
		fmt.Sprintf("random(seed = %d)", g.IntN(9)), g.rows(dims, f)), g.mistakenPart())
}

// rows returns every so many-th row as a list of hyperslabs. Ranks that share a file have all rows together.
func (g *grammar) rows(dims []int, f *file) string {
	start, count := []string{"i"}, []string{"1"}
	for _, n := range dims[1:] {
		start, count = append(start, "0"), append(count, fmt.Sprint(n))
	}
	at := "i, 1"
	if len(dims) > 1 {
		at = fmt.Sprintf("(%s), (%s)", strings.Join(start, ", "), strings.Join(count, ", "))
	}
	if f.by != all {
		return fmt.Sprintf("[hyperslab(%s) for i in range(%d)]", at, dims[0])
	}
	return fmt.Sprintf("[hyperslab(%s) for i in range(job.rank, %d, job.ranks)]", at, dims[0])
}

// some returns a part that may leave elements out.
func (g *grammar) some(dims []int, f *file) string {
	_, ranks := f.sharers()
	if len(dims) == 0 {
		return g.pick("everything()", "nothing()")
	}
	part := g.pick("nothing()", "strided(count = 1, length = 1)", "concat(count = 1)", "concat(base = 0, modulus = 2)",
		"concat(each = [1, 0, 2])", "concat(count = 1, unit = 1)", "concat(deviation = 1)",
		"concat(count = 1, piece = 0)", "slab(ranks = 1)", fmt.Sprintf("concat(shared = %d)", 1+g.IntN(dims[0])),
		fmt.Sprintf("random(count = 1, first = %d, seed = 5)", g.IntN(dims[0]-ranks+1)), g.own(dims))
	switch d := g.IntN(len(dims)); {
	case len(dims) == 1 && g.oneIn(4):
		part = "strided(count = 2, length = 1, stride = 2)"
	case len(dims) > 1 && g.oneIn(2):
		record := ""
		if len(dims) > 2 {
			record = fmt.Sprintf(", record = %d", g.IntN(dims[0]))
		}
		part = g.pick("frame(width = 1"+record+")", "corners(width = 1"+record+")",
			"corners(width = 1, anti = True"+record+")", "diagonal(width = 1"+record+")",
			fmt.Sprintf("slice(dim = %d, index = %d)", d, g.IntN(dims[d])),
			fmt.Sprintf("%s(record = %d)", g.pick("block", "slab", "everything", "nothing"), g.IntN(dims[0])),
			"block(grid = ("+strings.Repeat("1, ", len(dims)-1)+"0))")
	}
	return g.rarely(part, g.mistakenPart())
}

// own returns a part that no rule knows.
func (g *grammar) own(dims []int) string {
	last := make([]int, len(dims))
	for i, n := range dims {
		last[i] = n - 1
	}
	zeros := make([]int, len(dims))
	if len(dims) == 1 {
		return g.pick("points([[job.rank], [job.rank + 3]])", "points([[7], [2], [job.rank]])",
			"[hyperslab(job.rank, 2, stride = 5, block = 2)]", "[hyperslab(job.rank, 1), hyperslab(job.rank + 8, 3)]",
			"[hyperslab(0, 4, 4, 2)]")
	}
	return g.pick(fmt.Sprintf("points([%s, %s])", shapeText(last), shapeText(zeros)),
		fmt.Sprintf("[hyperslab(%s, %s)]", shapeText(zeros), shapeText(last)),
		fmt.Sprintf("[hyperslab(%s, %s)]", shapeText(last), shapeText(ones(dims))))
}

func ones(dims []int) []int {
	all := make([]int, len(dims))
	for i := range all {
		all[i] = 1
	}
	return all
}

func (g *grammar) mistakenPart() string {
	return g.pick("frame(width = 1)", "diagonal(width = 2)", "block(grid = (7, 7, 7))", "slice(dim = 9, index = 1)",
		"concat(count = 1 << 60)", "[1]", "hyperslab(1 << 60, 1)", "random(count = 1 << 50, seed = 1)",
		"map(dim = 0, length = 0)", "slab(record = (1, 2, 3))")
}

// memory returns how elements lie in memory, or are selected, as arguments of a transfer, which may be collective.
func (g *grammar) memory(d *dataset, part string, collective, read bool) string {
	switch {
	case g.oneIn(2):
		return ""
	case g.mistakes && g.oneIn(12):
		return g.pick(`, memory = structures([("x", "i2"), ("v", "f8")], member = "v")`,
			", memory = ghost(9, last = 3)", `, memory = members(["z"])`, `, select = "all"`,
			", memory = strided_memory(0)", `, select = "points"`)
	case d.members != nil && g.oneIn(2):
		member := g.pick("", `"a", `) // what is written of an element, all or one member, is read later as a whole
		if !read {
			member = `"a", `
		}
		return g.pick(`, memory = members([`+member+`"b"])`,
			`, memory = structures([("x", "i2"), ("a", "f8"), ("b", "i4"), ("c", "u1")])`)
	case d.members == nil && strings.HasPrefix(d.how, `"f8"`) && g.oneIn(3):
		return `, memory = structures([("x", "i8"), ("v", "f8"), ("c", "V8")], member = "v")`
	case strings.HasPrefix(part, "block") || strings.HasPrefix(part, "slab(") || strings.HasPrefix(part, "everything"):
		if len(d.dims) == 0 {
			return ", memory = strided_memory(2)"
		}
		return g.pick(", memory = ghost(1)", ", memory = strided_memory(2)", `, select = "or"`)
	}
	selected := g.pick(", memory = strided_memory(3)", `, select = "points"`, `, select = "or"`, `, select = "runs"`)
	if len(d.dims) == 0 || strings.Contains(selected, "runs") && (!hasRuns(part) || collective) {
		return ""
	}
	return g.rarely(selected, `, memory = members(["z"])`)
}

// hasRuns reports whether a part is divided into runs.
func hasRuns(part string) bool {
	return strings.HasPrefix(part, "map") || strings.HasPrefix(part, "random") || strings.Contains(part, " for ")
}
