// This file draws, in text, which ranks write what: the datasets of a workload and its files, from the programs
// of the ranks of a small job.

package about

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// signs are the signs of ranks in drawings.
const signs = "0123456789abcdefghijklmnopqrstuvwxyz"

// MaxRanks is how many ranks have a sign.
const MaxRanks = len(signs)

// everyIndex stands for an index in the place of a drawing that is the same for each index.
const everyIndex = "*"

// mostDrawn is how many ways to divide a dataset are drawn, mostTold how many that need no drawing are told, and
// mostLooked how many are looked at.
const (
	mostDrawn  = 3
	mostTold   = 5
	mostLooked = 64
)

// drawWriters returns which ranks write what: a drawing for each way in which datasets are divided, at most 3 of them.
// A character stands for a part of the dataset: the sign of the rank that writes it (0 to 9, then a to z), "#" for
// several ranks, "." for none. Programs are those of all ranks of a job, at most MaxRanks. Their moves must be listed,
// as those of workload files are.
func drawWriters(programs []workload.Program) string {
	var b strings.Builder
	var drawn []string
	told, others := 0, uint64(0)
	groups := grouped(datasets(programs))
	for i := range groups {
		d := &groups[i]
		words := d.words()
		switch {
		case i >= mostLooked || words == "" && len(drawn) == mostDrawn || words != "" && told == mostTold:
			others += d.alike
			continue
		case words != "":
			fmt.Fprintf(&b, "%s: %s\n", d.title(), words)
			told++
			continue
		}
		text := d.draw()
		if slices.Contains(drawn, text) {
			others += d.alike
			continue
		}
		drawn = append(drawn, text)
		fmt.Fprintf(&b, "%s:\n%s", d.title(), text)
	}
	if others > 0 {
		fmt.Fprintf(&b, "and %d datasets more, of other extents or divided otherwise\n", others)
	}
	return b.String()
}

// dataset is a dataset that is written, and those that are divided alike.
type dataset struct {
	path  string
	dims  []uint64
	alike uint64        // number of datasets
	files int           // number of files that hold them
	parts []picturePart // of the ranks that write any of it, in their order
	moved bool          // datasets that are divided alike are not all written by the same ranks
}

// picturePart is what a rank writes of a dataset.
type picturePart struct {
	rank       int
	selections []pattern.Selection
	elements   uint64
	hash       uint64
}

// add adds a selection. What is written again counts once.
func (p *picturePart) add(s pattern.Selection) {
	if h := hashOf(s); h != 0 {
		p.selections, p.elements, p.hash = append(p.selections, s), p.elements+s.Elements(), p.hash*31+h
	}
}

// hashOf returns the hash of a selection; 0 if it selects nothing.
func hashOf(s pattern.Selection) uint64 {
	if s.Elements() == 0 {
		return 0
	}
	slab := s.Slab()
	start, extent := s.Boxes()
	h := fnv.New64a()
	fmt.Fprint(h, s.Kind())
	for _, list := range [][]uint64{slab.Start, slab.Stride, slab.Count, slab.Block, start, extent, s.Coordinates()} {
		var text []byte
		for _, n := range list {
			text = fmt.Append(text, n, " ")
		}
		_, _ = h.Write(append(text, '\n'))
	}
	return max(1, h.Sum64())
}

// datasets returns the datasets that ranks write, in the order in which the first rank that writes one does. Those of
// a family that are written in one batch are one, with their number.
func datasets(programs []workload.Program) []*dataset {
	var all []*dataset
	known := map[string]*dataset{}
	for rank := range programs {
		p := &programs[rank]
		seen := map[string]bool{}
		for s := range p.Parts[workload.Write].Steps() {
			if s.Class != workload.Transfer {
				continue
			}
			for move := range s.Moves() {
				m := &p.Moves[move]
				path := p.PathOf(m.Object, s.First)
				d := known[path]
				if d == nil {
					d = &dataset{path: path, dims: p.Objects[m.Object].Dims, alike: s.Count, files: 1}
					known[path] = d
					all = append(all, d)
				}
				if once := fmt.Sprint(path, " ", move); !seen[once] && m.Selection.Elements() > 0 {
					seen[once] = true
					d.of(rank).add(m.Selection)
				}
			}
		}
	}
	return all
}

func sameRank(a, b picturePart) bool { return a.rank == b.rank }

// of returns the part of a rank. Ranks come in their order.
func (d *dataset) of(rank int) *picturePart {
	if n := len(d.parts); n == 0 || d.parts[n-1].rank != rank {
		d.parts = append(d.parts, picturePart{rank: rank})
	}
	return &d.parts[len(d.parts)-1]
}

// grouped returns one dataset of each way to divide datasets. Ways that differ only in the numbers of ranks are one.
func grouped(all []*dataset) []dataset {
	var groups []dataset
	at, files := map[string]int{}, map[string]bool{}
	for _, d := range all {
		hashes := make([]uint64, len(d.parts))
		for i, p := range d.parts {
			hashes[i] = p.hash
		}
		key := fmt.Sprint(d.dims, hashes)
		file, _, _ := strings.Cut(d.path, ":/")
		i, is := at[key]
		if !is {
			at[key] = len(groups)
			groups = append(groups, *d)
			files[key+file] = true
			continue
		}
		groups[i].alike += d.alike
		groups[i].moved = groups[i].moved || !slices.EqualFunc(d.parts, groups[i].parts, sameRank)
		if !files[key+file] {
			files[key+file] = true
			groups[i].files++
		}
	}
	return groups
}

// title returns the name of the dataset, its extent, and how many are like it.
func (d *dataset) title() string {
	file, path, _ := strings.Cut(d.path, ":/")
	text := path
	if file != "" {
		text = file + ":/" + path
	}
	text += " " + extent(d.dims)
	if d.alike > 1 {
		text += fmt.Sprintf(", and %d like it", d.alike-1)
		if d.files > 1 {
			text += fmt.Sprintf(" in %d files", d.files)
		}
	}
	return text
}

// extent returns an extent in words.
func extent(dims []uint64) string {
	if len(dims) == 0 {
		return "(a scalar)"
	}
	return strings.ReplaceAll(fmt.Sprint(dims), " ", ", ")
}

// words tells who writes the dataset, if that needs no drawing; otherwise it returns "".
func (d *dataset) words() string {
	all := uint64(1)
	for _, n := range d.dims {
		all *= n
	}
	whole := func(p picturePart) bool { return len(p.selections) == 1 && p.elements == all }
	switch n := len(d.parts); {
	case n == 0:
		return "no rank writes any of it"
	case !slices.ContainsFunc(d.parts, func(p picturePart) bool { return !whole(p) }):
		switch {
		case n == 1 && d.moved:
			return "one rank writes all of each"
		case n == 1:
			return fmt.Sprintf("rank %d writes all of it", d.parts[0].rank)
		}
		return fmt.Sprintf("each of %d ranks writes all of it", n)
	}
	return ""
}

// fileOwners returns which ranks write which files.
func fileOwners(programs []workload.Program) string {
	var names []string
	ranks := map[string][]int{}
	for rank := range programs {
		p := &programs[rank]
		for s := range p.Parts[workload.Write].Steps() {
			if s.Class != workload.FileOpen {
				continue
			}
			name := p.Files[s.File].Name
			of, is := ranks[name]
			if !is {
				names = append(names, name)
			}
			if len(of) == 0 || of[len(of)-1] != rank {
				ranks[name] = append(of, rank)
			}
		}
	}
	same := map[string][]string{} // files by their ranks
	var owners []string
	for _, name := range names {
		of := ranksIn(ranks[name], len(programs))
		if same[of] == nil {
			owners = append(owners, of)
		}
		same[of] = append(same[of], name)
	}
	var words []string
	for _, of := range owners {
		text := same[of][0]
		if n := len(same[of]); n > 1 {
			text = fmt.Sprintf("%s and %d more", text, n-1)
		}
		words = append(words, text+" of "+of)
	}
	return strings.Join(words, "; ")
}

// ranksIn returns ascending numbers of some of the ranks of a job in words.
func ranksIn(ranks []int, of int) string {
	first, last := ranks[0], ranks[len(ranks)-1]
	switch {
	case len(ranks) == of:
		return "all ranks"
	case len(ranks) == 1:
		return fmt.Sprintf("rank %d", first)
	case last-first == len(ranks)-1:
		return fmt.Sprintf("ranks %d to %d", first, last)
	}
	return "ranks " + strings.ReplaceAll(strings.Trim(fmt.Sprint(ranks), "[]"), " ", ", ")
}

// span is a part of a dimension that is drawn, or one index of a dimension that is not.
type span struct {
	dim   int
	shown uint64 // elements, from the first one
	cells uint64
}

// cell returns the first element of a cell; that of the cell after the last one is the end.
func (s span) cell(i uint64) uint64 { return i * s.shown / s.cells }

// label returns the extent of the axis.
func (s span) label(dims []uint64) string {
	if n := dims[s.dim]; n != s.shown {
		return fmt.Sprintf("first %d of %d", s.shown, n)
	}
	return fmt.Sprint(s.shown)
}

// manySlabs are more than a drawing can show.
const manySlabs = 1 << 16

// Sizes of drawings, in characters.
const (
	small, wide = 32, 64 // columns
	low, high   = 8, 16  // rows
	flat        = 2      // rows where ranks do not differ
	narrow      = 16     // columns where ranks do not differ
)

// draw returns the drawing of a dataset: of one or two dimensions at the first and, if it differs, last index of the
// others.
func (d *dataset) draw() string {
	slabs := d.slabs()
	shown, divided := d.axes(slabs)
	first, last := make([]uint64, len(d.dims)), make([]uint64, len(d.dims))
	for dim, n := range d.dims {
		last[dim] = n - 1
	}
	g := d.fit(slabs, shown, divided, first)
	other := newGrid(g.rows, g.columns, last)
	other.paint(slabs)
	switch {
	case len(shown) == len(d.dims):
		return g.text(d.dims, "")
	case slices.Equal(other.owners, g.owners):
		return g.text(d.dims, g.place(d.dims, everyIndex))
	}
	return g.text(d.dims, g.place(d.dims, "")) + other.text(d.dims, other.place(d.dims, ""))
}

// slab is a hyperslab that a rank writes.
type slab struct {
	rank int
	pattern.Hyperslab
}

// slabs returns what ranks write as hyperslabs.
func (d *dataset) slabs() []slab {
	var all []slab
	ones := slices.Repeat([]uint64{1}, len(d.dims))
	for _, p := range d.parts {
		for _, s := range p.selections {
			start, extent := s.Boxes()
			if s.Kind() == pattern.Points {
				start = s.Coordinates()
				extent = slices.Repeat(ones, len(start)/len(ones))
			}
			if q, is := s.Sequence(); is {
				all = append(all, slab{p.rank, q.Slab})
			}
			for i := 0; i < len(start); i += len(d.dims) {
				block := extent[i : i+len(d.dims)]
				all = append(all, slab{p.rank, pattern.Hyperslab{
					Start: start[i : i+len(d.dims)], Stride: block, Count: ones, Block: block,
				}})
			}
		}
	}
	return all
}

// touches reports whether the hyperslab has elements from low to high - 1 in a dimension.
func (s slab) touches(d int, low, high uint64) bool {
	start, stride, block := s.Start[d], s.Stride[d], s.Block[d]
	if high <= start {
		return false
	}
	k := uint64(0) // the first block that ends after low
	if low >= start+block {
		k = (low-start-block)/stride + 1
	}
	return k < s.Count[d] && start+k*stride < high
}

// axes returns the dimensions to draw, at most two, and in which dimensions ranks write different elements: those come
// first, and of the others the last ones. If there is only one such dimension, and ranks write all of the others, it is
// drawn alone.
func (d *dataset) axes(slabs []slab) (shown []int, divided []bool) {
	divided = make([]bool, len(d.dims))
	bar := true
	for dim, n := range d.dims {
		whole := d.touched(slabs, span{dim, n, min(n, wide)})
		first := d.touched(slabs, span{dim, min(n, wide), min(n, wide)})
		differ := func(cells []bool) bool { return !slices.Equal(cells, whole[0]) }
		divided[dim] = slices.ContainsFunc(whole, differ) ||
			slices.ContainsFunc(first, func(cells []bool) bool { return !slices.Equal(cells, first[0]) })
		bar = bar && (divided[dim] || !slices.Contains(whole[0], false))
		shown = append(shown, dim)
	}
	slices.SortStableFunc(shown, func(a, b int) int {
		if divided[a] != divided[b] {
			if divided[a] {
				return -1
			}
			return 1
		}
		return cmp.Compare(b, a)
	})
	most := 2
	if bar && (len(shown) == 1 || divided[shown[0]] && !divided[shown[1]]) {
		most = 1
	}
	shown = shown[:min(most, len(shown))]
	slices.Sort(shown)
	return shown, divided
}

// touched returns which cells of a dimension have elements of each of the ranks that write any.
func (d *dataset) touched(slabs []slab, line span) [][]bool {
	all := make([][]bool, len(d.parts))
	for i, p := range d.parts {
		all[i] = make([]bool, line.cells)
		for _, s := range slabs {
			for k := range all[i] {
				if s.rank == p.rank && !all[i][k] {
					all[i][k] = s.touches(line.dim, line.cell(uint64(k)), line.cell(uint64(k)+1))
				}
			}
		}
	}
	return all
}

// fit returns the smallest grid that shows the division: the whole of the dimensions, or if most of that belongs to
// several ranks, their first elements.
func (d *dataset) fit(slabs []slab, shown []int, divided []bool, at []uint64) *grid {
	mixed := slices.Repeat([]bool{true}, len(divided))
	if slices.Contains(divided, true) {
		mixed = divided
	}
	painted := func(columns, rows, zoom uint64) *grid {
		column := shown[len(shown)-1]
		of := func(dim int, most, least uint64) span {
			s := span{dim, d.dims[dim], most}
			if !mixed[dim] {
				s.cells = least
			} else if s.shown > most {
				s.shown = max(most, s.shown/zoom)
			}
			s.cells = min(s.cells, s.shown)
			return s
		}
		y := span{dim: -1, shown: 1, cells: 1}
		if len(shown) > 1 {
			y = of(shown[0], rows, flat)
		}
		g := newGrid(y, of(column, columns, narrow), at)
		g.paint(slabs)
		return g
	}
	columns := uint64(small)
	if len(shown) == 1 {
		columns = wide
	}
	g := painted(columns, low, 1)
	if g.mixed() == 0 {
		return g
	}
	whole := painted(wide, high, 1)
	// Cells that end where parts of ranks do. Where there are very many parts, none do.
	best := whole
	for n := uint64(wide); n > wide*3/4 && len(slabs) < manySlabs; n-- {
		for m := uint64(high); m > high*3/4; m-- {
			if g := painted(n, m, 1); g.mixed() < best.mixed() {
				best = g
			}
			if len(shown) == 1 {
				break
			}
		}
	}
	if 4*best.mixed() <= best.written() {
		return best
	}
	for zoom := uint64(2); ; zoom *= 2 {
		g := painted(wide, high, zoom)
		switch {
		case g.written() == 0:
			return whole
		case 8*g.mixed() <= g.written():
			return g
		case zoom > d.most():
			return whole
		}
	}
}

// most returns the largest extent.
func (d *dataset) most() uint64 { return slices.Max(d.dims) }

// Owners of cells that no rank has, or several.
const (
	nobody  = -1
	several = -2
)

// grid is a drawing of a dataset, at an index of each dimension that is not drawn.
type grid struct {
	rows, columns span // rows.dim is -1 if there is one dimension
	at            []uint64
	owners        []int // of cells
}

func newGrid(rows, columns span, at []uint64) *grid {
	return &grid{rows, columns, at, slices.Repeat([]int{nobody}, int(rows.cells*columns.cells))}
}

// paint gives cells their owners.
func (g *grid) paint(slabs []slab) {
	row, column := make([]bool, g.rows.cells), make([]bool, g.columns.cells)
	for _, s := range slabs {
		inside := true
		for dim, at := range g.at {
			if dim != g.rows.dim && dim != g.columns.dim {
				inside = inside && s.touches(dim, at, at+1)
			}
		}
		if !inside || !s.touches(g.columns.dim, 0, g.columns.shown) {
			continue
		}
		for i := range row {
			row[i] = g.rows.dim < 0 || s.touches(g.rows.dim, g.rows.cell(uint64(i)), g.rows.cell(uint64(i)+1))
		}
		for i := range column {
			column[i] = s.touches(g.columns.dim, g.columns.cell(uint64(i)), g.columns.cell(uint64(i)+1))
		}
		for i, in := range row {
			for j, also := range column {
				if !in || !also {
					continue
				}
				owner := &g.owners[i*len(column)+j]
				switch *owner {
				case nobody, s.rank:
					*owner = s.rank
				default:
					*owner = several
				}
			}
		}
	}
}

// mixed returns the number of cells that several ranks write.
func (g *grid) mixed() (n int) {
	for _, owner := range g.owners {
		if owner == several {
			n++
		}
	}
	return n
}

// written returns the number of cells that any rank writes.
func (g *grid) written() (n int) {
	for _, owner := range g.owners {
		if owner != nobody {
			n++
		}
	}
	return n
}

// place names the elements that are drawn: the drawn dimensions as ":", and the index of the others, or every if it is
// not "".
func (g *grid) place(dims []uint64, every string) string {
	words := make([]string, len(dims))
	for d, at := range g.at {
		words[d] = fmt.Sprint(at)
		switch {
		case d == g.rows.dim || d == g.columns.dim:
			words[d] = ":"
		case every != "" && dims[d] > 1:
			words[d] = "*"
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// text returns the drawing, with the extents of its axes. place is told below it.
func (g *grid) text(dims []uint64, place string) string {
	var lines []string
	for i := range g.rows.cells {
		var b strings.Builder
		for _, owner := range g.owners[i*g.columns.cells : (i+1)*g.columns.cells] {
			switch owner {
			case nobody:
				b.WriteByte('.')
			case several:
				b.WriteByte('#')
			default:
				b.WriteByte(signs[owner])
			}
		}
		lines = append(lines, "|"+b.String()+"|")
	}
	column := g.columns.label(dims)
	if g.rows.dim < 0 {
		return "  " + strings.TrimRight(lines[0]+" "+column+" "+place, " ") + "\n"
	}
	row := g.rows.label(dims)
	indent := strings.Repeat(" ", len(row))
	var b strings.Builder
	fmt.Fprintf(&b, "  %s +%s+ %s\n", indent, strings.Repeat("-", int(g.columns.cells)), column)
	for i, line := range lines {
		name := indent
		if i == len(lines)-1 {
			name = row
		}
		fmt.Fprintf(&b, "  %s %s", name, line)
		if i == 0 && place != "" {
			b.WriteString(" " + place)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
