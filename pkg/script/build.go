package script

import (
	"reflect"
	"slices"
	"strconv"
)

// Integer returns a number.
func Integer(n int) Number { return Variable(strconv.Itoa(n)) }

// Variable returns a number that has the value of a name.
func Variable(name string) Number {
	e, _ := ParseExpr(name) // of a name, hence without error
	return Number{expr: e}
}

// NewWord returns a word.
func NewWord(text string) Word { return Word{text: text} }

// NewText returns a name with expressions in braces.
func NewText(text string) (Text, error) {
	t, err := ParseTemplate(text)
	return Text{text: t}, err
}

// Names returns the names in expressions of the text.
func (t Text) Names() []string { return t.text.Names() }

// NewMode returns a mode: independent or collective.
func NewMode(word string) *Mode { return &Mode{word: word} }

// NewLoop returns a step that does steps for each value of a variable.
func NewLoop(variable string, n Number, do Steps) Step {
	return Step{verb: "for", For: For{variable: n}, Do: do}
}

// NewStep returns a step without other keys that is about files or objects: it has one of the verbs create, open,
// close and attributes.
func NewStep(verb string, about Words) Step { return Step{verb: verb}.With(about) }

// Verb returns what the step does.
func (s *Step) Verb() string { return s.verb }

// About returns the names of the files and objects of the step.
func (s *Step) About() Words { return s.about() }

// With returns the step with other names of files and objects. It has none if its verb takes none.
func (s Step) With(about Words) Step {
	if field := map[string]*Words{
		"create": &s.Create, "open": &s.Open, "close": &s.Close, "attributes": &s.Attributes,
		"write": &s.Write, "read": &s.Read,
	}[s.verb]; field != nil {
		*field = slices.Clone(about)
	}
	return s
}

// IsDataset reports whether the object is a dataset.
func (o Object) IsDataset() bool { return o.Dataset != nil }

// Depends reports whether a name is in a number of the object. Names of objects and attributes do not count.
func (o Object) Depends(name string) bool { return used(reflect.ValueOf(o), name) }
