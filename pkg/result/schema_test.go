package result_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"h5perf/pkg/result"
	"h5perf/pkg/result/resulttest"
)

// allowed are the values of those texts that have only some, by type and name in JSON.
var allowed = map[string][]string{
	"Document.state":            {"running", "complete", "failed", "interrupted"},
	"Document.kind":             {"parallel", "serial"},
	"Pair.arm":                  {"A", "B"},
	"Parameters.apis":           {"posix", "mpiio", "phdf5", "hdf5"},
	"Parameters.geometry":       {"1D", "2D"},
	"Parameters.pattern":        {"contiguous", "interleaved"},
	"Parameters.mode":           {"independent", "collective"},
	"Parameters.layout":         {"contiguous", "chunked"},
	"Parameters.view":           {"auto", "transfer"},
	"Conditions.sync":           {"none", "close", "phase", "each"},
	"Conditions.order":          {"given", "random"},
	"Conditions.data":           {"position", "random", "zero", "compress"},
	"Conditions.profile":        {"quick", "standard", "strict"},
	"Case.api":                  {"posix", "mpiio", "phdf5", "hdf5"},
	"Case.state":                {"running", "complete", "failed", "interrupted", "skipped"},
	"Case.ended_by":             {"width", "seconds", "cap"},
	"Sample.operation":          {"write", "read"},
	"Sample.marks":              {"warm", "short", "implausible"},
	"Cache.method":              {"cachestat", "mincore", "none"},
	"Latency.operation":         {"write", "read"},
	"Software.mpi_thread_level": {"single", "funneled", "serialized", "multiple"},
	"Stripe.system":             {"lustre", "beegfs"},
	"Error.operation":           {"write", "read"},
	"Parameters.hdf5_driver":    {"mpio", "mpiposix", "subfiling", "sec2", "stdio", "core", "split", "multi", "family", "direct"},
}

// later are the values that came after version 1, with the version that has them.
var later = map[string]int{"Parameters.hdf5_driver: subfiling": 2}

// signed are the integers that may be negative.
var signed = []string{
	"Conditions.shift", "Stripe.count", "Stripe.start_index", "StripeComponent.count", "StripeComponent.start_index",
}

// generate makes the schema of a version of the types and their comments.
func generate(t *testing.T, version int) *jsonschema.Schema {
	t.Helper()
	s := resulttest.Reflect(t, "h5perf/pkg/result", result.Document{})
	s.ID = jsonschema.ID(fmt.Sprintf("urn:h5perf:document:%d", version))
	s.Title = fmt.Sprintf("Document of a run of h5perf, version %d", version)
	used := map[string]bool{}
	finish(s, s, reflect.TypeFor[result.Document](), version, used)
	s.Properties.Value("schema_version").Const = version
	for name := range s.Definitions {
		if !used[name] {
			delete(s.Definitions, name)
		}
	}
	for name := range allowed {
		if typeName, _, _ := strings.Cut(name, "."); version == result.Version && !used[name] {
			t.Errorf("type %s has no field %s", typeName, name)
		}
	}
	return s
}

// finish removes what came after the version from the schema of a type, and adds what the types do not say.
func finish(root, s *jsonschema.Schema, t reflect.Type, version int, used map[string]bool) {
	if used[t.Name()] {
		return
	}
	used[t.Name()] = true
	s.Description = strings.ReplaceAll(s.Description, "\n", " ")
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if result.Since(f) > version {
			s.Properties.Delete(name)
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
			continue
		}
		property, _ := s.Properties.Get(name)
		property.Description = strings.ReplaceAll(property.Description, "\n", " ")
		field := t.Name() + "." + name
		used[field] = true
		value, of := property, f.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			if of.Kind() == reflect.Slice {
				value = value.Items
			}
			of = of.Elem()
		}
		for _, v := range allowed[field] {
			if later[field+": "+v] <= version {
				value.Enum = append(value.Enum, v)
			}
		}
		switch kind := of.Kind(); {
		case of == reflect.TypeFor[time.Time]():
			value.Pattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$`
		case kind == reflect.Struct:
			finish(root, root.Definitions[of.Name()], of, version, used)
		case kind == reflect.Uint64:
			value.Minimum, value.Maximum = "0", json.Number(fmt.Sprint(uint64(math.MaxUint64)))
		case kind == reflect.Int && !slices.Contains(signed, field):
			value.Minimum, value.Maximum = "0", json.Number(fmt.Sprint(math.MaxInt64))
		case kind == reflect.Int:
			value.Minimum, value.Maximum = json.Number(fmt.Sprint(math.MinInt64)), json.Number(fmt.Sprint(math.MaxInt64))
		case kind == reflect.Float64:
			value.Minimum = "0"
		}
	}
}

func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	resulttest.Current(t, fmt.Sprintf("h5perf-%d", result.Version), generate(t, result.Version))
}

func TestSchemasOfEarlierVersionsNeverChange(t *testing.T) {
	for version := 1; version < result.Version; version++ {
		got, err := os.ReadFile(resulttest.Schema(version))
		if err != nil {
			t.Fatal(err)
		}
		want := resulttest.Text(t, generate(t, version))
		if d := cmp.Diff(withoutDescriptions(t, got), withoutDescriptions(t, want)); d != "" {
			t.Errorf("the types make another schema of version %d: a field that is added needs the tag since\n(-file +types)\n%s", version, d)
		}
	}
}

// withoutDescriptions leaves out of a schema what may be put better later.
func withoutDescriptions(t *testing.T, schema []byte) string {
	t.Helper()
	var tree any
	if err := json.Unmarshal(schema, &tree); err != nil {
		t.Fatal(err)
	}
	var strip func(any)
	strip = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if _, text := v["description"].(string); text {
				delete(v, "description")
			}
			for _, member := range v {
				strip(member)
			}
		case []any:
			for _, member := range v {
				strip(member)
			}
		}
	}
	strip(tree)
	text, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNumbersHaveTheirUnitInTheirName(t *testing.T) {
	var walk func(at string, typ reflect.Type)
	walk = func(at string, typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		switch {
		case typ.Kind() == reflect.Float64:
			for _, unit := range []string{"_seconds", "seconds", "_ratio", "_per_second", "_factor", "probability"} {
				if strings.HasSuffix(at, unit) {
					return
				}
			}
			t.Errorf("%s: a number without a unit in its name", at)
		case typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]():
			for f := range typ.Fields() {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				walk(name, f.Type)
			}
		}
	}
	walk("", reflect.TypeFor[result.Document]())
}
