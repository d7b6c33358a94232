package metrics

import (
	"encoding/base64"
	"maps"
	"path/filepath"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// Job is the value of the label job in all groups.
const Job = "h5perf"

// GroupingKey is the grouping key of a series of runs on the Pushgateway: job, cluster, filesystem and label. A push
// replaces the metrics that were pushed before with the same key.
type GroupingKey struct {
	result.Identity
}

// keyLabels returns the labels of the key as pairs of name and visible value, in fixed order, without job.
func (g GroupingKey) keyLabels() [][2]string {
	return [][2]string{
		{"cluster", plain.VisibleLine(g.Cluster)},
		{"filesystem", plain.VisibleLine(g.Filesystem)},
		{"label", plain.VisibleLine(g.Label)},
	}
}

// groupingKeyOf returns the grouping key for labels. ours reports whether the labels are exactly those of a group that
// h5perf has pushed, including job.
func groupingKeyOf(labels map[string]string) (g GroupingKey, ours bool) {
	g.Identity = result.Identity{Cluster: labels["cluster"], Filesystem: labels["filesystem"], Label: labels["label"]}
	wanted := map[string]string{"job": Job}
	for _, l := range g.keyLabels() {
		wanted[l[0]] = l[1]
	}
	return g, maps.Equal(wanted, labels)
}

func (g GroupingKey) String() string {
	return "cluster " + g.Cluster + ", filesystem " + g.Filesystem + ", label " + g.Label
}

// gatewayPath returns the path of the group in the API of the Pushgateway. If part is not "", the path is that of a
// subgroup with the label part, such as the metrics of a trend, which are pushed separately. Values are encoded in
// base64, because they may contain slashes, dots and blanks; the "=" at the end makes an empty value valid.
func (g GroupingKey) gatewayPath(part string) []string {
	path := []string{"metrics", "job", Job}
	labels := g.keyLabels()
	if part != "" {
		labels = append(labels, [2]string{"part", part})
	}
	for _, l := range labels {
		path = append(path, l[0]+"@base64", base64.RawURLEncoding.EncodeToString([]byte(l[1]))+"=")
	}
	return path
}

// documentPath returns the path of a run's document relative to the results directory, without .json.
func documentPath(of result.Identity, run string) string {
	path := history.DocumentPath("", result.Document{Identity: of, RunID: run})
	return strings.TrimSuffix(path, filepath.Ext(path))
}
