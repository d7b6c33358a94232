package scripttest

// waste writes steps that take too long, or too much, once in a while.
func (g *grammar) waste() {
	if !g.wasteful || !g.oneIn(60) {
		return
	}
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
