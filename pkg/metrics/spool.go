package metrics

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

const variableSpool = "H5PERF_SPOOL"

// Spool is the path of a directory for documents that could not be pushed, so that they can be pushed later.
type Spool string

// SpoolOf returns the spool that environment variables choose: the directory H5PERF_SPOOL, else h5perf/spool in
// XDG_STATE_HOME or, if that is not an absolute path, in ~/.local/state.
func SpoolOf(lookup EnvLookup) (Spool, error) {
	if dir := lookup.valueOrEmpty(variableSpool); dir != "" {
		return Spool(dir), nil
	}
	if dir := lookup.valueOrEmpty("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return Spool(filepath.Join(dir, "h5perf", "spool")), nil
	}
	if dir := lookup.valueOrEmpty("HOME"); dir != "" {
		return Spool(filepath.Join(dir, ".local", "state", "h5perf", "spool")), nil
	}
	return "", fmt.Errorf("no directory for the spool: set %s or HOME", variableSpool)
}

// Destination is the gateway that documents are pushed to, and the user who pushes. It holds no secret.
type Destination struct {
	Gateway string `json:"gateway"`        // URL
	User    string `json:"user,omitempty"` // name of the user, or bearer for a token
}

// String returns the destination as a phrase for messages.
func (d Destination) String() string {
	switch {
	case d.Gateway == "":
		return "an unknown gateway"
	case d.User == "":
		return d.Gateway
	}
	return d.Gateway + " as " + d.User
}

// destinationName is the name of the file that holds the destination of all documents in its directory.
const destinationName = "destination"

// maxDestinationBytes limits the size of this file.
const maxDestinationBytes = 1 << 20

// directoryFor returns the directory of the documents for a destination. The zero Destination stands for documents of
// old versions, which did not store the destination; they are directly in the spool.
func (s Spool) directoryFor(d Destination) string {
	if d == (Destination{}) {
		return string(s)
	}
	sum := sha256.Sum256([]byte(d.Gateway + "\n" + d.User))
	return filepath.Join(string(s), fmt.Sprintf("gateway-%x", sum[:6]))
}

// spooledFileName returns the file name of a run's document in the spool. Files with other names are ignored.
func spooledFileName(runID string) string { return "h5perf-push-" + runID + ".json" }

// Add stores a document that is to be pushed to a destination later, and returns its path.
func (s Spool) Add(to Destination, doc result.Document) (string, error) {
	dir := s.directoryFor(to)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("spool: %w", err)
	}
	if err := writeDestination(filepath.Join(dir, destinationName), to); err != nil {
		return "", fmt.Errorf("spool: %w", err)
	}
	path := filepath.Join(dir, spooledFileName(doc.RunID))
	if err := result.Write(path, doc); err != nil {
		return "", fmt.Errorf("spool: %w", err)
	}
	return path, nil
}

// writeDestination writes a destination to a file, unless the file exists. Several runs may call it at the same time.
func writeDestination(path string, to Destination) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	text, err := json.Marshal(to)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+destinationName+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Documents returns the documents for a destination, by path. If a file cannot be read, or its name does not contain
// the id of its run, Documents returns an error together with the other documents.
func (s Spool) Documents(to Destination) (map[string]result.Document, error) {
	paths, err := s.documentPaths(s.directoryFor(to))
	if err != nil {
		return nil, err
	}
	documents := map[string]result.Document{}
	var errs []error
	for _, path := range paths {
		doc, err := result.Read(path)
		switch {
		case err != nil:
			errs = append(errs, err)
		case filepath.Base(path) != spooledFileName(doc.RunID):
			errs = append(errs,
				fmt.Errorf("spool: %s holds run %s, but its name is that of another run, so h5perf did not put it "+
					"there: move it out of the spool", path, doc.RunID))
		default:
			documents[path] = doc
		}
	}
	return documents, errors.Join(errs...)
}

// documentPaths returns the paths of the documents in a directory of the spool. A directory that does not exist is not
// an error.
func (s Spool) documentPaths(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	for _, entry := range entries {
		if own, _ := filepath.Match(spooledFileName("*"), entry.Name()); own && !entry.IsDir() {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, nil
}

// PendingDocuments counts the documents in the spool for one destination.
type PendingDocuments struct {
	Destination
	Dir   string // directory of the documents
	Count int
}

// PendingForOthers counts the documents in the spool for each destination except than. The zero Destination stands for
// documents of old versions, which did not store the destination.
func (s Spool) PendingForOthers(than Destination) (all []PendingDocuments, err error) {
	dirs, err := filepath.Glob(filepath.Join(string(s), "gateway-*"))
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	for _, dir := range append(dirs, string(s)) {
		if dir == s.directoryFor(than) {
			continue
		}
		paths, err := s.documentPaths(dir)
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			continue
		}
		w := PendingDocuments{Dir: dir, Count: len(paths)}
		if text, err := plain.ReadText(filepath.Join(dir, destinationName), maxDestinationBytes); err == nil {
			_ = json.Unmarshal(text, &w.Destination) // a damaged file is shown as an unknown gateway
		}
		all = append(all, w)
	}
	return all, nil
}

// RemoveIfEmpty removes the directory of a destination if it holds no document. It never removes the spool itself.
func (s Spool) RemoveIfEmpty(to Destination) error {
	dir := s.directoryFor(to)
	if paths, err := s.documentPaths(dir); err != nil || len(paths) > 0 || dir == string(s) {
		return err
	}
	if err := os.Remove(filepath.Join(dir, destinationName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("spool: %w", err)
	}
	// Another run may add a document at this moment: then the directory is not empty, and stays.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTEMPTY) {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}
