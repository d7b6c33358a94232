//go:build cgo && !nompi

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Each of these workloads has features that the others lack: types, files of one process, files that process 0 creates,
// irregular selections, datasets that grow, attributes, memory with gaps. The data read are compared with the data
// written, and the objects in the files with a list.
func TestWorkloadsDoTheSameThroughEveryAPI(t *testing.T) {
	t.Parallel()
	n := 3
	if !isOpenMPI() { // its ranks poll: more ranks than processors take minutes
		n = 2
	}
	for _, w := range []struct {
		args  []string
		bytes uint64 // written
		file  string // file whose objects HDF5 creates
		want  string // the objects, from h5ls

		settings string // settings of the files that the workload asks for
	}{
		{
			[]string{"particles", "--size", "tiny", "--set", "file=structures", "--set", "particles=1000"},
			uint64(n) * 2 * 1000 * 32, "particles", "/ Group, /Timestep_0 Group, " +
				"/Timestep_0/particles Dataset {N*1000}, /Timestep_1 Group, /Timestep_1/particles Dataset {N*1000}",
			"defer-metadata=on",
		},
		{
			[]string{"testdata/workloads/amr.star"},
			2 * ((8+16)*6*4 + 2*10*4 + 2*512*6*8), "plt00001",
			"/ Group, /level_0 Group, /level_0/boxes Dataset {8}, /level_0/data:datatype=0 Dataset {3072}, " +
				"/level_0/domain Dataset {10}, " +
				"/level_1 Group, /level_1/boxes Dataset {16}, /level_1/data:datatype=0 Dataset {3072}, " +
				"/level_1/domain Dataset {10}",
			"align=4096 threshold=1024 meta-block-size=65536 defer-metadata=on libver=v110 collective-metadata=both",
		},
		{
			[]string{"testdata/workloads/climate.star"},
			3 * 3 * 8 * 403 * 4, "h0",
			"/ Group, /v0 Dataset {3/Inf, 8, 403}, /v1 Dataset {3/Inf, 8, 403}, /v2 Dataset {3/Inf, 8, 403}", "",
		},
		{
			[]string{"testdata/workloads/own.star"},
			uint64(n) * (8*8*8*8 + 100*24), "own1",
			"/ Group, /group of 1 Group, /group of 1/cells Dataset {8, 8, 8}, /group of 1/mixed Dataset {100}", "",
		},
	} {
		t.Run(filepath.Base(w.args[0]), func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			args := append([]string{"run"}, w.args...)
			l := launch(t, n, base, nil, nil, append(args, "-D", "v", "-i", "2", "--keep")...)
			if status := l.wait(3 * startTime); status != 0 {
				t.Errorf("exit status %d", status)
			}
			doc := l.document()
			if doc.Kind != result.KindWorkload || doc.Parameters.Workload == nil || len(doc.Cases) != 3 {
				t.Fatalf("document of kind %s, workload %v, %d cases", doc.Kind, doc.Parameters.Workload,
					len(doc.Cases))
			}
			for _, c := range doc.Cases {
				if c.State != result.Complete || !c.Verified || len(c.Samples) != 4 {
					t.Errorf("%s: %s, verified %v, %d samples, %+v", c.API, c.State, c.Verified, len(c.Samples),
						c.Error)
				}
				var settings []string
				for _, s := range c.Effective.Settings {
					settings = append(settings, s.Key+"="+s.Value)
				}
				want := ""
				if c.API == result.PHDF5 {
					want = w.settings
				}
				if got := strings.Join(settings, " "); got != want {
					t.Errorf("%s: files have the settings %s, want %s", c.API, got, want)
				}
				for _, s := range c.Samples {
					if s.Operation == "write" && s.Bytes != w.bytes {
						t.Errorf("%s: %d bytes are written, want %d", c.API, s.Bytes, w.bytes)
					}
				}
			}
			_, id, _ := strings.Cut(doc.RunID, "-")
			file := filepath.Join(base, "h5perf-"+doc.RunID, "data_"+id+"_"+w.file+".h5")
			out, err := exec.Command("h5ls", "-r", file).CombinedOutput()
			if err != nil {
				t.Fatalf("h5ls: %v\n%s", err, out)
			}
			var got []string
			for line := range strings.Lines(string(out)) {
				got = append(got, strings.Join(strings.Fields(strings.ReplaceAll(line, `\ `, " ")), " "))
			}
			sizes := map[int]string{2: "2000", 3: "3000"}
			want := strings.Split(strings.ReplaceAll(w.want, "N*1000", sizes[n]), ", /")
			for i := range want[1:] {
				want[i+1] = "/" + want[i+1]
			}
			if !slices.Equal(got, want) {
				t.Errorf("objects\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// The readers have the data of the output before, which are compared. Both directions have bytes and times.
func TestRanksReadWhileOthersWrite(t *testing.T) {
	t.Parallel()
	const ranks, valueBytes = 2, 1000 * 8
	l := launch(t, ranks, t.TempDir(), nil, nil, "run", "testdata/workloads/read_back.star", "-D", "v", "-i", "2")
	if status := l.wait(3 * startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	doc := l.document()
	if len(doc.Cases) != 3 {
		t.Fatalf("%d cases", len(doc.Cases))
	}
	for _, c := range doc.Cases {
		if c.State != result.Complete || !c.Verified || len(c.Samples) != 2 {
			t.Errorf("%s: %s, verified %v, %d samples, %+v", c.API, c.State, c.Verified, len(c.Samples), c.Error)
		}
		for _, s := range c.Samples {
			if s.Operation != result.OperationWrite || s.Bytes != 3*valueBytes || s.ReadBackBytes != 2*valueBytes {
				t.Errorf("%s: %s, %d bytes, %d read back", c.API, s.Operation, s.Bytes, s.ReadBackBytes)
			}
			writes, reads := s.ClassInterval(workload.Transfer), s.ClassInterval(workload.ReadBack)
			if writes.Max <= 0 || reads.Max <= 0 {
				t.Errorf("%s: times of writes %v, of reads %v", c.API, writes, reads)
			}
		}
	}
}

// All ranks get the error with the line of the file, and no files are created.
func TestAWorkloadThatCannotBeDoneIsRefused(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "unwritten.star")
	if err := os.WriteFile(text, []byte(`"""Reads what was not written."""
def write(job):
    job.dump()
    f = job.create("f")
    f.create_dataset("d", "f8", 64)
    f.close()

def read(job):
    job.dump()
    f = job.open("f")
    f["d"].read(slab())
    f.close()
`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := launch(t, 2, t.TempDir(), nil, nil, "run", text)
	const want = "h5perf: workload unwritten: line 11: dataset f:/d is read, but no step has written to it: write it " +
		"first, " +
		"or leave the read out"
	status := l.wait(startTime)
	if status != result.ExitUsage && !l.loses || strings.Count(l.stderr.String(), want) != 1 {
		t.Errorf("exit status %d, want %d and once %q, got %s", status, result.ExitUsage, want, l.stderr.String())
	}
	if _, err := os.Lstat(l.json); !os.IsNotExist(err) {
		t.Errorf("there is a document: %v", err)
	}
	l.cleaned()
}

// The settings of headers decide how many bytes of a file are outside of them: in heaps of links and attributes.
func TestHeadersHoldWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "many.star")
	if err := os.WriteFile(text, []byte(`"""Many links and attributes."""
settings(libver = "v18")

def write(job):
    f = job.create("many")
    group = f.create_group("g")
    for d in range(20):
        dataset = group.create_dataset("d%d" % d, "f8", shape = (4,))
        dataset.write(everything())
        for a in range(12):
            dataset.attrs["a%d" % a] = 1
    f.close()
`), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := 0 // bytes of the headers of datasets without a setting
	for _, c := range []struct {
		settings      []string
		groups, attrs bool // whether there are heaps of links, and of attributes
	}{
		{nil, true, true},
		{[]string{"compact-links=64"}, false, true},
		{[]string{"compact-attributes=64"}, true, false},
		{[]string{"minimized-headers=on"}, true, true},
	} {
		args := []string{"run", text, "-A", "phdf5", "-i", "1", "-w", "--keep"}
		for _, setting := range c.settings {
			args = append(args, "--with", setting)
		}
		base := t.TempDir()
		l := launch(t, 2, base, nil, nil, args...)
		if status := l.wait(startTime); status != 0 {
			t.Fatalf("%v: exit status %d", c.settings, status)
		}
		doc := l.document()
		if told := doc.Cases[0].Effective.Settings; len(told) != 1+len(c.settings) {
			t.Errorf("%v: the document says %v", c.settings, told)
		}
		_, id, _ := strings.Cut(doc.RunID, "-")
		file := filepath.Join(base, "h5perf-"+doc.RunID, "data_"+id+"_many.h5")
		out, err := exec.Command("h5stat", file).CombinedOutput()
		if err != nil {
			t.Fatalf("h5stat: %v\n%s", err, out)
		}
		stat := regexp.MustCompile(`\s+`).ReplaceAllString(string(out), " ")
		var headers, groupIndex, groupHeap, attrIndex, attrHeap int
		at := strings.Index(stat, "Datasets(")
		_, err = fmt.Sscanf(stat[max(at, 0):], "Datasets(exclude compact data): %d/", &headers)
		if err == nil {
			at = max(strings.Index(stat, "Groups: B-tree"), 0)
			_, err = fmt.Sscanf(stat[at:], "Groups: B-tree/List: %d Heap: %d Attributes: B-tree/List: %d Heap: %d",
				&groupIndex, &groupHeap, &attrIndex, &attrHeap)
		}
		if err != nil || (groupIndex+groupHeap > 0) != c.groups || (attrIndex+attrHeap > 0) != c.attrs {
			t.Errorf("%v: %v: groups %d+%d bytes, attributes %d+%d: %s", c.settings, err, groupIndex, groupHeap,
				attrIndex, attrHeap, stat)
		}
		if c.settings == nil {
			plain = headers
		} else if c.settings[0] == "minimized-headers=on" && headers >= plain {
			t.Errorf("%v: headers have %d bytes, and %d without", c.settings, headers, plain)
		}
	}
}
