package script

import (
	"embed"
	"path"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/usage"
)

// profiles are the workloads of known applications, as scripts: the name of a file without .star is the name of the
// profile.
//
//go:embed profiles/*.star
var profiles embed.FS

const scriptSuffix = ".star"

// ProfileNames returns the names of all profiles, in alphabetical order.
func ProfileNames() []string {
	entries, _ := profiles.ReadDir("profiles") // there is a file at least, or the package does not compile
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), scriptSuffix))
	}
	return names
}

// ReadProfile returns a profile. An error about its name is a *usage.Error.
func ReadProfile(name string) (*Script, error) {
	text, err := profiles.ReadFile("profiles/" + name + scriptSuffix)
	if err != nil {
		return nil, usage.Errorf("%v; a script in a file is given with its suffix, such as %s%s",
			usage.NotOneOf("the profile", name, ProfileNames()), name, scriptSuffix)
	}
	return Read(name+scriptSuffix, text)
}

// IsFile reports whether a name is the path of a file, and not the name of a profile: it has a slash or a suffix.
func IsFile(name string) bool { return strings.ContainsRune(name, '/') || path.Ext(name) != "" }

// FileText returns the text of a script in a regular file.
func FileText(path string) ([]byte, error) { return plain.ReadText(path, maxSourceBytes) }

// Open returns a profile, or the script in a file.
func Open(name string) (*Script, error) {
	if !IsFile(name) {
		return ReadProfile(name)
	}
	text, err := FileText(name)
	if err != nil {
		return nil, err
	}
	return Read(name, text)
}
