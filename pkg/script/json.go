package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sort"
	"strconv"
	"unicode/utf8"

	"h5perf/pkg/plain"
)

// MostJSONBytes is the limit of a file in JSON, which is read in a time that grows with its size. Its lines may be
// comments, as in YAML: they begin with #.
const MostJSONBytes = 32 << 20

// isJSON reports whether a text, after comments, begins as an object of JSON does.
func isJSON(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return line[0] == '{'
		}
	}
	return false
}

// jsonObjects reads JSON.
type jsonObjects struct {
	*sourceFile
	text   []byte
	starts []int // offsets of the lines
	d      *json.Decoder
}

// parseJSON returns the value of a text in JSON.
func (f *sourceFile) parseJSON(text []byte) (SourceValue, error) {
	o := &jsonObjects{sourceFile: f, text: bytes.Clone(text)}
	at := 0
	for line := range bytes.Lines(o.text) {
		o.starts = append(o.starts, at)
		at += len(line)
		if start := bytes.TrimSpace(line); len(start) > 0 && start[0] == '#' {
			for i := range line {
				line[i] = ' '
			}
		}
	}
	o.d = json.NewDecoder(bytes.NewReader(o.text))
	o.d.UseNumber()
	p := o.next()
	t, err := o.d.Token()
	if err != nil {
		return SourceValue{}, o.wrong(p, err)
	}
	v, err := o.value(p, t, 0)
	if err != nil {
		return v, err
	}
	p = o.next()
	if _, err := o.d.Token(); !errors.Is(err, io.EOF) {
		return v, p.Errorf("has more than one document")
	}
	return v, nil
}

// next returns the position of the next token.
func (o *jsonObjects) next() Pos {
	at := int(o.d.InputOffset())
	for at < len(o.text) && bytes.IndexByte([]byte(" \t\r\n,:"), o.text[at]) >= 0 {
		at++
	}
	line := sort.SearchInts(o.starts, at+1) // the line after that of the token
	return Pos{line, 1 + utf8.RuneCount(o.text[o.starts[line-1]:at]), o.sourceFile}
}

func (o *jsonObjects) wrong(p Pos, err error) error {
	return p.Errorf("is not JSON: %s", plain.Line(err.Error()))
}

// value returns the value that begins with a token.
func (o *jsonObjects) value(p Pos, t json.Token, depth int) (SourceValue, error) {
	v := SourceValue{Pos: p}
	if depth > MostSourceDepth {
		return v, v.Errorf("%s", tooDeep)
	}
	switch t := t.(type) {
	case bool:
		v.Kind, v.Text = Bool, strconv.FormatBool(t)
	case string:
		v.Kind, v.Text = SourceText, t
	case json.Number:
		v.Kind, v.Text = SourceInteger, t.String()
		if _, err := strconv.ParseInt(v.Text, 10, 64); err != nil {
			v.Kind = Float
		}
	case json.Delim:
		if t == '[' {
			return o.list(v, depth)
		}
		return o.entries(v, depth)
	}
	return v, nil
}

func (o *jsonObjects) list(v SourceValue, depth int) (SourceValue, error) {
	v.Kind = List
	for {
		p := o.next()
		t, err := o.d.Token()
		if err != nil {
			return v, o.wrong(p, err)
		}
		if t == json.Delim(']') {
			return v, nil
		}
		one, err := o.value(p, t, depth+1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, one)
	}
}

func (o *jsonObjects) entries(v SourceValue, depth int) (SourceValue, error) {
	v.Kind = Map
	seen := map[string]Pos{}
	for {
		at := o.next()
		key, err := o.d.Token()
		if err != nil {
			return v, o.wrong(at, err)
		}
		name, is := key.(string)
		if !is { // the end
			return v, nil
		}
		if first, twice := seen[name]; twice {
			return v, at.Errorf("the key %q stands twice; the first is in line %d", name, first.Line)
		}
		if seen[name] = at; len(v.Entries) == 0 {
			v.Pos = at
		}
		p := o.next()
		t, err := o.d.Token()
		if err != nil {
			return v, o.wrong(p, err)
		}
		one, err := o.value(p, t, depth+1)
		if err != nil {
			return v, err
		}
		v.Entries = append(v.Entries, SourceEntry{at, name, one})
	}
}
