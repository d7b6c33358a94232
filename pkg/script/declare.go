package script

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Declarations holds the declarations of the top level of a script, such as sizes, choices and settings.
type Declarations struct {
	Name  string // of the workload
	Title string // a description of the workload in one line
	About string // the application that the workload represents
	// TrueTo lists the sources and versions that the workload follows. LeavesOut lists what the application does and
	// the workload does not.
	TrueTo, LeavesOut []string
	Sizes             []Size
	Choices           []Choice
	Sets              []SizeSet
	Settings          []Setting
	Statements        []Statement

	globals starlark.StringDict
}

// Size is an integer parameter of a script that a user may set.
type Size struct {
	Name, About string
	Value       int64
	Min, Max    int64
}

// Choice is a parameter of a script for which a user chooses one of several words.
type Choice struct {
	Name, About string
	Words       []string // the first one is the default
	Word        string
}

// SizeSet is a named set of values for sizes and choices. A user chooses all of them by the name of the set.
type SizeSet struct {
	Name   string
	Values map[string]string
}

// Setting is a setting of HDF5 that the application uses.
type Setting struct {
	Name, Value string // the option and its value
	Line        int    // the line of the script that sets it
}

// Statement is what somebody said about collective transfers of HDF5. Runs of the workload judge it.
type Statement struct {
	Text      string
	Transfers string // how transfers are executed if the statement is true, as in workload.TransferKinds
	Changed   string // the version of HDF5 in which this changed; "": it has not
	// The statement is about cases with one of these words, for each of the choices.
	Where []ChosenWords
}

// ChosenWords are words of a choice.
type ChosenWords struct {
	Choice string
	Words  []string
}

// setValue parses a value such as 64K and sets the size to it.
func (x *Size) setValue(text string) (err error) {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		var n uint64
		if n, err = units.ParseSize(text); err == nil && n > math.MaxInt64 {
			err = fmt.Errorf("%s is too large", text)
		}
		value = int64(n)
	}
	switch {
	case err != nil && strings.ContainsAny(text, "+-*/()"):
		return fmt.Errorf("the size %s=%s: only a script has expressions: give a number, such as 64K", x.Name, text)
	case err != nil:
		return fmt.Errorf("the size %s=%s: %w", x.Name, text, err)
	case value >= x.Min && value <= x.Max:
		x.Value = value
		return nil
	case x.Max == math.MaxInt64:
		return fmt.Errorf("the size %s=%s: give a number from %d on", x.Name, text, x.Min)
	}
	return fmt.Errorf("the size %s=%s: give a number from %d to %d", x.Name, text, x.Min, x.Max)
}

// chooseWord sets the choice to a word.
func (x *Choice) chooseWord(word string) error {
	if !slices.Contains(x.Words, word) {
		return usage.InvalidWordError("the choice "+x.Name, word, x.Words)
	}
	x.Word = word
	return nil
}

// setByName sets the size or choice with the given name. It returns an error if there is none, or if the value is not
// valid.
func (d *Declarations) setByName(name, text string) error {
	for _, x := range d.Sizes {
		if x.Name == name {
			return x.setValue(text)
		}
	}
	for _, x := range d.Choices {
		if x.Name == name {
			return x.chooseWord(text)
		}
	}
	return usage.InvalidWordError("the size or choice", name, d.names())
}

// names returns the names of all sizes and choices.
func (d *Declarations) names() (all []string) {
	for _, x := range d.Sizes {
		all = append(all, x.Name)
	}
	for _, x := range d.Choices {
		all = append(all, x.Name)
	}
	return all
}

// Values returns the values of all sizes and choices.
func (d *Declarations) Values() map[string]string {
	values := map[string]string{}
	for _, x := range d.Sizes {
		values[x.Name] = strconv.FormatInt(x.Value, 10)
	}
	for _, x := range d.Choices {
		values[x.Name] = x.Word
	}
	return values
}

// applyGiven calls set with the value that the user gave for name, if any. While Choose runs, it ignores errors of set:
// Choose reports them.
func (c builtinCall) applyGiven(name string, set func(string) error) error {
	text, is := c.givenValues[name]
	if !is {
		return nil
	}
	if err := set(text); err != nil && !c.choosing {
		return err
	}
	return nil
}

// targetVariable returns the name of the top-level variable to which the script assigns the result of a call.
func (c builtinCall) targetVariable(example string) (string, error) {
	at := c.thread.CallFrame(1).Pos
	name, is := c.targets[textPosition{at.Line, at.Col}]
	if !is || c.recorder != nil {
		return "", fmt.Errorf("%s gives a variable of the top level its value: write %s", c.name, example)
	}
	known := func(x string) bool { return x == name }
	if slices.ContainsFunc(c.declared.Sizes, func(x Size) bool { return known(x.Name) }) ||
		slices.ContainsFunc(c.declared.Choices, func(x Choice) bool { return known(x.Name) }) ||
		slices.ContainsFunc(c.declared.Sets, func(x SizeSet) bool { return known(x.Name) }) {
		return "", fmt.Errorf("%s is declared already: give another name", name)
	}
	return name, nil
}

// valueAsUserWrites formats a value as a user writes it: a string has no quotes.
func valueAsUserWrites(v starlark.Value) string {
	if text, is := starlark.AsString(v); is {
		return text
	}
	return valueText(v)
}

// declareSize implements size: it declares a size and returns its value.
func declareSize(c builtinCall) (starlark.Value, error) {
	x := Size{Max: math.MaxInt64}
	var value starlark.Value
	if err := c.unpackArgs("value", &value, "about", &x.About, "min?", &x.Min, "max?", &x.Max); err != nil {
		return nil, err
	}
	var err error
	x.About = joinLines(x.About)
	if x.Name, err = c.targetVariable(`dumps = size(5, "outputs")`); err == nil {
		err = x.setValue(valueAsUserWrites(value))
	}
	if err == nil {
		err = c.applyGiven(x.Name, x.setValue)
	}
	c.declared.Sizes = append(c.declared.Sizes, x)
	return starlark.MakeInt64(x.Value), err
}

// declareChoice implements choice: it declares a choice and returns the chosen word.
func declareChoice(c builtinCall) (starlark.Value, error) {
	var x Choice
	err := (*stringListArgument)(&x.Words).Unpack(starlark.NewList(c.args))
	if c.args = nil; err == nil {
		err = c.unpackArgs("about", &x.About)
	}
	if err != nil {
		return nil, err
	}
	x.About = joinLines(x.About)
	x.Name, err = c.targetVariable(`mode = choice("collective", "independent", about = "how ranks write")`)
	if err == nil && len(x.Words) < 2 {
		err = fmt.Errorf("the choice %s has %d words: give two or more", x.Name, len(x.Words))
	}
	for i, word := range x.Words {
		if err == nil && slices.Contains(x.Words[:i], word) {
			err = fmt.Errorf("the choice %s has the word %q twice: leave one out", x.Name, word)
		}
	}
	if err != nil {
		return nil, err
	}
	x.Word = x.Words[0]
	err = c.applyGiven(x.Name, x.chooseWord)
	c.declared.Choices = append(c.declared.Choices, x)
	return starlark.String(x.Word), err
}

// declareSizeSet implements size_set: it declares a set of values for sizes and choices that are declared before it.
func declareSizeSet(c builtinCall) (starlark.Value, error) {
	if len(c.args) > 0 {
		return nil, fmt.Errorf("size_set: give values by their names, such as tiny = size_set(dumps = 2)")
	}
	name, err := c.targetVariable("tiny = size_set(dumps = 2)")
	x := SizeSet{Name: name, Values: map[string]string{}}
	for _, kv := range c.kwargs {
		name, text := string(kv[0].(starlark.String)), valueAsUserWrites(kv[1])
		if x.Values[name] = text; err == nil {
			err = c.declared.setByName(name, text)
		}
	}
	c.declared.Sets = append(c.declared.Sets, x)
	return nil, err
}

// joinLines joins the lines of a text with spaces. It also reduces each run of white space to one space.
func joinLines(text string) string { return strings.Join(strings.Fields(text), " ") }

// declareAbout implements about: it declares which properties of the application the workload reproduces, and which it
// leaves out.
func declareAbout(c builtinCall) (starlark.Value, error) {
	var followed, left stringListArgument
	err := c.unpackArgs("true_to", &followed, "leaves_out", &left)
	for i := range followed {
		c.declared.TrueTo = append(c.declared.TrueTo, joinLines(followed[i]))
	}
	for i := range left {
		c.declared.LeavesOut = append(c.declared.LeavesOut, joinLines(left[i]))
	}
	return nil, err
}

// maxStatements is the largest number of statements of a script.
const maxStatements = 100

// declareStatement implements statement: it declares what somebody said about the transfers of cases with given words
// of choices, which are declared before.
func declareStatement(c builtinCall) (starlark.Value, error) {
	var s Statement
	var pairs []starlark.Tuple
	for _, kv := range c.kwargs {
		name := string(kv[0].(starlark.String))
		i := slices.IndexFunc(c.declared.Choices, func(x Choice) bool { return x.Name == name })
		if i < 0 {
			pairs = append(pairs, kv)
			continue
		}
		where := ChosenWords{Choice: name}
		if err := (*stringListArgument)(&where.Words).Unpack(kv[1]); err != nil {
			return nil, err
		}
		for _, word := range where.Words {
			if err := checkOneOf("the choice "+name, word, c.declared.Choices[i].Words...); err != nil {
				return nil, err
			}
		}
		s.Where = append(s.Where, where)
	}
	c.kwargs = pairs
	err := c.unpackArgs("text", &s.Text, "transfers", &s.Transfers, "changed?", &s.Changed)
	if err == nil {
		err = checkOneOf("transfers", s.Transfers, workload.TransferKinds...)
	}
	if err == nil && len(c.declared.Statements) == maxStatements {
		err = fmt.Errorf("more than %d statements, the limit", maxStatements)
	}
	s.Text = joinLines(s.Text)
	c.declared.Statements = append(c.declared.Statements, s)
	return nil, err
}

// declareSettings implements settings: it declares the HDF5 settings that the application uses.
func declareSettings(c builtinCall) (starlark.Value, error) {
	rows := option.AllHDF5Settings()
	c.declared.Settings = nil
	for _, kv := range c.kwargs {
		word := string(kv[0].(starlark.String))
		name := strings.ReplaceAll(word, "_", "-")
		i := slices.IndexFunc(rows, func(row option.HDF5Setting) bool { return row.Name == name })
		if i < 0 {
			var names []string
			for _, row := range rows {
				names = append(names, strings.ReplaceAll(row.Name, "-", "_"))
			}
			return nil, usage.InvalidWordError("the setting", word, names)
		}
		value, err := rows[i].ParseValue(valueAsUserWrites(kv[1]))
		if err != nil {
			return nil, fmt.Errorf("the setting %s: %w", name, err)
		}
		if !slices.Contains(c.omittedSettings, name) {
			c.declared.Settings = append(c.declared.Settings, Setting{name, value, c.currentLine()})
		}
	}
	return nil, nil
}
