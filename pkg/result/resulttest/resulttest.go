// Package resulttest validates JSON in tests, documents above all, against the published schemas. Its validator is
// independent of the types of package result.
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

// Schema returns the path of the schema of a version of documents.
func Schema(version int) string { return Published(fmt.Sprintf("h5perf-%d", version)) }

// Validate reports an error of the test if a file does not match the schema of its version, or cannot be read.
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

// Check validates a document against the schema of the version that it names.
func Check(data []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for version := 1; version <= result.Version; version++ {
		if members, ok := value.(map[string]any); ok && fmt.Sprint(members["schema_version"]) == fmt.Sprint(version) {
			schema, err := compiled(version)
			if err != nil {
				return err
			}
			return schema.Validate(value)
		}
	}
	return fmt.Errorf("no schema_version from 1 to %d", result.Version)
}

var (
	mu      sync.Mutex
	schemas = map[int]*jsonschema.Schema{}
)

// compiled returns the schema of a version. Formats, such as that of times, are checked.
func compiled(version int) (*jsonschema.Schema, error) {
	mu.Lock()
	defer mu.Unlock()
	if schemas[version] == nil {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		s, err := c.Compile(Schema(version))
		if err != nil {
			return nil, err
		}
		schemas[version] = s
	}
	return schemas[version], nil
}
