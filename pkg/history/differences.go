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

// volatileFields lists fields of a document that DocumentDifferences ignores. They vary from run to run on the same
// machine and do not describe it, or another field shows the same difference.
var volatileFields = []string{
	"target.free_bytes", "target.free_inodes", "machine.memory_copy_bytes_per_second", "job.slurm",
	"parameters.conditions.seed",
	// The hash, the sizes and the choices of the workload show whether these fields differ.
	"parameters.workload.script", "parameters.workload.asked", "parameters.workload.settings",
}

// DocumentDifferences returns the differences between the documents of two runs in machine, software, target, job and
// parameters. It returns one line for each field that differs, sorted by field name. Of environment variables for MPI
// it lists only the names: one line for variables that only then has, one for variables that only now has, and one for
// variables whose value differs.
func DocumentDifferences(then, now result.Document) []string {
	was, is := documentFacts(then), documentFacts(now)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, plain.VisibleLine(fmt.Sprintf(format, args...)))
	}
	variables := map[string][]string{} // names of variables, by changeText
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

// mpiVariables is the field of a document that contains the MPI variables. There are many, and their names say most.
const mpiVariables = "job.mpi_variables"

// changeText describes how a field differs between two runs. It returns "" if the field is equal in both.
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

// valueText formats the value of a field without the brackets, braces and quotes of JSON.
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

// decodedText formats a decoded JSON value.
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

// scalarText encodes a decoded JSON value as JSON. It removes the quotes of a string.
func scalarText(value any) string {
	text, _ := json.Marshal(value) // value was decoded from JSON
	return strings.Trim(string(text), `"`)
}

// documentFacts returns the values that describe the machine, software and parameters of a run. The keys are field
// names.
func documentFacts(d result.Document) map[string]string {
	out := map[string]string{}
	for name, part := range map[string]any{
		"machine": d.Machine, "software": d.Software, "target": d.Target, "job": d.Job, "parameters": d.Parameters,
	} {
		addMembers(out, name, part)
	}
	return out
}

// addMembers adds all values in a part of a document to the map out. name is the field name of the part, such as
// "parameters".
func addMembers(out map[string]string, name string, part any) {
	text, err := json.Marshal(part)
	var tree any
	if err != nil || json.Unmarshal(text, &tree) != nil {
		return // a NaN, which documents never contain
	}
	addFields(out, name, tree)
}

// addFields adds all values in a field to out. The elements of a list of key-value pairs are added as fields.
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

// isKeyValueList reports whether a list is not empty and contains only key-value pairs.
func isKeyValueList(list []any) bool {
	for _, element := range list {
		if pair, ok := element.(map[string]any); !ok || pair["key"] == nil {
			return false
		}
	}
	return len(list) > 0
}
