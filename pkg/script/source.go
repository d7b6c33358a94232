// This file reads YAML that strangers may have written into a plain tree of values with their positions.
//
// JSON is YAML too. Anchors, aliases, merge keys, tags, directives and several documents in a file are refused: what a
// sourceFile says stands where it is used. So are keys that stand twice, and values that are too deep or too long.

package script

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
	MostSourceBytes = 64 << 10 // time of the YAML module grows with the square: seconds for the worst texts
	MostSourceDepth = 40       // of values within one another
)

// Pos is a position in a file, from which errors are made. The zero value is no position.
type Pos struct {
	Line, Column int // counted from 1
	file         *sourceFile
}

// sourceFile is a file that was read.
type sourceFile struct {
	name  string
	lines []string
}

// SourceError is an error at a position of a file. Its text has the line, with a mark below it.
type SourceError struct {
	Pos
	Reason string
}

func (e *SourceError) Error() string {
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
func (e *SourceError) Located() bool { return e.file != nil }

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
	return &SourceError{p, fmt.Sprintf(format, args...)}
}

// SourceKind is a kind of value.
type SourceKind int

// The kinds of values.
const (
	Null SourceKind = iota
	Bool
	SourceInteger
	Float
	SourceText
	List
	Map
)

// String returns the kind in words.
func (k SourceKind) String() string {
	return [...]string{
		"nothing", "true or false", "a number", "a number with a fraction", "a text", "a list", "a map",
	}[k]
}

// SourceValue is a value of a file.
type SourceValue struct {
	Pos
	Kind    SourceKind
	Text    string        // of a value that is no list and no map, as it stands in the file, without quotes
	Items   []SourceValue // of a list
	Entries []SourceEntry // of a map, in the order of the file
}

// SourceEntry is a key of a map with its value.
type SourceEntry struct {
	Pos // of the key
	Key string
	SourceValue
}

// At returns the value of a key.
func (v SourceValue) At(key string) (SourceValue, bool) {
	for _, e := range v.Entries {
		if e.Key == key {
			return e.SourceValue, true
		}
	}
	return SourceValue{}, false
}

// ParseSource reads the text of a file. Errors are *Error and name the file by the given name.
func ParseSource(name string, text []byte) (v SourceValue, err error) {
	f := &sourceFile{name: plain.Line(name), lines: strings.Split(string(text), "\n")}
	start := Pos{1, 1, f}
	defer func() {
		if r := recover(); r != nil { // the YAML module's, for a text it was not made for
			v, err = SourceValue{}, start.Errorf("is not YAML that can be read")
		}
	}()
	switch {
	case len(text) > MostJSONBytes || len(text) > MostSourceBytes && !isJSON(text):
		return SourceValue{}, start.Errorf(
			"has %d bytes, more than the limit of %d; in JSON, whose lines may be comments "+
				"with #, that is %d",
			len(text),
			MostSourceBytes,
			MostJSONBytes,
		)
	case !utf8.Valid(text):
		return SourceValue{}, start.Errorf("is not a text in UTF-8")
	}
	for i, line := range f.lines {
		if at := strings.IndexFunc(line, control); at >= 0 {
			return SourceValue{}, Pos{i + 1, 1 + utf8.RuneCountInString(line[:at]), f}.Errorf("has a control character")
		}
	}
	if len(text) > MostSourceBytes {
		return f.parseJSON(text)
	}
	tokens := lexer.Tokenize(string(text))
	if err := f.refuse(tokens); err != nil {
		return SourceValue{}, err
	}
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // value refuses them
	if err != nil {
		return SourceValue{}, f.wrap(err)
	}
	var docs []ast.Node
	for _, d := range tree.Docs {
		if d.Body != nil {
			docs = append(docs, d.Body)
		}
	}
	switch len(docs) {
	case 0:
		return SourceValue{}, start.Errorf("is empty")
	case 1:
		return f.value(docs[0], 0)
	}
	return SourceValue{}, f.at(docs[1].GetToken()).Errorf("has more than one document")
}

func control(r rune) bool {
	return r < ' ' && r != '\t' && r != '\r' || r == 0x7f || r == '\ufeff' || r == utf8.RuneError
}

// at returns the position of a token.
func (f *sourceFile) at(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{1, 1, f}
	}
	return Pos{t.Position.Line, max(1, t.Position.Column), f}
}

// wrap makes an *Error of an error of the YAML module.
func (f *sourceFile) wrap(err error) error {
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
func (f *sourceFile) refuse(tokens token.Tokens) error {
	const widest = 4 * MostSourceDepth // of indentations
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
			if flow++; flow > MostSourceDepth {
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

var tooDeep = fmt.Sprintf("there are more than %d values within one another", MostSourceDepth)

// value makes a value of a node of the YAML module.
func (f *sourceFile) value(n ast.Node, depth int) (SourceValue, error) {
	v := SourceValue{Pos: f.at(n.GetToken())}
	if depth > MostSourceDepth {
		return v, v.Errorf("%s", tooDeep)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		v.Kind = Null
	case *ast.BoolNode:
		v.Kind, v.Text = Bool, fmt.Sprint(n.Value)
	case *ast.IntegerNode:
		v.Kind, v.Text = SourceInteger, n.Token.Value // not the value, as which 010 is 8
	case *ast.FloatNode:
		v.Kind, v.Text = Float, n.Token.Value
	case *ast.StringNode:
		v.Kind, v.Text = SourceText, n.Value
	case *ast.LiteralNode:
		v.Kind, v.Text = SourceText, n.Value.Value
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
func (f *sourceFile) entries(v SourceValue, nodes []*ast.MappingValueNode, depth int) (SourceValue, error) {
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
		v.Entries = append(v.Entries, SourceEntry{key.Pos, key.Text, one})
	}
	return v, nil
}
