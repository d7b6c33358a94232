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

// Script returns the text of a workload file that creates a file like the one described by d. path is the path of that
// file. Where no decomposition says how ranks divide a dataset, Script proposes a division; if several do, the last one
// applies. It returns an error if a decomposition applies to no dataset with elements.
func Script(path string, d Description, all []Decomposition) (string, error) {
	for _, one := range all {
		if !slices.ContainsFunc(d.Objects, func(o Object) bool {
			return o.Kind == workload.DatasetObject && o.Bytes() > 0 && one.coversPath(o.Path)
		}) {
			return "", fmt.Errorf("--decompose %s=%s: there is no dataset with elements at or below this path",
				one.Path, one.Rule)
		}
	}
	w := &scriptWriter{used: map[string]bool{"f": true, "job": true, "write_variable": true}}
	name := scriptFileName(filepath.Base(path))
	root := buildTree(&d, all)
	for op, opens := range []string{"create", "open"} {
		w.op, w.opens = workload.Op(op), op > 0
		args := quotedText(name)
		if w.op == workload.Write {
			args += trackingText(root.Kind, root.Tracking)
		}
		fmt.Fprintf(&w.text, "\ndef %v(job):\n    job.dump()\n    f = job.%s(%s)\n", w.op, opens, args)
		w.writeContent(1, "f", root)
		if w.op == workload.Write && root.hasVariableData() {
			w.writeVariableData(name, root)
		}
	}
	return headerText(filepath.Base(path), &d, ListOmissions(d, all)) + w.topVariableLines() + w.text.String(), nil
}

// headerText returns the docstring and the call of about. left is what the script leaves out.
func headerText(file string, d *Description, left []OmittedItem) string {
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
        "the version of the format, and the time of allocation (parallel HDF5 allocates at once)",
`, strings.Trim(quotedText(plain.VisibleLine(file)), `"`), units.Count(int(datasets), "dataset", "datasets"),
		units.FormatBytes(float64(bytes)), units.FormatBytes(float64(stored)))
	for _, l := range left {
		fmt.Fprintf(&b, "        %s,\n", quotedText(l.What+": "+l.Reason))
	}
	b.WriteString("    ],\n)\n")
	return b.String()
}

// scriptFileName returns the name of the file that the script creates: letters, digits and underscores.
func scriptFileName(path string) string {
	text := notInNames.ReplaceAllString(strings.TrimSuffix(path, filepath.Ext(path)), "_")
	return cmp.Or(text[:min(len(text), 100)], "file")
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]`)

// scriptWriter writes the functions of a script.
type scriptWriter struct {
	text         strings.Builder
	op           workload.Op
	opens        bool            // objects exist, and are opened
	variableOnly bool            // only datasets of variable length are written
	used         map[string]bool // names of the top-level variables and of the variables in scope
	values       []topVariable
}

// topVariable is a top-level variable of the script.
type topVariable struct{ name, value, comment string }

// topVariableFor returns the name of the top-level variable with the given value and comment. It adds the variable if
// there is none.
func (w *scriptWriter) topVariableFor(name, value, comment string) string {
	for _, c := range w.values {
		if c.value == value && c.comment == comment {
			return c.name
		}
	}
	c := topVariable{w.unusedName(name), value, comment}
	w.used[c.name] = true
	w.values = append(w.values, c)
	return c.name
}

// topVariableLines returns the lines that assign the top-level variables.
func (w *scriptWriter) topVariableLines() string {
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

// unusedName returns name, or name with a number if another variable has that name.
func (w *scriptWriter) unusedName(name string) string {
	made := name
	for k := 2; w.used[made]; k++ {
		made = fmt.Sprintf("%s_%d", name, k)
	}
	return made
}

// reservedWords matches keywords and names of functions that variables must not use.
var reservedWords = regexp.MustCompile(
	`^(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|` +
		`for|from|global|if|import|in|is|lambda|load|nonlocal|not|or|pass|raise|return|try|while|with|yield|` +
		`job|range|numbered|everything|block|slab|write|read|text|string|vlen|array|bits|enum|opaque|compound|` +
		`hard_link|soft_link|external_link)$`)

// objectVariable returns the name of the variable for an object or a row.
func (w *scriptWriter) objectVariable(n *node) string {
	name := n.Name
	if n.count > 1 {
		name = strings.ReplaceAll(numberVerb.ReplaceAllString(n.format, ""), "%%", "")
	}
	name = strings.Trim(strings.ToLower(notInNames.ReplaceAllString(name, "_")), "_0123456789")
	if len(name) > 30 || name == "" || reservedWords.MatchString(name) {
		name = map[workload.ObjectKind]string{workload.GroupObject: "group", workload.DatasetObject: "dataset"}[n.Kind]
	}
	return w.unusedName(name)
}

var numberVerb = regexp.MustCompile(`%(0[0-9])?d`)

// writeContent writes the steps of an open file, group or dataset: attributes, transfers, its children, and close.
func (w *scriptWriter) writeContent(depth int, variable string, n *node) {
	for _, a := range n.Attributes {
		if w.variableOnly {
			break
		}
		if w.op == workload.Read {
			w.addLine(depth, variable+".attrs.values()")
			break
		}
		args := quotedText(a.Name) + ", " + w.typeExpression(a.Type)
		switch {
		case a.Null:
			args += ", empty = True"
		case len(a.Dims) > 0:
			args += ", shape = " + tupleText(a.Dims)
		}
		w.addLine(depth, fmt.Sprintf("%s.attrs.create(%s)", variable, args))
	}
	switch {
	case w.op == workload.Write && n.hasVariableData() != w.variableOnly && n.Kind == workload.DatasetObject:
	case n.division.rule == "" && n.division.meaning != "" && w.op == workload.Write:
		w.addLine(depth, "# "+n.division.meaning)
	case n.division.rule != "":
		mode := ""
		switch {
		case n.division.collective:
			mode = ", collective = True"
		case n.division.shared:
			mode = ", collective = " +
				w.topVariableFor("mode", modeChoice, "HDF5 transfers independently unless it is asked "+
					"for collective transfers") + ` == "collective"`
		}
		w.addLine(depth, fmt.Sprintf("%s.%v(%s%s)", variable, w.op,
			w.topVariableFor(n.division.name, n.division.rule, n.division.meaning), mode))
	}
	for _, child := range n.children {
		w.writeObject(depth, variable, child)
	}
	w.addLine(depth, variable+".close()")
}

// modeChoice is the choice of a script for the transfers that HDF5 does in both modes.
const modeChoice = `choice("independent", "collective", about = "mode of transfers, where HDF5 leaves the choice")`

// writeVariableData writes the steps with which rank 0 writes the datasets of variable length, after all ranks have
// closed the file.
func (w *scriptWriter) writeVariableData(name string, root *node) {
	w.opens, w.variableOnly = true, true
	w.addLine(1, "# parallel HDF5 does not write what has a variable length: rank 0 opens the file by itself")
	w.addLine(1, "def write_variable():")
	w.addLine(2, fmt.Sprintf("f = job.open(%s)", quotedText(name)))
	w.writeContent(2, "f", root)
	w.addLine(1, "job.root(write_variable)")
	w.variableOnly = false
}

// writeObject writes the steps of an object or a row. A row of objects without children becomes one call. A row of
// objects with children becomes a loop.
func (w *scriptWriter) writeObject(depth int, parent string, n *node) {
	if n.Kind == workload.LinkObject && w.opens || w.variableOnly && !n.hasVariableData() {
		return
	}
	variable := w.objectVariable(n)
	name := quotedText(n.Name)
	switch {
	case n.count == 1:
	case len(n.children) == 0:
		name = fmt.Sprintf("numbered(%s, %d)", quotedText(n.format), n.count)
		if n.first > 0 {
			name = fmt.Sprintf("numbered(%s, %d, first = %d)", quotedText(n.format), n.count, n.first)
		}
	default:
		k := w.unusedName("k")
		w.used[k] = true
		defer delete(w.used, k)
		numbers := strconv.Itoa(n.first + n.count)
		if n.first > 0 {
			numbers = strconv.Itoa(n.first) + ", " + numbers
		}
		w.addLine(depth, fmt.Sprintf("for %s in range(%s):", k, numbers))
		name = fmt.Sprintf("%s %% %s", quotedText(n.format), k)
		depth++
	}
	if n.Kind == workload.LinkObject {
		w.addLine(depth, fmt.Sprintf("%s[%s] = %s", parent, name, linkText(n.Link)))
		return
	}
	w.used[variable] = true
	defer delete(w.used, variable)
	switch {
	case w.opens:
		w.addLine(depth, fmt.Sprintf("%s = %s[%s]", variable, parent, name))
	case n.Kind == workload.GroupObject:
		w.addLine(depth, fmt.Sprintf("%s = %s.create_group(%s%s)", variable, parent, name,
			trackingText(n.Kind, n.Tracking)))
	default:
		w.addLine(depth, fmt.Sprintf("%s = %s.create_dataset(%s, %s)", variable, parent, name, w.datasetArguments(n)))
	}
	w.writeContent(depth, variable, n)
}

// datasetArguments returns the arguments of create_dataset except the name.
func (w *scriptWriter) datasetArguments(n *node) string {
	args := []string{w.typeExpression(n.Type)}
	add := func(is bool, format string, value any) {
		if is {
			args = append(args, fmt.Sprintf(format, value))
		}
	}
	add(n.Null, "empty = %s", "True")
	add(!n.Null, "shape = %s", tupleText(n.Dims))
	add(n.MaxExtent != nil, "maxshape = %s", tupleText(n.MaxExtent))
	add(n.Chunk != nil, "chunks = %s", tupleText(n.Chunk))
	add(n.Compact, "compact = %s", "True")
	add(n.External, "external = %s", "True")
	asInH5py := isOrderOfH5py(n.Filters)
	if !asInH5py {
		args = append(args, "filters = "+filtersText(n.Filters))
	}
	for _, f := range n.Filters {
		if !asInH5py {
			break
		}
		compresses := map[string]string{"deflate": "gzip", "szip": "szip"}[f.Name]
		add(compresses != "", "compression = %s", quotedText(compresses))
		add(compresses != "", "compression_opts = %d", f.Level)
		add(compresses == "", "%s = True", f.Name)
	}
	add(n.compressionRatio() > 0, "ratio = %v", n.compressionRatio())
	fillTime := n.Fill.Time
	if n.division.rule == "" && n.isFilledWithoutWrites() {
		fillTime = "never"
	}
	add(fillTime != "", "fill_time = %s", quotedText(fillTime))
	add(n.Fill.Allocate != "", "alloc_time = %s", quotedText(n.Fill.Allocate))
	add(n.Fill.Value != nil, "fillvalue = %s", fillValueText(n.Type, n.Fill.Value))
	return strings.Join(args, ", ") + trackingText(n.Kind, n.Tracking)
}

// linkText formats a link as an expression of a script.
func linkText(l workload.Link) string {
	if l.Kind == workload.ExternalLink {
		return fmt.Sprintf("external_link(%s, %s)", quotedText(l.File), quotedText(l.Path))
	}
	return fmt.Sprintf("%v_link(%s)", l.Kind, quotedText(l.Path))
}

// isOrderOfH5py reports whether the filters are those of h5py, in its order: shuffle, compression, fletcher32.
func isOrderOfH5py(filters []workload.Filter) bool {
	place := map[string]int{"shuffle": 1, "deflate": 2, "szip": 2, "fletcher32": 3}
	last := 0
	for _, f := range filters {
		if place[f.Name] <= last {
			return false
		}
		last = place[f.Name]
	}
	return true
}

// filtersText formats filters as an expression of a script.
func filtersText(filters []workload.Filter) string {
	var all []string
	for _, f := range filters {
		switch f.Name {
		case "":
			text := []string{strconv.Itoa(f.Number)}
			for _, v := range f.Values {
				text = append(text, strconv.FormatUint(uint64(v), 10))
			}
			all = append(all, "("+strings.Join(text, ", ")+",)")
		case "deflate":
			all = append(all, fmt.Sprintf("(\"gzip\", %d)", f.Level))
		case "szip", "zstd":
			all = append(all, fmt.Sprintf("(%q, %d)", f.Name, f.Level))
		default:
			all = append(all, quotedText(f.Name))
		}
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// trackingText returns the arguments that say what HDF5 keeps about an object, each after a comma.
func trackingText(kind workload.ObjectKind, t workload.Tracking) (text string) {
	switch links := t.Links; {
	case t.Attributes == workload.IndexedOrder && (links == t.Attributes || kind == workload.DatasetObject):
		text = ", track_order = True"
	case links != workload.NoOrder || t.Attributes != workload.NoOrder:
		text = fmt.Sprintf(", track_order = (%q, %q)", links, t.Attributes)
	}
	if t.NoTimes {
		text += ", track_times = False"
	}
	return text
}

// minVariableType is the smallest number of characters of a type that gets a variable.
const minVariableType = 40

// typeExpression returns the expression of a type. If the expression is long, it returns the name of a variable for it.
func (w *scriptWriter) typeExpression(t workload.Type) string {
	text := typeText(t)
	if len(text) < minVariableType {
		return text
	}
	return w.topVariableFor("DTYPE", text, "")
}

func (w *scriptWriter) addLine(depth int, text string) { writeLine(&w.text, depth, text) }

// lineWidth is the number of columns after which a line is broken.
const lineWidth = 110

// writeLine writes a line. It breaks a long line after commas, which are all within brackets.
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
