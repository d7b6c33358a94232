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

// passing lists the fields of a document that differ from run to run on the same machine and do not
// describe it, and those of which another field reports whether they differ.
var passing = []string{
	"target.free_bytes", "target.free_inodes", "machine.memory_copy_bytes_per_second", "job.slurm",
	"parameters.conditions.seed",
	// The hash of the workload, and its sizes and choices, say whether these differ.
	"parameters.workload.script", "parameters.workload.asked", "parameters.workload.settings",
}

// Differences returns what differs between two runs in the recorded machine, software, target, job and parameters: one
// line for people per field of the document, sorted by name, in which all can be seen. Variables of MPI are only named,
// in a line for each way in which they differ.
func Differences(then, now result.Document) []string {
	was, is := facts(then), facts(now)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, plain.Line(fmt.Sprintf(format, args...))) }
	variables := map[string][]string{} // names, by how they differ
	for _, name := range slices.Sorted(maps.Keys(all)) {
		variable, ofMPI := strings.CutPrefix(name, mpiVariables+".")
		switch how := change(was, is, name); {
		case how == "":
		case ofMPI:
			variables[how] = append(variables[how], variable)
		default:
			add("%s was %s, now %s", name, inWords(was[name]), inWords(is[name]))
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

// change returns how a field differs between two runs, or "".
func change(was, is map[string]string, name string) string {
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

// inWords returns the value of a field for people: lists and structures without the marks of JSON.
func inWords(text string) string {
	var tree any
	if text == "" {
		return "nothing"
	}
	if !strings.ContainsAny(text[:1], "[{") || json.Unmarshal([]byte(text), &tree) != nil {
		return text
	}
	return cmp.Or(readable(tree), "nothing")
}

// readable returns a value that was decoded from JSON for people.
func readable(value any) string {
	var parts []string
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			parts = append(parts, readable(element))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			text := readable(v[name])
			if _, list := v[name].([]any); list {
				text = "(" + text + ")"
			}
			parts = append(parts, name+"="+text)
		}
		return strings.Join(parts, " ")
	}
	return scalar(value)
}

// scalar returns a value that was decoded from JSON as JSON, a string without its quotes.
func scalar(value any) string {
	text, _ := json.Marshal(value) // value was decoded from JSON
	return strings.Trim(string(text), `"`)
}

// facts returns the values that describe where and with what a run was made, by the names of their fields.
func facts(d result.Document) map[string]string {
	out := map[string]string{}
	for name, part := range map[string]any{
		"machine": d.Machine, "software": d.Software, "target": d.Target, "job": d.Job, "parameters": d.Parameters,
	} {
		members(out, name, part)
	}
	return out
}

// members adds the values in a part of a document to out. name is the name of the part.
func members(out map[string]string, name string, part any) {
	text, err := json.Marshal(part)
	var tree any
	if err != nil || json.Unmarshal(text, &tree) != nil {
		return // a NaN, which no document holds
	}
	collect(out, name, tree)
}

// collect adds the values below a field to out. A list of key-value pairs is treated as fields.
func collect(out map[string]string, name string, value any) {
	if slices.Contains(passing, name) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for member, below := range v {
			collect(out, name+"."+member, below)
		}
		return
	case []any:
		if keyed(v) {
			for _, pair := range v {
				pair := pair.(map[string]any)
				collect(out, name+"."+fmt.Sprint(pair["key"]), pair["value"])
			}
			return
		}
	}
	out[name] = scalar(value)
}

// keyed reports whether a list holds key-value pairs only, and at least one.
func keyed(list []any) bool {
	for _, element := range list {
		if pair, ok := element.(map[string]any); !ok || pair["key"] == nil {
			return false
		}
	}
	return len(list) > 0
}
