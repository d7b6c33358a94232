package doctor

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"h5perf/pkg/launcher"
	"h5perf/pkg/provenance"
)

var update = flag.Bool("update", false, "write the schema of examinations to results/schema")

var published = filepath.Join("..", "..", "results", "schema", "examination-1.schema.json")

// generate makes the schema from the types and their comments.
func generate(t *testing.T) []byte {
	t.Helper()
	r := generator.Reflector{ExpandedStruct: true}
	for _, dir := range []string{".", "../result"} {
		if err := r.AddGoComments("h5perf/pkg/doctor", dir, generator.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	s := r.Reflect(Examination{})
	s.ID = "urn:h5perf:examination:1"
	s.Title = "What h5perf doctor --json prints, version 1"
	version, _ := s.Properties.Get("examination_version")
	version.Const = Version
	verdicts := []any{OK, Warning, Problem}
	overall, _ := s.Properties.Get("verdict")
	one, _ := s.Definitions["Check"].Properties.Get("verdict")
	kinds, _ := s.Definitions["Target"].Properties.Get("kind")
	overall.Enum, one.Enum, kinds.Enum = verdicts, verdicts, []any{Memory, Network, Overlay, Local}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	want := generate(t)
	if *update {
		if err := os.WriteFile(published, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), string(want)); d != "" {
		t.Errorf("%s is not what the types say; run go test ./pkg/doctor -update\n(-file +types)\n%s", published, d)
	}
}

func TestExaminationsFollowTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(published)
	if err != nil {
		t.Fatal(err)
	}
	var trial Trial
	for _, dir := range []string{t.TempDir(), "/no/such", "/dev/shm"} {
		e := Examination{Version: Version, Machine: provenance.Machine(), Launch: NewLaunch(launcher.Source{Getenv: words(hydra)})}
		e.Target = trial.Examine(dir, func(string) Shared { return Shared{} })
		for _, c := range e.Target.Checks(1) {
			e.Add(c)
		}
		text, err := json.Marshal(e)
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
}
