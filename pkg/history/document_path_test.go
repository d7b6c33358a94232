package history_test

import (
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

func TestPathsInATreeAreSafe(t *testing.T) {
	for _, c := range []struct {
		identity result.Identity
		want     string
	}{
		{
			result.Identity{Cluster: "blue", Filesystem: "/mnt/scratch", Label: "8d27569b"},
			"d/blue/mnt-scratch/8d27569b/20260301T030000Z-ab.json",
		},
		{
			result.Identity{Cluster: "node1.example", Filesystem: "/", Label: "nightly"},
			"d/node1.example/root/nightly/20260301T030000Z-ab.json",
		},
		{
			result.Identity{Cluster: "../../etc", Filesystem: "..", Label: ".hidden"},
			"d/etc/root/hidden/20260301T030000Z-ab.json",
		},
		{
			result.Identity{Cluster: "", Filesystem: "a b\n*?[é]", Label: strings.Repeat("x", 500)},
			"d/root/a-b-/" + strings.Repeat("x", 100) + "/20260301T030000Z-ab.json",
		},
	} {
		if got := history.DocumentPath("d",
			result.Document{RunID: "20260301T030000Z-ab", Identity: c.identity}); got != c.want {
			t.Errorf("%+v: %s, want %s", c.identity, got, c.want)
		}
	}
}
