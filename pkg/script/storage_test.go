package script_test

import (
	"fmt"
	"strings"
	"testing"

	"h5perf/pkg/script"
)

// compileEnds makes the programs of the first and the last rank.
func compileEnds(r script.Resolved, job script.Job) error {
	for _, rank := range []int64{0, job.Ranks - 1} {
		if _, err := r.Compile(rank, job); err != nil {
			return err
		}
	}
	return nil
}

// refused reports an error if a workload is not refused with the given text, at a place; "": it must not be refused.
func refused(t *testing.T, text, want string) {
	t.Helper()
	w, err := script.Read("f.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	r, err := script.Resolve(w, "", nil, script.Job{})
	if err == nil {
		err = compileEnds(r, script.Job{Ranks: 4, Nodes: 2})
	}
	switch {
	case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v, want %q", text, err, want)
	case err != nil && !strings.HasPrefix(err.Error(), "f.yaml:"):
		t.Errorf("no place: %v", err)
	}
}

// What HDF5 cannot create is refused before a file is made, and what it just can is not.
func TestDatasetsAreThoseThatHDF5CanCreate(t *testing.T) {
	for keys, want := range map[string]string{
		"type: u8, extent: [5], chunk: [5], max-extent: [5]":                      "",
		"type: u8, extent: [5], chunk: [5], max-extent: [4]":                      "f.yaml:4:74: the largest",
		"type: u8, extent: [dump + 4], chunk: [1], max-extent: [4]":               "the largest extent is 4",
		"type: u8, extent: [5], chunk: [8], max-extent: [unlimited]":              "",
		"type: u8, extent: [5], chunk: [8], max-extent: [8]":                      "",
		"type: u8, extent: [5], chunk: [9], max-extent: [8]":                      "chunk is 9, more",
		"type: u8, extent: [5], chunk: [6]":                                       "f.yaml:4:57: the extent of a chunk",
		"type: u8, extent: [0], chunk: [6]":                                       "",
		"type: u8, extent: [4G], chunk: [4294967295]":                             "",
		"type: u8, extent: [4G], chunk: [4G]":                                     "less than 2^32 elements",
		"type: u64, extent: [64, 8M], chunk: [64, 8388607]":                       "",
		"type: u64, extent: [64, 8M], chunk: [64, 8M]":                            "f.yaml:4:67: a chunk has 4 GiB",
		"type: u8, compact: true, extent: [65531]":                                "",
		"type: u8, compact: true, extent: [65532]":                                "has more than 65531 bytes",
		"type: f64, compact: true, extent: [2048, 4]":                             "has more than 65531 bytes",
		"type: f64, extent: [32], chunk: [32], filters: [szip: 32]":               "",
		"type: {array: [2], of: i8}, extent: [8], chunk: [8], filters: [szip: 8]": "",
		"type: f64, extent: [32], chunk: [32], filters: [szip: 7]":                "their number must be even",
		"type: f64, extent: [32], chunk: [32], filters: [szip: 34]":               "must be from 2 to 32",
		"type: f64, extent: [32], chunk: [8, 2], filters: [szip: 18]":             "",
		"type: f64, extent: [32], chunk: [31], filters: [szip: 32]":               "but a chunk has only 31",
		"type: {text: 4}, extent: [32], chunk: [32], filters: [szip: 8]":          "no texts and compounds",
	} {
		if strings.Contains(keys, "[8, 2]") {
			keys, want = strings.Replace(keys, "[32]", "[8, 2]", 1), "but a chunk has only 16"
		}
		refused(t, fmt.Sprintf(`workload: w
files: {f: {name: "f{dump}", per: dump}}
objects:
  d: {dataset: d, in: f, %s}
write: {dumps: 2, dump: [create: [f, d], close: [d, f]]}
`, keys), want)
	}
}

// With filters, several ranks write collectively.
func TestFiltersAreWrittenCollectively(t *testing.T) {
	for steps, want := range map[string]string{
		"create: [f, d], {write: d, select: {rule: block}, mode: collective}, close: [d, f]": "",
		"create: [f, d], {write: d, select: {rule: block}, mode: independent}, close: [d, f]": `f.yaml:5:83: "d" has ` +
			`filters: parallel HDF5 writes such data in collective mode only`,
		"{on: root, do: [create: [f, d], {write: d, select: {rule: all}, mode: independent}, close: [d, f]]}": "",
		"create: [g, e], {write: e, select: {rule: all}, mode: independent}, close: [e, g]":                   "",
	} {
		refused(t, fmt.Sprintf(`workload: w
files: {f: {name: f, per: run}, g: {name: "g{rank}", per: rank}}
objects: {d: {dataset: d, in: f, type: f64, extent: [9], chunk: [3], filters: [shuffle]},
  e: {dataset: e, in: g, type: f64, extent: [9], chunk: [3], filters: [shuffle]}}
write: {dumps: 1, dump: [ %s ]}
`, steps), want)
	}
}

// A file of each dump that is read was written.
func TestDumpsThatAreReadWereWritten(t *testing.T) {
	for dumps, want := range map[int]string{2: "", 3: "3 dumps are read, but only 2 are written"} {
		refused(t, fmt.Sprintf(`workload: w
files: {f: {name: "f{dump}", per: dump}}
objects: {d: {dataset: d, in: f, type: f64, extent: [8]}}
write: {dumps: 2, dump: [create: [f, d], {write: d, select: {rule: slab}, mode: independent}, close: [d, f]]}
read: {dumps: %d, dump: [open: [f, d], {read: d, select: {rule: slab}, mode: independent}, close: [d, f]]}
`, dumps), want)
	}
}

func TestADumpHandlesANumberOfUnits(t *testing.T) {
	for number, want := range map[string]string{
		"7 * ranks": "", "0": "", "ranks - 100": "the number of samples is -", "1T": "",
		"1T + 1": "the number of samples is 1099511627777, but must be at most 1099511627776",
	} {
		refused(t, fmt.Sprintf(`workload: w
files: {f: {name: f, per: run}}
objects: {d: {dataset: d, in: f, type: f64, extent: [8]}}
write:
  dumps: 1
  handles: {samples: %s}
  dump: [create: [f, d], {write: d, select: {rule: slab}, mode: independent}, close: [d, f]]
`, number), want)
	}
}

// What is written is created first.
func TestAFileIsCreatedBeforeItIsOpened(t *testing.T) {
	for verb, want := range map[string]string{
		"create": "", "open": "f.yaml:4:1: file f is opened, but no step has created it: create it in part write",
	} {
		refused(t, fmt.Sprintf(`workload: w
files: {f: {name: f, per: run}}
objects: {d: {dataset: d, in: f, type: f64, extent: [8]}}
write: {dumps: 1, dump: [%s: [f, d], {write: d, select: {rule: slab}, mode: independent}, close: [d, f]]}
`, verb), want)
	}
}

// Numbers in a name do not hide what else is in it: files of such names would not be found again.
func TestNamesOfFilesHaveNoSuffix(t *testing.T) {
	for name, want := range map[string]string{
		"g{rank:3}":  "",
		"g{rank}.h5": `f.yaml:2:19: the name of the file, "g{rank}.h5", must have letters, digits and _ only`,
	} {
		refused(t, fmt.Sprintf(`workload: w
files: {f: {name: "%s", per: rank}}
objects: {d: {dataset: d, in: f, type: f64, extent: [8]}}
write: {dumps: 1, dump: [create: [f, d], {write: d, select: {rule: all}, mode: independent}, close: [d, f]]}
`, name), want)
	}
}
