//go:build cgo && !nompi

package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/h5"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/test/workloadtest"
	"h5perf/pkg/workload"
)

// allocation matches the allocation time, which is not compared with real files: with a parallel file driver, HDF5
// always allocates early.
var allocation = regexp.MustCompile(` allocate=\w+`)

// Profiles move the same bytes through every API. Their HDF5 files must have what their programs say: objects, types,
// extents, properties and attributes of all dumps. Package profiles compares the programs with facts. Only nightly
// tests check all facts, with 1 to 4 processes, and MPICH. Its ranks poll, so they take minutes if there are more ranks
// than processors.
func TestFilesOfProfilesHaveWhatTheirSourcesSay(t *testing.T) {
	t.Parallel()
	if !everyFact && !isOpenMPI() {
		t.Skip("with this MPI, only nightly")
	}
	all, err := workloadtest.Facts("../../pkg/script/testdata/facts")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		reads := slices.ContainsFunc(f.Words, func(w string) bool {
			return strings.HasPrefix(w, "reading=") || strings.HasPrefix(w, "readers=")
		})
		together := slices.ContainsFunc(f.Words, func(w string) bool { return strings.HasSuffix(w, "=together") })
		if !everyFact && (f.Ranks != 3 || reads) || together && !h5.VersionAtLeast(1, 14, 0) {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			base := t.TempDir()
			args := []string{"run", f.Profile, "--size", "tiny", "-D", "v", "-i", "1", "--keep"}
			for _, word := range f.Words {
				args = append(args, "--set", word)
			}
			l := launch(t, f.Ranks, base, nil, nil, args...)
			if status := l.wait(3 * startTime); status != 0 {
				t.Fatalf("exit status %d: %s", status, l.stderr.String())
			}
			doc := l.document()
			for _, c := range doc.Cases {
				if c.State != result.Complete || !c.Verified {
					t.Errorf("%s: %s, verified %v", c.API, c.State, c.Verified)
				}
			}
			_, id, _ := strings.Cut(doc.RunID, "-")
			files, err := filepath.Glob(filepath.Join(base, "h5perf-"+doc.RunID, "*.h5"))
			if err != nil || len(files) == 0 {
				t.Fatalf("files %v, %v", files, err)
			}
			var got []string
			for _, file := range files {
				name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "data_"+id+"_"), ".h5")
				got = append(got, dumped(t, file, name)...)
			}
			want := workloadtest.Objects(programsOf(t, f))
			for i := range want {
				want[i] = allocation.ReplaceAllString(want[i], "")
			}
			slices.Sort(got)
			slices.Sort(want)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-programs +files)\n%s", d)
			}
		})
	}
}

// programsOf returns the programs of all ranks in the job that a fact describes.
func programsOf(t *testing.T, f workloadtest.Fact) (all []workload.Program) {
	t.Helper()
	job := script.JobSize{Ranks: int64(f.Ranks), Nodes: 1}
	s, err := script.ReadProfile(f.Profile)
	if err == nil {
		s, err = s.Choose("tiny", f.Set, job)
	}
	if err != nil {
		t.Fatal(err)
	}
	for rank := range f.Ranks {
		p, err := s.Program(int64(rank), job)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}
