//go:build slurm

package rig_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/result"
)

// tells checks that the output of the job has these texts.
func (j job) tells(texts ...string) {
	j.t.Helper()
	said := j.output()
	for _, text := range texts {
		if !strings.Contains(said, text) {
			j.t.Errorf("the job does not tell %q\n%s", text, said)
		}
	}
}

// Nothing is measured where nobody said, and nothing is left there.
func TestWithoutADirectoryNothingIsMeasured(t *testing.T) {
	t.Parallel()
	dir := place(t, site.shared, "submitted here")
	for _, script := range []string{"h5perf.sbatch", "h5perf-serial.sbatch", "h5perf-compare.sbatch"} {
		j := submit(t, []string{"H5PERF_DIR=" + dir, "HDF5_PARAPREFIX=" + dir}, script,
			[]string{"--export=NONE", "--chdir=" + dir, "--output=" + site.home + "/h5perf-%j.out"}, quick)
		j.ends("FAILED", "2:0")
		j.tells("H5PERF_DIR is not set: set it to the directory to measure")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

func TestTheFirstLinesTellWhatIsMeasured(t *testing.T) {
	t.Parallel()
	dir := place(t, site.scratch, "told")
	prologue := filepath.Join(site.home, "prologue")
	if err := os.WriteFile(prologue, []byte("echo the prologue ran\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	j := submit(t, []string{
		"H5PERF_DIR=" + dir, "HDF5_PARAPREFIX=/elsewhere", "H5PERF_PROLOGUE=" + prologue, "H5PERF_PROGRESS=1s",
	}, "h5perf.sbatch", nil, append(quick, "-A", "posix", "--min-seconds", "3s"))
	j.ends("COMPLETED", "0:0")
	j.tells("the prologue ran\n", "HDF5_PARAPREFIX=/elsewhere is ignored", "measures "+dir+" on fuse",
		"with 4 tasks on 2 of the nodes n[1-2]; other jobs may use them", "with as many iterations as fit\n",
		"results are in "+j.dir(), "launched by srun --mpi=pmix", ", 4 processes, transfers of ")
}

// A job that is short has fewer iterations, and is complete.
func TestAShortJobIsComplete(t *testing.T) {
	t.Parallel()
	dir := place(t, site.scratch, "short")
	j := submit(t, []string{"H5PERF_DIR=" + dir, "H5PERF_DOCTOR=no"}, "h5perf.sbatch", []string{"--time=3"}, long)
	j.ends("COMPLETED", "0:0")
	doc := document(t, filepath.Join(j.dir(), "run.json"))
	if doc.State != result.Complete || len(doc.Cases) == 0 {
		t.Fatalf("the run is %s, with %d cases", doc.State, len(doc.Cases))
	}
	for _, c := range doc.Cases {
		if c.EndedBy != result.EndedByDeadline || len(c.Samples) == 0 {
			t.Errorf("%s has %d samples, and was ended by %q", c.API, len(c.Samples), c.EndedBy)
		}
	}
	wantFiles(t, j.dir(), "report.html")
	wantNothingLeft(t, "n1", dir)
}

// The launcher of an MPI library does what srun cannot. Where MPI_Finalize of MPICH 4.0 on UCX does not return, its
// mpiexec ends with a status of its own, after all results are written: see the table in slurm/README.md.
func TestMpiexecLaunches(t *testing.T) {
	t.Parallel()
	for _, p := range programs[:2] {
		dir := place(t, site.shared, "mpiexec "+p.String())
		j := submit(
			t,
			append(p.env(), "H5PERF_DIR="+dir, "H5PERF_LAUNCH=mpiexec."+p.flavour),
			"h5perf.sbatch",
			nil,
			quick,
		)
		j.reaches(patience, ended...)
		if p.flavour != "mpich" || !strings.Contains(j.output(), ": MPI_Finalize has not returned after ") {
			j.ends("COMPLETED", "0:0")
		}
		doc := document(t, filepath.Join(j.dir(), "run.json"))
		p.wantRan(t, doc)
		wantHosts(t, doc, j.id, 2, "n1", "n2")
		wantNothingLeft(t, "n1", dir)
	}
}

// Each host of the rig has a /tmp of its own.
func TestANodeThatLacksTheProgramIsNamed(t *testing.T) {
	t.Parallel()
	const lacking = "/tmp/h5perf of n1"
	if out, err := on("n1", site.user, nil, "cp", filepath.Join(site.checkout, "bin", "h5perf"), lacking).
		CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := place(t, site.shared, "lacking")
	j := submit(t, []string{"H5PERF_DIR=" + dir, "H5PERF_PROGRAM=" + lacking}, "h5perf.sbatch", nil, quick)
	j.ends("FAILED", "2:0")
	j.tells("h5perf: node n2: ", lacking, "must start on all nodes")
}

// Jobs of an array that run at once would measure one another: one of them measures.
func TestJobsOfAnArrayDoNotMeasureOneAnother(t *testing.T) {
	t.Parallel()
	dir := place(t, site.shared, "array")
	j := submit(t, []string{"H5PERF_DIR=" + dir, "H5PERF_DOCTOR=no"}, "h5perf-scaling.sbatch", []string{"--array=1,2"},
		append(quick, "-A", "posix", "--min-seconds", "10s"))
	states := map[string]int{}
	for _, id := range []string{j.id + "_1", j.id + "_2"} {
		one := job{t, id}
		one.reaches(patience, ended...)
		states[one.field("JobState")+" "+one.field("ExitCode")]++
	}
	if states["COMPLETED 0:0"] != 1 || states["FAILED 2:0"] != 1 {
		t.Errorf("%v, want one that measures and one that refuses\n%s", states, j.output())
	}
	j.tells("measures the same file system now", "--array=1,2,4,8%1")
	if _, err := os.Lstat(filepath.Join(j.dir(), "measures")); !os.IsNotExist(err) {
		t.Errorf("the lock is left: %v", err)
	}
}

// An acceptance leaves an archive that can be judged without the cluster.
func TestAcceptance(t *testing.T) {
	t.Parallel()
	for floor, exit := range map[string]string{"write=1K": "0:0", "write=1P,read=1K": "1:0"} {
		dir := place(t, site.scratch, "acceptance "+exit)
		j := submit(t, []string{
			"H5PERF_DIR=" + dir, "H5PERF_MIN=" + floor, "H5PERF_PUSHGATEWAY_PASSWORD=hush", "H5PERF_RESULTS=" + dir,
			"H5PERF_HOME=" + filepath.Dir(site.scripts),
		}, "acceptance.sbatch", []string{"--time=00:30:00"}, append(quick, "-i", "6", "-A", "posix,mpiio")) // floors need 6
		j.ends(map[string]string{"0:0": "COMPLETED", "1:0": "FAILED"}[exit], exit)
		archive, out := filepath.Join(site.home, "h5perf-results", "acceptance-"+j.id+".tar.gz"), t.TempDir()
		if text, err := exec.Command("tar", "-xzf", archive, "-C", out).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, text, j.output())
		}
		there := filepath.Join(out, j.id)
		wantFiles(t, there, "job.txt", "doctor.txt", "doctor.json", "verify.json", "dd.txt", "dd.json", "one.json",
			"run.json", "figures.txt", "floors.txt", "report.html")
		one, all := document(t, filepath.Join(there, "one.json")), document(t, filepath.Join(there, "run.json"))
		if one.Job.Nodes != 1 || one.Job.Processes != 2 || all.Job.Nodes != 2 || all.Job.Processes != 4 {
			t.Errorf("%d processes on %d nodes, then %d on %d", one.Job.Processes, one.Job.Nodes, all.Job.Processes,
				all.Job.Nodes)
		}
		report := exec.Command(filepath.Join(*builds, "openmpi", "h5perf"), "report", "--lines",
			filepath.Join(there, "run.json"))
		lines, err := report.Output()
		kept, _ := os.ReadFile(filepath.Join(there, "figures.txt"))
		if err != nil || string(lines) != string(kept) || strings.Count(string(lines), "\n") < 5 {
			t.Errorf("%v: judged elsewhere\n%s, and there\n%s", err, lines, kept)
		}
		verdict := map[string]string{"0:0": "\nh5perf: ACCEPTED: ", "1:0": "\nh5perf: NOT ACCEPTED: figures and " +
			"floors\n"}[exit]
		if told, _ := os.ReadFile(filepath.Join(there, "job.txt")); !strings.Contains(string(told), verdict) {
			t.Errorf("no %q in\n%s", verdict, told)
		}
		if text, err := exec.Command("grep", "-rl", "hush", out).CombinedOutput(); err == nil {
			t.Errorf("a password is in %s", text)
		}
		wantNothingLeft(t, "n1", dir)
	}
}
