package history_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	generator "github.com/invopop/jsonschema"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
)

func TestTheSchemasAreThoseOfTheTypes(t *testing.T) {
	for name, what := range map[string]struct {
		command string
		version int
		value   any
	}{
		"comparison": {"compare", 1, history.Comparison{}},
		"trend":      {"trend", 1, history.Trend{}},
	} {
		s := resulttest.Reflect(t, "h5perf/pkg/history", what.value)
		s.ID = generator.ID(fmt.Sprintf("urn:h5perf:%s:%d", name, what.version))
		s.Title = fmt.Sprintf("What h5perf %s --json prints, version %d", what.command, what.version)
		version, _ := s.Properties.Get(name + "_version")
		version.Const = what.version
		for _, of := range append(slices.Collect(maps.Values(s.Definitions)), s) {
			if verdict, there := of.Properties.Get("verdict"); there {
				verdict.Enum = []any{
					history.Better, history.Worse, history.NoDifference, history.NotJudged, history.NotComparable,
				}
			}
		}
		resulttest.Current(t, fmt.Sprintf("%s-%d", name, what.version), s)
	}
}

func TestComparisonsAndTrendsFollowTheirSchemas(t *testing.T) {
	old := []history.Record{run("a", 0, around(1e9, 10)...)}
	failed := run("e", 1, 1e9)
	failed.Cases[0].State, failed.Cases[0].Error = result.Failed, &result.Error{Message: "no space left"}
	other := run("d", 1, 1e9)
	other.Parameters.Conditions.Sync, other.Machine.Kernel = "none", "new"
	for _, now := range []history.Record{
		run("b", 1, around(0.9e9, 10)...), run("c", 1, 1e9), failed, other, run("f", 1),
	} {
		resulttest.Follows(t, "comparison-1", compare(t, old, []history.Record{now}))
	}
	resulttest.Follows(t, "comparison-1", compare(t, nil, nil))
	resulttest.Follows(t, "trend-1", trend(t, daily(20, 10)))
	resulttest.Follows(t, "trend-1", trend(t, []history.Record{run("a", 0, 1e9), failed}))
	resulttest.Follows(t, "trend-1",
		trend(t, []history.Record{func() history.Record { r := failed; r.State = result.Failed; return r }()}))
}
