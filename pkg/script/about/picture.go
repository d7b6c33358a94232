// This file draws, as text, which ranks write which parts of the datasets and files of a workload. It uses the programs
// of all ranks of a small job.

package about

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// rankSigns holds the characters that stand for ranks in drawings.
const rankSigns = "0123456789abcdefghijklmnopqrstuvwxyz"

// MaxRanks is the largest number of ranks that a drawing can show.
const MaxRanks = len(rankSigns)

// everyIndex replaces an index in the label of a drawing that is the same for each value of the index.
const everyIndex = "*"

// maxDrawn is the largest number of divisions of datasets that are drawn. maxDescribed is the largest number that are
// described without a drawing, and maxExamined the largest number that are examined.
const (
	maxDrawn     = 3
	maxDescribed = 5
	maxExamined  = 64
)

// drawWriters draws which ranks write which parts of datasets. It makes one drawing for all datasets that ranks divide
// in the same way, and at most maxDrawn drawings. Each character stands for a part of a dataset: the sign of the rank
// that writes it (0 to 9, then a to z), "#" for several ranks, "." for none. programs holds the programs of all ranks
// of a job, at most MaxRanks. All their moves must be listed (see workload.Move), as in programs of workload files.
func drawWriters(programs []workload.Program) string {
	var b strings.Builder
	var drawn []string
	told, others := 0, uint64(0)
	groups := groupByDivision(writtenDatasets(programs))
	for i := range groups {
		d := &groups[i]
		words := d.writersText()
		switch {
		case i >= maxExamined || words == "" && len(drawn) == maxDrawn || words != "" && told == maxDescribed:
			others += d.numAlike
			continue
		case words != "":
			fmt.Fprintf(&b, "%s: %s\n", d.titleText(), words)
			told++
			continue
		}
		text := d.drawDataset()
		if slices.Contains(drawn, text) {
			others += d.numAlike
			continue
		}
		drawn = append(drawn, text)
		fmt.Fprintf(&b, "%s:\n%s", d.titleText(), text)
	}
	if others > 0 {
		fmt.Fprintf(&b, "and %d datasets more, of other extents or divided otherwise\n", others)
	}
	return b.String()
}

// drawnDataset is a written dataset. It also represents other datasets that ranks divide in the same way.
type drawnDataset struct {
	path          string
	dims          []uint64
	numAlike      uint64          // number of datasets that it represents, itself included
	files         map[string]bool // files that hold these datasets
	parts         []picturePart   // the parts of the ranks that write any of it, ordered by rank
	writersDiffer bool            // not all of these datasets are written by the same ranks
}

// picturePart is the part of a dataset that a rank writes. No selection is empty.
type picturePart struct {
	rank       int
	selections []pattern.Selection
}

// hashOfParts returns a hash of the coordinates of the selections.
func (p *picturePart) hashOfParts() uint64 {
	h := fnv.New64a()
	for _, s := range p.selections {
		start, extent := s.Boxes()
		fmt.Fprint(h, s.Kind(), s.Slab(), start, extent, s.Coordinates())
	}
	return h.Sum64()
}

// writtenDatasets returns the datasets that ranks write, ordered by the first rank that writes them and its steps. All
// datasets of a batch are one drawnDataset, which contains their number. Repeated writes count once.
func writtenDatasets(programs []workload.Program) []*drawnDataset {
	var all []*drawnDataset
	known := map[string]*drawnDataset{}
	for rank := range programs {
		p := &programs[rank]
		type written struct {
			*drawnDataset
			*workload.Move
		}
		seen := map[written]bool{}
		for s, m := range p.Transfers(&p.Parts[workload.Write]) {
			path := p.PathOf(m.Object, s.First)
			d := known[path]
			if d == nil {
				d = &drawnDataset{path: path, dims: p.Objects[m.Object].Dims, numAlike: s.Count}
				known[path] = d
				all = append(all, d)
			}
			if seen[written{d, m}] || m.Selection.NumElements() == 0 {
				continue
			}
			seen[written{d, m}] = true
			if n := len(d.parts); n == 0 || d.parts[n-1].rank != rank {
				d.parts = append(d.parts, picturePart{rank: rank})
			}
			own := &d.parts[len(d.parts)-1].selections
			*own = append(*own, m.Selection)
		}
	}
	return all
}

func hasSameRank(a, b picturePart) bool { return a.rank == b.rank }

// groupByDivision returns one of each group of datasets that ranks divide in the same way. It does not matter which
// rank writes which part.
func groupByDivision(all []*drawnDataset) []drawnDataset {
	var groups []drawnDataset
	at := map[string]int{}
	for _, d := range all {
		hashes := make([]uint64, len(d.parts))
		for i := range d.parts {
			hashes[i] = d.parts[i].hashOfParts()
		}
		key := fmt.Sprint(d.dims, hashes)
		if _, is := at[key]; !is {
			at[key] = len(groups)
			groups = append(groups, drawnDataset{path: d.path, dims: d.dims, parts: d.parts, files: map[string]bool{}})
		}
		g := &groups[at[key]]
		file, _, _ := strings.Cut(d.path, ":/")
		g.numAlike, g.files[file] = g.numAlike+d.numAlike, true
		g.writersDiffer = g.writersDiffer || !slices.EqualFunc(d.parts, g.parts, hasSameRank)
	}
	return groups
}

// titleText returns the name of the dataset, its extent, and the number of other datasets like it.
func (d *drawnDataset) titleText() string {
	text := strings.TrimPrefix(d.path, ":/") + " " + extentText(d.dims) // the file may have no name
	if d.numAlike > 1 {
		text += fmt.Sprintf(", and %d like it", d.numAlike-1)
		if len(d.files) > 1 {
			text += fmt.Sprintf(" in %d files", len(d.files))
		}
	}
	return text
}

// extentText formats an extent.
func extentText(dims []uint64) string {
	if len(dims) == 0 {
		return "(a scalar)"
	}
	return strings.ReplaceAll(fmt.Sprint(dims), " ", ", ")
}

// writersText says which ranks write the dataset. It returns "" if only a drawing can show it.
func (d *drawnDataset) writersText() string {
	divided := slices.ContainsFunc(d.parts, func(p picturePart) bool {
		return len(p.selections) > 1 || p.selections[0].NumElements() < pattern.Product(d.dims)
	})
	switch n := len(d.parts); {
	case n == 0:
		return "no rank writes any of it"
	case divided:
		return ""
	case n > 1:
		return fmt.Sprintf("each of %d ranks writes all of it", n)
	case d.writersDiffer:
		return "one rank writes all of each"
	}
	return fmt.Sprintf("rank %d writes all of it", d.parts[0].rank)
}

// fileOwners says which ranks open which files to write.
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
			if ranks[name] == nil {
				names = append(names, name)
			}
			if !slices.Contains(ranks[name], rank) {
				ranks[name] = append(ranks[name], rank)
			}
		}
	}
	same := map[string][]string{} // files by the text of their ranks
	var owners, words []string
	for _, name := range names {
		of := ranksText(ranks[name], len(programs))
		if same[of] == nil {
			owners = append(owners, of)
		}
		same[of] = append(same[of], name)
	}
	for _, of := range owners {
		text := same[of][0]
		if n := len(same[of]); n > 1 {
			text = fmt.Sprintf("%s and %d more", text, n-1)
		}
		words = append(words, text+" of "+of)
	}
	return strings.Join(words, "; ")
}

// ranksText describes some ranks of a job, such as "ranks 0 to 3". ranks must be ascending; of is the number of ranks
// of the job.
func ranksText(ranks []int, of int) string {
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

// drawnAxis is the drawn part of a dimension, divided into cells. dim is -1 for an axis without a dimension.
type drawnAxis struct {
	dim      int
	numShown uint64 // number of drawn elements, from the first element on
	numCells uint64
}

// cellStart returns the first element of cell i. For i = numCells, it returns the end of the axis.
func (s drawnAxis) cellStart(i uint64) uint64 { return i * s.numShown / s.numCells }

// axisLabel returns the number of elements of the axis as its label.
func (s drawnAxis) axisLabel(dims []uint64) string {
	if n := dims[s.dim]; n != s.numShown {
		return fmt.Sprintf("first %d of %d", s.numShown, n)
	}
	return fmt.Sprint(s.numShown)
}

// manySlabs is the number of hyperslabs from which on fittingGrid does not search for cells that fit their ends.
const manySlabs = 1 << 16

// Sizes of drawings, in characters.
const (
	smallColumns, wideColumns = 32, 64 // columns
	lowRows, highRows         = 8, 16  // rows
	flatRows                  = 2      // rows where ranks do not differ
	narrowColumns             = 16     // columns where ranks do not differ
)

// drawDataset draws one or two dimensions of a dataset at the first index of the other dimensions. If the drawing at
// the last index differs, it draws that, too.
func (d *drawnDataset) drawDataset() string {
	c := d.newDrawing()
	first, last := make([]uint64, len(d.dims)), make([]uint64, len(d.dims))
	for dim, n := range d.dims {
		last[dim] = n - 1
	}
	g := c.fittingGrid(first)
	other := c.paintGrid(g.rows, g.columns, last)
	switch {
	case len(c.shownDims) == len(d.dims):
		return g.gridText(d.dims, "")
	case slices.Equal(other.owners, g.owners):
		return g.gridText(d.dims, g.sliceLabel(d.dims, true))
	}
	return g.gridText(d.dims, g.sliceLabel(d.dims, false)) + other.gridText(d.dims, other.sliceLabel(d.dims, false))
}

// rankSlab is a hyperslab that a rank writes.
type rankSlab struct {
	rank int
	pattern.Hyperslab
}

// rankSlabs returns the parts of all ranks as hyperslabs.
func (d *drawnDataset) rankSlabs() []rankSlab {
	var all []rankSlab
	ones := slices.Repeat([]uint64{1}, len(d.dims))
	for _, p := range d.parts {
		for _, s := range p.selections {
			if q, is := s.Sequence(); is {
				all = append(all, rankSlab{p.rank, q.Slab})
				continue
			}
			start, extent := s.Boxes()
			if s.Kind() == pattern.Points {
				start, extent = s.Coordinates(), slices.Repeat(ones, int(s.NumElements()))
			}
			for i := 0; i < len(start); i += len(d.dims) {
				block := extent[i : i+len(d.dims)]
				all = append(all, rankSlab{p.rank, pattern.Hyperslab{
					Start: start[i : i+len(d.dims)], Stride: block, Count: ones, Block: block,
				}})
			}
		}
	}
	return all
}

// touchesRange reports whether the hyperslab has an element from low to high-1 in dimension d.
func (s rankSlab) touchesRange(d int, low, high uint64) bool {
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

// touchedCells returns, for each cell of an axis, whether the hyperslab has elements in it.
func (s rankSlab) touchedCells(line drawnAxis) []bool {
	all := make([]bool, line.numCells)
	for i := range all {
		all[i] = line.dim < 0 || s.touchesRange(line.dim, line.cellStart(uint64(i)), line.cellStart(uint64(i)+1))
	}
	return all
}

// drawing is a dataset to draw.
type drawing struct {
	dims        []uint64
	slabs       []rankSlab
	shownDims   []int // the one or two dimensions to draw
	dividedDims []int // dimensions in which ranks write different elements
}

// newDrawing chooses the dimensions to draw. It prefers dimensions in which ranks write different elements, and then
// the last dimensions. If ranks write different elements in one dimension only, and all elements in the other
// dimensions, it draws only this dimension.
func (d *drawnDataset) newDrawing() *drawing {
	c := &drawing{dims: d.dims, slabs: d.rankSlabs()}
	var others []int
	bar := true
	for dim, n := range slices.Backward(d.dims) {
		some, whole := compareCells(c.slabs, drawnAxis{dim, n, min(n, wideColumns)})
		first, _ := compareCells(c.slabs, drawnAxis{dim, min(n, wideColumns), min(n, wideColumns)})
		if some || first {
			c.dividedDims = append(c.dividedDims, dim)
			continue
		}
		others = append(others, dim)
		bar = bar && whole
	}
	most := min(2, len(d.dims))
	if bar && len(c.dividedDims) == 1 {
		most = 1
	}
	c.shownDims = slices.Concat(c.dividedDims, others)[:most]
	slices.Sort(c.shownDims)
	return c
}

// compareCells reports whether ranks write to different cells of an axis, and whether the first rank writes to all
// cells.
func compareCells(slabs []rankSlab, line drawnAxis) (differ, all bool) {
	written := map[int][]bool{} // by rank
	for _, s := range slabs {
		cells := s.touchedCells(line)
		for i, is := range written[s.rank] {
			cells[i] = cells[i] || is
		}
		written[s.rank] = cells
	}
	first := written[slabs[0].rank]
	for _, cells := range written {
		differ = differ || !slices.Equal(cells, first)
	}
	return differ, !slices.Contains(first, false)
}

// zoomedGrid returns a grid with at most the given numbers of columns and rows. In dimensions in which ranks write
// different elements, it shows only the first elements, 1/zoom of them.
func (c *drawing) zoomedGrid(columns, rows, zoom uint64, at []uint64) *grid {
	axis := func(dim int, most, least uint64) drawnAxis {
		s := drawnAxis{dim, c.dims[dim], most}
		if len(c.dividedDims) > 0 && !slices.Contains(c.dividedDims, dim) {
			s.numCells = least
		} else if s.numShown > most {
			s.numShown = max(most, s.numShown/zoom)
		}
		s.numCells = min(s.numCells, s.numShown)
		return s
	}
	y := drawnAxis{dim: -1, numShown: 1, numCells: 1}
	if len(c.shownDims) > 1 {
		y = axis(c.shownDims[0], rows, flatRows)
	}
	return c.paintGrid(y, axis(c.shownDims[len(c.shownDims)-1], columns, narrowColumns), at)
}

// fittingGrid returns the smallest grid that shows the division. It shows all elements of the dimensions. If too many
// cells would then belong to several ranks, it shows only the first elements.
func (c *drawing) fittingGrid(at []uint64) *grid {
	columns := uint64(smallColumns)
	if len(c.shownDims) == 1 {
		columns = wideColumns
	}
	if g := c.zoomedGrid(columns, lowRows, 1, at); g.mixed == 0 {
		return g
	}
	whole := c.zoomedGrid(wideColumns, highRows, 1, at)
	// Search for cells that end where parts of ranks end. If there are very many parts, there are no such cells.
	best := whole
	for n := uint64(wideColumns); n > wideColumns*3/4 && len(c.slabs) < manySlabs; n-- {
		for m := uint64(highRows); m > highRows*3/4; m-- {
			if g := c.zoomedGrid(n, m, 1, at); g.mixed < best.mixed {
				best = g
			}
			if len(c.shownDims) == 1 {
				break
			}
		}
	}
	if 4*best.mixed <= best.written {
		return best
	}
	for zoom := uint64(2); zoom/2 <= slices.Max(c.dims); zoom *= 2 {
		g := c.zoomedGrid(wideColumns, highRows, zoom, at)
		if g.written == 0 {
			break
		}
		if 8*g.mixed <= g.written {
			return g
		}
	}
	return whole
}

// The owners of cells that no rank writes, and that several ranks write.
const (
	noOwner    = -1
	manyOwners = -2
)

// grid is a drawing of a dataset at one index of each dimension that is not drawn.
type grid struct {
	rows, columns  drawnAxis // rows.dim is -1 if there is one dimension
	at             []uint64
	owners         []int // owners of the cells: a rank, noOwner or manyOwners
	mixed, written int   // numbers of cells that several ranks write, and that any rank writes
}

// paintGrid returns a grid that says for each cell which rank writes it.
func (c *drawing) paintGrid(rows, columns drawnAxis, at []uint64) *grid {
	g := &grid{rows: rows, columns: columns, at: at}
	g.owners = slices.Repeat([]int{noOwner}, int(rows.numCells*columns.numCells))
	for _, s := range c.slabs {
		inside := s.touchesRange(columns.dim, 0, columns.numShown)
		for dim, index := range at {
			if dim != rows.dim && dim != columns.dim {
				inside = inside && s.touchesRange(dim, index, index+1)
			}
		}
		if !inside {
			continue
		}
		across := s.touchedCells(columns)
		for i, in := range s.touchedCells(rows) {
			for j, also := range across {
				owner := &g.owners[i*len(across)+j]
				switch {
				case !in || !also || *owner == s.rank:
				case *owner == noOwner:
					*owner = s.rank
				default:
					*owner = manyOwners
				}
			}
		}
	}
	for _, owner := range g.owners {
		if owner == manyOwners {
			g.mixed++
		}
		if owner != noOwner {
			g.written++
		}
	}
	return g
}

// sliceLabel returns the label of a drawing. It has ":" for drawn dimensions, and an index for others, or everyIndex if
// every is true: then the drawing is the same for each index.
func (g *grid) sliceLabel(dims []uint64, every bool) string {
	words := make([]string, len(dims))
	for d, at := range g.at {
		words[d] = fmt.Sprint(at)
		switch {
		case d == g.rows.dim || d == g.columns.dim:
			words[d] = ":"
		case every && dims[d] > 1:
			words[d] = everyIndex
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// gridText returns the drawing with the labels of its axes. place is the label to the right of its first line.
func (g *grid) gridText(dims []uint64, place string) string {
	var lines []string
	for i := range g.rows.numCells {
		var b strings.Builder
		for _, owner := range g.owners[i*g.columns.numCells : (i+1)*g.columns.numCells] {
			switch owner {
			case noOwner:
				b.WriteByte('.')
			case manyOwners:
				b.WriteByte('#')
			default:
				b.WriteByte(rankSigns[owner])
			}
		}
		lines = append(lines, "|"+b.String()+"|")
	}
	column := g.columns.axisLabel(dims)
	if g.rows.dim < 0 {
		return "  " + strings.TrimRight(lines[0]+" "+column+" "+place, " ") + "\n"
	}
	row := g.rows.axisLabel(dims)
	indent := strings.Repeat(" ", len(row))
	var b strings.Builder
	fmt.Fprintf(&b, "  %s +%s+ %s\n", indent, strings.Repeat("-", int(g.columns.numCells)), column)
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
