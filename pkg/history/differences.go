package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"h5perf/pkg/result"
)

// passing are the fields of a document that differ from run to run on the same machine, and say nothing of it.
var passing = []string{
	"target.free_bytes", "target.free_inodes", "machine.memory_copy_bytes_per_second", "job.slurm", "parameters.conditions.seed",
}

// Differences lists what is recorded of machine, software, target, job and parameters of two runs and is not the same, as
// lines for people: each names the field of the document.
func Differences(then, now result.Document) []string {
	was, is := facts(then), facts(now)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was[name] != is[name] {
			lines = append(lines, fmt.Sprintf("%s: %s then, %s now", name, orNothing(was[name]), orNothing(is[name])))
		}
	}
	return lines
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// facts is what a document tells of where and by what a run was made, by the names of the fields.
func facts(d result.Document) map[string]string {
	out := map[string]string{}
	for name, part := range map[string]any{
		"machine": d.Machine, "software": d.Software, "target": d.Target, "job": d.Job, "parameters": d.Parameters,
	} {
		members(out, name, part)
	}
	return out
}

// members adds the texts and numbers of a part of a document, below its name.
func members(out map[string]string, name string, part any) {
	text, err := json.Marshal(part)
	var tree any
	if err != nil || json.Unmarshal(text, &tree) != nil {
		return // NaN, which no document holds
	}
	collect(out, name, tree)
}

// collect adds the texts and numbers below a field. A list of keys and values counts as fields.
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
	text, _ := json.Marshal(value) // it was read from JSON
	out[name] = strings.Trim(string(text), `"`)
}

func keyed(list []any) bool {
	for _, element := range list {
		if pair, ok := element.(map[string]any); !ok || pair["key"] == nil {
			return false
		}
	}
	return len(list) > 0
}
