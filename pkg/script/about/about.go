// Package about describes a workload in a page that developers of the application can check. The page says which
// application the workload represents, what it does with files, and which ranks write which data. The package also
// checks a workload with all its sets of sizes and choices.
//
// The package is pure: no I/O, no clock, no cgo.
package about

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/script"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Ranks is the default number of ranks of the job.
const Ranks = 4

// Page returns the page about a workload with a set of sizes and given values. The job has the given number of ranks,
// at most MaxRanks, with two ranks on each node. If the set, a value or ranks is not valid, Page returns a
// *usage.Error. Other errors have their position in the script.
func Page(s *script.Script, set string, given map[string]string, ranks int) (string, error) {
	if ranks < 1 || ranks > MaxRanks {
		return "", usage.Errorf("--ranks %d: a picture has from 1 to %d ranks; 'h5perf plan run' tells of more", ranks,
			MaxRanks)
	}
	job := script.JobSize{Ranks: int64(ranks), Nodes: int64(ranks+1) / 2}
	s, err := s.Choose(set, given, job)
	if err != nil {
		return "", err
	}
	p := page{Script: s, job: job}
	program := func(rank uint64) (workload.Program, error) {
		made, err := s.Program(int64(rank), job)
		p.programs = append(p.programs, made)
		return made, err
	}
	for rank := range job.Ranks {
		if _, err := program(uint64(rank)); err != nil {
			return "", err
		}
	}
	p.amounts, err = workload.AmountsOf(uint64(ranks), func(rank uint64) (workload.Program, error) {
		return p.programs[rank], nil
	})
	return p.pageText(), err
}

// page holds a workload and the text of the page about it.
type page struct {
	*script.Script
	job      script.JobSize
	amounts  workload.Amounts
	programs []workload.Program // of all ranks
	builder  strings.Builder
}

// Widths in columns: of the names at the start of lines, and of the page.
const (
	indent = 13
	width  = 120
)

// addLine adds a name and a text, broken into lines of at most width columns.
func (p *page) addLine(name, text string) {
	if text == "" {
		return
	}
	column := len(name) + 1
	p.builder.WriteString(name + ":")
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			p.builder.WriteString(strings.Repeat(" ", max(1, indent-column)))
			column = max(indent, column+1)
		case column+1+len(word) > width:
			p.builder.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			p.builder.WriteByte(' ')
			column++
		}
		p.builder.WriteString(word)
		column += len(word)
	}
	p.builder.WriteByte('\n')
}

// pageText returns the text of the page: what the workload represents and does, the picture, its sources, choices and
// sizes.
func (p *page) pageText() string {
	p.addLine("Workload", fmt.Sprintf("%s, here with %s on %s", p.Name, units.Count(int(p.job.Ranks), "rank", "ranks"),
		units.Count(int(p.job.Nodes), "node", "nodes")))
	p.addLine("Stands for", strings.TrimSpace(p.Title+" "+p.About))
	p.addLine("Files", fmt.Sprintf("%s, with %s of data: %s", units.Count(int(p.amounts.Files), "file", "files"),
		units.FormatBytes(float64(p.amounts.DiskBytes)), fileOwners(p.programs)))
	for op, words := range [][2]string{{"Writes", "created"}, {"Reads", "opened"}} {
		if p.amounts.Ops[op].Steps > 0 {
			p.addLine(words[0], p.dumpsText(workload.Op(op), words[1]))
		}
	}
	p.addPicture()
	p.builder.WriteByte('\n')
	p.addLine("True to", strings.Join(p.TrueTo, "; "))
	p.addLine("Leaves out", strings.Join(p.LeavesOut, "; "))
	var choices, sizes, sets []string
	for _, c := range p.Choices {
		others := slices.DeleteFunc(slices.Clone(c.Words), func(w string) bool { return w == c.Word })
		choices = append(choices, fmt.Sprintf("%s=%s (or %s): %s", c.Name, c.Word, strings.Join(others, ", "), c.About))
	}
	for _, s := range p.Sizes {
		sizes = append(sizes, fmt.Sprintf("%s=%d: %s", s.Name, s.Value, s.About))
	}
	for _, s := range p.Sets {
		sets = append(sets, s.Name)
	}
	p.addLine("Choices", strings.Join(choices, "; "))
	p.addLine("Sizes", strings.Join(sizes, "; "))
	p.addLine("Sets of them", strings.Join(sets, ", "))
	return strings.TrimRight(p.builder.String(), "\n") + "\n"
}

// addPicture adds the picture that shows which ranks write which parts of datasets.
func (p *page) addPicture() {
	if key, drawing := Writers(p.programs); drawing != "" {
		p.builder.WriteString("\nWho writes what (" + key + "):\n" + drawing)
	}
}

// Writers draws, as text, which ranks write which parts of datasets. programs holds the programs of all ranks of a job,
// at most MaxRanks. key explains the characters of the drawing. The drawing is "" if no rank writes a dataset.
func Writers(programs []workload.Program) (key, drawing string) {
	drawing = drawWriters(programs)
	key = "a character is a part of a dataset, and the rank that writes it; # several; . none"
	if strings.Contains(drawing, everyIndex) {
		key += "; " + everyIndex + " each index"
	}
	return key, drawing
}

// dumpsText describes what all dumps do when they write or read. verb says what is done with objects, such as
// "created".
func (p *page) dumpsText(op workload.Op, verb string) string {
	of := p.amounts.Ops[op]
	words := []string{
		units.Count(int(of.Dumps), "dump", "dumps"), p.bytesText(op) + p.modesText(op),
	}
	counts := p.countObjectsBySection(op)
	last := len(counts) - 1
	begin, each, end := counts[0], counts[1:last], counts[last]
	if begin != (objectCounts{}) {
		words = append(words, begin.countsText()+" "+verb+" before them")
	}
	if len(each) > 0 {
		least, most := slices.MinFunc(each, objectCounts.compareTotals),
			slices.MaxFunc(each, objectCounts.compareTotals)
		switch {
		case most == objectCounts{}:
		case least == most:
			words = append(words, most.countsText()+" "+verb+" in each")
		default:
			words = append(words, fmt.Sprintf("%s to %s %s in each", least.countsText(), most.countsText(), verb))
		}
	}
	if end != (objectCounts{}) {
		words = append(words, end.countsText()+" "+verb+" after them")
	}
	for _, of := range p.programs[0].Parts[op].Quantities {
		words = append(words, fmt.Sprintf("%d %s in each, of all ranks", of.Number, of.Name))
	}
	if of.ReadBack > 0 {
		words = append(words, units.FormatBytes(float64(of.ReadBack))+" read back in all, by all ranks")
	}
	if of.Compute > 0 {
		words = append(words, units.FormatSeconds(of.Compute.Seconds())+" of computing in all")
	}
	return strings.Join(words, "; ")
}

// modesText says whether the ranks transfer data collectively or independently.
func (p *page) modesText(op workload.Op) string {
	var collective, independent bool
	for i := range p.programs {
		program := &p.programs[i]
		for s, m := range program.Transfers(&program.Parts[op]) {
			if s.IsReadBack(op) {
				continue
			}
			collective, independent = collective || m.Collective, independent || !m.Collective
		}
	}
	switch {
	case collective && independent:
		return ", some collective, some independent"
	case collective:
		return ", collective"
	case independent:
		return ", independent"
	}
	return ""
}

// bytesText says how many bytes each rank transfers in a dump and, if any, outside of dumps.
func (p *page) bytesText(op workload.Op) string {
	var inDumps, outside []uint64 // for each rank and dump; for each rank
	for i := range p.programs {
		program := &p.programs[i]
		part := &program.Parts[op]
		for j := range part.Dumps {
			inDumps = append(inDumps, transferBytes(program, op, workload.ProgramPart{Dumps: part.Dumps[j : j+1]}))
		}
		outside = append(outside, transferBytes(program, op, workload.ProgramPart{Begin: part.Begin, End: part.End}))
	}
	var words []string
	if len(inDumps) > 0 {
		words = append(words, byteRangeText(inDumps)+" of each rank and dump")
	}
	if slices.Max(outside) > 0 || words == nil {
		words = append(words, byteRangeText(outside)+" of each rank outside of dumps")
	}
	return strings.Join(words, ", ")
}

// transferBytes returns the number of bytes that a part of a program transfers, without those that it reads back.
func transferBytes(program *workload.Program, op workload.Op, part workload.ProgramPart) (bytes uint64) {
	for s, m := range program.Transfers(&part) {
		if !s.IsReadBack(op) {
			bytes += s.Count * s.NumTransfers * m.TransferBytes()
		}
	}
	return bytes
}

// byteRangeText formats the range of some sizes in bytes, such as "1 KiB to 4 KiB".
func byteRangeText(all []uint64) string {
	low, high := units.FormatBytes(float64(slices.Min(all))), units.FormatBytes(float64(slices.Max(all)))
	if low == high {
		return high
	}
	return low + " to " + high
}

// objectCounts holds the numbers of groups and datasets, by workload.ObjectKind, and then the number of attributes.
type objectCounts [3]uint64

const attributeCount = len(objectCounts{}) - 1

func (o objectCounts) compareTotals(other objectCounts) int {
	return cmp.Compare(o[0]+o[1]+o[2], other[0]+other[1]+other[2])
}

func (o objectCounts) countsText() string {
	var words []string
	for i, names := range [][2]string{{"group", "groups"}, {"dataset", "datasets"}, {"attribute", "attributes"}} {
		if o[i] > 0 {
			words = append(words, units.Count(int(o[i]), names[0], names[1]))
		}
	}
	return cmp.Or(strings.Join(words, ", "), "nothing")
}

// countObjectsBySection counts the objects that all ranks create or open before the dumps, in each dump, and after the
// dumps. An object that several ranks create or open counts once.
func (p *page) countObjectsBySection(op workload.Op) (all []objectCounts) {
	for section := range p.programs[0].Parts[op].Sections() {
		all = append(all, p.countObjectsInSection(op, section))
	}
	return all
}

// countObjectsInSection counts the objects that all ranks create or open in the section with the given index. The
// sections are the steps before the dumps, each dump, and the steps after the dumps.
func (p *page) countObjectsInSection(op workload.Op, section int) (o objectCounts) {
	class := workload.Create
	if op == workload.Read {
		class = workload.Open
	}
	known := map[string]bool{}
	for i := range p.programs {
		program := &p.programs[i]
		part := workload.ProgramPart{Begin: program.Parts[op].Sections()[section]}
		for s := range part.Steps() {
			if s.Class != class && s.Class != workload.Attribute {
				continue
			}
			at, kind, number := program.Files[s.File].Name, 0, s.Count
			if s.Object != workload.NoParent {
				at, kind = program.PathOf(s.Object, s.First), int(program.Objects[s.Object].Kind)
			}
			if s.Class == workload.Attribute {
				a := &program.Attributes[s.Attributes]
				at, kind, number = at+"@"+a.Name, attributeCount, s.Count*a.Count
			}
			if !known[at] {
				o[kind] += number
			}
			known[at] = true
		}
	}
	return o
}
