package result_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
)

// others holds the valid values of fields with types from other packages, by type and JSON name.
var others = map[string][]string{
	"Parameters.apis":   result.APINames(func(result.API) bool { return true }),
	"Case.api":          result.APINames(func(result.API) bool { return true }),
	"FunctionCalls.api": result.APINames(func(result.API) bool { return true }),
}

// free lists the string fields without a fixed set of values.
var free = strings.Fields(`
	Document.run_id Document.command Document.rerun_of Document.notes
	Caution.word Caution.text Caution.help
	Identity.cluster Identity.filesystem Identity.label
	GivenParameter.name GivenParameter.value Pair.partner_run_id Pair.tune_first_run_id Pair.tune_changes Pair.continues
	Pair.first_turn_run_id
	Statement.text Statement.transfers Statement.changed_in_hdf5 ChosenWords.choice ChosenWords.words
	Conditions.read_only_file Workload.name Workload.sha256 Workload.script Workload.left_out
	HandledUnits.unit FunctionCalls.function KeyValue.key KeyValue.value
	Software.h5perf_version Software.h5perf_revision Software.flavour Software.go_version Software.mpi_library
	Software.mpi_standard Software.mpi_io_component Software.hdf5_version Software.hdf5_library
	Machine.host Machine.kernel Machine.architecture Machine.cpu_model Machine.operating_system Machine.container
	Image.build_id Image.digest Workload.layout Pair.variant
	Target.directory Target.mount_point Target.mount_source Target.file_system_type Target.mount_options
	Stripe.pattern Stripe.pool Stripe.error StripeComponent.pattern StripeComponent.pool
	Job.launcher Host.host Host.ranks Host.lowest_ranks Binding.local_ranks Binding.cpus
	Case.reason Cache.reason Latency.call SlowRank.host FileSize.name Effective.hdf5_driver
	Collective.chunk_optimization Collective.no_collective_local_causes Collective.no_collective_global_causes
	FilterTime.dataset FilterTime.filters
	Error.phase Error.host Error.message
`)

// allowed returns the valid values of a field, and whether the field has a fixed set of values.
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

// generate generates the schema from the types and their comments.
func generate(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s := resulttest.Reflect(t, "h5perf/pkg/result", result.Document{})
	s.ID = jsonschema.ID(fmt.Sprintf("urn:h5perf:document:%d", result.Version))
	s.Title = fmt.Sprintf("Document of a run of h5perf, version %d", result.Version)
	used := map[string]bool{}
	finish(t, s, s, reflect.TypeFor[result.Document](), used)
	s.Properties.Value("schema_version").Const = result.Version
	for name := range s.Definitions {
		if !used[name] {
			delete(s.Definitions, name)
		}
	}
	for _, name := range slices.AppendSeq(slices.Clone(free), maps.Keys(others)) {
		if typeName, _, _ := strings.Cut(name, "."); !used[name] {
			t.Errorf("type %s has no field %s", typeName, name)
		}
	}
	return s
}

// finish adds to the schema of a type what Go types cannot express.
func finish(t *testing.T, root, s *jsonschema.Schema, typ reflect.Type, used map[string]bool) {
	t.Helper()
	if used[typ.Name()] {
		return
	}
	used[typ.Name()] = true
	s.Description = strings.ReplaceAll(s.Description, "\n", " ")
	for f := range result.JSONFields(typ) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
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
			t.Errorf("%s must either be of a type of enumerations.go, or stand in free", field)
		}
		for _, v := range texts {
			value.Enum = append(value.Enum, v)
		}
		switch kind := of.Kind(); {
		case of == reflect.TypeFor[time.Time]():
			value.Pattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$`
		case kind == reflect.Struct:
			finish(t, root, root.Definitions[of.Name()], of, used)
		case kind == reflect.Uint64:
			value.Minimum, value.Maximum = "0", json.Number(fmt.Sprint(uint64(math.MaxUint64)))
		case kind == reflect.Int:
			least := math.MinInt32
			if _, signed := f.Tag.Lookup("signed"); !signed {
				least = 0
			}
			value.Minimum, value.Maximum = json.Number(fmt.Sprint(least)), json.Number(fmt.Sprint(result.MaxCount))
		case kind == reflect.Float64:
			value.Minimum = "0"
			value.Maximum = json.Number(fmt.Sprint(result.MaxMeasure))
			value.Not = &jsonschema.Schema{
				ExclusiveMinimum: "0", ExclusiveMaximum: json.Number(fmt.Sprint(result.MinMeasure)),
			}
		}
	}
}

func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	resulttest.Current(t, fmt.Sprintf("h5perf-%d", result.Version), generate(t))
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
			for f := range result.JSONFields(typ) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				walk(name, f.Type)
			}
		}
	}
	walk("", reflect.TypeFor[result.Document]())
}
