package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// volatileFields lists the fields of a document that differ from run to run on the same machine and do not
// describe it, and those of which another field reports whether they differ.
var volatileFields = []string{
	"target.free_bytes", "target.free_inodes", "machine.memory_copy_bytes_per_second", "job.slurm",
	"parameters.conditions.seed",
	// The hash of the workload, and its sizes and choices, say whether these differ.
	"parameters.workload.script", "parameters.workload.asked", "parameters.workload.settings",
}

// DocumentDifferences returns what differs between two runs in the recorded machine, software, target, job and
// parameters: one line for people per field of the document, sorted by name, in which all can be seen. Variables of MPI
// are only named, in a line for each way in which they differ.
func DocumentDifferences(then, now result.Document) []string {
	was, is := documentFacts(then), documentFacts(now)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, plain.Line(fmt.Sprintf(format, args...))) }
	variables := map[string][]string{} // names, by how they differ
	for _, name := range slices.Sorted(maps.Keys(all)) {
		variable, ofMPI := strings.CutPrefix(name, mpiVariables+".")
		switch how := changeText(was, is, name); {
		case how == "":
		case ofMPI:
			variables[how] = append(variables[how], variable)
		default:
			add("%s was %s, now %s", name, valueText(was[name]), valueText(is[name]))
		}
	}
	for _, how := range slices.Sorted(maps.Keys(variables)) {
		add("%s: %d %s: %s", mpiVariables, len(variables[how]), how, strings.Join(variables[how], ", "))
	}
	slices.Sort(lines)
	return lines
}

// mpiVariables is the field of a document with the variables of MPI: there are many, and their names say most.
const mpiVariables = "job.mpi_variables"

// changeText returns how a field differs between two runs, or "".
func changeText(was, is map[string]string, name string) string {
	_, then := was[name]
	_, now := is[name]
	switch {
	case was[name] == is[name]:
		return ""
	case !now:
		return "only then"
	case !then:
		return "only now"
	}
	return "with another value"
}

// valueText returns the value of a field for people: lists and structures without the marks of JSON.
func valueText(text string) string {
	var tree any
	if text == "" {
		return "nothing"
	}
	if !strings.ContainsAny(text[:1], "[{") || json.Unmarshal([]byte(text), &tree) != nil {
		return text
	}
	return cmp.Or(decodedText(tree), "nothing")
}

// decodedText returns a value that was decoded from JSON for people.
func decodedText(value any) string {
	var parts []string
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			parts = append(parts, decodedText(element))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			text := decodedText(v[name])
			if _, list := v[name].([]any); list {
				text = "(" + text + ")"
			}
			parts = append(parts, name+"="+text)
		}
		return strings.Join(parts, " ")
	}
	return scalarText(value)
}

// scalarText returns a value that was decoded from JSON as JSON, a string without its quotes.
func scalarText(value any) string {
	text, _ := json.Marshal(value) // value was decoded from JSON
	return strings.Trim(string(text), `"`)
}

// documentFacts returns the values that describe where and with what a run was made, by the names of their fields.
func documentFacts(d result.Document) map[string]string {
	out := map[string]string{}
	for name, part := range map[string]any{
		"machine": d.Machine, "software": d.Software, "target": d.Target, "job": d.Job, "parameters": d.Parameters,
	} {
		addMembers(out, name, part)
	}
	return out
}

// addMembers adds the values in a part of a document to out. name is the name of the part.
func addMembers(out map[string]string, name string, part any) {
	text, err := json.Marshal(part)
	var tree any
	if err != nil || json.Unmarshal(text, &tree) != nil {
		return // a NaN, which no document holds
	}
	addFields(out, name, tree)
}

// addFields adds the values below a field to out. A list of key-value pairs is treated as fields.
func addFields(out map[string]string, name string, value any) {
	if slices.Contains(volatileFields, name) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for member, below := range v {
			addFields(out, name+"."+member, below)
		}
		return
	case []any:
		if isKeyValueList(v) {
			for _, pair := range v {
				pair := pair.(map[string]any)
				addFields(out, name+"."+fmt.Sprint(pair["key"]), pair["value"])
			}
			return
		}
	}
	out[name] = scalarText(value)
}

// isKeyValueList reports whether a list holds key-value pairs only, and at least one.
func isKeyValueList(list []any) bool {
	for _, element := range list {
		if pair, ok := element.(map[string]any); !ok || pair["key"] == nil {
			return false
		}
	}
	return len(list) > 0
}
