package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// shape describes the JSON of a Go type: an object has fields, a list has an element. Besides the tags of encoding/json
// there are three: "without" is a value of an Enumerated type that a field never has, "signed" marks an integer that
// may be negative, and "zero" is "default" where 0 means the same as no value. A field without omitempty is required.
type shape struct {
	fields  map[string]*field
	always  []*field // those that are required
	element *shape
	time    bool
	within  func(number string) (fault string) // says what is wrong with a number, or nothing
}

// field is a field of an object.
type field struct {
	*shape
	name  string
	index int
}

// document returns the shape of a Document.
var document = sync.OnceValue(func() *shape { return shapeOf(reflect.TypeFor[Document]()) })

// shapeOf returns the shape of a type.
func shapeOf(t reflect.Type) *shape {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &shape{time: true}
	case t.Kind() == reflect.Pointer:
		return shapeOf(t.Elem())
	case t.Kind() == reflect.Slice:
		return &shape{element: shapeOf(t.Elem())}
	case t.Kind() != reflect.Struct:
		return &shape{within: limits[t.Kind()]}
	}
	s := &shape{fields: map[string]*field{}}
	for f := range Fields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		member := &field{shapeOf(f.Type), name, len(s.fields)}
		if _, signed := f.Tag.Lookup("signed"); signed {
			member.within = signedCount
		}
		s.fields[name] = member
		if always(f) {
			s.always = append(s.always, member)
		}
	}
	return s
}

// Fields returns the fields of a struct as JSON has them: an embedded struct is replaced by its fields, at any depth.
func Fields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			if !f.Anonymous && f.Tag.Get("json") != "-" && !yield(f) {
				return
			}
		}
	}
}

// always reports whether a field is required.
func always(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return options != "omitempty"
}

// misfit is the error of JSON that has not the shape of a document, with its place.
type misfit struct {
	offset int // in bytes
	path   string
	text   string
}

func (m *misfit) Error() string {
	return strings.TrimPrefix(strings.TrimPrefix(m.path, ".")+": "+m.text, ": ")
}

// within returns m after putting a step, such as .cases or [0], in front of its path.
func (m *misfit) within(step string) *misfit {
	m.path = step + m.path
	return m
}

// walk goes through valid JSON and compares it with the shape of a document. Values of a wrong type are left to
// encoding/json, which reports them better.
type walk struct {
	data []byte
	at   int
	seen []bool // for each field of the objects around this place: whether it was there
}

// value checks the next value, and returns nil if it fits.
func (w *walk) value(s *shape) *misfit {
	switch c := w.blank(); {
	case s.time && (c == '{' || c == '['):
		return &misfit{offset: w.at, text: "must be a time, but is an object or an array"}
	case c == '{':
		return w.object(s)
	case c == '[':
		return w.list(s)
	case c == 'n':
		return &misfit{offset: w.at, text: "null is not allowed in a document"}
	}
	begin := w.at
	w.skip()
	if s.within != nil {
		if fault := s.within(string(w.data[begin:w.at])); fault != "" {
			return &misfit{offset: begin, text: fmt.Sprintf("%.40s %s", w.data[begin:w.at], fault)}
		}
	}
	if s.time {
		var t time.Time
		if err := t.UnmarshalJSON(w.data[begin:w.at]); err != nil || w.data[w.at-2] != 'Z' {
			return &misfit{
				offset: begin, text: fmt.Sprintf("%s is not a time in UTC in the form of RFC 3339", w.data[begin:w.at]),
			}
		}
	}
	return nil
}

func (w *walk) object(s *shape) *misfit {
	first := len(w.seen)
	w.seen = append(w.seen, make([]bool, len(s.fields))...)
	begin := w.at
	for w.at++; w.blank() != '}'; {
		if w.data[w.at] == ',' {
			w.at++
			w.blank()
		}
		at := w.at
		w.skip()
		name := key(w.data[at:w.at])
		f, known := s.fields[string(name)]
		switch {
		case s.fields == nil: // of another type
			f = &field{shape: &shape{}}
		case !known:
			return &misfit{offset: at, text: fmt.Sprintf("unknown field %q", name)}
		case w.seen[first+f.index]:
			return &misfit{offset: at, text: fmt.Sprintf("field %q twice", name)}
		default:
			w.seen[first+f.index] = true
		}
		w.blank()
		w.at++ // the colon
		if m := w.value(f.shape); m != nil {
			return m.within("." + string(name))
		}
	}
	w.at++
	for _, f := range s.always {
		if !w.seen[first+f.index] {
			return &misfit{offset: begin, text: fmt.Sprintf("field %q is missing", f.name)}
		}
	}
	w.seen = w.seen[:first]
	return nil
}

func (w *walk) list(s *shape) *misfit {
	element := s.element
	if element == nil {
		element = &shape{}
	}
	i := 0
	for w.at++; w.blank() != ']'; i++ {
		if w.data[w.at] == ',' {
			w.at++
		}
		if m := w.value(element); m != nil {
			return m.within("[" + strconv.Itoa(i) + "]")
		}
	}
	w.at++
	return nil
}

// blank skips white space and returns the byte after it.
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
		for w.at < len(w.data) && !ends(w.data[w.at]) {
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

// ends reports whether a byte ends a number or a word.
func ends(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ']', '}':
		return true
	}
	return false
}

// key returns the text of a JSON string.
func key(quoted []byte) []byte {
	inside := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // it is valid
	return []byte(text)
}
