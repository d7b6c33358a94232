package fromfile

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// Decomposition is the rule by which the user wants to divide one or several datasets among ranks.
type Decomposition struct {
	Path string // path of a dataset, or of a group for all datasets in it; "": the whole file
	Rule string
}

// ruleDivisions holds the rules that a user can ask for. They need no parameter.
var ruleDivisions = map[string]division{
	"slab":  {"slab()", "SLABS", "each rank has consecutive rows", true, false},
	"block": {"block()", "BLOCKS", "each rank has a block", true, false},
	"root":  {"everything(ranks = 1)", "BY_ROOT", "rank 0 has all", false, false},
	"all":   {"everything()", "BY_ALL", "each rank has all", true, false},
	"none":  {},
}

// division describes a rule by which ranks divide datasets, for the text of a script.
type division struct {
	rule       string // a call in a script; "": no rank transfers any of the dataset
	name       string // the variable for the rule
	meaning    string // what the rule does, or why there is none; "": the user asked for none, or there are no data
	shared     bool   // several ranks transfer, collectively or not
	collective bool   // HDF5 allows only collective transfers
}

// ParseDecomposition parses RULE or PATH=RULE.
func ParseDecomposition(text string) (d Decomposition, err error) {
	d.Rule = text
	if at := strings.LastIndexByte(text, '='); at >= 0 {
		d.Path, d.Rule = text[:at], text[at+1:]
		if !strings.HasPrefix(d.Path, "/") {
			return d, fmt.Errorf("%q is no path: it begins with /", d.Path)
		}
	}
	if _, is := ruleDivisions[d.Rule]; !is {
		names := []string{"slab", "block", "root", "all", "none"}
		return d, fmt.Errorf("%q must be one of %s; other rules have parameters, which the workload can be given%s",
			d.Rule, strings.Join(names, ", "), usage.DidYouMean(d.Rule, names))
	}
	return d, nil
}

// coversPath reports whether a decomposition applies to the object at path.
func (d Decomposition) coversPath(path string) bool {
	within := strings.TrimSuffix(d.Path, "/") + "/"
	return path == d.Path || strings.HasPrefix(path, within)
}

// ListOmissions returns what a file has and a script with the given decompositions leaves out.
func ListOmissions(d Description, all []Decomposition) []OmittedItem {
	var unwritten []string
	bytes, filled := uint64(0), ""
	for i := range d.Objects {
		if o := &d.Objects[i]; o.isNeverWritten() && chooseDivision(o, all).rule == "" {
			unwritten, bytes = append(unwritten, o.Path), bytes+o.Bytes()
			if o.isFilledWithoutWrites() {
				filled = ", without the fill values that parallel HDF5 would store at once"
			}
		}
	}
	if len(unwritten) == 0 {
		return d.Left
	}
	what := fmt.Sprintf("%s of data in %s, such as %s", units.FormatBytes(float64(bytes)),
		units.Count(len(unwritten), "dataset", "datasets"), unwritten[0])
	return append(slices.Clone(d.Left), OmittedItem{what, "nothing was written there in the file, so that they are " +
		"created and not written" + filled + "; --decompose PATH=slab writes them"})
}

// minDividedBytes is the smallest size in bytes of a dataset that a proposal divides. Smaller datasets are for rank 0.
const minDividedBytes = 64 << 10

// minRows is the smallest number of rows of a dimension that a proposal divides, unless all dimensions have fewer.
const minRows = 16

// chooseDivision returns how ranks divide a dataset. The last decomposition that covers its path applies. If there is
// none, it proposes a division.
func chooseDivision(o *Object, all []Decomposition) division {
	is, rule := ruleDivisions["root"], ""
	for _, d := range all {
		if d.coversPath(o.Path) {
			is, rule = ruleDivisions[d.Rule], d.Rule
		}
	}
	switch {
	case o.Bytes() == 0 || rule == "none":
		return division{}
	case rule == "" && o.isNeverWritten():
		return division{meaning: "it has no storage in the file: nothing was written to it"}
	case o.Compact: // the data are in the object header, of which each rank has a copy
		is = ruleDivisions["all"]
		is.meaning = "compact datasets: each rank writes all, since each has a copy of the object header"
	case rule == "" && len(o.Dims) > 0 && o.Bytes() >= minDividedBytes:
		is = proposeDivision(o.Dims)
		is.meaning += fmt.Sprintf(" (proposed for %d KiB or more)", minDividedBytes>>10)
	case rule == "":
		is.meaning += fmt.Sprintf(" (proposed for less than %d KiB)", minDividedBytes>>10)
	case len(o.Dims) == 0 && rule != "all":
		is = ruleDivisions["root"]
	}
	// HDF5's parallel writes of filtered chunks are collective, and of what has a variable length there are none
	is.collective = (o.Compact || len(o.Filters) > 0) && !o.Type.IsVariable()
	is.shared = is.shared && !o.Type.IsVariable() && !o.External // transfers of external data are independent
	return is
}

// proposeDivision returns the proposed division of a large dataset: slabs along the first dimension with at least
// minRows rows, or else along the longest dimension.
func proposeDivision(dims []uint64) division {
	at := slices.IndexFunc(dims, func(n uint64) bool { return n >= minRows })
	if at < 0 {
		at = slices.Index(dims, slices.Max(dims))
	}
	if at == 0 {
		return ruleDivisions["slab"]
	}
	grid := slices.Repeat([]uint64{1}, len(dims))
	grid[at] = 0
	return division{
		"block(grid = " + tupleText(grid) + ")", fmt.Sprintf("SLABS_%d", at),
		fmt.Sprintf("each rank has consecutive rows of dimension %d", at), true, false,
	}
}
