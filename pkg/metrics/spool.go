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

// Spool is a directory of documents that could not be pushed.
type Spool string

// SpoolOf returns the spool of an environment: H5PERF_SPOOL, else h5perf/spool in XDG_STATE_HOME or ~/.local/state.
func SpoolOf(lookup Lookup) (Spool, error) {
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

// Destination is where documents are to be pushed: a gateway, and who pushes. It holds no secret.
type Destination struct {
	Gateway string `json:"gateway"`        // URL
	User    string `json:"user,omitempty"` // name of the user, or bearer if there is a token
}

// String returns the destination in words.
func (d Destination) String() string {
	switch {
	case d.Gateway == "":
		return "an unknown gateway"
	case d.User == "":
		return d.Gateway
	}
	return d.Gateway + " as " + d.User
}

// destinationName is the name of the file that holds the destination of the documents beside it.
const destinationName = "destination"

// maxDestinationBytes is the number of bytes that this file has at most.
const maxDestinationBytes = 1 << 20

// directoryFor returns the directory of the documents for a destination. Those of versions that did not keep it are in
// the spool itself.
func (s Spool) directoryFor(d Destination) string {
	if d == (Destination{}) {
		return string(s)
	}
	sum := sha256.Sum256([]byte(d.Gateway + "\n" + d.User))
	return filepath.Join(string(s), fmt.Sprintf("gateway-%x", sum[:6]))
}

// spoolName returns the name of the document of a run in the spool. Files of other names are ignored.
func spoolName(runID string) string { return "h5perf-push-" + runID + ".json" }

// Add stores a document that is to be pushed to a destination, and returns its path.
func (s Spool) Add(to Destination, doc result.Document) (string, error) {
	dir := s.directoryFor(to)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("spool: %w", err)
	}
	if err := writeDestination(filepath.Join(dir, destinationName), to); err != nil {
		return "", fmt.Errorf("spool: %w", err)
	}
	path := filepath.Join(dir, spoolName(doc.RunID))
	if err := result.Write(path, doc); err != nil {
		return "", fmt.Errorf("spool: %w", err)
	}
	return path, nil
}

// writeDestination writes a destination to a file, unless it is there. Several runs may do so at once.
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

// Documents returns the documents for a destination, by path. A file that cannot be read, or has another name than Add
// gave it, is an error, which is returned together with the other documents.
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
		case filepath.Base(path) != spoolName(doc.RunID):
			errs = append(errs,
				fmt.Errorf("spool: %s holds run %s, but its name is that of another run, so h5perf did not put it "+
					"there: move it out of the spool", path, doc.RunID))
		default:
			documents[path] = doc
		}
	}
	return documents, errors.Join(errs...)
}

// documentPaths returns the paths of the documents in a directory of the spool. It is no error if the directory does
// not exist.
func (s Spool) documentPaths(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	for _, entry := range entries {
		if own, _ := filepath.Match(spoolName("*"), entry.Name()); own && !entry.IsDir() {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, nil
}

// Waiting is a number of documents in the spool.
type Waiting struct {
	Destination
	Dir   string // where they are
	Count int
}

// WaitingForOthers returns what waits in the spool for other destinations than the given one. Documents of versions
// that did not keep the destination wait for the zero one.
func (s Spool) WaitingForOthers(than Destination) (all []Waiting, err error) {
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
		w := Waiting{Dir: dir, Count: len(paths)}
		if text, err := plain.ReadText(filepath.Join(dir, destinationName), maxDestinationBytes); err == nil {
			_ = json.Unmarshal(text, &w.Destination) // what is damaged is told as unknown
		}
		all = append(all, w)
	}
	return all, nil
}

// RemoveIfEmpty removes the directory of a destination if no document waits there.
func (s Spool) RemoveIfEmpty(to Destination) error {
	dir := s.directoryFor(to)
	if paths, err := s.documentPaths(dir); err != nil || len(paths) > 0 || dir == string(s) {
		return err
	}
	if err := os.Remove(filepath.Join(dir, destinationName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("spool: %w", err)
	}
	// A run may put a document there at this moment, and then it is not empty.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTEMPTY) {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}
