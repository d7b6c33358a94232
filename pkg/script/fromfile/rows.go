package fromfile

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/fill"
	"h5perf/pkg/workload"
)

// node is an object of the file, or a row of similar objects whose names differ in a number.
type node struct {
	*Object
	format   string // format of the names of a row; "": the node is one object
	first    int    // number in the name of the first object
	count    int    // objects in the row; 0: another node has the row with this object
	division division
	children []*node
	bytes    uint64 // of all objects of the row
	stored   uint64 // bytes of storage of all objects of the row
	key      string // equal for objects that differ only in their names and their stored sizes
}

// buildTree returns the root group of a description.
func buildTree(d *Description, all []Decomposition) *node {
	nodes := make([]*node, len(d.Objects))
	for i := range d.Objects {
		o := &d.Objects[i]
		nodes[i] = &node{Object: o, count: 1, stored: o.Stored}
		if o.Kind == workload.DatasetObject {
			nodes[i].division, nodes[i].bytes = chooseDivision(o, all), o.Bytes()
		}
		if i > 0 {
			nodes[o.Parent].children = append(nodes[o.Parent].children, nodes[i])
		}
	}
	for _, n := range slices.Backward(nodes) { // children come after their parents
		n.foldIntoRows()
	}
	return nodes[0]
}

// hasVariableData reports whether ranks write a dataset of variable length, in this node or below it.
func (n *node) hasVariableData() bool {
	return n.division.rule != "" && n.Type.IsVariable() ||
		slices.ContainsFunc(n.children, func(c *node) bool { return c.hasVariableData() })
}

// compressionRatio returns the factor by which filters reduced the size of the datasets, with three digits. It is 0 if
// they have no filter that compresses their data, or no data.
func (n *node) compressionRatio() float64 {
	if !n.Compresses() || n.Type.IsVariable() || n.bytes == 0 || n.stored == 0 {
		return 0
	}
	ratio, _ := strconv.ParseFloat(strconv.FormatFloat(float64(n.bytes)/float64(n.stored), 'g', 3, 64), 64)
	return min(max(ratio, 1), fill.MaxRatio)
}

// The smallest numbers of objects that become a row: objects without children, and groups with children.
const (
	minObjectsOfRow = 4
	minGroupsOfRow  = 2
)

// foldIntoRows replaces children that are alike and have consecutive numbers in their names by rows. A row takes the
// place of its first object. If the order of the children is tracked, they also follow each other.
func (n *node) foldIntoRows() {
	numbered, places := n.numberedChildren(), map[*node]int{}
	for i, c := range n.children {
		places[c] = i
	}
	formats := slices.SortedFunc(maps.Keys(numbered), func(a, b string) int {
		// the longest first, so that f10 is in a row with f09, not alone
		return cmp.Or(len(numbered[b])-len(numbered[a]), strings.Compare(a, b))
	})
	for _, format := range formats {
		nodes := numbered[format]
		for _, first := range slices.Sorted(maps.Keys(nodes)) {
			var row []*node
			for k := first; ; k++ {
				one := nodes[k]
				if one == nil || one.count != 1 || len(row) > 0 && one.key != row[0].key {
					break
				}
				if n.Tracking.Links != workload.NoOrder && len(row) > 0 && places[one] != places[row[0]]+len(row) {
					break
				}
				row = append(row, one)
			}
			if len(row) < minGroupsOfRow || len(row) < minObjectsOfRow && len(row[0].children) == 0 {
				continue
			}
			for _, one := range row[1:] {
				row[0].addSizesOf(one)
				one.count = 0
			}
			row[0].format, row[0].first, row[0].count = format, first, len(row)
		}
	}
	n.children = slices.DeleteFunc(n.children, func(c *node) bool { return c.count == 0 })
	o := n.Object.Object
	o.Name, o.Parent = "", 0
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%#v %#v %#v", o, n.Attributes, n.division)
	for _, c := range n.children {
		_, _ = fmt.Fprintf(h, "%q %q %d %d %s", c.Name, c.format, c.first, c.count, c.key)
	}
	n.key = string(h.Sum(nil))
}

// addSizesOf adds the sizes of a similar node and its children to the sizes of this node and its children.
func (n *node) addSizesOf(other *node) {
	n.bytes, n.stored = n.bytes+other.bytes, n.stored+other.stored
	for i, c := range n.children {
		c.addSizesOf(other.children[i])
	}
}

// numberedChildren returns the children with a number in their name. The first key is the format of the name, the
// second key is the number. A number such as 10 has two formats: it may follow 9 (%d) or 09 (%02d).
func (n *node) numberedChildren() map[string]map[int]*node {
	found := map[string]map[int]*node{}
	for _, c := range n.children {
		before, number, after := splitName(c.Name)
		value, err := strconv.Atoi(number)
		if err != nil || len(number) > 9 {
			continue
		}
		var verbs []string
		if len(number) == 1 || number[0] != '0' {
			verbs = append(verbs, "%d")
		}
		if len(number) > 1 { // 10 may follow 09
			verbs = append(verbs, fmt.Sprintf("%%0%dd", len(number)))
		}
		for _, verb := range verbs {
			format := workload.LiteralFormat(before) + verb + workload.LiteralFormat(after)
			if found[format] == nil {
				found[format] = map[int]*node{}
			}
			found[format][value] = c
		}
	}
	return found
}

// splitName splits a name at its last number.
func splitName(name string) (before, number, after string) {
	const digits = "0123456789"
	end := strings.LastIndexAny(name, digits) + 1
	start := len(strings.TrimRight(name[:end], digits))
	return name[:start], name[start:end], name[end:]
}
