package metrics

import (
	"path/filepath"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// documentPath returns the path of a run's document relative to the results directory, without .json.
func documentPath(of result.Identity, run string) string {
	path := history.DocumentPath("", result.Document{Identity: of, RunID: run})
	return strings.TrimSuffix(path, filepath.Ext(path))
}
