package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

func init() {
	shapes["a file for each sample"] = `workload: samples
sizes: {files: 4}
files:
  made: {name: "s{rank + ranks * dump:3}", per: [dump, rank]}
  read: {name: "s{shuffle(rank + ranks * k, ranks * files, dump):3}", per: [dump, rank], for: {k: 2}}
objects:
  x: {dataset: x, in: made, type: f64, extent: [10, 3]}
  row: {dataset: x, in: read, type: f64, extent: [10, 3]}
write:
  dumps: files
  dump:
    - create: [made, x]
    - {write: x, select: {rule: all}, mode: independent}
    - close: [x, made]
read:
  dumps: 3
  dump:
    - for: {k: 2}
      do:
        - open: [read, row]
        - {read: row, select: {rule: random, count: 1, first: k, seed: dump}, mode: independent}
        - close: [row, read]
`
	shapes["parts that are dealt"] = `workload: parts
sizes: {parts: "div(5 * ranks, 2)"}
files:
  silo: {name: "silo_{band:3}_{dump:3}", per: [dump, band], bands: "min(2, ranks)"}
objects:
  domain: {group: "domain_{p:7}", in: silo, for: {p: parts}, dealt: true, attributes: 2}
  v: {dataset: "v{k}", in: domain, for: {k: 2}, type: f64, extent: [100]}
  more: {dataset: "more_{e}", in: domain, for: {e: dump}, type: f64, extent: [10]}
write:
  dumps: 2
  dump:
    - on: turns
      do:
        - create: silo
        - for: {p: parts}
          do:
            - create: domain
            - attributes: domain
            - create: [v, more]
            - {write: [v, more], select: {rule: all}, mode: independent}
            - close: [v, more, domain]
        - close: silo
read:
  dumps: 2
  dump:
    - on: turns
      do:
        - open: [silo, domain, v]
        - {read: v, select: {rule: all}, mode: independent}
        - close: [v, domain, silo]
`
}

// Of 8 parts, ranks 0 and 1 of 3 have 3, and rank 2 has 2. Ranks 0 and 1 are a band.
func TestDealtObjectsBelongToOneRank(t *testing.T) {
	want := []string{
		"silo_000_000: 0 1 2, silo_000_001: 0 1 2; read 0 1 2, 0 1 2",
		"silo_000_000: 3 4 5, silo_000_001: 3 4 5; read 3 4 5, 3 4 5",
		"silo_001_000: 6 7, silo_001_001: 6 7; read 6 7, 6 7",
	}
	strip := strings.NewReplacer("/domain_", "", "/v0", "", "/v1", "")
	text := strings.Replace(shapes["parts that are dealt"], "\"div(5 * ranks, 2)\"", "8", 1)
	for rank, p := range compiled(t, text, script.Job{Ranks: 3, Nodes: 1}) {
		var got [2]string
		for op := range p.Parts {
			for s := range p.Parts[op].Steps() {
				switch o := p.Objects[s.Object]; {
				case s.Class == workload.FileOpen && op == int(workload.Write):
					got[op] += ", " + p.Files[s.File].Name + ":"
				case s.Class == workload.FileOpen:
					got[op] += ","
				case s.Class == workload.Transfer && o.Name == "v%d":
					for m := s.First; m < s.First+s.Count; m += 2 {
						var number int
						digits := strings.TrimLeft(strip.Replace(path(&p, s.Object, m)), "0")
						if _, err := fmt.Sscan(digits, &number); err != nil {
							number = 0
						}
						got[op] += fmt.Sprint(" ", number)
					}
				case s.Class == workload.Transfer && o.Bytes() == 80 && s.Op == workload.Write:
					if !strings.HasSuffix(p.Files[s.File].Name, "_001") {
						t.Errorf("rank %d writes %s", rank, p.PathOf(s.Object, s.First))
					}
				}
			}
		}
		if d := cmp.Diff(want[rank], strings.Trim(got[0], ", ")+"; read"+strings.Trim(got[1], ",")); d != "" {
			t.Errorf("rank %d: %s", rank, d)
		}
	}
}

func TestObjectsThatCannotBeDealtAreRefused(t *testing.T) {
	text := shapes["parts that are dealt"]
	for want, edits := range map[string][2]string{
		"dealt goes with for":                         {"for: {p: parts}, dealt", "dealt"},
		"dealt objects are in files for each rank":    {"per: [dump, band], bands: \"min(2, ranks)\"", "per: dump"},
		`it is in "domain", which is dealt already`:   {"for: {k: 2},", "for: {k: 2}, dealt: true,"},
		`unknown name "p"`:                            {"extent: [100]", "extent: [100 + p]"},
		"7 objects are dealt to 8 ranks":              {"\"div(5 * ranks, 2)\"", "7"},
		"a file is per run, dump, rank or band":       {"per: [dump, band]", "per: [rank, band]"},
		"one for each dump, write {dump} in the name": {"_{dump:3}\"", "\""},
	} {
		w, err := script.Read("w.yaml", []byte(strings.Replace(text, edits[0], edits[1], 1)))
		if err == nil {
			var r script.Resolved
			if r, err = script.Resolve(w, "", nil, script.Job{}); err == nil {
				_, err = r.Amount(script.Job{Ranks: 8, Nodes: 1})
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAFileForEachValueNeedsAFor(t *testing.T) {
	text := shapes["a file for each sample"]
	for want, edits := range map[string][2]string{
		"there is a file for each k: give this step in a for of k": {"for: {k: 2}\n", "repeat: 2\n"},
		"one for each k, write {k} in the name":                    {"ranks * k,", "ranks,"},
	} {
		_, err := script.Read("w.yaml", []byte(strings.Replace(text, edits[0], edits[1], 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A file that is written and read, by two names of the notation, has its datasets once.
func TestObjectsWithTheSamePathAreTheSame(t *testing.T) {
	for rank, p := range compiled(t, shapes["a file for each sample"], script.Job{Ranks: 2, Nodes: 1}) {
		paths := map[string]bool{}
		for i := range p.Objects {
			if o := p.PathOf(i, 0); paths[o] || p.Objects[i].Base != 0 {
				t.Errorf("rank %d: %s stands twice, or at %d", rank, o, p.Objects[i].Base)
			} else {
				paths[o] = true
			}
		}
	}
}
