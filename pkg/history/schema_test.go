package history_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

var update = flag.Bool("update", false, "write the schemas of comparisons and trends to results/schema")

// published is the schema of a comparison or a trend, version 1.
func published(name string) string {
	return filepath.Join("..", "..", "results", "schema", name+"-1.schema.json")
}

// generate makes the schema of a type from it and its comments.
func generate(t *testing.T, name string, value any) []byte {
	t.Helper()
	r := generator.Reflector{ExpandedStruct: true}
	for _, dir := range []string{".", "../result"} {
		if err := r.AddGoComments("h5perf/pkg/history", dir, generator.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	s := r.Reflect(value)
	s.ID = generator.ID("urn:h5perf:" + name + ":1")
	s.Title = fmt.Sprintf("What h5perf %s --json prints, version 1", strings.Replace(name, "comparison", "compare", 1))
	version, _ := s.Properties.Get(name + "_version")
	version.Const = 1
	for _, of := range s.Definitions {
		if verdict, there := of.Properties.Get("verdict"); there {
			verdict.Enum = []any{history.Better, history.Worse, history.NoDifference, history.NotComparable}
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func TestTheSchemasAreThoseOfTheTypes(t *testing.T) {
	for name, value := range map[string]any{"comparison": history.Comparison{}, "trend": history.Trend{}} {
		want := generate(t, name, value)
		if *update {
			if err := os.WriteFile(published(name), want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(published(name))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(got), string(want)); d != "" {
			t.Errorf("%s is not what the types say; run go test ./pkg/history -update\n(-file +types)\n%s", published(name), d)
		}
	}
}

// valid checks what is printed with a validator that knows nothing of the types.
func valid(t *testing.T, name string, value any) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(published(name))
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

func TestComparisonsAndTrendsFollowTheirSchemas(t *testing.T) {
	old := []history.Record{run("a", 0, around(1e9, 10)...)}
	failed := run("e", 1, 1e9)
	failed.Cases[0].State, failed.Cases[0].Error = result.Failed, &result.Error{Message: "no space left"}
	other := run("d", 1, 1e9)
	other.Parameters.Conditions.Sync, other.Machine.Kernel = "none", "new"
	for _, now := range []history.Record{run("b", 1, around(0.9e9, 10)...), run("c", 1, 1e9), failed, other, run("f", 1)} {
		valid(t, "comparison", compare(t, old, []history.Record{now}))
	}
	valid(t, "comparison", compare(t, nil, nil))
	valid(t, "trend", trend(t, nightly(20, 10)))
	valid(t, "trend", trend(t, []history.Record{run("a", 0, 1e9), failed}))
	valid(t, "trend", trend(t, []history.Record{func() history.Record { r := failed; r.State = result.Failed; return r }()}))
}
