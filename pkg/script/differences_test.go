package script_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// If ranks differ in a step that they must do together, the message shows how they differ.
func TestDifferencesOfRanksAreTold(t *testing.T) {
	dataset := func(arguments string) string { return `f.create_dataset("d", ` + arguments + `)` }
	for step, want := range map[string][2]string{
		`f.attrs["a"] = [1] * (1 + job.rank)`:                 {"of extent [1]", "of extent [2]"},
		`f.attrs["a"] = "x" * (1 + job.rank)`:                 {"text of 1 bytes", "text of 2 bytes"},
		`f.attrs["a"] = 1 if job.rank else 1.5`:               {"type f64", "type i64"},
		`f.attrs.create("a", text(4, utf8 = bool(job.rank)))`: {"text of 4 bytes", "text of 4 bytes in UTF-8"},
		`f.attrs.create(numbered("a%d", 2 + job.rank), "f8")`: {"2 of this kind", "3 of this kind"},
		`f.attrs.create("a", "f8", empty = bool(job.rank))`:   {"of extent []", "without elements"},
		dataset(`"i8" if job.rank else "f8", 8`):              {"type f64", "type i64"},
		dataset(`"f8", 8, chunks = 1 + job.rank`):             {"chunks [1]", "chunks [2]"},
		dataset(`"f8", 8, chunks = 8, maxshape = 8 + job.rank`): {
			"largest extent [8]", "largest extent [9]",
		},
		dataset(`"f8", 8, chunks = 8, compression = job.rank`): {"filter deflate 0", "filter deflate 1"},
		dataset(`"f8", 8, chunks = 8, compression = 1, ratio = 2 + job.rank`): {
			"ratio 2", "ratio 3",
		},
		dataset(`"f8", 8, data = "smooth" if job.rank else "repeats"`):   {"data repeats", "data smooth"},
		dataset(`"f8", 8, compact = bool(job.rank)`):                     {"type f64", "compact"},
		dataset(`"f8", 8, external = bool(job.rank)`):                    {"type f64", "in an external file from"},
		dataset(`"f8", 8, fill_time = "never" if job.rank else "alloc"`): {"fill time alloc", "fill time never"},
		dataset(`"f8", 8, alloc_time = "early" if job.rank else "late"`): {
			"allocation late", "allocation early",
		},
		dataset(`enum({"a": job.rank}, "i1"), 8`):                               {"(a 0)", "(a 1)"},
		dataset(`[("x", "f4"), ("y", "i4" if job.rank else "f4")], 8`):          {"y f32 at byte 4", "y i32 at byte 4"},
		dataset(`opaque(4, tag = "a%d" % job.rank), 8`):                         {`tag "a0"`, `tag "a1"`},
		dataset(`text(4, padding = "spaces" if job.rank else "terminated"), 8`): {"a zero at the end", "spaces"},
		`job.write_multi([f.create_dataset(n, "f8", 8) for n in ["c", "d", "e"]][:2 + job.rank], slab(), ` +
			`collective = True)`: {"d is written in collective mode, together with f:/c (", "with f:/c, f:/d ("},
	} {
		s := read(t, "\ndef write(job):\n    f = job.create(\"f\")\n    "+step+"\n    f.close()\n")
		var all [2][]workload.CollectiveOperation
		for rank := range all {
			p, err := s.Program(int64(rank), script.JobSize{Ranks: 2, Nodes: 1})
			if err != nil {
				t.Fatalf("%s: %v", step, err)
			}
			all[rank] = slices.Collect(p.CollectiveOperations())
		}
		for i := range all[0] {
			if all[0][i].Hash == all[1][i].Hash {
				continue
			}
			for rank, want := range want {
				other := all[1-rank][i].String()
				if got := all[rank][i].String(); !strings.Contains(got, want) || got == other {
					t.Errorf("%s: rank %d: %s, want %s; the other: %s", step, rank, got, want, other)
				}
			}
			break
		}
	}
}
