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
)

// Configuration is how the library in use was built: the general, compiling and feature settings of its libhdf5.settings,
// which most builds carry inside the library, without those that are empty. Where they are missing, it is the little that
// the headers tell.
func Configuration() []KeyValue {
	if binary, err := os.ReadFile(Library()); err == nil {
		if all := settings(binary); len(all) > 0 {
			return all
		}
	}
	return settings([]byte(C.GoString(C.headers())))
}

// sections are those of libhdf5.settings; the others are about compilers of other languages.
var sections = map[string]bool{
	"General Information": true, "Compiling Options": true, "Linking Options": false, "Languages": false, "Features": true,
}

// settings finds libhdf5.settings in a file.
func settings(file []byte) []KeyValue {
	_, text, _ := bytes.Cut(file, []byte("SUMMARY OF THE HDF5 CONFIGURATION"))
	text, _, _ = bytes.Cut(text, []byte{0})
	var all []KeyValue
	wanted := false
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		if keep, known := sections[key]; known {
			wanted = keep
			continue
		}
		if value = strings.TrimSpace(value); wanted && value != "" {
			all = append(all, KeyValue{strings.TrimSpace(key), value})
		}
	}
	return all
}
