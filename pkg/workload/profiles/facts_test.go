package profiles_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
	"h5perf/pkg/workload/notation"
	"h5perf/pkg/workload/profiles"
)

// Facts are what the sources of a profile say of its files, in size tiny, written by hand and not by h5perf. Each file
// testdata/facts/PROFILE.txt has parts, which begin with a line such as
//
//	ranks 3 calls=grid
//
// (a number of ranks, and words of choices or values of sizes). The lines of a part are in any order:
//
//	FILE PATH group
//	FILE PATH TYPE EXTENT PROPERTIES    a dataset, as of all ranks together
//	FILE PATH @NAME TYPE EXTENT         an attribute; the path of the root group is /
//	FILE PATH writes MODE PART ...      a transfer; the parts of ranks 0, 1, ... as START+COUNT in elements of the
//	                                    dataset, - for nothing, . for ranks that do not take part in it; of more
//	                                    than 8 boxes, only their number
//	FILE PATH reads MODE PART ...
//
// Of the dumps only the first one counts. Empty lines and those that begin with # do not count.
func TestProfilesDoWhatTheirSourcesSay(t *testing.T) {
	files, err := filepath.Glob("testdata/facts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no facts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, part := range strings.Split("\n"+string(text), "\nranks ")[1:] {
			head, body, _ := strings.Cut(part, "\n")
			t.Run(name+" "+head, func(t *testing.T) {
				words := strings.Fields(head)
				ranks, err := strconv.ParseInt(words[0], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				set := map[string]string{}
				for _, word := range words[1:] {
					key, value, _ := strings.Cut(word, "=")
					set[key] = value
				}
				compare(t, body, found(t, name, set, ranks))
			})
		}
	}
}

// compare compares the lines of facts with those that were found.
func compare(t *testing.T, facts string, got []string) {
	t.Helper()
	var want []string
	for line := range strings.Lines(facts) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && line[0] != '#' {
			want = append(want, line)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	for _, line := range want {
		if i, is := slices.BinarySearch(got, line); is {
			got = slices.Delete(got, i, i+1)
		} else {
			t.Errorf("lacks %s", line)
		}
	}
	for _, line := range got {
		t.Errorf("has   %s", line)
	}
}

// found returns the lines that programs of all ranks have, and checks that each byte of a dataset is written once.
func found(t *testing.T, name string, set map[string]string, ranks int64) []string {
	t.Helper()
	w, err := profiles.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := notation.Resolve(w, "tiny", set, notation.Job{})
	if err != nil {
		t.Fatal(err)
	}
	var all lines
	for rank := range ranks {
		p, err := r.Compile(rank, notation.Job{Ranks: ranks, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		all.rank, all.times = int(rank), map[string]int{}
		for op := range p.Parts {
			part := &p.Parts[op]
			part.Dumps = part.Dumps[:min(1, len(part.Dumps))]
			for s := range part.Steps() {
				all.add(&p, s)
			}
		}
	}
	all.check(t)
	return all.text(int(ranks))
}

// lines are what programs do.
type lines struct {
	rank      int
	times     map[string]int // transfers of the rank so far
	objects   []string
	transfers []string // heads, in their order
	parts     map[string]map[int]string
	written   map[string][][2]uint64 // runs of bytes, by dataset
	sizes     map[string]uint64
}

// where returns file and path of an object.
func where(p *workload.Program, object int, member uint64) string {
	return strings.Replace(p.PathOf(object, member), ":", " ", 1)
}

func (l *lines) add(p *workload.Program, s *workload.Step) {
	for k := s.First; k < s.First+s.Count; k++ {
		switch s.Class {
		case workload.Create:
			o := &p.Objects[s.Object]
			if o.Kind == workload.GroupObject {
				l.once(where(p, s.Object, k) + " group")
				continue
			}
			l.once(where(p, s.Object, k) + " " + typeOf(o.Type) + extentOf(o) + properties(o))
		case workload.Attribute:
			if s.Op == workload.Read {
				continue
			}
			on := p.Files[s.File].NameOf(s.Number) + " /"
			if s.Object != workload.NoParent {
				on = where(p, s.Object, k)
			}
			a := p.Attributes[s.Attributes]
			for i := range a.Count {
				name := a.Name
				if strings.Contains(name, "%") {
					name = fmt.Sprintf(name, i)
				}
				l.once(fmt.Sprintf("%s @%s %s%s", on, name, typeOf(a.Type), numbers(a.Dims)))
			}
		case workload.Transfer:
			for i := range s.Moves() {
				l.transfer(p, s, &p.Moves[i], k)
			}
		}
	}
}

// once adds a line about what several ranks may do together.
func (l *lines) once(line string) {
	if !slices.Contains(l.objects, line) {
		l.objects = append(l.objects, line)
	}
}

func (l *lines) transfer(p *workload.Program, s *workload.Step, m *workload.Move, member uint64) {
	on := where(p, m.Object, member)
	head := fmt.Sprintf("%s %ss %s", on, s.Op, map[bool]string{false: "independent", true: "collective"}[m.Collective])
	if m.Member != "" {
		head += " " + m.Member
	}
	l.times[head]++
	key := fmt.Sprint(head, "\n", l.times[head])
	if l.parts == nil {
		l.parts, l.written, l.sizes = map[string]map[int]string{}, map[string][][2]uint64{}, map[string]uint64{}
	}
	if l.parts[key] == nil {
		l.parts[key], l.transfers = map[int]string{}, append(l.transfers, key)
	}
	l.parts[key][l.rank] = partOf(m.Selection)
	if s.Op == workload.Read {
		return
	}
	l.sizes[on] = p.Objects[m.Object].Bytes()
	for at, bytes := range m.Plain.Runs() {
		l.written[on] = append(l.written[on], [2]uint64{at, bytes})
	}
}

// partOf returns a part in elements: the box of it, or all boxes if there are several.
func partOf(s pattern.Selection) string {
	if s.Kind() == pattern.None || s.Bytes() == 0 {
		return "-"
	}
	if s.Kind() == pattern.Irregular {
		start, extent := s.Boxes()
		rank := len(s.Dims())
		if len(start) > 8*rank {
			return fmt.Sprint(len(start)/rank, "pieces")
		}
		var all []string
		for i := 0; i < len(start); i += rank {
			all = append(all, box(start[i:i+rank], extent[i:i+rank]))
		}
		return strings.Join(all, ",")
	}
	q, _ := s.Sequence()
	extent := slices.Clone(q.Slab.Count)
	for d := range extent {
		if extent[d] > 1 && q.Slab.Stride[d] > q.Slab.Block[d] {
			return fmt.Sprint(q.Slab)
		}
		extent[d] *= q.Slab.Block[d]
	}
	return box(q.Slab.Start, extent)
}

// box returns a box, START+COUNT, with numbers of several dimensions joined by x.
func box(start, extent []uint64) string {
	joined := func(all []uint64) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), " ", "x") }
	return joined(start) + "+" + joined(extent)
}

func typeOf(t workload.Type) string {
	text := ""
	switch t.Class {
	case workload.Compound:
		var members []string
		for _, m := range t.Members {
			members = append(members, m.Name+":"+typeOf(m.Type))
		}
		text = "{" + strings.Join(members, ",") + "}"
	case workload.Text:
		text = fmt.Sprint("text", t.Size)
	default:
		text = map[workload.TypeClass]string{
			workload.Unsigned: "u", workload.Signed: "i", workload.Float: "f",
		}[t.Class] + fmt.Sprint(8*t.Size)
	}
	for _, n := range t.Array {
		text += fmt.Sprintf("*%d", n)
	}
	return text
}

// numbers returns an extent, "" of a scalar.
func numbers(dims []uint64) string {
	if len(dims) == 0 {
		return ""
	}
	return " " + strings.ReplaceAll(fmt.Sprint(dims), " ", ",")
}

func extentOf(o *workload.Object) string {
	text := numbers(o.Dims)
	if o.Most != nil {
		text += " of" + strings.ReplaceAll(numbers(o.Most), fmt.Sprint(workload.Unlimited), "unlimited")
	}
	return text
}

func properties(o *workload.Object) (text string) {
	if o.Chunk != nil {
		text += " chunk" + numbers(o.Chunk)
	}
	for _, f := range o.Filters {
		text += " " + f.Name
		if f.Name == "deflate" || f.Name == "szip" {
			text += fmt.Sprint(f.Level)
		}
	}
	if o.Compact {
		text += " compact"
	}
	if o.Fill.Time != "" {
		text += " fill=" + o.Fill.Time
	}
	if o.Fill.Allocate != "" {
		text += " allocate=" + o.Fill.Allocate
	}
	return text
}

// text returns the lines.
func (l *lines) text(ranks int) []string {
	all := slices.Clone(l.objects)
	for _, key := range l.transfers {
		line, _, _ := strings.Cut(key, "\n")
		for rank := range ranks {
			part, is := l.parts[key][rank]
			if !is {
				part = "."
			}
			line += " " + part
		}
		all = append(all, line)
	}
	return all
}

// check checks that each byte of the datasets is written exactly once.
func (l *lines) check(t *testing.T) {
	t.Helper()
	for on, runs := range l.written {
		slices.SortFunc(runs, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
		end := uint64(0)
		for _, r := range runs {
			if r[0] != end {
				t.Errorf("%s: byte %d is written never, or twice", on, min(r[0], end))
				break
			}
			end += r[1]
		}
		if end != l.sizes[on] {
			t.Errorf("%s: %d bytes are written of %d", on, end, l.sizes[on])
		}
	}
}
