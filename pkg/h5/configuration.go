//go:build cgo

package h5

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"h5perf/pkg/units"
)

// Configuration returns how the library in use was built: the settings in its libhdf5.settings that are not empty. Most
// builds have that file inside the library. If it is missing, Configuration returns the few settings that the headers
// show. It reads them once.
func Configuration() []units.KeyValue { return readConfiguration() }

var readConfiguration = sync.OnceValue(func() []units.KeyValue {
	if all := readSettings(Library()); len(all) > 0 {
		return all
	}
	return parseSettings([]byte(headerSettings()))
})

// readSettings returns the settings in the libhdf5.settings that the file of a library contains. It maps the file
// instead of reading it, because the library has several megabytes, most of which the loader has already mapped.
func readSettings(library string) []units.KeyValue {
	f, err := os.Open(library)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	binary, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Munmap(binary) }()
	return parseSettings(binary)
}

// headerSettings returns the settings that the headers show, in the format of libhdf5.settings.
func headerSettings() string {
	word := map[bool]string{true: "yes", false: "no"}
	return fmt.Sprintf("%s\nFeatures:\n  Parallel HDF5: %s\n  Threadsafety: %s\n",
		settingsTitle, word[Parallel()], word[Threadsafe()])
}

// settingsTitle is the first line of libhdf5.settings.
const settingsTitle = "SUMMARY OF THE HDF5 CONFIGURATION"

// parseSettings returns the settings in the libhdf5.settings that a file contains; nil if there are none.
func parseSettings(file []byte) []units.KeyValue {
	_, text, _ := bytes.Cut(file, []byte(settingsTitle))
	text, _, _ = bytes.Cut(text, []byte{0})
	var all []units.KeyValue
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value != "" {
			all = append(all, units.KeyValue{Key: strings.TrimSpace(key), Value: value})
		}
	}
	return all
}
