// Package source reads YAML that strangers may have written into a plain tree of values with their positions.
//
// JSON is YAML too. Anchors, aliases, merge keys, tags, directives and several documents in a file are refused: what a
// file says stands where it is used. So are keys that stand twice, and values that are too deep or too long.
package source

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"h5perf/pkg/plain"
)

// Limits of a file.
const (
	MostBytes = 64 << 10 // the time of the YAML module grows with the square: seconds for the worst texts of this size
	MostDepth = 40       // of values within one another
)

// Pos is a position in a file, from which errors are made. The zero value is no position.
type Pos struct {
	Line, Column int // counted from 1
	file         *file
}

// file is a file that was read.
type file struct {
	name  string
	lines []string
}

// Error is an error at a position of a file. Its text has the line, with a mark below it.
type Error struct {
	Pos
	Reason string
}

func (e *Error) Error() string {
	if e.file == nil {
		return e.Reason
	}
	text := fmt.Sprintf("%s:%d:%d: %s", e.file.name, e.Line, e.Column, e.Reason)
	if e.Line < 1 || e.Line > len(e.file.lines) {
		return text
	}
	shown, mark := excerpt(e.file.lines[e.Line-1], e.Column)
	number := fmt.Sprint(e.Line)
	return fmt.Sprintf("%s\n  %s | %s\n  %s | %s^", text, number, shown, strings.Repeat(" ", len(number)), mark)
}

// Located reports whether the error has a position.
func (e *Error) Located() bool { return e.file != nil }

// excerpt returns the part of a line around a column that is shown, and blanks up to the column.
func excerpt(line string, column int) (shown, blanks string) {
	const before, length = 60, 100
	runes := []rune(plain.Line(line))
	at := max(0, min(column-1, len(runes)))
	from := 0
	if len(runes) > length {
		from = max(0, min(at-before, len(runes)-length))
	}
	return string(runes[from:min(len(runes), from+length)]), strings.Repeat(" ", at-from)
}

// Errorf returns an *Error at the position.
func (p Pos) Errorf(format string, args ...any) error {
	return &Error{p, fmt.Sprintf(format, args...)}
}

// Kind is a kind of value.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Integer
	Float
	Text
	List
	Map
)

// String returns the kind in words.
func (k Kind) String() string {
	return [...]string{
		"nothing", "true or false", "a number", "a number with a fraction", "a text", "a list", "a map",
	}[k]
}

// Value is a value of a file.
type Value struct {
	Pos
	Kind    Kind
	Text    string  // of a value that is no list and no map, as it stands in the file, without quotes
	Items   []Value // of a list
	Entries []Entry // of a map, in the order of the file
}

// Entry is a key of a map with its value.
type Entry struct {
	Pos // of the key
	Key string
	Value
}

// At returns the value of a key.
func (v Value) At(key string) (Value, bool) {
	for _, e := range v.Entries {
		if e.Key == key {
			return e.Value, true
		}
	}
	return Value{}, false
}

// Parse reads the text of a file. Errors are *Error and name the file by the given name.
func Parse(name string, text []byte) (v Value, err error) {
	f := &file{name: plain.Line(name), lines: strings.Split(string(text), "\n")}
	start := Pos{1, 1, f}
	defer func() {
		if r := recover(); r != nil { // the YAML module's, for a text it was not made for
			v, err = Value{}, start.Errorf("is not YAML that can be read")
		}
	}()
	switch {
	case len(text) > MostJSONBytes || len(text) > MostBytes && !isJSON(text):
		return Value{}, start.Errorf("has %d bytes, more than the limit of %d; in JSON, whose lines may be comments "+
			"with #, that is %d", len(text), MostBytes, MostJSONBytes)
	case !utf8.Valid(text):
		return Value{}, start.Errorf("is not a text in UTF-8")
	}
	for i, line := range f.lines {
		if at := strings.IndexFunc(line, control); at >= 0 {
			return Value{}, Pos{i + 1, 1 + utf8.RuneCountInString(line[:at]), f}.Errorf("has a control character")
		}
	}
	if len(text) > MostBytes {
		return f.parseJSON(text)
	}
	tokens := lexer.Tokenize(string(text))
	if err := f.refuse(tokens); err != nil {
		return Value{}, err
	}
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // value refuses them
	if err != nil {
		return Value{}, f.wrap(err)
	}
	var docs []ast.Node
	for _, d := range tree.Docs {
		if d.Body != nil {
			docs = append(docs, d.Body)
		}
	}
	switch len(docs) {
	case 0:
		return Value{}, start.Errorf("is empty")
	case 1:
		return f.value(docs[0], 0)
	}
	return Value{}, f.at(docs[1].GetToken()).Errorf("has more than one document")
}

func control(r rune) bool {
	return r < ' ' && r != '\t' && r != '\r' || r == 0x7f || r == '\ufeff' || r == utf8.RuneError
}

// at returns the position of a token.
func (f *file) at(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{1, 1, f}
	}
	return Pos{t.Position.Line, max(1, t.Position.Column), f}
}

// wrap makes an *Error of an error of the YAML module.
func (f *file) wrap(err error) error {
	if y, is := errors.AsType[yaml.Error](err); is {
		at := f.at(y.GetToken())
		if line := f.lines[min(at.Line, len(f.lines))-1]; strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
			return at.Errorf("the line begins with a tab: YAML wants spaces")
		}
		return at.Errorf("%s", cmp.Or(plain.Line(y.GetMessage()), "is not YAML"))
	}
	return Pos{1, 1, f}.Errorf("%s", plain.Line(err.Error()))
}

// refuse returns an error for what is valid YAML but not allowed, and for a text that would be read too deep.
func (f *file) refuse(tokens token.Tokens) error {
	const widest = 4 * MostDepth // of indentations
	flow := 0
	for _, t := range tokens {
		reason := ""
		switch t.Type {
		case token.AnchorType, token.AliasType:
			reason = "anchors and aliases are not allowed: write the value where it is used"
		case token.MergeKeyType:
			reason = "merge keys are not allowed: write the values where they are used"
		case token.TagType:
			reason = "tags are not allowed"
		case token.DirectiveType:
			reason = "directives are not allowed"
		case token.MappingKeyType:
			reason = "keys with ? are not allowed: write key: value"
		case token.MappingStartType, token.SequenceStartType:
			if flow++; flow > MostDepth {
				reason = tooDeep
			}
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType:
			if flow <= 0 && t.Position.Column > widest {
				reason = tooDeep
			}
		case token.MappingValueType:
			if flow <= 0 && t.Prev != nil && t.Prev.Position.Column > widest {
				reason = tooDeep
			}
		}
		if reason != "" {
			return f.at(t).Errorf("%s", reason)
		}
	}
	return nil
}

var tooDeep = fmt.Sprintf("there are more than %d values within one another", MostDepth)

// value makes a value of a node of the YAML module.
func (f *file) value(n ast.Node, depth int) (Value, error) {
	v := Value{Pos: f.at(n.GetToken())}
	if depth > MostDepth {
		return v, v.Errorf("%s", tooDeep)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		v.Kind = Null
	case *ast.BoolNode:
		v.Kind, v.Text = Bool, fmt.Sprint(n.Value)
	case *ast.IntegerNode:
		v.Kind, v.Text = Integer, n.Token.Value // not the value, as which 010 is 8
	case *ast.FloatNode:
		v.Kind, v.Text = Float, n.Token.Value
	case *ast.StringNode:
		v.Kind, v.Text = Text, n.Value
	case *ast.LiteralNode:
		v.Kind, v.Text = Text, n.Value.Value
	case *ast.SequenceNode:
		v.Kind = List
		for _, item := range n.Values {
			one, err := f.value(item, depth+1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, one)
		}
	case *ast.MappingNode:
		return f.entries(v, n.Values, depth)
	case *ast.MappingValueNode:
		return f.entries(v, []*ast.MappingValueNode{n}, depth)
	default:
		return v, v.Errorf("%s is not allowed", strings.ToLower(n.Type().String()))
	}
	return v, nil
}

// entries makes a map of entries of the YAML module.
func (f *file) entries(v Value, nodes []*ast.MappingValueNode, depth int) (Value, error) {
	v.Kind = Map
	if len(nodes) > 0 {
		v.Pos = f.at(nodes[0].Key.GetToken())
	}
	seen := map[string]Pos{}
	for _, n := range nodes {
		key, err := f.value(n.Key, depth)
		switch {
		case err != nil:
			return v, err
		case key.Kind == List || key.Kind == Map || key.Kind == Null:
			return v, key.Errorf("%s cannot be a key", key.Kind)
		}
		if first, twice := seen[key.Text]; twice {
			return v, key.Errorf("the key %q stands twice; the first is in line %d", key.Text, first.Line)
		}
		seen[key.Text] = key.Pos
		one, err := f.value(n.Value, depth+1)
		if err != nil {
			return v, err
		}
		v.Entries = append(v.Entries, Entry{key.Pos, key.Text, one})
	}
	return v, nil
}
