package result

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// shape is what the JSON of a Go type looks like: an object has fields, a list elements. The tags are those of
// encoding/json: a field without omitempty is always there. "since" is the version of the schema that a field came with.
type shape struct {
	fields  map[string]*field
	element *shape
	time    bool
	measure bool // a number that is not negative: durations, rates, fractions
}

type field struct {
	*shape
	name     string
	index    int
	required bool
	since    int
}

// document is the shape of a Document.
var document = shapeOf(reflect.TypeFor[Document]())

func shapeOf(t reflect.Type) *shape {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &shape{time: true}
	case t.Kind() == reflect.Pointer:
		return shapeOf(t.Elem())
	case t.Kind() == reflect.Slice:
		return &shape{element: shapeOf(t.Elem())}
	case t.Kind() != reflect.Struct:
		return &shape{measure: t.Kind() == reflect.Float64}
	}
	s := &shape{fields: map[string]*field{}}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		s.fields[name] = &field{shapeOf(t.Field(i).Type), name, i, options != "omitempty", Since(t.Field(i))}
	}
	return s
}

// Since is the version of the schema that a field of a document's types came with.
func Since(f reflect.StructField) int {
	if version, err := strconv.Atoi(f.Tag.Get("since")); err == nil {
		return version
	}
	return 1
}

// misfit is what is wrong with the shape of a document, and where.
type misfit struct {
	offset int // in bytes
	path   string
	text   string
}

func (m *misfit) Error() string { return strings.TrimPrefix(m.path+": "+m.text, ": ") }

// walk goes through valid JSON and compares it with the shape of a document of some version. It takes no notice of a value of
// another type than the field's: decoding it tells more.
type walk struct {
	data    []byte
	at      int
	version int
}

// value checks the value that comes next, which is at path.
func (w *walk) value(s *shape, path string) error {
	switch c := w.blank(); {
	case s.time && (c == '{' || c == '['):
		return &misfit{w.at, path, "is not a time but a whole object or array"}
	case c == '{':
		return w.object(s, path)
	case c == '[':
		return w.list(s, path)
	case c == 'n':
		return &misfit{w.at, path, "null is no value of a document"}
	}
	begin := w.at
	w.skip()
	if s.measure {
		if number, err := strconv.ParseFloat(string(w.data[begin:w.at]), 64); err == nil && number < 0 {
			return &misfit{begin, path, fmt.Sprintf("%s is negative", w.data[begin:w.at])}
		}
	}
	if s.time {
		var t time.Time
		if err := t.UnmarshalJSON(w.data[begin:w.at]); err != nil || w.data[w.at-2] != 'Z' {
			return &misfit{begin, path, fmt.Sprintf("%s is not a time in UTC as of RFC 3339", w.data[begin:w.at])}
		}
	}
	return nil
}

func (w *walk) object(s *shape, path string) error {
	seen := make([]bool, len(s.fields))
	begin := w.at
	for w.at++; w.blank() != '}'; {
		if w.data[w.at] == ',' {
			w.at++
			w.blank()
		}
		at := w.at
		w.skip()
		name := key(w.data[at:w.at])
		f, known := s.fields[name]
		switch {
		case s.fields == nil: // of another type
			f = &field{shape: &shape{}}
		case !known || f.since > w.version:
			return &misfit{at, path, fmt.Sprintf("unknown field %q", name)}
		case seen[f.index]:
			return &misfit{at, path, fmt.Sprintf("field %q twice", name)}
		default:
			seen[f.index] = true
		}
		w.blank()
		w.at++ // the colon
		if err := w.value(f.shape, strings.TrimPrefix(path+"."+name, ".")); err != nil {
			return err
		}
	}
	w.at++
	for _, f := range s.fields {
		if f.required && f.since <= w.version && !seen[f.index] {
			return &misfit{begin, path, fmt.Sprintf("field %q is missing", f.name)}
		}
	}
	return nil
}

func (w *walk) list(s *shape, path string) error {
	element := s.element
	if element == nil {
		element = &shape{}
	}
	i := 0
	for w.at++; w.blank() != ']'; i++ {
		if w.data[w.at] == ',' {
			w.at++
		}
		if err := w.value(element, path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	w.at++
	return nil
}

// blank skips white space and returns the byte behind it.
func (w *walk) blank() byte {
	for {
		switch c := w.data[w.at]; c {
		case ' ', '\t', '\r', '\n':
			w.at++
		default:
			return c
		}
	}
}

// skip skips a string, number or word.
func (w *walk) skip() {
	if w.data[w.at] != '"' {
		for w.at < len(w.data) && !strings.ContainsRune(" \t\r\n,]}", rune(w.data[w.at])) {
			w.at++
		}
		return
	}
	for w.at++; w.data[w.at] != '"'; w.at++ {
		if w.data[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
}

// key is the text of a JSON string.
func key(quoted []byte) string {
	inside := string(quoted[1 : len(quoted)-1])
	if strings.ContainsRune(inside, '\\') {
		_ = json.Unmarshal(quoted, &inside) // it is valid
	}
	return inside
}
