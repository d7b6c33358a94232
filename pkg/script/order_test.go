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
		{"create: [f, d]", "f.yaml:8:2: file f is created, but file f is open since line 8: close it first"},
		{"create: [f, d], " + write + ", close: f", "file f is closed, but dataset f:/d is open since line 8: close " +
			"it first"},
		{"create: [f, d], close: d, close: d, close: f", "dataset f:/d is closed, but it was closed in line 8: open " +
			"or create it first"},
		{"create: [f, d], create: d, close: [d, f]", "dataset f:/d is created, but it is open since line 8: close " +
			"it first"},
		{"create: [f, d], close: d, " + write + ", close: f", "dataset f:/d is written, but it was closed in line " +
			"8: open or create it first"},
		{
			"{on: root, do: [create: [f, d]]}, " + write + ", close: [d, f]",
			"dataset f:/d is written by all ranks, but file f is open to rank 0 alone since line 8",
		},
		{
			"create: [f, d], {on: root, do: [" + write + "]}, close: [d, f]",
			"dataset f:/d is written by rank 0 alone, but file f is open to all ranks since line 8",
		},
		{"create: [f, d], {on: root, do: [close: [d, f]]}", "dataset f:/d is closed by rank 0 alone, but file f is " +
			"open to all ranks"},
		{"create: f, {on: leaders, do: [flush: f]}, close: f", "file f is flushed by some ranks by themselves, but " +
			"file f is open to all ranks since line 8"},
		{
			"{on: turns, do: [create: f]}, {on: turns, do: [close: f]}",
			"file f is open when the turn of a rank ends, but the next one opens it: close it in the turn",
		},
		{"{on: root, do: [create: g]}, create: e, close: [e, g]", "dataset g3:/e is created, but file g3 is not " +
			"open: open or create the file first"},
		{"create: g, {on: root, do: [create: e]}, " + own + ", close: [e, g]", "dataset g3:/e is written, but it is " +
			"not open: open or create it first"},
		{"create: [g, e], {on: root, do: [close: e]}, close: g", "file g3 is closed, but dataset g3:/e is open " +
			"since line 8: close it first"},
		{"create: g, {on: root, do: [close: g]}", "file g3 is created, but file g3 is open since line 8: close it " +
			"first"},
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
		err = compileEnds(r, script.Job{Ranks: 4, Nodes: 2})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.steps, err, c.want)
		}
	}
}
