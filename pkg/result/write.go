package result

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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

// withoutNull returns the document with a value in each required field for which Go would write null: an empty list,
// or a setting of 0. The document of the caller stays as it is.
func withoutNull(doc Document) Document {
	doc.Command = list(doc.Command)
	doc.Given = list(doc.Given)
	doc.Parameters.APIs = list(doc.Parameters.APIs)
	settings := reflect.ValueOf(&doc.Parameters).Elem()
	for f := range Fields(settings.Type()) {
		if v := settings.FieldByIndex(f.Index); v.Kind() == reflect.Pointer && v.IsNil() && always(f) {
			v.Set(reflect.New(f.Type.Elem()))
		}
	}
	doc.Job.Placement = list(doc.Job.Placement)
	doc.Cases = append([]Case{}, doc.Cases...) // a copy: the caller's cases stay as they are
	for i := range doc.Cases {
		doc.Cases[i].Samples = list(doc.Cases[i].Samples)
		doc.Cases[i].Latencies = slices.Clone(doc.Cases[i].Latencies)
		for k := range doc.Cases[i].Latencies {
			l := &doc.Cases[i].Latencies[k]
			l.Quantiles, l.Histogram = list(l.Quantiles), list(l.Histogram)
			l.Slowest, l.SlowestMax = list(l.Slowest), list(l.SlowestMax)
		}
	}
	return doc
}

// list returns s, or an empty slice if it is nil.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Write writes the document to path, as a whole or not at all: it writes a new file in the same directory, syncs it and
// renames it. A regular file at path is replaced. Anything else at path (a device, a directory, a symbolic link) is an
// error, and is left as it is.
func Write(path string, doc Document) error {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("document: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("document: %s is there and is not a regular file", path)
	}
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text())
	if err := writeNew(temporary, doc); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(fmt.Errorf("document: %w", err), os.Remove(temporary))
	}
	return nil
}

// writeNew writes and syncs a file that must not exist yet. After an error it removes the file.
func writeNew(path string, doc Document) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("document: %w", err)
	}
	err = Encode(f, doc)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
