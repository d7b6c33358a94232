// Package slurm_test runs the batch scripts with stand-ins for Slurm and Apptainer. The tests in rig run
// them on a real cluster.
package slurm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// standins are programs that only print how they were called. srun offers the protocols in $OFFERED, asks each node
// without a word, and on node n2 does not start what $LACKING names. A program or an image has the MPI that is in its
// file.
var standins = map[string]string{
	"srun": `[ "$1" = --mpi=list ] && { echo 'MPI plugin types are...'; printf '\t%s\n' $OFFERED; exit; }
while [ "${1#-}" != "$1" ]; do options="${options-} $1"; shift; done
[ "$1" != bash ] || [ -z "${LACKING-}" ] || { echo "h5perf: node n2: $LACKING: not found"; exit 1; }
[ "$1" != bash ] || exec "$@"
echo "launched by srun$options"
[ -z "${SLURM_CPUS_PER_TASK-}" ] || echo "environment $SLURM_EXPORT_ENV, $SRUN_CPUS_PER_TASK processors $SLURM_WAIT"
exec "$@"`,
	"apptainer": `until [ -f "$1" ]; do shift; done # the options
sif=$1; shift 2
[ "$1" = --version ] || echo "measured in ${sif##*/}"
[ "$1" != --version ] || echo "h5perf 1.0 $(cat "$sif") (image build 1+2)"`,
	"h5perf": `[ "$1" = --version ] || echo "measured by ${0##*/}"
[ "$1" != --version ] || echo "h5perf 1.0 $(cat "$0.mpi")"`,
	"mpiexec":  `echo "launched by mpiexec $1 $2 $3"; shift 3; exec "$@"`,
	"scontrol": `echo "JobId=7 OverSubscribe=${SHARED:-OK} EndTime=${END:-Unknown}"`,
}

// The program is the first one whose MPI srun can launch, unless a variable names it.
func TestTheProgramIsOneThatSrunCanLaunch(t *testing.T) {
	const both = "openmpi mpich"
	for name, c := range map[string]struct {
		images   string // MPI flavours of the images
		host     string // MPI of the host's program; "" if there is no program
		offered  string
		setting  string
		measured string // by this; "" is nothing
		mpi      string
		told     string
	}{
		"the first image": {both, "", "pmi2 none pmix", "", "in h5perf-openmpi.sif", "pmix", ""},
		"no PMIx": {
			both, "", "none pmi2", "", "in h5perf-mpich.sif", "pmi2",
			"h5perf-openmpi.sif h5perf (h5perf 1.0 openmpi (image build 1+2)) is not used",
		},
		"of a Cray": {
			both, "", "cray_shasta none", "", "in h5perf-mpich.sif", "cray_shasta",
			"h5perf-openmpi.sif h5perf (h5perf 1.0 openmpi (image build 1+2)) is not used",
		},
		"no PMI at all": {
			both, "", "none", "", "", "",
			"srun offers none of: pmi2 cray_shasta; a program with this MPI (mpich) needs one of them",
		},
		"an image before the host": {"mpich", "mpich", "pmi2", "", "in h5perf-mpich.sif", "pmi2", ""},
		"the host where no image fits": {
			"openmpi", "mpich", "pmi2", "", "by h5perf", "pmi2",
			"h5perf-openmpi.sif h5perf (h5perf 1.0 openmpi (image build 1+2)) is not used",
		},
		"a host without MPI":         {"openmpi", "none", "none pmi2", "", "", "", "srun offers none of: pmix"},
		"nothing but a host without": {"", "none", "none pmi2", "", "by h5perf", "none", ""},
		"no image":                   {"", "openmpi", "pmix_v4 pmi2", "", "by h5perf", "pmix_v4", ""},
		"a named image": {
			both, "mpich", "pmi2", "H5PERF_SIF=HOME/.cache/images/h5perf-openmpi.sif", "", "",
			"srun offers none of: pmix",
		},
		"a named image that fits": {
			both, "", "pmix pmi2", "H5PERF_SIF=HOME/.cache/images/h5perf-mpich.sif", "in h5perf-mpich.sif", "pmi2", "",
		},
		"a named program": {
			both, "openmpi", "pmi2", "H5PERF_PROGRAM=HOME/bin/h5perf", "", "", "srun offers none of: pmix",
		},
		"the host's program": {
			both, "openmpi", "pmi2", "H5PERF_SIF=none", "", "", "srun offers none of: pmix",
		},
		"a named launch": {both, "", "pmi2", "H5PERF_MPI=pmix", "in h5perf-openmpi.sif", "pmix", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := site(t, strings.Fields(c.images), c.host)
			text, status := submit(t, home, "OFFERED="+c.offered, strings.ReplaceAll(c.setting, "HOME", home))
			report, _ := os.ReadFile(filepath.Join(home, "h5perf-results", "7", "report.txt"))
			want, wantStatus := "", 3
			if c.measured != "" {
				want, wantStatus = launched+c.mpi+" --nodes=2 --ntasks=4\nmeasured "+c.measured+"\n", 0
			}
			if status != wantStatus || string(report) != want {
				t.Errorf("status %d, want %d; the report is %q, want %q", status, wantStatus, report, want)
			}
			if !strings.Contains(text, c.told) || c.told == "" && strings.Contains(text, "is not used") {
				t.Errorf("the log does not tell %q, or more:\n%s", c.told, text)
			}
		})
	}
}

// By itself, Slurm passes on neither the environment of the batch script nor the processors of a task.
func TestWhatSlurmDoesNotPassOn(t *testing.T) {
	home := site(t, []string{"openmpi"}, "")
	text, status := submit(t, home, "OFFERED=pmix", "SLURM_EXPORT_ENV=NONE", "SLURM_CPUS_PER_TASK=3")
	report, _ := os.ReadFile(filepath.Join(home, "h5perf-results", "7", "report.txt"))
	const want = launched + "pmix --nodes=2 --ntasks=4\nenvironment ALL, 3 processors 60\n" +
		"measured in h5perf-openmpi.sif\n"
	if status != 0 || string(report) != want {
		t.Errorf("status %d; the report is %q, want %q\n%s", status, report, want, text)
	}
}

// site creates a checkout with images and, if host is an MPI, a program of the host with it.
func site(t *testing.T, images []string, host string) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "a checkout")
	write := func(name, text string, mode os.FileMode) {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"job.bash", "h5perf.sbatch", "h5perf-tune.sbatch"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(filepath.Join("slurm", name), string(text), 0o644)
	}
	for name, text := range standins {
		dir := "standins"
		if name == "h5perf" {
			dir = "bin"
			if host == "" {
				continue
			}
		}
		write(filepath.Join(dir, name), "#!/bin/sh\n"+text+"\n", 0o755)
	}
	write("bin/h5perf.mpi", host, 0o644)
	for _, flavour := range images {
		write(filepath.Join(".cache/images", "h5perf-"+flavour+".sif"), flavour, 0o644)
	}
	return home
}

// launched is how the report of the stand-ins begins, up to the protocol.
const launched = "launched by srun --mpi="

// submit runs the parallel script as job 7 of Slurm would, and returns its log and exit status.
func submit(t *testing.T, home string, env ...string) (string, int) {
	t.Helper()
	return submitScript(t, home, []string{"h5perf.sbatch"}, env...)
}

// submitScript does so with another script, which is the first word, and its arguments.
func submitScript(t *testing.T, home string, words []string, env ...string) (string, int) {
	t.Helper()
	job := exec.Command("bash", append([]string{"slurm/" + words[0]}, words[1:]...)...)
	job.Dir = home
	job.Env = append([]string{
		"PATH=" + filepath.Join(home, "standins") + ":/usr/bin:/bin", "SLURM_JOB_ID=7", "H5PERF_DOCTOR=no",
		"SLURM_JOB_NUM_NODES=2", "SLURM_NTASKS=4", "SLURM_JOB_NODELIST=n[1-2]", "H5PERF_DIR=" + home,
	}, env...)
	out, err := job.CombinedOutput()
	if job.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), job.ProcessState.ExitCode()
}

// reported returns the report of job 7.
func reported(home string) string {
	text, _ := os.ReadFile(filepath.Join(home, "h5perf-results", "7", "report.txt"))
	return string(text)
}

func TestNothingIsMeasuredWithoutADirectory(t *testing.T) {
	home := site(t, nil, "openmpi")
	text, status := submit(t, home, "OFFERED=pmix", "H5PERF_DIR=", "HDF5_PARAPREFIX=/scratch")
	if status != 2 || !strings.Contains(text, "H5PERF_DIR is not set: set it to the directory to measure") ||
		reported(home) != "" {
		t.Errorf("status %d, %s", status, text)
	}
}

// The first lines tell what will be measured, and how.
func TestAJobTellsWhatItMeasures(t *testing.T) {
	home := site(t, nil, "openmpi")
	text, status := submit(t, home, "OFFERED=pmix", "HDF5_PARAPREFIX=/elsewhere", "SLURM_JOB_END_TIME=4102444800")
	if status != 0 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{
		"h5perf: HDF5_PARAPREFIX=/elsewhere is ignored: the job measures H5PERF_DIR\n",
		"h5perf: measures " + home + " on ", ", mounted on /",
		"h5perf: with 4 tasks on 2 of the nodes n[1-2]; other jobs may use them, too " +
			"(sbatch --exclusive prevents that)\n",
		"h5perf: measures until 2099-12-31T23:57:50Z, with as many iterations as fit\n",
		"h5perf: results are in " + home + "/h5perf-results/7\n",
		"h5perf: " + home + "/bin/h5perf (h5perf 1.0 openmpi), launched by srun --mpi=pmix ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	text, _ = submit(t, home, "OFFERED=pmix", "SHARED=NO", "END=2099-12-31T23:00:00", "TZ=UTC",
		"H5PERF_DEADLINE=")
	for _, want := range []string{"; no other job uses them\n", "until 2099-12-31T22:57:50Z,"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text, _ = submit(t, home, "OFFERED=pmix", "SLURM_JOB_END_TIME=1000"); strings.Contains(text, "until") {
		t.Errorf("a deadline that has passed: %s", text)
	}
}

func TestADurationUntilTheDeadlineBecomesATime(t *testing.T) {
	home := site(t, nil, "openmpi")
	begun := time.Now().Truncate(time.Second)
	text, status := submit(t, home, "OFFERED=pmix", "H5PERF_DEADLINE=090m")
	_, rest, _ := strings.Cut(text, "h5perf: measures until ")
	told, _, _ := strings.Cut(rest, ",")
	until, err := time.Parse(time.RFC3339, told)
	if in := until.Sub(begun); status != 0 || err != nil || in < 90*time.Minute || in > 2*time.Hour {
		t.Errorf("status %d, %v, %v from the start\n%s", status, err, in, text)
	}
}

func TestAProgramThatANodeLacksIsNamedWithTheNode(t *testing.T) {
	home := site(t, nil, "openmpi")
	text, status := submit(t, home, "OFFERED=pmix", "LACKING=/opt/h5perf/bin/h5perf")
	if status != 2 || !strings.Contains(text, "h5perf: node n2: /opt/h5perf/bin/h5perf: not found\n") ||
		!strings.Contains(text, "must start on all nodes") || reported(home) != "" {
		t.Errorf("status %d, %s", status, text)
	}
}

func TestAnotherLauncherIsTaken(t *testing.T) {
	home := site(t, nil, "openmpi")
	text, status := submit(t, home, "OFFERED=none", "H5PERF_LAUNCH=srun --cpu-bind=cores")
	if want := "launched by srun --cpu-bind=cores --nodes=2 -n\n"; status == 0 || reported(home) != want {
		t.Errorf("status %d, %q, want %q\n%s", status, reported(home), want, text)
	}
	text, status = submit(t, home, "OFFERED=none", "H5PERF_LAUNCH=mpiexec -v")
	if want := "launched by mpiexec -v -n 4\nmeasured by h5perf\n"; status != 0 || reported(home) != want {
		t.Errorf("status %d, %q, want %q\n%s", status, reported(home), want, text)
	}
}

func TestThePrologueIsReadBeforeTheProgramIsChosen(t *testing.T) {
	home := site(t, nil, "openmpi")
	for text, want := range map[string]int{
		"export H5PERF_PROGRAM=/opt/bin/other\necho $NOT_SET\n": 2, "false\n": 2, "true\n": 0,
	} {
		if err := os.WriteFile(filepath.Join(home, "prologue"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, status := submit(t, home, "OFFERED=pmix", "H5PERF_PROLOGUE=prologue")
		if status != want || strings.Contains(text, "other") != strings.Contains(out, "/bin/other is not found") ||
			strings.Contains(text, "false") != strings.Contains(out, "prologue: its last command ended with status 1") {
			t.Errorf("%q: status %d, %s", text, status, out)
		}
	}
	if out, status := submit(t, home, "H5PERF_PROLOGUE=/nowhere"); status != 2 ||
		!strings.Contains(out, "H5PERF_PROLOGUE=/nowhere: no such file") {
		t.Errorf("status %d, %s", status, out)
	}
}

// A search takes the time of the job, and all jobs search in the same tree of results.
func TestASearchGoesOnWithThatOfAnEarlierJob(t *testing.T) {
	home := site(t, nil, "openmpi")
	program := "#!/bin/sh\n[ \"$1\" != --version ] || { echo h5perf 1.0 openmpi; exit; }\n" +
		"echo \"until $H5PERF_DEADLINE:$(printf ' [%s]' \"$@\")\"\n"
	if err := os.WriteFile(filepath.Join(home, "bin", "h5perf"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	for args, c := range map[string]struct {
		env, want string
		status    int
	}{
		"tune particles -- --size tiny": {
			"", "[tune] [--resume] [HOME/h5perf-results/tree] [--time] [0] [particles] [--] [--size] [tiny]", 0,
		},
		"vary settings": {
			"H5PERF_RESULTS=my tree", "[vary] [--resume] [HOME/my tree] [settings]", 0,
		},
		"-- arrays": {
			"H5PERF_ARGS=vary cb_nodes=1", "[vary] [--resume] [HOME/h5perf-results/tree] [cb_nodes=1] [--] [arrays]", 0,
		},
		"particles": {"", "", 2},
		"":          {"", "", 2},
	} {
		if err := os.RemoveAll(filepath.Join(home, "h5perf-results")); err != nil {
			t.Fatal(err)
		}
		words := append([]string{"h5perf-tune.sbatch"}, strings.Fields(args)...)
		text, status := submitScript(t, home, words, "OFFERED=pmix", "SLURM_JOB_END_TIME=4102444800", c.env)
		want := strings.ReplaceAll(c.want, "HOME", home)
		if c.status == 0 {
			want = launched + "pmix --nodes=2 --ntasks=4\nuntil 2099-12-31T23:57:50Z: " + want + "\n"
		} else if !strings.Contains(text, "h5perf-tune.sbatch needs tune or vary") {
			t.Errorf("%q: %s", args, text)
		}
		if reported(home) != want || status != c.status {
			t.Errorf("%q: status %d, %q, want %q\n%s", args, status, reported(home), want, text)
		}
	}
}

// Of the jobs of an array that run at once, the first one measures. What a killed job has left holds up no other.
func TestOneJobOfAnArrayMeasures(t *testing.T) {
	for name, c := range map[string]struct {
		holder, squeue string // the job that has the link, and what squeue does
		status         int
		said           string
	}{
		"the first":              {"", "exit 1", 0, "7\n"},
		"beside another":         {"12", "echo 7; echo 12", 2, "job 12 measures the same file system now"},
		"after one that is over": {"12", "echo 7; echo 123", 0, "7\n"},
		"nobody knows": {
			"12", "echo no controller; exit 1", 1,
			"cannot check whether job 12 has ended: squeue: no controller",
		},
	} {
		dir, bin := filepath.Join(t.TempDir(), "it's here"), t.TempDir()
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, "squeue"), []byte("#!/bin/sh\n"+c.squeue+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, "measures")
		if c.holder != "" {
			if err := os.Symlink(c.holder, link); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("bash", "-c", `. ./job.bash; alone "$1"; readlink "$1/measures"`, "bash", dir)
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SLURM_JOB_ID=7")
		out, _ := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); status != c.status || !strings.Contains(string(out), c.said) {
			t.Errorf("%s: status %d, %s", name, status, out)
		}
		if left, _ := os.Readlink(link); c.status == 0 && left != "" || c.status != 0 && left != c.holder {
			t.Errorf("%s: %q has the link", name, left)
		}
	}
	cmd := exec.Command("bash", "-c", `SLURM_JOB_ID=7; . ./job.bash; alone /no/such`)
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 ||
		!strings.Contains(string(out), "cannot create /no/such/measures: ") {
		t.Errorf("%s", out)
	}
}

// srun would kill what it has launched.
func TestAJobThatIsToEndTellsTheStepsAndNotSrun(t *testing.T) {
	const script = `. ./job.bash; launch=($1) SLURM_JOB_ID=7
		steps=$2; squeue() { printf '%s\n' $steps; }
		scancel() { echo "scancel $*"; }; kill() { echo "kill $*"; }
		tell_end 99`
	for name, c := range map[string]struct{ launch, steps, want string }{
		"a step of srun":      {"/usr/bin/srun --mpi=pmix", "7.batch 7.2", "scancel --signal=TERM 7\n"},
		"no step yet":         {"srun", "7.batch 7.extern", "kill -TERM 99\n"},
		"Slurm does not know": {"srun", "", "kill -TERM 99\n"},
		"another launcher":    {"mpiexec", "7.batch 7.2", "kill -TERM 99\n"},
	} {
		out, err := exec.Command("bash", "-c", script, "bash", c.launch, c.steps).CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %v, %q, want %q", name, err, out, c.want)
		}
	}
}

func TestTheWorkloadComesBeforeOptions(t *testing.T) {
	for args, want := range map[string]string{
		"run particles --size tiny": "run particles -i 3 --size tiny --json x",
		"-A posix":                  "-i 3 -A posix --json x",
		"":                          "-i 3 --json x",
	} {
		cmd := exec.Command("bash", "-c", `. ./job.bash; options H5PERF_ARGS "$@"; echo "${words[@]}" --json x`, "bash")
		cmd.Args = append(cmd.Args, strings.Fields(args)...)
		cmd.Env = append(os.Environ(), "H5PERF_ARGS=-i 3")
		if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q: %v, %q, want %q", args, err, out, want)
		}
	}
}

// Jobs of a list run one after another, each with a label of its own.
func TestTheListOfTheNight(t *testing.T) {
	for name, c := range map[string]struct {
		list, want string
		status     int
	}{
		"two": {
			"# a comment\n\nsweep --preset standard\n  fields  run particles --set 'a*'\n",
			"nightly-sweep: --wait -N 2 h5perf.sbatch --preset standard\n" +
				"nightly-fields: --wait -N 2 h5perf.sbatch run particles --set 'a*'\n", 0,
		},
		"the first one fails": {
			"bad --fail\ngood -A posix",
			"nightly-bad: --wait -N 2 h5perf.sbatch --fail\nnightly-good: --wait -N 2 h5perf.sbatch -A posix\n", 3,
		},
		"nothing": {
			"# nothing\n", "h5perf-nightly: H5PERF_LIST=LIST has no measurement: write a name and options of h5perf " +
				"on each line\n", 2,
		},
	} {
		dir := t.TempDir()
		list := filepath.Join(dir, "list")
		const sbatch = "#!/bin/sh\necho \"$H5PERF_LABEL: $*\"\n[ \"$5\" != --fail ] || exit 3\n"
		for path, text := range map[string]string{list: c.list, filepath.Join(dir, "sbatch"): sbatch} {
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("bash", "./h5perf-nightly", "-N", "2", "h5perf.sbatch")
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "H5PERF_DIR=/scratch", "H5PERF_LIST="+list)
		out, _ := cmd.CombinedOutput()
		status := cmd.ProcessState.ExitCode()
		if got := strings.ReplaceAll(string(out), list, "LIST"); got != c.want || status != c.status {
			t.Errorf("%s: status %d, %q, want %d, %q", name, status, got, c.status, c.want)
		}
	}
}
