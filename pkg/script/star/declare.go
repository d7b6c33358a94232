package star

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// Declarations is what the top level of a script declares.
type Declarations struct {
	Name  string // of the workload
	Title string // what it is, in a line
	About string // what it stands for
	// sources and versions that it follows, and what they do and it does not
	TrueTo, LeavesOut []string
	Sizes             []Size
	Choices           []Choice
	Sets              []Set
	Settings          map[string]string // of HDF5, by the names of options

	globals starlark.StringDict
}

// Size is a number that a user may set.
type Size struct {
	Name     string
	About    string
	Value    int64
	Min, Max int64
}

// Choice is a word that a user may choose.
type Choice struct {
	Name  string
	About string
	Words []string // the first one is the default
	Word  string
}

// Set has values of sizes, and words of choices, that are chosen together.
type Set struct {
	Name   string
	Values map[string]string
}

// Choose returns the script with the values of a set, unless its name is "", and with given ones, which win. An error
// about them is a *usage.Error.
func (s *Script) Choose(set string, given map[string]string) (*Script, error) {
	values := map[string]string{}
	if set != "" {
		i := slices.IndexFunc(s.Sets, func(x Set) bool { return x.Name == set })
		if i < 0 {
			var names []string
			for _, x := range s.Sets {
				names = append(names, x.Name)
			}
			return nil, usage.NotOneOf("the set of sizes", set, names)
		}
		maps.Copy(values, s.Sets[i].Values)
	}
	maps.Copy(values, given)
	if err := s.check(values); err != nil {
		return nil, err
	}
	chosen := *s
	chosen.given, chosen.known = values, &programs{all: map[programKey]*recorder{}}
	chosen.Declarations = Declarations{Name: s.Name, Title: s.Title, About: s.About}
	_, err := chosen.execute(Job{1, 1}, &chosen.Declarations)
	return &chosen, err
}

// check returns an error for a value that a size or choice cannot have.
func (d *Declarations) check(values map[string]string) error {
	var known []string
	for _, x := range d.Sizes {
		known = append(known, x.Name)
		if text, is := values[x.Name]; is {
			n, err := number(text)
			if err != nil {
				return usage.Errorf("the size %s=%s: %v", x.Name, text, err)
			}
			if n < x.Min || n > x.Max {
				return usage.Errorf("the size %s=%s: %s", x.Name, text, between(x.Min, x.Max))
			}
		}
	}
	for _, x := range d.Choices {
		known = append(known, x.Name)
		if word, is := values[x.Name]; is && !slices.Contains(x.Words, word) {
			return usage.NotOneOf("the choice "+x.Name, word, x.Words)
		}
	}
	for name := range maps.Keys(values) {
		if !slices.Contains(known, name) {
			return usage.NotOneOf("the size or choice", name, known)
		}
	}
	return nil
}

func between(low, high int64) string {
	if high == math.MaxInt64 {
		return fmt.Sprintf("give a number from %d on", low)
	}
	return fmt.Sprintf("give a number from %d to %d", low, high)
}

// number returns the value of a size, such as 64K.
func number(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	n, err := units.ParseSize(text)
	if err == nil && n > math.MaxInt64 {
		err = fmt.Errorf("%s is too large", text)
	}
	return int64(n), err
}

// target returns the variable of the top level to which the value of a call is assigned.
func (c call) target(example string) (string, error) {
	at := c.thread.CallFrame(1).Pos
	name, is := c.targets[place{at.Line, at.Col}]
	if !is || c.recorder != nil {
		return "", fmt.Errorf("%s gives a variable of the top level its value: write %s", c.name, example)
	}
	return name, nil
}

// size declares a size and returns its value.
func size(c call) (starlark.Value, error) {
	x := Size{Max: math.MaxInt64}
	var value starlark.Value
	if err := c.unpack("value", &value, "about", &x.About, "min?", &x.Min, "max?", &x.Max); err != nil {
		return nil, err
	}
	var err error
	x.About = line(x.About)
	if x.Name, err = c.target(`dumps = size(5, "outputs")`); err != nil {
		return nil, err
	}
	text, _ := starlark.AsString(value)
	if text == "" {
		text = value.String()
	}
	if given, is := c.given[x.Name]; is {
		text = given
	}
	if x.Value, err = number(text); err == nil && (x.Value < x.Min || x.Value > x.Max) {
		err = fmt.Errorf("the size %s is %d: %s", x.Name, x.Value, between(x.Min, x.Max))
	}
	c.declared.Sizes = append(c.declared.Sizes, x)
	return starlark.MakeInt64(x.Value), err
}

// choice declares a choice and returns its word.
func choice(c call) (starlark.Value, error) {
	var x Choice
	for _, word := range c.args {
		text, is := starlark.AsString(word)
		if !is {
			return nil, fmt.Errorf("choice: %s is no text: give words, the default first", word)
		}
		x.Words = append(x.Words, text)
	}
	c.args = nil
	if err := c.unpack("about", &x.About); err != nil {
		return nil, err
	}
	var err error
	x.About = line(x.About)
	x.Name, err = c.target(`mode = choice("collective", "independent", about = "how ranks write")`)
	if err == nil && len(x.Words) < 2 {
		err = fmt.Errorf("the choice %s has %d words: give two or more", x.Name, len(x.Words))
	}
	if err != nil {
		return nil, err
	}
	x.Word = x.Words[0]
	if given, is := c.given[x.Name]; is {
		x.Word = given
	}
	c.declared.Choices = append(c.declared.Choices, x)
	return starlark.String(x.Word), nil
}

// sizeSet declares a set of values, which are those of sizes and choices declared before it.
func sizeSet(c call) (starlark.Value, error) {
	x := Set{Values: map[string]string{}}
	if len(c.args) > 0 {
		return nil, fmt.Errorf("size_set: give values by their names, such as tiny = size_set(dumps = 2)")
	}
	for _, kv := range c.kwargs {
		text, is := starlark.AsString(kv[1])
		if !is {
			text = kv[1].String()
		}
		x.Values[string(kv[0].(starlark.String))] = text
	}
	var err error
	if x.Name, err = c.target("tiny = size_set(dumps = 2)"); err == nil {
		err = c.declared.check(x.Values)
	}
	c.declared.Sets = append(c.declared.Sets, x)
	return starlark.None, err
}

// line returns a text without the ends of its lines.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// about declares what the workload follows.
func about(c call) (starlark.Value, error) {
	var followed, left texts
	err := c.unpack("true_to", &followed, "leaves_out", &left)
	for i := range followed {
		c.declared.TrueTo = append(c.declared.TrueTo, line(followed[i]))
	}
	for i := range left {
		c.declared.LeavesOut = append(c.declared.LeavesOut, line(left[i]))
	}
	return starlark.None, err
}

// settings declares the settings of HDF5 that the application uses.
func settings(c call) (starlark.Value, error) {
	rows := option.HDF5Rows()
	c.declared.Settings = map[string]string{}
	for _, kv := range c.kwargs {
		name := strings.ReplaceAll(string(kv[0].(starlark.String)), "_", "-")
		i := slices.IndexFunc(rows, func(row option.HDF5Row) bool { return row.Name == name })
		if i < 0 {
			var names []string
			for _, row := range rows {
				names = append(names, strings.ReplaceAll(row.Name, "-", "_"))
			}
			return nil, usage.NotOneOf("the setting", string(kv[0].(starlark.String)), names)
		}
		text, is := starlark.AsString(kv[1])
		if !is {
			text = kv[1].String()
		}
		value, err := rows[i].Canonical(text)
		if err != nil {
			return nil, fmt.Errorf("the setting %s: %w", name, err)
		}
		c.declared.Settings[name] = value
	}
	return starlark.None, nil
}
