// This file tells of a workload in a page, which a developer of the application can check: what it stands for,
// what it does with files, and which ranks write what.

package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Ranks is the usual number of ranks of the job.
const Ranks = 4

// AboutOptions say of which sizes and ranks a page tells.
type AboutOptions struct {
	Size  string            // as in script.Resolve
	Set   map[string]string // as in script.Resolve
	Ranks int               // of the job, at most MostRanks; there are two on each node
}

// About returns the page of a workload. Errors in the options are *usage.Error, others name the place in the file.
func About(w Workload, o AboutOptions) (string, error) {
	if o.Ranks < 1 || o.Ranks > MostRanks {
		return "", usage.Errorf("--ranks %d: a picture has from 1 to %d ranks; 'h5perf plan run' tells of more",
			o.Ranks, MostRanks)
	}
	r, err := Resolve(w, o.Size, o.Set, Job{})
	if err != nil {
		return "", err
	}
	p := page{of: w, r: r, job: Job{Ranks: int64(o.Ranks), Nodes: int64(o.Ranks+1) / 2}}
	if w.Job != nil && *w.Job != p.job {
		return "", usage.Errorf("the workload was resolved for %s on %s: it has no other page",
			units.Count(int(w.Job.Ranks), "rank", "ranks"), units.Count(int(w.Job.Nodes), "node", "nodes"))
	}
	if p.all, err = r.Amount(p.job); err != nil {
		return "", err
	}
	for rank := range p.job.Ranks {
		program, err := r.Compile(rank, p.job)
		if err != nil {
			return "", err
		}
		p.programs = append(p.programs, program)
	}
	return p.text(), nil
}

// page is a page that is written.
type page struct {
	of       Workload
	r        Resolved
	job      Job
	all      Amounts
	programs []workload.Program // of all ranks
	b        strings.Builder
}

// Columns of a page: of the names of lines, and of all.
const (
	indent = 13
	width  = 120
)

// line adds a name and a text, in as many lines as it needs.
func (p *page) line(name, text string) {
	if text == "" {
		return
	}
	column := len(name) + 1
	p.b.WriteString(name + ":")
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			p.b.WriteString(strings.Repeat(" ", max(1, indent-column)))
			column = max(indent, column+1)
		case column+1+len(word) > width:
			p.b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			p.b.WriteByte(' ')
			column++
		}
		p.b.WriteString(word)
		column += len(word)
	}
	p.b.WriteByte('\n')
}

// text returns the page: what the workload stands for and does, the picture, and what it rests on.
func (p *page) text() string {
	p.line("Workload", fmt.Sprintf("%s, here with %s on %s", p.of.Name, units.Count(int(p.job.Ranks), "rank", "ranks"),
		units.Count(int(p.job.Nodes), "node", "nodes")))
	p.line("Stands for", p.of.About)
	p.line("Files", p.files())
	written := p.divisions(workload.Write)
	p.line("Writes", p.dumps(workload.Write, "created"))
	p.line("Ranks write", written)
	if p.all.Ops[workload.Read].Dumps > 0 {
		p.line("Reads", p.dumps(workload.Read, "opened"))
		if read := p.divisions(workload.Read); read != written {
			p.line("Ranks read", read)
		} else {
			p.line("Ranks read", "as they write")
		}
	}
	p.picture()
	p.b.WriteByte('\n')
	p.line("True to", strings.Join(p.of.TrueTo, "; "))
	p.line("Leaves out", strings.Join(p.of.LeavesOut, "; "))
	p.line("Choices", p.choices())
	p.line("Sizes", p.sizes())
	return strings.TrimRight(p.b.String(), "\n") + "\n"
}

// picture adds the picture of who writes what.
func (p *page) picture() {
	text := DrawWriters(p.programs)
	if text == "" {
		return
	}
	p.b.WriteString("\nWho writes what (a character is a part of a dataset, and the rank that writes it; # several; " +
		". none")
	if strings.Contains(text, Alike) {
		p.b.WriteString("; " + Alike + " each index")
	}
	p.b.WriteString("):\n" + text)
}

// choices returns the choices with their words, those that are chosen first.
func (p *page) choices() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p.of.Choices)) {
		chosen := p.r.Choices[name]
		var others []string
		for _, w := range p.of.Choices[name] {
			if w.String() != chosen {
				others = append(others, w.String())
			}
		}
		text := name + "=" + chosen
		if len(others) > 0 {
			text += " (or " + strings.Join(others, ", ") + ")"
		}
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// sizes returns the sizes, and the names of the sets of others.
func (p *page) sizes() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p.of.Sizes)) {
		if v, is := p.r.Sizes[name]; is {
			words = append(words, fmt.Sprintf("%s=%d", name, v))
		}
	}
	text := strings.Join(words, " ")
	if len(p.of.Sets) > 0 {
		text += "; sets: " + strings.Join(slices.Sorted(maps.Keys(p.of.Sets)), ", ")
	}
	return text
}

// files returns how many files there are, and which ranks write which one.
func (p *page) files() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p.r.Files)) {
		if per := p.r.Files[name].Per.String(); per == string(PerRun) {
			words = append(words, name+" for all dumps")
		} else {
			words = append(words, name+" for each "+per)
		}
	}
	text := fmt.Sprintf("%s; %d in all, with %s of data", strings.Join(words, ", "), p.all.Files,
		units.FormatBytes(float64(p.all.DiskBytes)))
	if owners := DrawFiles(p.programs); owners != "" {
		text += " (" + owners + ")"
	}
	return text
}

// dumps returns what is done in each dump in one direction. verb is what is done to objects.
func (p *page) dumps(op workload.Op, verb string) string {
	of := p.all.Ops[op]
	words := []string{units.Count(int(of.Dumps), "dump", "dumps"), p.bytes(op) + " of each rank and dump"}
	begin, each, end := p.counted(op)
	if begin != (objects{}) {
		words = append(words, begin.words()+" "+verb+" before them")
	}
	least, most := slices.MinFunc(each, objects.compare), slices.MaxFunc(each, objects.compare)
	switch {
	case most == objects{}:
	case least == most:
		words = append(words, most.words()+" "+verb+" in each")
	default:
		words = append(words, fmt.Sprintf("%s to %s %s in each", least.words(), most.words(), verb))
	}
	if end != (objects{}) {
		words = append(words, end.words()+" "+verb+" after them")
	}
	for _, of := range p.programs[0].Parts[op].Handles {
		words = append(words, fmt.Sprintf("%d %s in each, of all ranks", of.Number, of.Name))
	}
	if of.Compute > 0 {
		words = append(words, units.FormatSeconds(of.Compute.Seconds())+" of computing in all")
	}
	return strings.Join(words, "; ")
}

// divisions returns in words how ranks divide datasets.
func (p *page) divisions(op workload.Op) string {
	const most = 3
	var words []string
	for _, d := range p.r.Divisions() {
		if d.Op != op {
			continue
		}
		names, more := d.Datasets, ""
		if len(names) > most {
			names, more = names[:most-1], fmt.Sprintf(" and %d more", len(d.Datasets)-most+1)
		}
		mode := "independent"
		if d.Collective {
			mode = "collective"
		}
		words = append(words, fmt.Sprintf("%s%s: %s (rule %s), %s", strings.Join(names, ", "), more, d.Rule.Words(),
			d.Rule, mode))
	}
	return strings.Join(words, "; ")
}

// bytes returns how many bytes ranks transfer in a dump, from the least to the most.
func (p *page) bytes(op workload.Op) string {
	least, most := ^uint64(0), uint64(0)
	for i := range p.programs {
		program := &p.programs[i]
		for j := range program.Parts[op].Dumps {
			bytes := uint64(0)
			part := workload.Part{Dumps: program.Parts[op].Dumps[j : j+1]}
			for s := range part.Steps() {
				if s.Class == workload.Transfer {
					for m := range s.Moves() {
						bytes += s.Count * program.Moves[m].TransferBytes()
					}
				}
			}
			least, most = min(least, bytes), max(most, bytes)
		}
	}
	low, high := units.FormatBytes(float64(least)), units.FormatBytes(float64(most))
	if low == high {
		return high
	}
	return low + " to " + high
}

// objects counts objects and attributes.
type objects struct{ groups, datasets, attributes uint64 }

func (o objects) compare(other objects) int {
	return int(o.groups+o.datasets+o.attributes) - int(other.groups+other.datasets+other.attributes)
}

func (o objects) words() string {
	var words []string
	for _, c := range []struct {
		n         uint64
		one, many string
	}{{o.groups, "group", "groups"}, {o.datasets, "dataset", "datasets"}, {o.attributes, "attribute", "attributes"}} {
		if c.n > 0 {
			words = append(words, units.Count(int(c.n), c.one, c.many))
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// counted returns what all ranks together create or open before the dumps, in each dump, and after them. What several
// ranks do together counts once.
func (p *page) counted(op workload.Op) (begin objects, each []objects, end objects) {
	class := workload.Create
	if op == workload.Read {
		class = workload.Open
	}
	count := func(epochs func(*workload.Part) []workload.Epoch) (o objects) {
		known := map[string]bool{}
		for i := range p.programs {
			program := &p.programs[i]
			part := workload.Part{Begin: epochs(&program.Parts[op])}
			for s := range part.Steps() {
				if s.Class != class && s.Class != workload.Attribute {
					continue
				}
				at := program.Files[s.File].NameOf(s.Number)
				if s.Object != workload.NoParent {
					at = program.PathOf(s.Object, s.First)
				}
				if s.Class == workload.Attribute {
					at += "@" + program.Attributes[s.Attributes].Name
				}
				if known[at] {
					continue
				}
				known[at] = true
				switch {
				case s.Class == workload.Attribute:
					o.attributes += s.Count * program.Attributes[s.Attributes].Count
				case program.Objects[s.Object].Kind == workload.GroupObject:
					o.groups += s.Count
				default:
					o.datasets += s.Count
				}
			}
		}
		return o
	}
	begin = count(func(part *workload.Part) []workload.Epoch { return part.Begin })
	for i := range p.programs[0].Parts[op].Dumps {
		each = append(each, count(func(part *workload.Part) []workload.Epoch { return part.Dumps[i].Epochs }))
	}
	return begin, each, count(func(part *workload.Part) []workload.Epoch { return part.End })
}
