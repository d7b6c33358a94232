package result_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
)

// author creates random documents that satisfy a schema.
type author struct {
	*rand.Rand
	schema map[string]any
}

func newAuthor(t *testing.T, seed uint64) author {
	t.Helper()
	data, err := os.ReadFile(resulttest.Schema())
	if err != nil {
		t.Fatal(err)
	}
	a := author{Rand: rand.New(rand.NewPCG(seed, 1))}
	if err := json.Unmarshal(data, &a.schema); err != nil {
		t.Fatal(err)
	}
	return a
}

// value returns a random value that a schema accepts.
func (a author) value(schema map[string]any) any {
	if ref, ok := schema["$ref"].(string); ok {
		schema = a.schema["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if only, ok := schema["const"]; ok {
		return only
	}
	if enum, ok := schema["enum"].([]any); ok {
		return enum[a.IntN(len(enum))]
	}
	switch schema["type"] {
	case "object":
		return a.object(schema)
	case "array":
		list := make([]any, a.IntN(4))
		for i := range list {
			list[i] = a.value(schema["items"].(map[string]any))
		}
		return list
	case "integer":
		if schema["minimum"].(float64) < 0 && a.IntN(2) == 0 {
			return -a.Int64N(result.MaxCount)
		}
		if schema["maximum"].(float64) == result.MaxCount {
			return a.Int64N(result.MaxCount + 1)
		}
		return a.Uint64()
	case "number":
		return a.ExpFloat64()
	case "boolean":
		return a.IntN(2) == 0
	}
	if schema["format"] == "date-time" {
		return time.Unix(a.Int64N(4e9), a.Int64N(1e9)).UTC().Format(time.RFC3339Nano)
	}
	return []string{"", "n1", "ä \"b\" \\ \n\u2028", "[{,:}]", "0"}[a.IntN(5)]
}

// object returns a random object with all required fields, and some of the optional ones.
func (a author) object(schema map[string]any) map[string]any {
	out := map[string]any{}
	properties := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || a.IntN(2) == 0 {
			out[name] = a.value(properties[name].(map[string]any))
		}
	}
	return out
}

// schemaObject holds an object within a document, and the schema of the object.
type schemaObject struct {
	object map[string]any
	schema map[string]any
}

// places returns all objects within a value.
func (a author) places(value any, schema map[string]any) []schemaObject {
	if ref, ok := schema["$ref"].(string); ok {
		schema = a.schema["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	var all []schemaObject
	switch v := value.(type) {
	case map[string]any:
		all = append(all, schemaObject{v, schema})
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, a.places(v[name], schema["properties"].(map[string]any)[name].(map[string]any))...)
		}
	case []any:
		for _, element := range v {
			all = append(all, a.places(element, schema["items"].(map[string]any))...)
		}
	}
	return all
}

// verdicts returns the errors with which the schema and Read refuse a document, or nil.
func verdicts(t *testing.T, doc any) (schema, reader error) {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, reader = result.Read(path)
	return resulttest.Check(data), reader
}

func TestWhatTheSchemaAdmitsIsRead(t *testing.T) {
	for seed := range uint64(300) {
		a := newAuthor(t, seed)
		schema, reader := verdicts(t, a.value(a.schema))
		if schema != nil || reader != nil {
			t.Errorf("seed %d: the schema says %v, the reader %v", seed, schema, reader)
		}
	}
}

func TestWhatTheSchemaRefusesIsNotRead(t *testing.T) {
	refused := map[string]int{}
	for seed := range uint64(360) {
		a := newAuthor(t, seed)
		doc := a.value(a.schema)
		all := a.places(doc, a.schema)
		at := all[a.IntN(len(all))]
		names := slices.Sorted(maps.Keys(at.object))
		if len(names) == 0 {
			continue
		}
		name := names[a.IntN(len(names))]
		var what string
		switch what = []string{"missing", "unknown", "null", "type", "capital", "negative"}[seed%6]; what {
		case "missing":
			required, _ := at.schema["required"].([]any)
			if len(required) == 0 {
				continue
			}
			name = required[a.IntN(len(required))].(string)
			delete(at.object, name)
		case "unknown":
			at.object["colour"] = "blue"
		case "null":
			at.object[name] = nil
		case "type":
			if _, text := at.object[name].(string); text {
				at.object[name] = 1
			} else {
				at.object[name] = "text"
			}
		case "negative":
			numbers := slices.DeleteFunc(names, func(n string) bool {
				_, number := at.object[n].(float64)
				return !number || at.object[n] == 0.
			})
			if len(numbers) == 0 {
				continue
			}
			name = numbers[0]
			at.object[name] = -at.object[name].(float64)
		case "capital":
			at.object[strings.ToUpper(name)] = at.object[name]
			delete(at.object, name)
		}
		schema, reader := verdicts(t, doc)
		if schema == nil || reader == nil {
			t.Errorf("seed %d, %s %s: the schema says %v, the reader %v", seed, what, name,
				schema, reader)
		}
		refused[what]++
	}
	if len(refused) != 6 {
		t.Errorf("seen: %v", refused)
	}
}

// TestTheSchemaHasTheLimitsOfTheReader puts numbers at and beyond their limits into documents.
func TestTheSchemaHasTheLimitsOfTheReader(t *testing.T) {
	for _, c := range []struct {
		object, field string
		good, bad     []any
	}{
		{
			"access", "max_seconds",
			[]any{0, 1e-18, 1e18},
			[]any{5e-324, 9e-19, 1.1e18, 1e308, -1e-9},
		},
		{"access", "slowest_rank", []any{0, math.MaxInt32}, []any{-1, math.MaxInt32 + 1, uint64(math.MaxUint64)}},
		{"conditions", "shift", []any{math.MinInt32, math.MaxInt32}, []any{math.MinInt32 - 1, math.MaxInt32 + 1}},
	} {
		for _, good := range []bool{true, false} {
			values := c.bad
			if good {
				values = c.good
			}
			for _, v := range values {
				schema, reader := verdicts(t, withField(t, c.object, c.field, v))
				if (schema == nil) != good || (reader == nil) != good {
					t.Errorf("%s.%s %v: the schema says %v, the reader %v", c.object, c.field, v, schema, reader)
				}
			}
		}
	}
}

// withField returns a document in which the field of all objects with the given name is set to value.
func withField(t *testing.T, object, field string, value any) any {
	t.Helper()
	example, err := result.Read("../../results/examples/serial.json")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := result.Encode(&text, example); err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(text.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	found := false
	var visit func(any)
	visit = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if o, ok := v[object].(map[string]any); ok {
				o[field], found = value, true
			}
			for _, member := range v {
				visit(member)
			}
		case []any:
			for _, member := range v {
				visit(member)
			}
		}
	}
	visit(doc)
	if !found {
		t.Fatalf("no %s in the document", object)
	}
	return doc
}

func TestTheSchemaRefusesOtherValues(t *testing.T) {
	for field, wrong := range map[string]any{
		"state": "done", "kind": "both", "started": "2026-03-01T12:00:00+01:00", "finished": "2026-02-30T12:00:00Z",
		"exit_status": -1, "schema_version": result.Version + 1,
	} {
		a := newAuthor(t, 1)
		doc := a.object(a.schema)
		doc[field] = wrong
		if schema, _ := verdicts(t, doc); schema == nil {
			t.Errorf("the schema admits %s %v", field, wrong)
		}
	}
}

// TestExamples checks that the examples satisfy the current schema, and that there is one example of each kind.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../../results/examples/*.json")
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]result.Document{}
	for _, path := range paths {
		resulttest.Validate(t, path)
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		docs[strings.TrimSuffix(filepath.Base(path), ".json")] = doc
		again := filepath.Join(t.TempDir(), "run.json")
		if err := result.Write(again, doc); err != nil {
			t.Fatal(err)
		}
		resulttest.Validate(t, again)
	}
	samples := func(d result.Document) (n int) {
		for _, c := range d.Cases {
			n += len(c.Samples)
		}
		return n
	}
	arm := func(d result.Document, is result.Arm, partner string) bool {
		return d.State == result.Complete && d.Pair != nil && d.Pair.Arm == is &&
			d.Pair.PartnerRunID == docs[partner].RunID
	}
	for name, is := range map[string]func(result.Document) bool{
		"parallel": func(d result.Document) bool {
			return d.Kind == result.KindParallel && d.State == result.Complete
		},
		"serial": func(d result.Document) bool {
			return d.Kind == result.KindSerial && d.State == result.Complete
		},
		"workload": func(d result.Document) bool {
			return d.Kind == result.KindWorkload && d.State == result.Complete
		},
		"ab-a":        func(d result.Document) bool { return arm(d, result.ArmA, "ab-b") },
		"ab-b":        func(d result.Document) bool { return arm(d, result.ArmB, "ab-a") },
		"failed":      func(d result.Document) bool { return d.State == result.Failed && len(d.Errors) > 0 },
		"interrupted": func(d result.Document) bool { return d.State == result.Interrupted && samples(d) > 0 },
	} {
		if doc, there := docs[name]; !there || !is(doc) {
			t.Errorf("%s.json is no example of its kind: a %s run, %s, with %d samples; 'make examples' makes all anew",
				name, doc.Kind, doc.State, samples(doc))
		}
	}
	if len(docs) != 7 {
		t.Errorf("%d examples, and 'make examples' makes 7", len(docs))
	}
}
