package script

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// FromFile returns the text of a workload file that makes the like of a file. path is that of the file; how ranks
// divide datasets is proposed where no decomposition says it, and the last of them that is about a dataset holds. A
// text that would be too long for YAML is JSON with comments. The error is about decompositions.
func FromFile(path string, d FileDescription, all []Decomposition) (string, error) {
	for _, one := range all {
		if !slices.ContainsFunc(
			d.Objects,
			func(o DescribedObject) bool { return transferred(&o) && one.covers(o.Path) },
		) {
			return "", fmt.Errorf("--decompose %s=%s: there is no dataset with elements at or below this path",
				one.Path, one.Rule)
		}
	}
	m := fileMaker{FileDescription: d, path: filepath.Base(path), entries: entries(&d, all)}
	f := m.file()
	text := document(m.head(), f, false)
	if len(text) > MostSourceBytes {
		text = document(m.head(), f, true)
	}
	return text, nil
}

type fileMaker struct {
	FileDescription
	path    string
	entries []entry
}

// describedKey is the name of the file in the notation. Objects have their paths.
const describedKey = "/"

// head returns the comment at the start.
func (m *fileMaker) head() string {
	var bytes, stored, datasets uint64
	for i := range m.Objects {
		if o := &m.Objects[i]; o.Kind == workload.DatasetObject {
			bytes, stored, datasets = bytes+o.Bytes(), stored+o.Stored, datasets+1
		}
	}
	return fmt.Sprintf(`The like of %s, made by 'h5perf workload from'. Names, types and sizes are those of the file.
Values are not in here: h5perf makes its own. %s of %s, in %s
of storage. How ranks divide datasets, and how they write them, is not in an HDF5 file:
see the steps, and change them.
`, plain.Line(m.path), units.Count(int(datasets), "dataset", "datasets"), units.FormatBytes(float64(bytes)),
		units.FormatBytes(float64(stored)))
}

// file returns the workload.
func (m *fileMaker) file() fields {
	files := fields{{key: "name", value: quotedText(fileName(m.path))}, {key: "per", value: word("run")}}
	files = m.attributes(files, m.Objects[0].Attributes)
	var objects fields
	for i := range m.entries {
		objects = append(objects, field{key: m.entries[i].key, value: m.object(&m.entries[i])})
	}
	about := "The like of " + plain.Line(m.path) + ": its groups, datasets and attributes, written once"
	f := fields{{key: "workload", value: word(fileName(m.path))}, {key: "about", value: quotedText(about)}}
	left := []quotedText{"fill values, times of objects, tracked orders and the version of the format"}
	for _, l := range m.Left {
		left = append(left, quotedText(l.What+": "+l.Reason))
	}
	f = append(f, field{key: "leaves-out", value: left})
	f = append(f, field{key: "files", value: fields{{key: describedKey, value: files}}})
	f = f.with(len(objects) > 0, "objects", objects)
	for _, verb := range []string{"write", "read"} {
		f = append(f, field{key: verb, value: fields{{key: "dumps", value: 1}, {key: "dump", value: m.steps(verb)}}})
	}
	return f
}

// fileName returns the name of the workload and of the file that is made: letters, digits and underscores.
func fileName(path string) string {
	text := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.TrimSuffix(path, filepath.Ext(path)))
	return cmp.Or(text[:min(len(text), 100)], "file")
}

// object returns an object in the notation.
func (m *fileMaker) object(e *entry) fields {
	in := describedKey
	if e.Parent > 0 {
		in = m.Objects[e.Parent].Path
	}
	kind := "group"
	if e.Kind == workload.DatasetObject {
		kind = "dataset"
	}
	f := fields{{key: kind, value: quotedText(e.name)}, {key: "in", value: word(in)}}.
		with(e.count > 0, "for", fields{{key: "k", value: e.count}})
	if e.Kind == workload.DatasetObject {
		f = append(f, field{key: "type", value: typed(e.Type)}, field{key: "extent", value: decimalNumbers(e.Dims)})
		f = f.with(e.Null, "empty", true).
			with(e.Most != nil, "max-extent", decimalNumbers(e.Most)).
			with(e.Chunk != nil, "chunk", decimalNumbers(e.Chunk)).
			with(e.Compact, "compact", true).
			with(len(e.Filters) > 0, "filters", filters(e.Filters)).
			with(e.ratio() > 0, "data", fields{{key: "ratio", value: e.ratio()}}).
			with(e.Fill.Time != "", "fill", word(e.Fill.Time)).
			with(e.Fill.Allocate != "", "allocate", word(e.Fill.Allocate))
	}
	return m.attributes(f, e.Attributes)
}

func filters(all []workload.Filter) list {
	var made list
	for _, f := range all {
		if f.Name == "deflate" || f.Name == "szip" {
			made = append(made, fields{{key: f.Name, value: f.Level}})
			continue
		}
		made = append(made, word(f.Name))
	}
	return made
}

func (m *fileMaker) attributes(f fields, all []workload.Attributes) fields {
	var made list
	for _, a := range all {
		f := fields{{key: "name", value: quotedText(LiteralText(a.Name))}, {key: "type", value: typed(a.Type)}}
		made = append(made, f.with(len(a.Dims) > 0, "extent", decimalNumbers(a.Dims)).with(a.Null, "empty", true))
	}
	return f.with(len(made) > 0, "attributes", made)
}

// steps returns the steps that write or read all.
func (m *fileMaker) steps(verb string) []step {
	begin := map[string]string{"write": "create", "read": "open"}[verb]
	names, told := list{word(describedKey)}, list{}
	if len(m.Objects[0].Attributes) > 0 {
		told = append(told, word(describedKey))
	}
	type group struct {
		part  ruleOfObject
		names list
	}
	var groups []group
	for i := range m.entries {
		e := &m.entries[i]
		names = append(names, word(e.key))
		if len(e.Attributes) > 0 {
			told = append(told, word(e.key))
		}
		if !transferred(e.DescribedObject) || e.part.rule == workload.NoneRule {
			continue
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.part.same(e.part) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{part: e.part})
		}
		groups[at].names = append(groups[at].names, word(e.key))
	}
	all := []step{{fields: fields{{key: begin, value: names}}}}
	if len(told) > 0 {
		all = append(all, step{fields: fields{{key: "attributes", value: told}}})
	}
	for _, g := range groups {
		mode := word("independent")
		if g.part.collective {
			mode = "collective"
		}
		parts := fields{{key: "rule", value: word(g.part.rule)}}.with(g.part.grid != nil, "grid", g.part.grid)
		s := step{fields: fields{
			{key: verb, value: g.names}, {key: "select", value: parts}, {key: "mode", value: mode},
		}}
		if verb == "write" {
			s.comment = g.part.says()
		}
		all = append(all, s)
	}
	closed := slices.Clone(names)
	slices.Reverse(closed)
	return append(all, step{fields: fields{{key: "close", value: closed}}})
}
