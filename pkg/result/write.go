package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"

	"golang.org/x/sys/unix"

	"h5perf/pkg/output"
)

// Encode writes the document as indented JSON. A number that JSON cannot express (NaN, infinity) is an error.
func Encode(w io.Writer, doc Document) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(withoutNull(doc)); err != nil {
		return fmt.Errorf("document of run %s: %w", doc.RunID, err)
	}
	return nil
}

// withoutNull returns a copy of the document in which no required field is nil, because Go would write null for it. It
// replaces nil by an empty list, or by a pointer to 0. The document of the caller does not change.
func withoutNull(doc Document) Document {
	doc.Command = emptyIfNil(doc.Command)
	doc.GivenParameters = emptyIfNil(doc.GivenParameters)
	doc.Parameters.replaceNull()
	doc.Swept = slices.Clone(doc.Swept)
	for i := range doc.Swept {
		doc.Swept[i].Parameters.replaceNull()
	}
	doc.Job.Placement = emptyIfNil(doc.Job.Placement)
	doc.Cases = append([]Case{}, doc.Cases...) // a copy: the caller's cases do not change
	for i := range doc.Cases {
		doc.Cases[i].Samples = emptyIfNil(doc.Cases[i].Samples)
		doc.Cases[i].Latencies = slices.Clone(doc.Cases[i].Latencies)
		for k := range doc.Cases[i].Latencies {
			l := &doc.Cases[i].Latencies[k]
			l.Quantiles, l.Histogram = emptyIfNil(l.Quantiles), emptyIfNil(l.Histogram)
			l.SlowestRanks, l.LongestCalls = emptyIfNil(l.SlowestRanks), emptyIfNil(l.LongestCalls)
		}
	}
	return doc
}

// replaceNull replaces required fields that are nil as withoutNull does.
func (p *Parameters) replaceNull() {
	p.APIs = emptyIfNil(p.APIs)
	settings := reflect.ValueOf(p).Elem()
	for f := range JSONFields(settings.Type()) {
		if v := settings.FieldByIndex(f.Index); v.Kind() == reflect.Pointer && v.IsNil() && isRequired(f) {
			v.Set(reflect.New(f.Type.Elem()))
		}
	}
}

// emptyIfNil returns s, or an empty slice if it is nil.
func emptyIfNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Output describes the file of a document, for package output.
var Output = output.FileKind{
	Name: "document", IsOwn: regexp.MustCompile(`^\s*\{\s*"schema_version":\s*\d+,\s*"run_id":`).Match,
}

// Write writes the document to path, completely or not at all. It replaces an empty file or a document. If path is
// another kind of file, it returns an error and does not change the file. If the file system is full and the run failed
// or was interrupted, Write changes the existing document at path in place, so that it contains this state.
func Write(path string, doc Document) error { return writeDocument(path, doc, false) }

// Overwrite does the same as Write, but replaces any regular file.
func Overwrite(path string, doc Document) error { return writeDocument(path, doc, true) }

// reservedBlanks is the number of blanks at the end of the document of a running run: room for overwriteInPlace.
const reservedBlanks = 4096

func writeDocument(path string, doc Document, force bool) error {
	err := Output.Write(path, force, func(w io.Writer) error {
		err := Encode(w, doc)
		if err == nil && doc.State == Running {
			_, err = w.Write(append(bytes.Repeat([]byte{' '}, reservedBlanks), '\n'))
		}
		return err
	})
	full := errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
	if full && doc.State != Running && doc.State != Complete && overwriteInPlace(path, doc) == nil {
		return nil
	}
	return err
}

// overwriteInPlace overwrites the document of a run at path, in which the run is still running, with doc, without
// needing more disk space. If doc is too large, it writes only the cases that the file already has, with the end of the
// run from doc.
func overwriteInPlace(path string, doc Document) error {
	there, err := Read(path)
	if err != nil {
		return err
	}
	if there.RunID != doc.RunID || there.State != Running {
		return fmt.Errorf("document %s: it belongs to another run than %s, or its run has ended", path, doc.RunID)
	}
	there.State, there.ExitStatus, there.Finished, there.Errors = doc.State, doc.ExitStatus, doc.Finished, doc.Errors
	for i := range there.Cases {
		for _, c := range doc.Cases {
			if at := &there.Cases[i]; at.State == Running && c.State != Complete && doc.compareCases(*at, c) == 0 {
				at.State, at.Reason, at.Error = c.State, c.Reason, c.Error
				at.UpdateShortMarks()
			}
		}
	}
	there.InterruptCases()
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("document: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("document: %w", err)
	}
	for _, end := range []Document{doc, there} {
		var text bytes.Buffer
		if err := Encode(&text, end); err != nil {
			return err
		}
		if room := int(info.Size()) - text.Len(); room >= 0 {
			text.Write(bytes.Repeat([]byte{' '}, room))
			_, err := f.WriteAt(text.Bytes(), 0)
			return errors.Join(err, f.Sync())
		}
	}
	return fmt.Errorf("document %s: the file is too small for the end of the run to be written into it", path)
}
