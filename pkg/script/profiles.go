package script

import (
	"embed"
	"path"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/usage"
)

// profiles holds scripts with workloads of known applications. The name of a profile is the name of its file without
// .star.
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

// ReadProfile reads a profile. If there is no profile with this name, it returns a *usage.Error.
func ReadProfile(name string) (*Script, error) {
	text, err := profiles.ReadFile("profiles/" + name + scriptSuffix)
	if err != nil {
		return nil, usage.Errorf("%v; a script in a file is given with its suffix, such as %s%s",
			usage.InvalidWordError("the profile", name, ProfileNames()), name, scriptSuffix)
	}
	return Read(name+scriptSuffix, text)
}

// isProfile reports whether the script is a profile, and not the file of a user.
func (s scriptSource) isProfile() bool {
	text, err := profiles.ReadFile("profiles/" + s.path)
	return err == nil && string(text) == s.text
}

// IsFile reports whether a name is the path of a file, not the name of a profile. A path has a slash or a suffix.
func IsFile(name string) bool { return strings.ContainsRune(name, '/') || path.Ext(name) != "" }

// FileText reads a script from a regular file of at most maxSourceBytes.
func FileText(path string) ([]byte, error) { return plain.ReadText(path, maxSourceBytes) }

// Open reads a script from a file, or a profile if IsFile is false for its name.
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
