//go:build slurm

package rig_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"h5perf/pkg/result"
)

// long are options of a run that lasts until it is ended, and has figures soon.
var long = []string{"--preset", "quick", "-A", "posix", "-x", "4M", "-p", "2", "-i", "100000"}

// begins submits a run that lasts, and waits until it has figures.
func begins(t *testing.T, dir string, options ...string) job {
	t.Helper()
	options = append([]string{"--ntasks-per-node=1"}, options...)
	j := submit(t, []string{"H5PERF_DIR=" + dir}, "h5perf.sbatch", options, long)
	until(t, "job "+j.id+" measures", patience, func() bool {
		if slices.Contains(ended, j.field("JobState")) {
			t.Fatalf("job %s has ended\n%s", j.id, j.output())
		}
		doc, err := result.Read(filepath.Join(j.dir(), "run.json"))
		return err == nil && doc.State == result.Running
	})
	until(t, "job "+j.id+" writes", patience, func() bool {
		out, _ := on("n1", "root", nil, "find", dir, "-name", "data_*_1*").Output()
		return len(out) > 0
	})
	return j
}

// hasFigures waits until the document of a job, which is written now and then, has a sample.
func (j job) hasFigures() {
	j.t.Helper()
	until(j.t, "job "+j.id+" has figures", patience, func() bool {
		doc, err := result.Read(filepath.Join(j.dir(), "run.json"))
		return err == nil && len(doc.Cases) > 0 && len(doc.Cases[0].Samples) > 0
	})
}

// wantPartial checks that the document is that of a run that was ended early.
func wantPartial(t *testing.T, j job, dir string) result.Document {
	t.Helper()
	path := filepath.Join(j.dir(), "run.json")
	until(t, "the document of job "+j.id+" has an end", patience, func() bool {
		doc, err := result.Read(path)
		return err == nil && doc.State != result.Running
	})
	doc := document(t, path)
	if doc.State != result.Interrupted || len(doc.Errors) == 0 {
		t.Errorf("the run is %s, with errors %+v; want it interrupted\n%s", doc.State, doc.Errors, j.output())
	}
	wantNothingLeft(t, "n1", dir)
	return doc
}

func TestTheTimeLimit(t *testing.T) {
	t.Parallel()
	dir := place(t, site.scratch, "limit")
	j := begins(t, dir, "--signal=TERM@5") // Slurm checks the time every half a minute, so it may be late
	j.limit(0)
	j.reaches(patience, ended...)
	if state, exit := j.field("JobState"), j.field("ExitCode"); state != "TIMEOUT" &&
		(state != "FAILED" || exit != "143:0") {
		t.Errorf("the job is %s with exit code %s\n%s", state, exit, j.output())
	}
	wantPartial(t, j, dir)
}

func TestSignalBeforeTheTimeLimit(t *testing.T) {
	t.Parallel()
	dir := place(t, site.scratch, "signal")
	j := begins(t, dir)
	j.limit(2) // which is the time of --signal in the script
	j.ends("FAILED", "143:0")
	if doc := wantPartial(t, j, dir); doc.ExitStatus == nil || *doc.ExitStatus != 143 {
		t.Errorf("exit status of the run %v", doc.ExitStatus)
	}
	wantFiles(t, j.dir(), "report.html")
}

func TestScancel(t *testing.T) {
	t.Parallel()
	dir := place(t, site.scratch, "scancel")
	for range terminations {
		j := begins(t, dir)
		j.hasFigures()
		login(t, nil, "scancel", j.id)
		j.ends("CANCELLED", "")
		wantFigures(t, wantPartial(t, j, dir))
	}
}

// The script passes the signal on to the processes: srun would kill them.
func TestSIGTERMToTheScript(t *testing.T) {
	t.Parallel()
	dir := place(t, site.shared, "srun")
	for range terminations {
		j := begins(t, dir)
		j.hasFigures()
		login(t, nil, "scancel", "--batch", "--signal=TERM", j.id)
		j.ends("FAILED", "143:0")
		doc := wantPartial(t, j, dir)
		wantFigures(t, doc)
		if doc.ExitStatus == nil || *doc.ExitStatus != 143 {
			t.Errorf("exit status of the run %v", doc.ExitStatus)
		}
	}
}

// wantFigures checks that each case of a run that was ended early keeps the figures of its complete iterations.
func wantFigures(t *testing.T, doc result.Document) {
	t.Helper()
	if len(doc.Cases) == 0 {
		t.Error("no case is left")
	}
	for _, c := range doc.Cases {
		if c.State != result.Interrupted || len(c.Points()) == 0 {
			t.Errorf("%s is %s, with figures of %d operations", c.API, c.State, len(c.Points()))
		}
	}
}

func TestPreemption(t *testing.T) {
	t.Parallel()
	dir := place(t, site.shared, "preempted")
	j := begins(t, dir, "--partition=spare", "--exclusive", "--requeue")
	urgent := job{t, login(t, nil, "sbatch", "--parsable", "--partition=urgent", "--nodes=2", "--exclusive",
		"--output=urgent.out", "--wrap", "true")}
	urgent.ends("COMPLETED", "0:0")
	wantPartial(t, j, dir)
	until(t, "job "+j.id+" is queued again", patience,
		func() bool { return j.field("JobState") == "PENDING" || j.field("Restarts") == "1" })
	login(t, nil, "scontrol", "update", "job", j.id, "StartTime=now") // not after the two minutes that Slurm waits
	again := filepath.Join(j.dir()+".restart1", "run.json")
	until(t, "job "+j.id+" begins again", patience, func() bool { _, err := os.Stat(again); return err == nil })
	login(t, nil, "scancel", j.id)
	j.ends("CANCELLED", "")
	until(t, "the second document has an end", patience, func() bool {
		doc, err := result.Read(again)
		return err == nil && doc.State != result.Running
	})
	if doc := document(t, again); slurm(doc, "SLURM_RESTART_COUNT") != "1" {
		t.Errorf("the document tells of no restart: %v", doc.Job.Slurm)
	}
	wantNothingLeft(t, "n1", dir)
}

// The other nodes end the run when a node dies, even if it is the node of rank 0 and of the batch script.
func TestANodeThatDies(t *testing.T) {
	t.Parallel()
	for dies, hosts := range map[string][2]string{"n6": {"n5", "n6"}, "n7": {"n7", "n8"}} {
		t.Run(dies, func(t *testing.T) {
			t.Parallel()
			dir := place(t, site.shared, "lost "+dies)
			j := begins(t, dir, "--partition=frail", "--exclusive", "--nodelist="+hosts[0]+","+hosts[1])
			if out, err := exec.Command("./cluster", "kill", site.cluster, dies).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			j.ends("NODE_FAIL", "")
			path := filepath.Join(j.dir(), "run.json")
			until(t, "the document has an end", patience, func() bool {
				doc, err := result.Read(path)
				return err == nil && doc.State != result.Running
			})
			doc := document(t, path)
			if doc.State == result.Complete || len(doc.Errors) == 0 {
				t.Errorf("the run is %s, with errors %+v", doc.State, doc.Errors)
			}
			wantHosts(t, doc, j.id, 1, hosts[0], hosts[1])
			for _, host := range hosts {
				if host != dies {
					wantNothingLeft(t, host, dir)
				}
			}
		})
	}
}
