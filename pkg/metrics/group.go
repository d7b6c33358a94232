package metrics

import (
	"encoding/base64"

	"h5perf/pkg/result"
)

// Job is the value of the label job of all groups.
const Job = "h5perf"

// Group is the key under which the Pushgateway keeps the families of a series of runs: job, cluster, filesystem and label.
// A push replaces what was pushed under the same key before.
type Group struct {
	result.Identity
}

// labels are the key without job, in order.
func (g Group) labels() [][2]string {
	return [][2]string{{"cluster", g.Cluster}, {"filesystem", g.Filesystem}, {"label", g.Label}}
}

func (g Group) String() string {
	return "cluster " + g.Cluster + ", filesystem " + g.Filesystem + ", label " + g.Label
}

// path is that of the group in a Pushgateway. Values are in base64, which holds slashes, dots and blanks; the "=" stands for an empty one too.
func (g Group) path() []string {
	path := []string{"metrics", "job", Job}
	for _, l := range g.labels() {
		path = append(path, l[0]+"@base64", base64.RawURLEncoding.EncodeToString([]byte(l[1]))+"=")
	}
	return path
}
