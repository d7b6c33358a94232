package metrics

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"h5perf/pkg/result"
)

const variableSpool = "H5PERF_SPOOL"

// Spool is a directory of documents that could not be pushed.
type Spool string

// SpoolOf returns the spool of an environment: H5PERF_SPOOL, else h5perf/spool in XDG_STATE_HOME or ~/.local/state.
func SpoolOf(lookup Lookup) (Spool, error) {
	if dir := lookup.value(variableSpool); dir != "" {
		return Spool(dir), nil
	}
	if dir := lookup.value("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return Spool(filepath.Join(dir, "h5perf", "spool")), nil
	}
	if dir := lookup.value("HOME"); dir != "" {
		return Spool(filepath.Join(dir, ".local", "state", "h5perf", "spool")), nil
	}
	return "", fmt.Errorf("no spool: neither %s nor HOME is set", variableSpool)
}

// spoolName returns the name of the document of a run in the spool. Files of other names are ignored.
func spoolName(runID string) string { return "h5perf-push-" + runID + ".json" }

// Add stores a document and returns its path.
func (s Spool) Add(doc result.Document) (string, error) {
	if err := os.MkdirAll(string(s), 0o700); err != nil {
		return "", fmt.Errorf("spool: %w", err)
	}
	path := filepath.Join(string(s), spoolName(doc.RunID))
	if err := result.Write(path, doc); err != nil {
		return "", fmt.Errorf("spool: %w", err)
	}
	return path, nil
}

// Documents returns the documents in the spool, by path. A file that cannot be read, or has another name than Add
// gave it, is an error, which is returned together with the other documents.
func (s Spool) Documents() (map[string]result.Document, error) {
	entries, err := os.ReadDir(string(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	documents := map[string]result.Document{}
	var errs []error
	for _, entry := range entries {
		if own, _ := filepath.Match(spoolName("*"), entry.Name()); !own {
			continue
		}
		path := filepath.Join(string(s), entry.Name())
		doc, err := result.Read(path)
		switch {
		case err != nil:
			errs = append(errs, err)
		case entry.Name() != spoolName(doc.RunID):
			errs = append(errs,
				fmt.Errorf("document %s: is of run %s, so nothing that was put into the spool", path, doc.RunID))
		default:
			documents[path] = doc
		}
	}
	return documents, errors.Join(errs...)
}
