//go:build slurm

package rig_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/placement"
	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
)

// job is a job that was submitted.
type job struct {
	t  *testing.T
	id string
}

// submit submits one of the scripts. The jobs of the rig are quick unless a test asks for another preset.
func submit(t *testing.T, env []string, script string, options, args []string) job {
	t.Helper()
	words := append([]string{"sbatch", "--parsable"}, options...)
	words = append(words, filepath.Join(site.checkout, "slurm", script))
	return job{t, login(t, env, append(words, args...)...)}
}

// field returns a field of the job as scontrol prints it.
func (j job) field(name string) string {
	j.t.Helper()
	shown := login(j.t, nil, "scontrol", "show", "job", j.id)
	found := regexp.MustCompile(`(?:^|\s)` + name + `=(\S*)`).FindStringSubmatch(shown)
	if found == nil {
		return ""
	}
	return found[1]
}

// reaches waits until the job is in one of the states.
func (j job) reaches(patience time.Duration, states ...string) {
	j.t.Helper()
	until(j.t, "job "+j.id+" is "+strings.Join(states, " or "), patience,
		func() bool { return slices.Contains(states, j.field("JobState")) })
}

// ended are the states of jobs that do not change any more.
var ended = []string{"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY"}

// ends waits for the end of the job and checks its state and its exit code; "" stands for any.
func (j job) ends(state, exit string) {
	j.t.Helper()
	j.reaches(patience, ended...)
	if is := j.field("JobState"); is != state {
		j.t.Errorf("job %s is %s, want %s\n%s", j.id, is, state, j.output())
	}
	if is := j.field("ExitCode"); exit != "" && is != exit {
		j.t.Errorf("exit code of job %s is %s, want %s\n%s", j.id, is, exit, j.output())
	}
}

// limit sets the time limit to the given number of minutes from now, or up to one more: Slurm counts whole
// minutes from the start of the job.
func (j job) limit(minutes int) {
	j.t.Helper()
	var h, m, s int
	if _, err := fmt.Sscanf(j.field("RunTime"), "%d:%d:%d", &h, &m, &s); err != nil {
		j.t.Fatal(err)
	}
	login(j.t, nil, "scontrol", "update", "job", j.id, fmt.Sprintf("TimeLimit=%d", 60*h+m+1+minutes))
}

// output returns the output of the job.
func (j job) output() string {
	all, _ := filepath.Glob(filepath.Join(site.home, "h5perf*"+j.id+"*.out")) // the pattern is right
	var text strings.Builder
	for _, name := range all {
		data, _ := os.ReadFile(name)
		text.Write(data)
	}
	return text.String()
}

// dir returns the directory of the job.
func (j job) dir() string { return filepath.Join(site.home, "h5perf-results", j.id) }

// document returns one of the documents of the job. It must follow the schema.
func document(t *testing.T, path string) result.Document {
	t.Helper()
	resulttest.Validate(t, path)
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// slurm returns the value of a variable of Slurm in the document.
func slurm(doc result.Document, name string) string {
	for _, v := range doc.Job.Slurm {
		if v.Key == name {
			return v.Value
		}
	}
	return ""
}

// wantHosts checks that the document has the job and its hosts, with the given number of ranks on each.
func wantHosts(t *testing.T, doc result.Document, id string, ranks int, hosts ...string) {
	t.Helper()
	var names []string
	for h := range placement.EachNode(doc.Job.Placement) {
		names = append(names, h.Host)
		if h.Count != ranks {
			t.Errorf("%d ranks on %s, want %d", h.Count, h.Host, ranks)
		}
	}
	if !slices.Equal(names, hosts) {
		t.Errorf("hosts %q, want %q", names, hosts)
	}
	if is := slurm(doc, "SLURM_JOB_ID"); is != id {
		t.Errorf("job %q, want %q", is, id)
	}
}

// wantWindows checks that no window is longer than its sample lasted, or shorter than the slowest process took, though
// the monotonic clocks of the nodes differ.
func wantWindows(t *testing.T, doc result.Document) {
	t.Helper()
	for _, c := range doc.Cases {
		if c.Processes == doc.Job.Processes && c.BarrierSkew <= 0 {
			t.Errorf("%s: a skew of %g s between nodes", c.API, c.BarrierSkew)
		}
		for _, s := range c.Samples {
			// Some digits of sums of times are lost, and the clock that tells the hour may be set meanwhile.
			least, most := 0.999*s.OpenClose.Max, s.Ended.Sub(s.Started).Seconds()+1
			if w := s.OpenClose.WindowSeconds; w < least || w > most {
				t.Errorf("%s, %s: a window of %g s, want %g to %g", c.API, s.Operation, w, least, most)
			}
		}
	}
}

// wantNothingLeft checks that a measured directory has no private directory, of a run or of the doctor, as seen from a
// node.
func wantNothingLeft(t *testing.T, node, dir string) {
	t.Helper()
	left := ""
	defer func() {
		if left != "" {
			t.Logf("in %s on %s is left:\n%s", dir, node, left)
		}
	}()
	until(t, "nothing is left", patience, func() bool {
		// What vanishes meanwhile is an error, too, and is looked for once more.
		out, err := on(node, "root", nil, "find", dir, "-name", "h5perf-*").CombinedOutput()
		if left = string(out); err != nil {
			left += err.Error()
		}
		return left == ""
	})
}

// place creates a directory to be measured.
func place(t *testing.T, base, name string) string {
	t.Helper()
	dir := filepath.Join(base, name)
	if out, err := on("n1", site.user, nil, "mkdir", "-p", "--", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// wantFiles checks that the directory of a job has these files and that they are not empty.
func wantFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v; want it, and not empty", name, err)
		}
	}
}
