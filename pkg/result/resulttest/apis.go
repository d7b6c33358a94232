package resulttest

import (
	"slices"
	"testing"

	"h5perf/pkg/result"
)

// AddAPI puts an API into the table behind another, until the test ends. Such tests are not to run beside others.
func AddAPI(t testing.TB, after string, api result.API) {
	t.Helper()
	before := result.APIs
	at := slices.IndexFunc(before, func(a result.API) bool { return a.Name == after })
	result.APIs = slices.Insert(slices.Clone(before), at+1, api)
	t.Cleanup(func() { result.APIs = before })
}
