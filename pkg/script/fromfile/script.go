package fromfile

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// Script returns the text of a workload file that makes the like of a file. path is that of the file; how ranks divide
// datasets is proposed where no decomposition says it, and the last of them that is about a dataset holds. The error is
// about decompositions.
func Script(path string, d Description, all []Decomposition) (string, error) {
	for _, one := range all {
		if !slices.ContainsFunc(d.Objects, func(o Object) bool {
			return o.Kind == workload.DatasetObject && o.Bytes() > 0 && one.covers(o.Path)
		}) {
			return "", fmt.Errorf("--decompose %s=%s: there is no dataset with elements at or below this path",
				one.Path, one.Rule)
		}
	}
	w := &writer{used: map[string]bool{"f": true, "job": true}}
	name := fileName(filepath.Base(path))
	root := tree(&d, all)
	for op, opens := range []string{"create", "open"} {
		w.op = workload.Op(op)
		fmt.Fprintf(&w.text, "\ndef %v(job):\n    job.dump()\n    f = job.%s(%s)\n", w.op, opens, quoted(name))
		w.inside(1, "f", root)
	}
	return head(filepath.Base(path), &d) + w.constants() + w.text.String(), nil
}

// head returns the texts about the workload.
func head(file string, d *Description) string {
	var bytes, stored, datasets uint64
	for i := range d.Objects {
		if o := &d.Objects[i]; o.Kind == workload.DatasetObject {
			bytes, stored, datasets = bytes+o.Bytes(), stored+o.Stored, datasets+1
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `"""The like of %s: its groups, datasets and attributes, written once.

Names, types and sizes are those of the file: %s of %s, in %s of storage. Values are not in here:
h5perf makes its own. How ranks divide datasets, and how they write them, is not in an HDF5 file: change it here.
"""

about(
    true_to = [],
    leaves_out = [
        "fill values, times of objects, tracked orders, the order of filters, and the version of the format",
`, strings.Trim(quoted(plain.Line(file)), `"`), units.Count(int(datasets), "dataset", "datasets"),
		units.FormatBytes(float64(bytes)), units.FormatBytes(float64(stored)))
	for _, l := range d.Left {
		fmt.Fprintf(&b, "        %s,\n", quoted(l.What+": "+l.Reason))
	}
	b.WriteString("    ],\n)\n")
	return b.String()
}

// fileName returns the name of the file that is made: letters, digits and underscores.
func fileName(path string) string {
	text := notInNames.ReplaceAllString(strings.TrimSuffix(path, filepath.Ext(path)), "_")
	return cmp.Or(text[:min(len(text), 100)], "file")
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]`)

// writer writes the functions of a script.
type writer struct {
	text   strings.Builder
	op     workload.Op
	used   map[string]bool // variables of the top level, and of the objects around
	values []constant
}

// constant is a variable of the top level.
type constant struct{ name, value, comment string }

// constant returns the variable of the top level that has a value.
func (w *writer) constant(name, value, comment string) string {
	for _, c := range w.values {
		if c.value == value && c.comment == comment {
			return c.name
		}
	}
	c := constant{w.unused(name), value, comment}
	w.used[c.name] = true
	w.values = append(w.values, c)
	return c.name
}

// constants returns the lines of the variables of the top level.
func (w *writer) constants() string {
	var b strings.Builder
	for _, c := range w.values {
		b.WriteString("\n")
		if c.comment != "" {
			b.WriteString("# " + c.comment + "\n")
		}
		writeLine(&b, 0, c.name+" = "+c.value)
	}
	return b.String()
}

// unused returns the name of a variable, with a number if another one has it.
func (w *writer) unused(name string) string {
	made := name
	for k := 2; w.used[made]; k++ {
		made = fmt.Sprintf("%s_%d", name, k)
	}
	return made
}

// reserved are the words of the language and of the file that no variable may have.
var reserved = regexp.MustCompile(`^(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|` +
	`for|from|global|if|import|in|is|lambda|load|nonlocal|not|or|pass|raise|return|try|while|with|yield|` +
	`job|range|numbered|everything|block|slab|write|read|text|array|bits|enum|opaque|compound)$`)

// variable returns the name of a variable for an object.
func (w *writer) variable(n *node) string {
	name := n.Name
	if n.count > 1 {
		name = strings.ReplaceAll(numberIn.ReplaceAllString(n.format, ""), "%%", "")
	}
	name = strings.Trim(strings.ToLower(notInNames.ReplaceAllString(name, "_")), "_0123456789")
	if len(name) > 30 || name == "" || reserved.MatchString(name) {
		name = map[workload.Kind]string{workload.GroupObject: "group", workload.DatasetObject: "dataset"}[n.Kind]
	}
	return w.unused(name)
}

var numberIn = regexp.MustCompile(`%(0[0-9])?d`)

// inside writes what is done with an open file, group or dataset, and with what is in it, until it is closed.
func (w *writer) inside(depth int, variable string, n *node) {
	for _, a := range n.Attributes {
		if w.op == workload.Read {
			w.line(depth, variable+".attrs.values()")
			break
		}
		args := quoted(a.Name) + ", " + w.typeOf(a.Type)
		switch {
		case a.Null:
			args += ", empty = True"
		case len(a.Dims) > 0:
			args += ", shape = " + tuple(a.Dims)
		}
		w.line(depth, fmt.Sprintf("%s.attrs.create(%s)", variable, args))
	}
	if n.division.rule != "" {
		mode := ""
		if n.division.collective {
			mode = ", collective = True"
		}
		w.line(depth, fmt.Sprintf("%s.%v(%s%s)", variable, w.op,
			w.constant(n.division.name, n.division.rule, n.division.meaning), mode))
	}
	for _, child := range n.children {
		w.object(depth, variable, child)
	}
	w.line(depth, variable+".close()")
}

// object writes what is done with an object, or with a row of them: those with nothing in them in one call, others in
// a loop.
func (w *writer) object(depth int, parent string, n *node) {
	variable := w.variable(n)
	name := quoted(n.Name)
	switch {
	case n.count == 1:
	case len(n.children) == 0:
		name = fmt.Sprintf("numbered(%s, %d)", quoted(n.format), n.count)
		if n.first > 0 {
			name = fmt.Sprintf("numbered(%s, %d, first = %d)", quoted(n.format), n.count, n.first)
		}
	default:
		k := w.unused("k")
		w.used[k] = true
		defer delete(w.used, k)
		numbers := strconv.Itoa(n.first + n.count)
		if n.first > 0 {
			numbers = strconv.Itoa(n.first) + ", " + numbers
		}
		w.line(depth, fmt.Sprintf("for %s in range(%s):", k, numbers))
		name = fmt.Sprintf("%s %% %s", quoted(n.format), k)
		depth++
	}
	w.used[variable] = true
	defer delete(w.used, variable)
	switch {
	case w.op == workload.Read:
		w.line(depth, fmt.Sprintf("%s = %s[%s]", variable, parent, name))
	case n.Kind == workload.GroupObject:
		w.line(depth, fmt.Sprintf("%s = %s.create_group(%s)", variable, parent, name))
	default:
		w.line(depth, fmt.Sprintf("%s = %s.create_dataset(%s, %s)", variable, parent, name, w.dataset(n)))
	}
	w.inside(depth, variable, n)
}

// dataset returns the arguments of a dataset but its name.
func (w *writer) dataset(n *node) string {
	args := []string{w.typeOf(n.Type)}
	add := func(is bool, format string, value any) {
		if is {
			args = append(args, fmt.Sprintf(format, value))
		}
	}
	add(n.Null, "empty = %s", "True")
	add(!n.Null, "shape = %s", tuple(n.Dims))
	add(n.Most != nil, "maxshape = %s", tuple(n.Most))
	add(n.Chunk != nil, "chunks = %s", tuple(n.Chunk))
	add(n.Compact, "compact = %s", "True")
	for _, f := range n.Filters {
		compresses := map[string]string{"deflate": "gzip", "szip": "szip"}[f.Name]
		add(compresses != "", "compression = %s", quoted(compresses))
		add(compresses != "", "compression_opts = %d", f.Level)
		add(compresses == "", "%s = True", f.Name)
	}
	add(n.ratio() > 0, "ratio = %v", n.ratio())
	add(n.Fill.Time != "", "fill_time = %s", quoted(n.Fill.Time))
	add(n.Fill.Allocate != "", "alloc_time = %s", quoted(n.Fill.Allocate))
	return strings.Join(args, ", ")
}

// longType is the number of characters from which on a type has a variable.
const longType = 40

// typeOf returns a type, or the variable that has it.
func (w *writer) typeOf(t workload.Type) string {
	text := typeText(t)
	if len(text) < longType {
		return text
	}
	return w.constant("DTYPE", text, "")
}

func (w *writer) line(depth int, text string) { writeLine(&w.text, depth, text) }

// lineWidth is the number of columns after which a line goes on in another one.
const lineWidth = 110

// writeLine writes a line, in several if it is long: they end at commas, which are all within brackets.
func writeLine(b *strings.Builder, depth int, text string) {
	indent := strings.Repeat("    ", depth)
	start, comma, quote := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '"':
			quote = !quote
		case text[i] == ',' && !quote && i+1 < len(text) && text[i+1] == ' ':
			comma = i + 1
		}
		if i-start+len(indent) > lineWidth && comma > start {
			b.WriteString(indent + text[start:comma] + "\n")
			if start == 0 {
				indent += "    "
			}
			start = comma + 1
		}
	}
	b.WriteString(indent + text[start:] + "\n")
}
