package provenance

import (
	"cmp"
	"runtime/debug"
)

// Set by the linker: -X h5perf/pkg/provenance.version=v1.2.3.
var version, flavour string

// Build tells the version of this program, the revision of its source (with "+changes" where the source was changed) and
// the MPI that it was built for. What the linker was not told is as Go recorded it.
func Build() (release, source, mpi string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return cmp.Or(version, info.Main.Version, "unknown"), revision(info.Settings), flavour
}

func revision(settings []debug.BuildSetting) string {
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
