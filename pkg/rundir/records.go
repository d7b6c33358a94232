package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"h5perf/pkg/result"
)

// Error records carry a rank's error to the process that ends the document, when MPI no longer can. They go to the private
// directory, which all nodes see, or where that fails (a full disk) to the directory for temporary files, which the
// processes of one node share.

const recordPrefix, recordSuffix = "error_", ".json"

func isRecord(name string) bool {
	return strings.HasPrefix(name, recordPrefix) && strings.HasSuffix(name, recordSuffix)
}

// Record leaves an error where Records of the same run finds it.
func (d Dir) Record(e result.Error) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("record of an error: %w", err)
	}
	var errs []error
	for _, path := range []string{
		filepath.Join(d.Path, fmt.Sprintf("%s%d%s", recordPrefix, e.Rank, recordSuffix)),
		filepath.Join(os.TempDir(), fmt.Sprintf("%s%s-%s%d%s", prefix, d.RunID, recordPrefix, e.Rank, recordSuffix)),
	} {
		if err := write(path, data); err != nil {
			errs = append(errs, err)
			continue
		}
		return nil
	}
	return errors.Join(errs...)
}

// write makes a new file; one that could not be written whole is removed.
func write(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // the error that made it useless is told
	}
	return err
}

// Records returns the errors recorded by the processes of the run, and removes those outside the private directory.
func (d Dir) Records() []result.Error {
	inside, _ := filepath.Glob(globQuote(filepath.Join(d.Path, recordPrefix)) + "*" + recordSuffix)
	outside, _ := filepath.Glob(globQuote(filepath.Join(os.TempDir(), prefix+d.RunID+"-"+recordPrefix)) + "*" + recordSuffix)
	var out []result.Error
	for _, path := range append(inside, outside...) {
		data, err := os.ReadFile(path)
		var e result.Error
		if err != nil || json.Unmarshal(data, &e) != nil {
			continue // half written by a process that died meanwhile
		}
		out = append(out, e)
	}
	for _, path := range outside {
		_ = os.Remove(path)
	}
	return out
}

// globQuote makes a pattern that matches just the path.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
