package script_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/script"
)

// base is a small workload; tests change parts of it.
const base = `workload: small
sizes:
  n: 64
  dumps: 2
  half: div(n, 2)
sets:
  big: {n: 4K}
choices:
  way: [collective, independent]
types:
  pair: {compound: [{name: a, type: f32}, {name: b, type: u8}]}
settings: {align: 1M, fill-time: never}
files:
  data: {name: data, per: run, attributes: 3}
objects:
  step: {group: "step_{dump}", in: data}
  x: {dataset: "x{k:2}", in: step, for: {k: 3}, type: f64, extent: [n * ranks, 2], chunk: [n, 2],
    filters: [shuffle, deflate: 4]}
  pairs: {dataset: pairs, in: step, type: pair, extent: [half]}
write:
  begin:
    - create: data
  dumps: dumps
  dump:
    - create: [step, x, pairs]
    - for: {k: 3}
      do:
        - write: x
          select: {rule: slab}
          mode: {choice: way}
    - write: pairs
      select: {rule: root}
      mode: independent
    - when: {way: collective}
      fence: all
    - close: [x, pairs, step]
  end:
    - close: data
`

// edited returns base with parts replaced: old and new alternate.
func edited(t *testing.T, parts ...string) []byte {
	t.Helper()
	text := base
	for i := 0; i < len(parts); i += 2 {
		if !strings.Contains(text, parts[i]) {
			t.Fatalf("the base has no %q", parts[i])
		}
		text = strings.Replace(text, parts[i], parts[i+1], 1)
	}
	return []byte(text)
}

// wrongMeanings are edits of base that have the form of a workload file, but are refused.
var wrongMeanings = []edit{
	{"  end:", "  end:\n    - close: x", `there is a "x" in each dump: it cannot be used before or after all dumps`},
	{"extent: [half]", "extent: [div(n, 2)]", "the parenthesis is not closed; within [] and {}, an expression " +
		"with a comma " +
		"needs quotes"},
	{"[n * ranks, 2]", "[m * ranks, 2]", `unknown name "m"; the names are ranks, nodes, dumps, half, n, dump, k`},
	{"[n * ranks, 2]", "[n * rank, 2]", "rank cannot be used here"},
	{"[n * ranks, 2]", "[unlimited, 2]", "unlimited is a value of max-extent only"},
	{"chunk: [n, 2]", "chunk: [n]", `the dataset "x": chunk has 1 number, extent 2`},
	{"chunk: [n, 2],\n", "chunk: [n, 2], compact: true,\n", "compact goes without chunk"},
	{"type: f64", "type: float", `unknown type "float"; did you mean f32?; the types are u8, u16`},
	{"type: u8}]", "type: pair}]", `the type "pair" has itself as a part`},
	{"{name: b,", "{name: a,", `two members have the name "a"`},
	{"in: step, for", "in: stepp, for", `"stepp" is no file, and no group in one; did you mean "step"?`},
	{"step_{dump}\", in: data", "step_{dump}\", in: step", `"step" is in no file`},
	{"pairs, in: step", "pairs, in: x", `"x" is a dataset: an object is in a file or a group`},
	{"x{k:2}", "x", "write {k} in the name"},
	{"x{k:2}", "x{k:2}{rank}", "rank cannot be used here, but in the names of files for each rank"},
	{"for: {k: 3}, type", "for: {n: 3}, type", `the variable "n" has the name of a size or choice`},
	{"per: run", "per: dump", "the files need different names: there is one for each dump, write {dump} in the name"},
	{"per: run", "per: run, bands: 2", "bands goes with per: band"},
	{"  n: 64", "  ranks: 64", `the size "ranks": the name has a meaning of its own`},
	{"big: {n: 4K}", "big: {m: 4K}", `the set "big" gives "m" a value; the sizes and choices are dumps, half, n, way`},
	{"big: {n: 4K}", "big: {way: colective}", `"colective" must be one of collective, independent; did you mean ` +
		`"collective"?`},
	{"align: 1M", "align: lots", `the setting align: "lots" is not a size`},
	{"fence: all", "on: root\n      do: [fence: all]", "must not wait for other ranks"},
	{"fence: all", "read: x\n      select: {rule: all}\n      mode: independent", "the step read does not belong here"},
	{"  half: div(n, 2)", "  half: div(n, 2)\n  spare: 3", `the size "spare" is used nowhere`},
	{
		"  way: [collective, independent]", "  way: [collective, independent]\n  spare: [a, b]",
		`the choice "spare" is used nowhere`,
	},
	{"fence: all", "flush: x", `the step cannot be done to "x"; it can be to data`},
	{"fence: all", "unlink: data", `the step cannot be done to "data"`},
	{"when: {way: collective}", "when: {wayy: collective}", `when: there is no choice "wayy"; did you mean "way"?`},
	{"when: {way: collective}", "when: {way: both}", `"both" must be one of collective, independent`},
	{"create: [step, x, pairs]", "create: [step, y, pairs]", `there is no "y"; the step can be done to data, ` +
		`pairs`},
	{"  dumps: dumps", "  dumps: dump", "dump cannot be used here: it is the number of a dump"},
	{"  dumps: dumps", "  dumps: dumps\n  handles: {samples: dump}", "dump cannot be used here"},
	{"  dumps: dumps", "  dumps: dumps\n  handles: {Samples: 1}", `the unit "Samples": names have small letters`},
	{"for: {k: 3}\n      do:", "for: {dump: 3}\n      do:", "the name has a meaning of its own"},
	{"attributes: 3", "attributes: [{name: a, type: f32, count: 2}]", "write {i} in the name"},
	{"fence: all", "write: x\n      select: {rule: block, form: runs}\n      mode: independent", "form is for the " +
		"irregular parts of rules map and random, not for block"},
	{"fence: all", "write: x\n      select: {rule: map, length: 1, form: runs}\n      mode: collective", "the form " +
		"runs goes with mode independent"},
	{"fence: all", "write: x\n      select: {rule: map, length: 1, form: runs}\n      mode: {choice: way}", "the " +
		"form runs goes with mode independent"},
	{
		"fence: all", "write: x\n      select: {rule: map, length: 1, form: points, union: or}\n      mode: collective",
		"leave out union",
	},
	{"  n: 64", "  n: 010", `w.yaml:3:6: "010", character 1: 010 begins with 0: numbers are decimal`},
	{"  n: 64", "  n: 0x10", `w.yaml:3:6: "0x10", character 1: 0x10 begins with 0`},
	{"big: {n: 4K}", "big: {n: 010}", `010 begins with 0`},
	{"align: 1M", "align: 0x10", `0x10 begins with 0`},
	{"attributes: 3", "attributes: many more", `character 6: "more" is not expected here`},
}

// edit is an edit of base with a part of the error.
type edit struct{ old, text, want string }

// wrongForms are edits of base that the schema refuses too.
var wrongForms = []edit{
	{"extent: [half]", "extnt: [half]", `w.yaml:19:49: unknown key "extnt"; did you mean "extent"?; the keys are ` +
		`allocate`},
	{"  half: div(n, 2)", "  half: n / 2", "w.yaml:5:9: \"n / 2\", character 3: there is no /: write div(a, b), " +
		"which rounds " +
		"down, or ceildiv(a, b), which rounds up\n  5 |   half: n / 2\n    |         ^"},
	{"[n * ranks, 2]", "[n * ranks, 2.5]", "2.5 is no integer"},
	{"chunk: [n, 2],", "", "max-extent and filters need chunk"},
	{"deflate: 4", "deflat: 4", `unknown key "deflat"; did you mean "deflate"?`},
	{"deflate: 4", "gzip: 4", "HDF5's name of gzip is deflate"},
	{"[shuffle,", "[shufle,", `"shufle" is no filter; did you mean "shuffle"?`},
	{"type: f64", "type: f64, data: {ratio: high}", "is a text, but must be a number, such as 4.7"},
	{"type: f64", "type: f64, data: {ratio: 0.5}", "compression ratio 0.5: not between 1 and 4096"},
	{"type: f64", "type: f64, data: {}", `the key "ratio" is missing`},
	{"type: f64", "type: {text: 3, array: [2]}", "exactly one of the keys text, opaque, enum, compound and array"},
	{"type: f64, ", "", `the dataset "x" needs the keys type and extent`},
	{"for: {k: 3}, type", "for: {k: 3, l: 2}, type", "for has one variable, not 2"},
	{
		"group: \"step_{dump}\"", "group: \"step_{dump}\", type: f32",
		"a group has the keys in, for, dealt and attributes only",
	},
	{"group: \"step_{dump}\"", "group: g, dataset: d", "give exactly one of group and dataset"},
	{"per: run", "per: runs", `"runs" must be one of run, dump, rank, band; did you mean "run"?`},
	{", per: run", "", `the key "per" is missing`},
	{"files:", "file:", `unknown key "file"; did you mean "files"?`},
	{"workload: small", "workload: [small]", "w.yaml:1:11: is a list, but must be a text"},
	{"  n: 64", "  n: true", "is true or false, but must be an integer or an expression"},
	{"  n: 64", "  N-1: 64", `the size "N-1": names have small letters`},
	{"align: 1M", "aling: 1M", `unknown setting "aling"; did you mean "align"?; the settings are sieve-buffer`},
	{"fill-time: never", "fill-time: nver", `the setting fill-time: "nver" must be one of never, ifset, alloc; ` +
		`did you mean "never"?`},
	{"fence: all", "fance: all", `the step has no verb; did you mean "fence"?; a step has exactly one of attributes`},
	{"fence: all", "fence: all\n      close: x", "the step has 2 verbs: fence, close"},
	{"fence: all", "fence: all\n      mode: independent", `the step fence has no key "mode"`},
	{"fence: all", "compute: {seconds: 1, milliseconds: 2}", "exactly one of the keys seconds, milliseconds and " +
		"microseconds"},
	{"fence: all", "compute: 3", "is a number, but must be a map"},
	{"fence: all", "extend: x\n      to: [dump + 1, 2]\n      memory: dense", `the step extend has no key "memory"`},
	{"mode: {choice: way}", "mode: colective", `a mode is one of independent, collective, or {choice: NAME}; did ` +
		`you mean`},
	{"mode: {choice: way}", "memory: dense", `the step write needs the key "mode"`},
	{"select: {rule: slab}", "select: {rule: slap}", `"slap" must be one of block, slab`},
	{"select: {rule: root}", "select: {rule: root, cont: 3}", `unknown key "cont"; did you mean "count"?`},
	{
		"mode: independent", "mode: independent\n      memory: {ghost: 1, stride: 2}",
		"memory is dense, or has exactly one",
	},
	{"mode: independent", "mode: independent\n      memory: dens", "memory is dense, or has one of the keys"},
	{"create: [step, x, pairs]", "create: [step, x, x]", `"x" stands twice`},
	{"create: [step, x, pairs]", "create: []", "is empty"},
	{"  end:", "  begin: [open: data]\n  end:", `the key "begin" stands twice`},
}

func TestWrongFilesAreRefusedWhereTheyAreWrong(t *testing.T) {
	if _, err := script.Read("w.yaml", []byte(base)); err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(wrongForms, wrongMeanings) {
		_, err := script.Read("w.yaml", edited(t, c.old, c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "w.yaml:") {
			t.Errorf("%s: no position: %v", c.text, err)
		}
	}
	_, err := script.Read("w.yaml", []byte(base[:strings.Index(base, "write:")]))
	if err == nil || !strings.Contains(err.Error(), "there is nothing to do") {
		t.Errorf("neither write nor read: %v", err)
	}
}

func TestAllErrorsOfAFileAreTold(t *testing.T) {
	_, err := script.Read("w.yaml", edited(t, "per: run", "per: runs", "type: f64", "typ: f64", "fence: all",
		"fence: none"))
	for _, want := range []string{`"runs"`, `"typ"`, `"none"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in: %v", want, err)
		}
	}
}

func TestAFileIsReadIfItIsRegularAndSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.yaml")
	if err := os.WriteFile(path, []byte(base), 0o600); err != nil {
		t.Fatal(err)
	}
	if w, err := script.ReadFile(path); err != nil || w.Write == nil || w.Read != nil {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := script.ReadFile(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("a directory: %v", err)
	}
	if err := os.Truncate(path, 1<<26); err != nil {
		t.Fatal(err)
	}
	if _, err := script.ReadFile(path); err == nil || !strings.Contains(err.Error(), "more than 33554432 bytes") {
		t.Errorf("a long file: %v", err)
	}
}
