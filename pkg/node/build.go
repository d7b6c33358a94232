package node

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// version and flavour are set by the linker: -X h5perf/pkg/node.version=1.2.3.
var version, flavour string

// BuildInfo returns the version of this program, the revision of its source (with "+changes" if the source was
// changed), and the MPI flavour that it was built for. If the linker did not set the version, BuildInfo returns the
// version that Go recorded.
func BuildInfo() (release, source, mpi string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return cmp.Or(version, strings.TrimPrefix(info.Main.Version, "v"), "unknown"), sourceRevision(info.Settings),
		flavour
}

// sourceRevision returns the revision of the source, or "" if Go did not record it.
func sourceRevision(settings []debug.BuildSetting) string {
	var id, changes string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			id = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if id == "" {
		return ""
	}
	return id + changes
}
