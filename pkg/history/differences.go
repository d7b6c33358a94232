package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// passing lists the fields of a document that differ from run to run on the same machine and do not
// describe it.
var passing = []string{
	"target.free_bytes", "target.free_inodes", "machine.memory_copy_bytes_per_second", "job.slurm",
	"parameters.conditions.seed",
}

// Differences returns what differs between two runs in the recorded machine, software, target, job and
// parameters, and in the time on which throughput rests: one line for people per field of the document, sorted by
// name, in which all can be seen. That only one of them knows how many processors its ranks may use is no difference.
func Differences(then, now result.Document) []string {
	if !countsProcessors(then.Job) || !countsProcessors(now.Job) {
		then.Job.Placement, now.Job.Placement = uncounted(then.Job.Placement), uncounted(now.Job.Placement)
	}
	was, is := facts(then), facts(now)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was[name] != is[name] {
			line := fmt.Sprintf("%s: %s then, %s now", name, orNothing(was[name]), orNothing(is[name]))
			lines = append(lines, plain.Line(line))
		}
	}
	return lines
}

// orNothing returns the text, or "nothing" if it is empty.
func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// countsProcessors reports whether it is known of any host how many processors its ranks may use.
func countsProcessors(j result.Job) bool {
	return slices.ContainsFunc(j.Placement, func(h result.Host) bool { return h.CPUs > 0 })
}

// uncounted returns hosts without the number of processors that their ranks may use.
func uncounted(hosts []result.Host) []result.Host {
	hosts = slices.Clone(hosts)
	for i := range hosts {
		hosts[i].CPUs = 0
	}
	return hosts
}

// facts returns the values that describe where and with what a run was made, by the names of their fields.
func facts(d result.Document) map[string]string {
	out := map[string]string{"basis": string(d.Basis)}
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
	text, _ := json.Marshal(value) // value was decoded from JSON
	out[name] = strings.Trim(string(text), `"`)
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
