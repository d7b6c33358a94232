package script_test

import (
	"fmt"
	"strings"
	"testing"

	"h5perf/pkg/script"
)

// Steps in an order that no rank can do are refused before a file is made.
func TestStepsAreDoneToWhatIsOpen(t *testing.T) {
	const (
		write = "{write: d, select: {rule: block}, mode: independent}"
		own   = "{write: e, select: {rule: all}, mode: independent}"
	)
	for _, c := range []struct{ steps, want string }{
		{"create: [f, d], " + write + ", close: [d, f]", ""},
		{"create: [f, d], {unlink: d}, close: [d, f], open: f, close: f", ""},
		{"{on: root, do: [create: [f, d], close: [d, f]]}, open: [f, d], " + write + ", close: [d, f]", ""},
		{"{on: turns, do: [create: [f, d], " + write + ", close: [d, f]]}", ""},
		{"create: [f, d], {on: turns, do: [create: [g, e], " + own + ", close: [e, g]]}, close: [d, f]", ""},
		{"{on: turns, do: [create: g]}, create: e, {on: root, do: [" + own + "]}, close: [e, g]", ""},
		{"create: f, {for: {k: 3}, do: [create: m]}, {for: {k: 3}, do: [close: m]}, close: f", ""},
		{"create: [f, d]", `f.yaml:8:13: the file "f" is open at the end: close it`},
		{"create: [f, d], " + write + ", close: f", `"d" is open in the file "f": close it first`},
		{"create: [f, d], close: d, close: d, close: f", `"d" is not open`},
		{"create: [f, d], create: d, close: [d, f]", `"d" is open already`},
		{"create: [f, d], close: d, " + write + ", close: f", `"d" is not open`},
		{
			"{on: root, do: [create: [f, d]]}, " + write + ", close: [d, f]",
			`rank 0 opened the file "f", but all ranks would do this step`,
		},
		{
			"create: [f, d], {on: root, do: [" + write + "]}, close: [d, f]",
			`all ranks opened the file "f", but rank 0 would do this step`,
		},
		{"create: [f, d], {on: root, do: [close: [d, f]]}", `all ranks opened the file "f", but rank 0`},
		{"create: f, {on: leaders, do: [flush: f]}, close: f", "but the first rank of each node would do this step"},
		{
			"{on: turns, do: [create: f]}, {on: turns, do: [close: f]}",
			`the file "f" is open when the turn of a rank ends: close it`,
		},
		{"{on: root, do: [create: g]}, create: e, close: [e, g]", `rank 0 opened the file "g", but all ranks`},
		{"create: g, {on: root, do: [create: e]}, " + own + ", close: [e, g]", `rank 0 opened "e", but all ranks`},
		{"create: [g, e], {on: root, do: [close: e]}, close: g", `all ranks opened "e": they must close it`},
		{"create: g, {on: root, do: [close: g]}", `all ranks opened the file "g": they must close it`},
	} {
		w, err := script.Read("f.yaml", fmt.Appendf(nil, `workload: w
files: {f: {name: f, per: run}, g: {name: "g{rank}", per: rank}}
objects:
  d: {dataset: d, in: f, type: f64, extent: [100]}
  e: {dataset: e, in: g, type: f64, extent: [100]}
  m: {group: "m{k}", in: f, for: {k: 3}}
write: {dumps: 2, dump:
 [ %s ]}
`, c.steps))
		if err != nil {
			t.Fatalf("%s: %v", c.steps, err)
		}
		r, err := script.Resolve(w, "", nil, script.Job{})
		if err != nil {
			t.Fatalf("%s: %v", c.steps, err)
		}
		_, err = r.Amount(script.Job{Ranks: 4, Nodes: 2})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.steps, err, c.want)
		}
	}
}
