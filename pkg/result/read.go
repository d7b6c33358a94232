package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"h5perf/pkg/plain"
)

// MaxDocumentBytes is the largest size of a document in bytes. A million samples, the most that a run keeps, need two
// thirds of it.
const MaxDocumentBytes = 2 << 30

// Read reads a document. It returns an error if the file is not exactly one complete document, if its schema has
// another version, if a field is unknown, or if a number is out of bounds. The error names the file, and the line,
// column and field if they are known.
func Read(path string) (Document, error) {
	data, err := plain.ReadText(path, MaxDocumentBytes)
	if err != nil {
		return Document{}, fmt.Errorf("document: %w", err)
	}
	doc, err := decodeDocument(withoutIndentation(data))
	if err == nil {
		return doc, nil
	}
	if data, err = plain.ReadText(path, MaxDocumentBytes); err != nil { // again, for the position of the error
		return Document{}, fmt.Errorf("document: %w", err)
	}
	if doc, err = decodeDocument(data); err != nil {
		return Document{}, fmt.Errorf("document %s: %w", path, addLineAndColumn(data, err))
	}
	return doc, nil
}

// withoutIndentation removes the blanks at the beginning of each line, in place. They are a third of a document, and
// the decoder would look at each of them several times.
func withoutIndentation(data []byte) []byte {
	out := data[:0]
	for line := range bytes.Lines(data) {
		out = append(out, bytes.TrimLeft(line, " ")...)
	}
	return out
}

// decodeDocument parses JSON into a document. If an error has a position in the JSON, it is a *shapeError or a
// *json.SyntaxError.
func decodeDocument(data []byte) (Document, error) {
	switch text := bytes.TrimLeft(data, " \t\r\n"); {
	case len(text) == 0:
		return Document{}, errors.New("is empty")
	case text[0] != '{':
		return Document{}, errors.New("is not a JSON object: not a document of h5perf")
	}
	var doc Document
	failure := json.Unmarshal(data, &doc) // it continues after a wrong type, so the version is known
	_, syntax := errors.AsType[*json.SyntaxError](failure)
	kind, mistyped := errors.AsType[*json.UnmarshalTypeError](failure)
	switch {
	case syntax:
		return Document{}, failure
	case mistyped && kind.Field == "schema_version":
		return Document{}, newTypeError(kind)
	case doc.SchemaVersion < 1:
		return Document{}, errors.New("no schema_version of 1 or more: not a document of h5perf")
	case doc.SchemaVersion != Version:
		return Document{}, fmt.Errorf("schema_version is %d, and this program reads only %d; read the document with "+
			"the h5perf that wrote it", doc.SchemaVersion, Version)
	}
	w := shapeChecker{data: data}
	if m := w.checkValue(documentShape()); m != nil {
		return Document{}, m
	}
	if mistyped {
		return Document{}, newTypeError(kind)
	}
	if failure != nil {
		return Document{}, failure
	}
	for i, c := range doc.Cases {
		for k, s := range c.Samples {
			if len(s.Dumps) > MaxDumps {
				return Document{}, fmt.Errorf("cases[%d].samples[%d].dumps has %d entries: there are %d at most", i, k,
					len(s.Dumps), MaxDumps)
			}
		}
	}
	return doc, nil
}

// newTypeError returns the error about a value of the wrong type.
func newTypeError(e *json.UnmarshalTypeError) error {
	return &shapeError{
		int(e.Offset) - 1, e.Field, fmt.Sprintf("%s where %s belongs", e.Value, expectedText(e.Type)),
	}
}

// expectedText describes which JSON value is expected for a Go type, such as "a number".
func expectedText(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	case reflect.Struct:
		return "an object"
	case reflect.Uint, reflect.Uint64:
		return "a whole number of 0 or more"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	}
	return "a number"
}

// addLineAndColumn adds the line and the column (both counted from 1) to an error that has an offset in the JSON.
func addLineAndColumn(data []byte, err error) error {
	var offset int64
	var syntax *json.SyntaxError
	var shape *shapeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &shape):
		offset = int64(shape.offset) + 1
	default:
		return err
	}
	before := data[:min(offset, int64(len(data)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - 1 - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, max(1, column), err)
}
