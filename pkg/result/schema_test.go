package result_test

import (
	"encoding/json"
	"fmt"
	"maps"
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

// others holds the values of fields whose types are not declared in this package, by type and name in JSON.
var others = map[string][]string{
	"Parameters.apis": result.APINames(func(result.API) bool { return true }),
	"Case.api":        result.APINames(func(result.API) bool { return true }),
}

// later holds the values that were added after version 1, with the version that added them.
var later = map[string]int{
	"Parameters.hdf5_driver: subfiling": 2, "Sample.marks: staggered": 3, "Sample.marks: skewed": 3,
	"Sample.marks: shared":    3,
	"Document.kind: workload": 3,
	"Case.ended_by: deadline": 3,
}

// init adds the configurations beside two that are measured in turns.
func init() {
	for _, arm := range result.All[result.Arm]()[2:] {
		later["Pair.arm: "+string(arm)] = 3
	}
}

// listed holds the fields whose values the schema lists from a version on. Before that version, any text is valid.
var listed = map[string]int{
	"DriverSettings.multi_map": 2, "Parameters.io_component": 2, "Parameters.hdf5_fill_time": 2,
}

// free holds the fields that may have any text.
var free = strings.Fields(`
	Document.run_id Document.command Document.rerun_of Document.notes
	Identity.cluster Identity.filesystem Identity.label
	Given.name Given.value Pair.partner_run_id
	Conditions.read_only_file Workload.name Workload.sha256 Workload.resolved Handled.unit KeyValue.key KeyValue.value
	Software.h5perf_version Software.h5perf_revision Software.flavour Software.go_version Software.mpi_library
	Software.mpi_standard Software.mpi_io_component Software.hdf5_version Software.hdf5_library
	Machine.host Machine.kernel Machine.architecture Machine.cpu_model Machine.operating_system Machine.container
	Image.build_id Image.digest Workload.layout
	Target.directory Target.mount_point Target.mount_source Target.file_system_type Target.mount_options
	Stripe.pattern Stripe.pool Stripe.error StripeComponent.pattern StripeComponent.pool
	Job.launcher Host.host Host.ranks Host.lowest_ranks Bound.local_ranks Bound.cpus Binding.host Binding.cpus
	Case.reason Cache.reason Latency.call SlowerRank.host FileSize.name Effective.hdf5_driver
	Collective.chunk_optimization Collective.no_collective_local_causes Collective.no_collective_global_causes
	Error.phase Error.host Error.message
`)

// allowed returns the valid values of a field, and whether only some are valid.
func allowed(f reflect.StructField, field string) (texts []string, enumerated bool) {
	t := f.Type
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if e, ok := reflect.TypeAssert[result.Enumerated](reflect.Zero(t)); ok {
		texts = e.Values()
		return slices.DeleteFunc(texts, func(text string) bool { return text == f.Tag.Get("without") }), true
	}
	texts, enumerated = others[field]
	return texts, enumerated
}

// limited is the version whose schema states the limits of numbers first. The reader holds documents of all versions
// to them.
const limited = 3

// generate makes the schema of a version from the types and their comments.
func generate(t *testing.T, version int) *jsonschema.Schema {
	t.Helper()
	s := resulttest.Reflect(t, "h5perf/pkg/result", result.Document{})
	s.ID = jsonschema.ID(fmt.Sprintf("urn:h5perf:document:%d", version))
	s.Title = fmt.Sprintf("Document of a run of h5perf, version %d", version)
	used := map[string]bool{}
	finish(t, s, s, reflect.TypeFor[result.Document](), version, used)
	s.Properties.Value("schema_version").Const = version
	for name := range s.Definitions {
		if !used[name] {
			delete(s.Definitions, name)
		}
	}
	for _, name := range slices.AppendSeq(slices.Clone(free), maps.Keys(others)) {
		if typeName, _, _ := strings.Cut(name, "."); version == result.Version && !used[name] {
			t.Errorf("type %s has no field %s", typeName, name)
		}
	}
	return s
}

// finish removes from the schema of a type what was added after the version, and adds what is not part of the types.
func finish(t *testing.T, root, s *jsonschema.Schema, typ reflect.Type, version int, used map[string]bool) {
	t.Helper()
	if used[typ.Name()] {
		return
	}
	used[typ.Name()] = true
	s.Description = strings.ReplaceAll(s.Description, "\n", " ")
	for f := range result.Fields(typ) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if result.Since(f) > version {
			s.Properties.Delete(name)
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
			continue
		}
		property, _ := s.Properties.Get(name)
		property.Description = strings.ReplaceAll(property.Description, "\n", " ")
		field := typ.Name() + "." + name
		used[field] = true
		value, of := property, f.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			if of.Kind() == reflect.Slice {
				value = value.Items
			}
			of = of.Elem()
		}
		texts, enumerated := allowed(f, field)
		if of.Kind() == reflect.String && enumerated == slices.Contains(free, field) {
			t.Errorf("%s must either be of a type of words.go, or stand in free", field)
		}
		for _, v := range texts {
			if max(listed[field], later[field+": "+v]) <= version {
				value.Enum = append(value.Enum, v)
			}
		}
		switch kind := of.Kind(); {
		case of == reflect.TypeFor[time.Time]():
			value.Pattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$`
		case kind == reflect.Struct:
			finish(t, root, root.Definitions[of.Name()], of, version, used)
		case kind == reflect.Uint64:
			value.Minimum, value.Maximum = "0", json.Number(fmt.Sprint(uint64(math.MaxUint64)))
		case kind == reflect.Int:
			least, most := math.MinInt64, math.MaxInt64
			if version >= limited {
				least, most = math.MinInt32, result.MostCount
			}
			if _, signed := f.Tag.Lookup("signed"); !signed {
				least = 0
			}
			value.Minimum, value.Maximum = json.Number(fmt.Sprint(least)), json.Number(fmt.Sprint(most))
		case kind == reflect.Float64:
			value.Minimum = "0"
			if version >= limited {
				value.Maximum = json.Number(fmt.Sprint(result.MostMeasure))
				value.Not = &jsonschema.Schema{
					ExclusiveMinimum: "0", ExclusiveMaximum: json.Number(fmt.Sprint(result.LeastMeasure)),
				}
			}
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
		if d := cmp.Diff(meaning(t, got), meaning(t, want)); d != "" {
			t.Errorf("the types make another schema of version %d: a field that is added needs the tag "+
				"since\n(-file +types)\n%s", version, d)
		}
	}
}

// meaning returns a schema without descriptions, which may be improved later, and without the order of fields.
func meaning(t *testing.T, schema []byte) string {
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
			if names, list := v["required"].([]any); list {
				slices.SortFunc(names, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
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
			units := []string{"_seconds", "seconds", "_ratio", "_per_second", "_factor", "_cpus", "probability"}
			for _, unit := range units {
				if strings.HasSuffix(at, unit) {
					return
				}
			}
			t.Errorf("%s: a number without a unit in its name", at)
		case typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]():
			for f := range result.Fields(typ) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				walk(name, f.Type)
			}
		}
	}
	walk("", reflect.TypeFor[result.Document]())
}
