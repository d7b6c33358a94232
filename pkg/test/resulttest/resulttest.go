// Package resulttest checks documents and other JSON against the published schemas. Its validator is independent of the
// types of package result.
package resulttest

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"h5perf/pkg/result"
)

// Schema returns the path of the schema of documents.
func Schema() string { return Published(fmt.Sprintf("h5perf-%d", result.Version)) }

// Validate reports an error of the test if a file does not match the schema, or cannot be read.
func Validate(t testing.TB, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	if err := Check(data); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if _, err := result.Read(path); err != nil {
		t.Error(err)
	}
}

// Check validates a document against the schema.
func Check(data []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	schema, err := compiled()
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// compiled returns the schema. Formats, such as that of times, are checked.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return c.Compile(Schema())
})
