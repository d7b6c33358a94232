package script_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"h5perf/pkg/option"
	"h5perf/pkg/script"
	"h5perf/pkg/test/resulttest"
)

// published is the name of the schema of workload files.
const published = "workload-1"

const expression = "an integer, or an expression of integers and names with + - * and min, max, div, ceildiv, " +
	"mod, pow, if, pick, dims and shuffle"

// forms are the types that have forms of their own in files.
var forms = map[reflect.Type]func() *generator.Schema{
	reflect.TypeFor[script.Number](): func() *generator.Schema {
		return &generator.Schema{
			OneOf:       []*generator.Schema{{Type: "integer"}, {Type: "string", Pattern: `^[^/%.]+$`}},
			Description: expression,
		}
	},
	reflect.TypeFor[script.Ratio](): func() *generator.Schema {
		return &generator.Schema{Type: "number", Minimum: "1", Maximum: "4096"}
	},
	reflect.TypeFor[script.Text]():  func() *generator.Schema { return anyOf("string", "integer") },
	reflect.TypeFor[script.Word]():  func() *generator.Schema { return anyOf("string", "boolean") },
	reflect.TypeFor[script.Value](): func() *generator.Schema { return anyOf("string", "integer", "boolean") },
	reflect.TypeFor[script.Per](): func() *generator.Schema {
		word := &generator.Schema{Type: "string"}
		for _, w := range script.Each("").Values() {
			word.Enum = append(word.Enum, w)
		}
		return &generator.Schema{OneOf: []*generator.Schema{
			word, {Type: "array", Items: word, MinItems: new(uint64(1)), MaxItems: new(uint64(2)), UniqueItems: true},
		}}
	},
	reflect.TypeFor[script.Words](): func() *generator.Schema {
		return &generator.Schema{OneOf: []*generator.Schema{
			{Type: "string"}, {
				Type: "array", Items: &generator.Schema{Type: "string"}, MinItems: new(uint64(1)),
				UniqueItems: true,
			},
		}}
	},
}

// anyOf returns the schema of a value of one of several types.
func anyOf(types ...string) *generator.Schema {
	s := &generator.Schema{}
	for _, t := range types {
		s.OneOf = append(s.OneOf, &generator.Schema{Type: t})
	}
	return s
}

// schema makes the schema from the types and their comments.
func schema(t *testing.T) *generator.Schema {
	t.Helper()
	r := generator.Reflector{ExpandedStruct: true, Mapper: func(typ reflect.Type) *generator.Schema {
		if form, is := forms[typ]; is {
			return form()
		}
		if words, is := reflect.TypeAssert[interface{ Values() []string }](reflect.Zero(typ)); is {
			s := &generator.Schema{Type: "string"}
			for _, word := range words.Values() {
				s.Enum = append(s.Enum, word)
			}
			return s
		}
		return nil
	}}
	if err := r.AddGoComments("h5perf/pkg/script", ".", generator.WithFullComment()); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(script.Workload{})
	s.ID, s.Title = "urn:h5perf:workload:1", "Workload file of h5perf, version 1"
	for _, d := range s.Definitions {
		plain(d)
	}
	plain(s)
	s.AnyOf = []*generator.Schema{{Required: []string{"write"}}, {Required: []string{"read"}}}
	either := func(name string, one *generator.Schema) {
		s.Definitions[name] = &generator.Schema{OneOf: []*generator.Schema{one, s.Definitions[name]}}
	}
	oneOf(s.Definitions["Type"], "text", "opaque", "enum", "compound", "array")
	s.Definitions["Type"].DependentRequired = map[string][]string{
		"array": {"of"}, "enum": {"of"}, "padding": {"text"}, "characters": {"text"}, "variable": {"text"},
		"tag": {"opaque"}, "size": {"compound"},
	}
	oneOf(s.Definitions["Filter"], "deflate", "szip")
	oneOf(s.Definitions["Memory"], "ghost", "stride", "within", "members")
	oneOf(s.Definitions["Duration"], "seconds", "milliseconds", "microseconds")
	s.Definitions["Mode"].Required = []string{"choice"}
	either("Type", &generator.Schema{Type: "string", Description: "u8 to u64, i8 to i64, b8 to b64 (bit fields), " +
		"f16, f32, f64, f80 (extended precision, in 16 bytes), with be at the end for big-endian ones, or a type of " +
		"the file"})
	either("Filter", &generator.Schema{Type: "string", Enum: []any{"shuffle", "fletcher32"}})
	either("Memory", &generator.Schema{Type: "string", Enum: []any{"dense"}})
	either("Mode", &generator.Schema{Type: "string", Enum: []any{"independent", "collective"}})
	either("Numbers", forms[reflect.TypeFor[script.Number]()]())
	s.Definitions["Numbers"].OneOf[1].MinItems = new(uint64(1))
	either("Attributes", forms[reflect.TypeFor[script.Number]()]())
	objects(s.Definitions["Object"])
	settings(s)
	names := &generator.Schema{Pattern: "^[a-z][a-z0-9_]*$"}
	for _, key := range []string{"sizes", "choices"} {
		property, _ := s.Properties.Get(key)
		property.PropertyNames = names
	}
	s.Definitions["For"].PropertyNames = names
	s.Definitions["For"].MinProperties, s.Definitions["For"].MaxProperties = new(uint64(1)), new(uint64(1))
	steps(s.Definitions["Step"])
	return s
}

// plain makes comments one line.
func plain(s *generator.Schema) {
	s.Description = strings.ReplaceAll(s.Description, "\n", " ")
	if s.Properties != nil {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			p.Value.Description = strings.ReplaceAll(p.Value.Description, "\n", " ")
		}
	}
}

// oneOf states that exactly one of several keys is given.
func oneOf(s *generator.Schema, keys ...string) {
	for _, key := range keys {
		s.OneOf = append(s.OneOf, &generator.Schema{Required: []string{key}})
	}
}

// objects states which keys of groups and datasets go together.
func objects(s *generator.Schema) {
	group := &generator.Schema{Required: []string{"group"}, Properties: generator.NewProperties()}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if !slices.Contains([]string{"group", "in", "for", "dealt", "attributes"}, p.Key) {
			group.Properties.Set(p.Key, generator.FalseSchema)
		}
	}
	dataset := &generator.Schema{Required: []string{"dataset", "type", "extent"}, Properties: generator.NewProperties()}
	dataset.Properties.Set("group", generator.FalseSchema)
	s.OneOf = []*generator.Schema{group, dataset}
	s.DependentRequired = map[string][]string{"max-extent": {"chunk"}, "filters": {"chunk"}}
}

// settings lists the settings with their words.
func settings(s *generator.Schema) {
	property, _ := s.Properties.Get("settings")
	property.AdditionalProperties, property.Properties = generator.FalseSchema, generator.NewProperties()
	for _, row := range option.HDF5Rows() {
		one := anyOf("integer", "string")
		if words := row.Words(); words != nil {
			one = &generator.Schema{Type: "string"}
			for _, word := range words {
				one.Enum = append(one.Enum, word)
			}
		}
		property.Properties.Set(row.Name, one)
	}
}

// keys are those that go with a verb.
type keys struct{ needed, optional []string }

// verbKeys returns the verbs with the keys that go with them.
func verbKeys() map[string]keys {
	all := map[string]keys{}
	for verb, names := range script.Verbs {
		var k keys
		for _, name := range names {
			if name, needed := strings.CutSuffix(name, "!"); needed {
				k.needed = append(k.needed, name)
			} else {
				k.optional = append(k.optional, name)
			}
		}
		all[verb] = k
	}
	return all
}

// steps states which keys of a step go together.
func steps(s *generator.Schema) {
	for verb, keys := range verbKeys() {
		one := &generator.Schema{Required: append([]string{verb}, keys.needed...)}
		one.Properties = generator.NewProperties()
		allowed := slices.Concat([]string{"when", verb}, keys.needed, keys.optional)
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			if !slices.Contains(allowed, p.Key) {
				one.Properties.Set(p.Key, generator.FalseSchema)
			}
		}
		s.OneOf = append(s.OneOf, one)
	}
	slices.SortFunc(s.OneOf, func(a, b *generator.Schema) int { return strings.Compare(a.Required[0], b.Required[0]) })
}

func TestTheSchemaIsPublished(t *testing.T) {
	resulttest.Current(t, published, schema(t))
}

// valid returns the errors of a YAML text by the published schema.
func valid(t *testing.T, text []byte) error {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(resulttest.Published(published))
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return err
	}
	return s.Validate(tree)
}

func TestProfilesFollowTheSchema(t *testing.T) {
	for _, name := range script.ProfileNames() {
		text, err := script.ProfileText(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := script.Resolve(w, "", nil, job)
		if err != nil {
			t.Fatal(err)
		}
		if text, err = r.JSON(); err != nil {
			t.Fatal(err)
		}
		if err := valid(t, text); err != nil {
			t.Errorf("%s, resolved: %v", name, err)
		}
	}
}

func TestTheSchemaRefusesFormsThatTheReaderRefuses(t *testing.T) {
	if err := valid(t, []byte(base)); err != nil {
		t.Fatal(err)
	}
	for _, c := range wrongForms {
		if err := valid(t, edited(t, c.old, c.text)); err == nil {
			t.Errorf("%s is valid by the schema", c.text)
		}
	}
}
