package resulttest

import (
	"slices"
	"testing"

	"h5perf/pkg/result"
)

// AddAPI inserts an API into the table after another, until the test ends. Tests that call it must not be parallel.
func AddAPI(t testing.TB, after string, api result.API) {
	t.Helper()
	before := result.APIs
	at := slices.IndexFunc(before, func(a result.API) bool { return a.Name == after })
	result.APIs = slices.Insert(slices.Clone(before), at+1, api)
	t.Cleanup(func() { result.APIs = before })
}
