package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

const several = `
cells = size(64, "cells", max = 4096)
readers = size(job.ranks, "readers", min = 1, max = job.ranks)
mode = choice("collective", "independent", about = "how")
small = size_set(cells = "1K", mode = "independent")
settings(libver = "latest", align = "1M")
def write(job):
    f = job.create("f")
    all = [f.create_dataset("d%d" % i, "f8", job.cells) for i in range(3)]
    job.write_multi(all, slab(ranks = job.readers), collective = True)
    f.close()
`

// calls returns the number of transfers of rank 0, and their line.
func calls(t *testing.T, s *script.Script) (n uint64, line int) {
	t.Helper()
	p, err := s.Program(0, script.JobSize{Ranks: 4, Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	for step := range p.Parts[workload.Write].Steps() {
		if step.Class == workload.Transfer {
			n, line = n+1, step.Line
		}
	}
	return n, line
}

func TestScriptsTellWhatTheRestNeeds(t *testing.T) {
	s := read(t, several)
	job := script.JobSize{Ranks: 4, Nodes: 2}
	c, err := s.Choose("small", map[string]string{"readers": "3"}, job)
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Values(); v["cells"] != "1024" || v["readers"] != "3" || v["mode"] != "independent" || len(v) != 3 {
		t.Errorf("values %v", v)
	}
	if !c.HasFunction(workload.Write) || c.HasFunction(workload.Read) || !strings.HasPrefix(c.Text(), `"""A test."""`) {
		t.Error("it writes only")
	}
	n, line := calls(t, c)
	if err := c.ErrorAtLine(line, errors.New("no")); n != 1 || err.Error() != "w.star:10: no" {
		t.Errorf("%d calls, %v", n, err)
	}
	if n, _ := calls(t, c.WithSingleDatasetCalls()); n != 3 {
		t.Errorf("%d calls one by one", n)
	}
	w := c.WithoutSetting("libver")
	align := script.Setting{Name: "align", Value: "1048576", Line: 6}
	if len(c.Settings) != 2 || len(w.Settings) != 1 || w.Settings[0] != align {
		t.Errorf("settings %v, %v", c.Settings, w.Settings)
	}
	if calls(t, w); len(w.Settings) != 1 {
		t.Errorf("settings %v", w.Settings)
	}

	again, err := read(t, several).Choose("", c.Values(), job)
	if err != nil {
		t.Fatal(err)
	}
	if c.Hash() != again.Hash() {
		t.Error("text and values make another workload")
	}
	for i, other := range []*script.Script{s, w, c.WithSingleDatasetCalls(), read(t, several+"\n")} {
		if other.Hash() == c.Hash() {
			t.Errorf("workload %d has the hash of another one", i)
		}
	}
}

func TestLimitsMayDependOnTheJob(t *testing.T) {
	s := read(t, several)
	for ranks, want := range map[int64]string{
		2: "the size readers=4: give a number from 1 to 2", 4: "",
	} {
		_, err := s.Choose("", map[string]string{"readers": "4"}, script.JobSize{Ranks: ranks, Nodes: 1})
		got := ""
		if e, is := errors.AsType[*usage.Error](err); is {
			got = e.Error()
		}
		if got != want {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	c, err := s.Choose("", map[string]string{"readers": "4"}, script.JobSize{Ranks: 4, Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Program(0, script.JobSize{Ranks: 2, Nodes: 1})
	if err == nil || err.Error() != "w.star:3:15: the size readers=4: give a number from 1 to 2" {
		t.Errorf("in a smaller job: %v", err)
	}
}

func TestScriptsAreOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.star")
	if err := os.WriteFile(path, []byte(`"""A test."""`+several), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{path: "mine", "amr": "amr"} {
		s, err := script.Open(name)
		if err != nil || s.Name != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := script.Open("arm")
	if _, is := errors.AsType[*usage.Error](err); !is || !strings.Contains(err.Error(), `did you mean "amr"?`) {
		t.Errorf("no profile: %v", err)
	}
	if _, err := script.Open(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestAScriptMayBeginWithAByteOrderMark(t *testing.T) {
	s, err := script.Read("w.star", []byte("\ufeff\"\"\"A test.\"\"\"\ndef write(job):\n    job.dump()\n"))
	if err != nil || s.Title != "A test." {
		t.Errorf("title %q, error %v", s.Title, err)
	}
}
