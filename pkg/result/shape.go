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

// jsonShape describes the JSON of a Go type: the fields of an object, or the element of an array. It uses three struct
// tags besides those of encoding/json. The tag "without" is a value of an Enumerated type that the field never has. The
// tag "signed" marks an integer that may be negative. The tag "zero" is "default" if 0 means the same as no value. A
// field without omitempty is required.
type jsonShape struct {
	fields      map[string]*shapeField
	required    []*shapeField // required fields
	element     *jsonShape
	time        bool
	checkNumber func(number []byte) (fault string) // returns what is wrong with a number, or ""
}

// shapeField is a field of an object.
type shapeField struct {
	*jsonShape
	name  string
	index int
}

var documentShape = sync.OnceValue(func() *jsonShape { return jsonShapeOfType(reflect.TypeFor[Document]()) })

func jsonShapeOfType(t reflect.Type) *jsonShape {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &jsonShape{time: true}
	case t.Kind() == reflect.Pointer:
		return jsonShapeOfType(t.Elem())
	case t.Kind() == reflect.Slice:
		return &jsonShape{element: jsonShapeOfType(t.Elem())}
	case t.Kind() != reflect.Struct:
		return &jsonShape{checkNumber: numberChecks[t.Kind()]}
	}
	s := &jsonShape{fields: map[string]*shapeField{}}
	for f := range JSONFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		member := &shapeField{jsonShapeOfType(f.Type), name, len(s.fields)}
		if _, signed := f.Tag.Lookup("signed"); signed {
			member.checkNumber = checkSignedCount
		}
		s.fields[name] = member
		if isRequired(f) {
			s.required = append(s.required, member)
		}
	}
	return s
}

// JSONFields returns the fields that a struct has in JSON. Instead of embedded structs, it returns their fields, at any
// depth.
func JSONFields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			if !f.Anonymous && f.Tag.Get("json") != "-" && !yield(f) {
				return
			}
		}
	}
}

// isRequired reports whether the JSON of a document must have the field.
func isRequired(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return options != "omitempty"
}

// shapeError is an error that says where and how JSON differs from the expected shape of a document.
type shapeError struct {
	offset int // in bytes
	path   string
	text   string
}

func (m *shapeError) Error() string {
	return strings.TrimPrefix(strings.TrimPrefix(m.path, ".")+": "+m.text, ": ")
}

// prefixPath inserts a step, such as .cases or [0], at the beginning of m.path. It returns m.
func (m *shapeError) prefixPath(step string) *shapeError {
	m.path = step + m.path
	return m
}

// shapeChecker checks whether valid JSON has the shape of a document. It ignores values of a wrong type, because
// encoding/json has better errors for them.
type shapeChecker struct {
	data     []byte
	position int
	seen     []bool // for each field of the enclosing objects: whether it was found
}

// checkValue checks the next JSON value, and returns nil if it has the shape s.
func (w *shapeChecker) checkValue(s *jsonShape) *shapeError {
	switch c := w.skipBlanks(); {
	case s.time && (c == '{' || c == '['):
		return &shapeError{offset: w.position, text: "must be a time, but is an object or an array"}
	case c == '{':
		return w.checkObject(s)
	case c == '[':
		return w.checkList(s)
	case c == 'n':
		return &shapeError{offset: w.position, text: "null is not allowed in a document"}
	}
	begin := w.position
	w.skipToken()
	if s.checkNumber != nil {
		if fault := s.checkNumber(w.data[begin:w.position]); fault != "" {
			return &shapeError{offset: begin, text: fmt.Sprintf("%.40s %s", w.data[begin:w.position], fault)}
		}
	}
	if s.time {
		var t time.Time
		if err := t.UnmarshalJSON(w.data[begin:w.position]); err != nil || w.data[w.position-2] != 'Z' {
			return &shapeError{
				offset: begin,
				text:   fmt.Sprintf("%s is not a time in UTC in the form of RFC 3339", w.data[begin:w.position]),
			}
		}
	}
	return nil
}

func (w *shapeChecker) checkObject(s *jsonShape) *shapeError {
	first := len(w.seen)
	w.seen = append(w.seen, make([]bool, len(s.fields))...)
	begin := w.position
	for w.position++; w.skipBlanks() != '}'; {
		if w.data[w.position] == ',' {
			w.position++
			w.skipBlanks()
		}
		at := w.position
		w.skipToken()
		name := decodeKey(w.data[at:w.position])
		f, known := s.fields[string(name)]
		switch {
		case s.fields == nil: // the type is not a struct
			f = &shapeField{jsonShape: &jsonShape{}}
		case !known:
			return &shapeError{offset: at, text: fmt.Sprintf(
				"unknown field %q; documents with new fields need the h5perf that wrote them, or a newer one", name)}
		case w.seen[first+f.index]:
			return &shapeError{offset: at, text: fmt.Sprintf("field %q twice", name)}
		default:
			w.seen[first+f.index] = true
		}
		w.skipBlanks()
		w.position++ // the colon
		if m := w.checkValue(f.jsonShape); m != nil {
			return m.prefixPath("." + string(name))
		}
	}
	w.position++
	for _, f := range s.required {
		if !w.seen[first+f.index] {
			return &shapeError{offset: begin, text: fmt.Sprintf("field %q is missing", f.name)}
		}
	}
	w.seen = w.seen[:first]
	return nil
}

func (w *shapeChecker) checkList(s *jsonShape) *shapeError {
	element := s.element
	if element == nil {
		element = &jsonShape{}
	}
	i := 0
	for w.position++; w.skipBlanks() != ']'; i++ {
		if w.data[w.position] == ',' {
			w.position++
		}
		if m := w.checkValue(element); m != nil {
			return m.prefixPath("[" + strconv.Itoa(i) + "]")
		}
	}
	w.position++
	return nil
}

// skipBlanks skips white space and returns the byte after it.
func (w *shapeChecker) skipBlanks() byte {
	for {
		switch c := w.data[w.position]; c {
		case ' ', '\t', '\r', '\n':
			w.position++
		default:
			return c
		}
	}
}

// skipToken skips a string, a number, true, false or null.
func (w *shapeChecker) skipToken() {
	if w.data[w.position] != '"' {
		for w.position < len(w.data) && !endsToken(w.data[w.position]) {
			w.position++
		}
		return
	}
	for w.position++; w.data[w.position] != '"'; w.position++ {
		if w.data[w.position] == '\\' {
			w.position++
		}
	}
	w.position++
}

// endsToken reports whether a byte is the first one after a number, true, false or null.
func endsToken(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ']', '}':
		return true
	}
	return false
}

// decodeKey removes the quotes and escapes of a JSON string.
func decodeKey(quoted []byte) []byte {
	inside := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // it is valid
	return []byte(text)
}
