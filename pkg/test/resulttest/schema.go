package resulttest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the files that tests expect, and schemas to results/schema")

// Published returns the path of a schema in results/schema. name is the name of its file without .schema.json, such as
// h5perf-1.
func Published(name string) string {
	_, self, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(self), "..", "..", "..", "results", "schema", name+".schema.json")
}

// Reflect makes a schema of a type of the package in the working directory, whose import path is pkg. Descriptions
// are the comments of that package, and of the packages from which package result has its types.
func Reflect(t testing.TB, pkg string, value any) *generator.Schema {
	t.Helper()
	r := generator.Reflector{ExpandedStruct: true}
	for _, dir := range []string{
		".", "../result", "../units", "../placement", "../option", "../plain",
	} {
		if err := r.AddGoComments(pkg, dir, generator.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	return r.Reflect(value)
}

// Text returns a schema as it is published.
func Text(t testing.TB, schema *generator.Schema) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Current reports an error of the test if a published schema is not the one that its types make. With -update, it
// writes the schema first.
func Current(t testing.TB, name string, schema *generator.Schema) {
	t.Helper()
	Golden(t, Published(name), string(Text(t, schema)))
}

// Golden reports an error of the test if a file has another text. With -update, it writes the file first.
func Golden(t testing.TB, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text); d != "" {
		t.Errorf("%s; go test with -update writes it anew (-want +got)\n%s", path, d)
	}
}

// Follows reports an error of the test if a value, as JSON, does not match a published schema.
func Follows(t testing.TB, name string, value any) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(Published(name))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(tree); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
