//go:build cgo

package h5

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"h5perf/pkg/kv"
)

// Configuration returns how the library in use was built: the settings of its libhdf5.settings that are not empty. Most
// builds carry that file inside the library. If it is missing, Configuration returns what the headers show, which is
// little.
func Configuration() []kv.KeyValue {
	if binary, err := os.ReadFile(Library()); err == nil {
		if all := settings(binary); len(all) > 0 {
			return all
		}
	}
	return settings([]byte(headers()))
}

// headers returns what the headers show, in the format of libhdf5.settings.
func headers() string {
	word := map[bool]string{true: "yes", false: "no"}
	return fmt.Sprintf("%s\nFeatures:\n  Parallel HDF5: %s\n  Threadsafety: %s\n",
		summary, word[Parallel()], word[Threadsafe()])
}

// summary is the first line of libhdf5.settings.
const summary = "SUMMARY OF THE HDF5 CONFIGURATION"

// settings returns the settings of the libhdf5.settings that a file contains; nil if it contains none.
func settings(file []byte) []kv.KeyValue {
	_, text, _ := bytes.Cut(file, []byte(summary))
	text, _, _ = bytes.Cut(text, []byte{0})
	var all []kv.KeyValue
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value != "" {
			all = append(all, kv.KeyValue{Key: strings.TrimSpace(key), Value: value})
		}
	}
	return all
}
