package h5

/*
#include "h5perf_hdf5.h"

#ifdef H5_HAVE_PARALLEL
#define PARALLEL "yes"
#else
#define PARALLEL "no"
#endif
#ifdef H5_HAVE_THREADSAFE
#define THREADSAFE "yes"
#else
#define THREADSAFE "no"
#endif

static const char *headers(void)
{
    return "SUMMARY OF THE HDF5 CONFIGURATION\nFeatures:\n  Parallel HDF5: " PARALLEL "\n  Threadsafety: " THREADSAFE "\n";
}
*/
import "C"

import (
	"bytes"
	"os"
	"strings"

	"h5perf/pkg/kv"
)

// Configuration is how the library in use was built: all settings of its libhdf5.settings, which most builds carry inside the
// library, without those that are empty. Where they are missing, it is the little that the headers tell.
func Configuration() []kv.KeyValue {
	if binary, err := os.ReadFile(Library()); err == nil {
		if all := settings(binary); len(all) > 0 {
			return all
		}
	}
	return settings([]byte(C.GoString(C.headers())))
}

// settings finds libhdf5.settings in a file.
func settings(file []byte) []kv.KeyValue {
	_, text, _ := bytes.Cut(file, []byte("SUMMARY OF THE HDF5 CONFIGURATION"))
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
