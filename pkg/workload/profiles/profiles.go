// Package profiles has the workloads of known applications, as workload files: a file here is a profile, and its name
// without .yaml the name of the profile.
package profiles

import (
	"embed"
	"path"
	"strings"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload/notation"
)

//go:embed *.yaml
var files embed.FS

const suffix = ".yaml"

// Names returns the names of all profiles, in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // there is a file at least, or the package does not compile
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), suffix))
	}
	return names
}

// Text returns the file of a profile. The error is a *usage.Error.
func Text(name string) ([]byte, error) {
	text, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, usage.NotOneOf("the profile", name, Names())
	}
	return text, nil
}

// Read returns a profile.
func Read(name string) (notation.Workload, error) {
	text, err := Text(name)
	if err != nil {
		return notation.Workload{}, err
	}
	return notation.Read(name+suffix, text)
}

// Open returns a profile, or the workload in a file: a name with a slash or a suffix is a path. What is wrong with the
// name of a profile is a *usage.Error; other errors name the place in the file.
func Open(name string) (notation.Workload, error) {
	if IsFile(name) {
		return notation.ReadFile(name)
	}
	return Read(name)
}

// IsFile reports whether a name is the path of a file for Open, and not the name of a profile.
func IsFile(name string) bool { return strings.ContainsRune(name, '/') || path.Ext(name) != "" }
