//go:build cgo && !nompi

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/workload"
)

// objectsOf returns the number of objects that the steps of a class were for in the samples of a direction.
func objectsOf(c result.Case, operation result.Operation, class workload.StepClass) (n uint64) {
	for _, s := range c.Samples {
		for _, t := range s.Classes {
			if s.Operation == operation && t.Class == result.ClassOf(class) {
				n += t.Objects
			}
		}
	}
	return n
}

// Two ranks create, look up, rename and unlink all kinds of objects through all APIs, and verify what they read.
func TestTheProfileMetadataCountsTheObjectsOfEachClass(t *testing.T) {
	t.Parallel()
	const objects = 400 // of the set tiny
	for _, c := range []struct {
		sweep   string
		files   uint64 // in how many files there are so many objects
		without string // POSIX has no such objects
	}{
		{"kind=scalar,compact,contiguous,chunked,group,attribute,hard_link,soft_link,external_link", 1, "attribute"},
		{"shape=tree,ranks", 1, ""},
		{"mode=root", 1, ""},
		{"mode=file_per_rank", 2, ""},
	} {
		l := launch(t, 2, t.TempDir(), nil, nil, "run", "metadata", "--size", "tiny", "--sweep", c.sweep, "-i", "1",
			"-D", "v")
		if status := l.wait(4 * startTime); status != 0 {
			t.Fatalf("%s: exit status %d", c.sweep, status)
		}
		if !strings.Contains(l.stdout.String(), "Objects per second of each class of steps") {
			t.Errorf("%s: no objects per second on standard output", c.sweep)
		}
		for _, got := range l.document().Cases {
			kind := got.Values[0].Value
			classes := map[workload.StepClass]uint64{workload.Create: 2, workload.Rename: 1, workload.Unlink: 1}
			reads := map[workload.StepClass]uint64{workload.Stat: 1, workload.List: 2, workload.Open: 1}
			switch {
			case got.API == result.MPIIO || got.API == result.POSIX && kind == c.without:
				continue
			case kind == "attribute":
				classes = map[workload.StepClass]uint64{workload.Attribute: 2}
				reads = map[workload.StepClass]uint64{workload.Attribute: 1}
			case strings.HasSuffix(kind, "_link"):
				classes = map[workload.StepClass]uint64{workload.CreateLink: 2, workload.Rename: 1, workload.Unlink: 1}
				reads = map[workload.StepClass]uint64{workload.Stat: 1, workload.List: 1}
			}
			for operation, all := range map[result.Operation]map[workload.StepClass]uint64{
				result.OperationWrite: classes, result.OperationRead: reads,
			} {
				for class, times := range all {
					want, n := times*objects*c.files, objectsOf(got, operation, class)
					if n < want || n > want+want/10 { // groups of the tree come to them
						t.Errorf("%s, %v, %s of %s: %d objects, want about %d", got.API, got.Values, class, operation,
							n, want)
					}
				}
			}
			if !got.Verified {
				t.Errorf("%s, %v: not verified", got.API, got.Values)
			}
			files := got.Effective.Files
			if got.API == result.PHDF5 && (files[0].Objects < objects || files[1].Objects > 20 && kind != "attribute" ||
				files[0].Unlinked > 0 || files[1].Unlinked < objects && kind != "attribute") {
				t.Errorf("%v: %+v", got.Values, files)
			}
		}
		l.cleaned()
	}
}

// What ab announces before it measures are the points that it judges in the end.
func TestABAnnouncesThePointsThatItJudges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   string
		points int // of HDF5 and POSIX: throughput, and objects per second of classes
	}{
		{"group", 2*2 + 2*(4+4)},
		{"attribute", 2*2 + (1 + 1)},
	} {
		arm := []string{
			"--", "run", "metadata", "--size", "tiny", "--set", "kind=" + c.kind, "--api", "phdf5", "--api",
			"posix",
		}
		l := launch(t, 2, t.TempDir(), nil, nil, slices.Concat([]string{"ab", "-i", "1"}, arm, arm)...)
		if status := l.wait(2 * startTime); status != 0 {
			t.Fatalf("%s: exit status %d", c.kind, status)
		}
		announced := fmt.Sprintf("To show a difference in any of %d points, ", c.points)
		if text := plaintest.Unwrap(l.stderr.String()); !strings.Contains(text, announced) {
			t.Errorf("%s: no %q in\n%s", c.kind, announced, text)
		}
		if judged := fmt.Sprintf("%d points: ", c.points); !strings.Contains(l.stdout.String(), judged) {
			t.Errorf("%s: no %q in\n%s", c.kind, judged, l.stdout.String())
		}
	}
}

// HDF5's own tools find the objects under their new names, and what was unlinked is gone. With POSIX, they are files.
func TestToolsSeeTheObjectsOfTheProfileMetadata(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	l := launch(t, 2, base, nil, nil, "run", "metadata", "--size", "tiny", "--set", "kind=contiguous", "--set",
		"shape=tree", "-i", "1", "--keep", "--api", "phdf5", "--api", "posix")
	if status := l.wait(2 * startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	listed := func(pattern string) string {
		t.Helper()
		files, _ := filepath.Glob(filepath.Join(base, "*", pattern))
		if len(files) != 1 {
			t.Fatalf("%s: %v", pattern, files)
		}
		out, err := exec.CommandContext(t.Context(), "h5ls", "-r", files[0]).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	list := listed("*_objects.h5")
	for _, want := range []string{"/group0001/group0001/renamed0000099", "/group0000/group0000/renamed0000000"} {
		if !strings.Contains(list, want) {
			t.Errorf("h5ls does not find %s", want)
		}
		files, _ := filepath.Glob(filepath.Join(base, "*", "*_objects.posix.objects"+want))
		if len(files) != 1 {
			t.Errorf("no file %s with POSIX", want)
		} else if info, err := os.Stat(files[0]); err != nil || info.Size() != 4*8 {
			t.Errorf("%v, %v: want the data of a dataset", info, err)
		}
	}
	if strings.Contains(list, "/object") || strings.Contains(listed("*_removed.h5"), "/object") {
		t.Error("objects have their old names, or are not unlinked")
	}
}

// With collective reads of metadata, all ranks look objects up together. If a rank does so alone, the run is refused.
func TestALookupOfOneRankAloneIsRefused(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	path := filepath.Join(base, "apart.star")
	text := `"""One rank looks an object up."""

def write(job):
    f = job.create("f")
    f.create_group("g").close()
    f.close()
    f = job.open("f")
    if job.rank == 1:
        f.stat("g")
    f.close()
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l := launch(t, 2, base, nil, nil, "run", path, "--api", "phdf5", "--collective-metadata", "both", "-i", "1")
	if status := l.wait(startTime); status == 0 {
		t.Error("exit status 0")
	}
	if s := plaintest.Unwrap(l.stderr.String()); !strings.Contains(s, "group f:/g is asked about, basic (line 9)") {
		t.Errorf("standard error does not say what rank 1 does alone: %s", s)
	}
}

// A rank that does no more ends a run of collective metadata with a sentence that says who waits where.
func TestAFrozenRankEndsARunOfMetadata(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, t.TempDir(), nil, nil, "run", "metadata", "--size", "small", "--api", "phdf5",
		"--collective-metadata", "both", "-i", "10000", "--timeout", hangTimeout)
	l.working()
	l.signal(1, syscall.SIGSTOP)
	l.fails(startTime)
	s := plaintest.Unwrap(l.stderr.String())
	if !strings.Contains(s, "waited for other ranks") && !strings.Contains(s, "hangs: ") {
		t.Errorf("standard error does not say what was waited for: %s", s)
	}
	if doc := l.document(); doc.State == result.Complete || len(doc.Errors) == 0 {
		t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
	}
}

// HDF5 can read what just fits into an object header. The checks before a run refuse what is larger, since HDF5 writes
// some of it into files that it cannot read.
func TestWhatFitsIntoAnObjectHeaderIsReadAgain(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	path := filepath.Join(base, "headers.star")
	text := `"""Objects with the largest messages in their headers."""

names = ["attribute", "longer name of an attribute"]
type = compound([("m" * 500 + "%d" % i, "f8") for i in range(117)])

def write(job):
    f = job.create("f")
    f.attrs.create(names[0], "f8", shape = 8182)
    f.attrs.create(names[1], "u1", shape = (1, 65424))
    c = f.create_dataset("compact", "u1", shape = 65524, compact = True)
    c.write(everything(), collective = True)
    c.close()
    for name, dtype, value in [("filled", "S65520", "x"), ("typed", type, None)]:
        d = f.create_dataset(name, dtype, shape = job.ranks, fillvalue = value)
        d.write(everything())
        d.close()
    f.close()

def read(job):
    f = job.open("f")
    for name in names:
        f.attrs[name]
    for name in ["compact", "filled", "typed"]:
        d = f[name]
        d.read(everything())
        d.close()
    f.close()
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l := launch(t, 2, base, nil, nil, "run", path, "--api", "phdf5", "-D", "v", "-i", "1", "--keep")
	if status := l.wait(2 * startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	files, _ := filepath.Glob(filepath.Join(base, "*", "*_f.h5"))
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	listed, err := exec.CommandContext(t.Context(), "h5dump", "-H", files[0]).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, listed)
	}
	for _, want := range []string{"( 8182 )", "65424", "65524", "STRSIZE 65520"} {
		if !bytes.Contains(listed, []byte(want)) {
			t.Errorf("h5dump does not show %s", want)
		}
	}
}
