package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Read reads a document. It refuses what it does not know: a newer schema, unknown fields, anything that is not the whole
// of one document. The error names the file, and line and column where that is known.
func Read(path string) (Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Document{}, fmt.Errorf("document: %w", err)
	}
	doc, err := decode(data)
	if err != nil {
		return Document{}, fmt.Errorf("document %s: %w", path, place(data, err))
	}
	return doc, nil
}

func decode(data []byte) (Document, error) {
	var head struct {
		Version int `json:"schema_version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Document{}, err
	}
	switch {
	case head.Version < 1:
		return Document{}, errors.New("no schema_version of 1 or more: not a document of h5perf")
	case head.Version > Version:
		return Document{}, fmt.Errorf("schema_version %d is newer than this program knows (%d); a newer h5perf reads it", head.Version, Version)
	}
	var doc Document
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	err := strict.Decode(&doc)
	return doc, err
}

// place adds line and column, both from 1, to an error of encoding/json.
func place(data []byte, err error) error {
	var offset int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return err
	}
	before := data[:min(offset, int64(len(data)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - 1 - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, max(1, column), err)
}
