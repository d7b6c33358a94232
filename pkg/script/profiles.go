package script

import (
	"embed"
	"path"
	"strings"

	"h5perf/pkg/usage"
)

// profiles are the workloads of known applications, as workload files: the name of a file without .yaml is the name of
// the profile.
//
//go:embed profiles/*.yaml
var profiles embed.FS

const suffix = ".yaml"

// ProfileNames returns the names of all profiles, in alphabetical order.
func ProfileNames() []string {
	entries, err := profiles.ReadDir("profiles")
	if err != nil {
		return nil // there is a file at least, or the package does not compile
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), suffix))
	}
	return names
}

// ProfileText returns the file of a profile. The error is a *usage.Error.
func ProfileText(name string) ([]byte, error) {
	text, err := profiles.ReadFile("profiles/" + name + suffix)
	if err != nil {
		return nil, usage.NotOneOf("the profile", name, ProfileNames())
	}
	return text, nil
}

// ReadProfile returns a profile.
func ReadProfile(name string) (Workload, error) {
	text, err := ProfileText(name)
	if err != nil {
		return Workload{}, err
	}
	return Read(name+suffix, text)
}

// OpenWorkload returns a profile, or the workload in a file: a name with a slash or a suffix is a path. What is wrong
// with the name of a profile is a *usage.Error; other errors name the place in the file.
func OpenWorkload(name string) (Workload, error) {
	if IsWorkloadFile(name) {
		return ReadFile(name)
	}
	return ReadProfile(name)
}

// IsWorkloadFile reports whether a name is the path of a file for Open, and not the name of a profile.
func IsWorkloadFile(name string) bool { return strings.ContainsRune(name, '/') || path.Ext(name) != "" }
