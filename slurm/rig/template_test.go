//go:build slurm

package rig_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// quick are options of a run that takes seconds.
var quick = []string{"--preset", "quick", "-D", "v"}

// program is a program with which the batch scripts are tested: of an MPI library, bare or in an image.
type program struct {
	flavour string
	sif     bool
}

var programs = []program{{"openmpi", false}, {"mpich", false}, {"openmpi", true}, {"mpich", true}}

func (p program) String() string {
	if p.sif {
		return p.flavour + " in an image"
	}
	return p.flavour
}

// env returns the settings that select the program.
func (p program) env() []string {
	switch {
	case p.sif:
		return []string{"H5PERF_SIF=" + filepath.Join(site.dir, "images", "h5perf-"+p.flavour+".sif")}
	case p.flavour == "mpich":
		return []string{"H5PERF_PROGRAM=" + filepath.Join(site.checkout, "bin", "h5perf.mpich")}
	}
	return nil
}

// wantRan checks that the document is that of a complete run of the program.
func (p program) wantRan(t *testing.T, doc result.Document) {
	t.Helper()
	if doc.State != result.Complete || doc.Software.Flavour != p.flavour || len(doc.Cases) == 0 {
		t.Errorf("a run of %s that is %s, with %d cases; want one of %s", doc.Software.Flavour, doc.State,
			len(doc.Cases), p)
	}
	if image := doc.Machine.Image; (image != nil) != p.sif || p.sif && !strings.HasPrefix(image.Digest, "sha256:") {
		t.Errorf("the image is %+v, want one: %t", image, p.sif)
	}
}

// withEach runs a test with each program.
func withEach(t *testing.T, test func(t *testing.T, p program)) {
	for _, p := range programs {
		t.Run(p.String(), func(t *testing.T) { test(t, p) })
	}
}

// The parallel script runs unchanged with both MPI libraries, bare and in an image, and on both kinds of
// file systems. It finds out how to launch, and pushes.
func TestParallel(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, p program) {
		for kind, base := range map[string]string{"moosefs": site.scratch, "directory": site.shared} {
			dir := place(t, base, p.String())
			label := kind + " " + p.String()
			env := append(p.env(), "H5PERF_DIR="+dir, "H5PERF_LABEL="+label, "H5PERF_PUSHGATEWAY="+site.gateway,
				"H5PERF_PUSH_TIMEOUT=2m")
			j := submit(t, env, "h5perf.sbatch", nil, append(quick, "--cold", "--shift", "2"))
			j.ends("COMPLETED", "0:0")
			wantFiles(t, j.dir(), "report.txt", "report.html", "run.json", "doctor.txt")
			doc := document(t, filepath.Join(j.dir(), "run.json"))
			p.wantRan(t, doc)
			wantHosts(t, doc, j.id, 2, "n1", "n2")
			wantWindows(t, doc)
			wantNothingLeft(t, "n1", dir)
			if strings.HasPrefix(doc.Target.Source, "mfs#") != (kind == "moosefs") {
				t.Errorf("measured on a %s is %+v", kind, doc.Target)
			}
			if all := metrics(t); !strings.Contains(all, `h5perf_run_success{cluster="rig",`) ||
				!strings.Contains(all, `label="`+label+`"`) {
				t.Errorf("the gateway has no run of %s", label)
			}
		}
	})
}

// With ranks in blocks, half of the processes are one node, or half of each.
func TestSpread(t *testing.T) {
	t.Parallel()
	for spread, hosts := range map[option.ProcessSpread][]string{
		option.SpreadRanks: {"n1", "n1"}, option.SpreadNodes: {"n1", "n2"},
	} {
		t.Run(string(spread), func(t *testing.T) {
			t.Parallel()
			for _, p := range programs[:2] { // images may hold an earlier program
				dir := place(t, site.scratch, "spread "+string(spread)+" "+p.String())
				j := submit(t, append(p.env(), "H5PERF_DIR="+dir, "H5PERF_DOCTOR=no"), "h5perf.sbatch", nil,
					append(quick, "-A", "posix,mpiio", "-P", "4", "-p", "2", "--spread", string(spread), "--latency"))
				j.ends("COMPLETED", "0:0")
				doc := document(t, filepath.Join(j.dir(), "run.json"))
				p.wantRan(t, doc)
				wantHosts(t, doc, j.id, 2, "n1", "n2")
				wantWindows(t, doc)
				wantHalf(t, doc, hosts)
				wantNothingLeft(t, "n1", dir)
			}
		})
	}
}

// wantHalf checks on which hosts the cases of 2 processes ran: the ranks with the slowest calls are all ranks there.
func wantHalf(t *testing.T, doc result.Document, hosts []string) {
	t.Helper()
	nodes, halves := len(slices.Compact(slices.Clone(hosts))), 0
	for _, c := range doc.Cases {
		if c.Processes != 2 {
			continue
		}
		halves++
		if c.Nodes != nodes || len(c.Latencies) == 0 {
			t.Errorf("%s: 2 processes on %d nodes, want %d; %d latencies", c.API, c.Nodes, nodes, len(c.Latencies))
		}
		for _, l := range c.Latencies {
			var ran []string
			for _, r := range l.SlowestRanks {
				ran = append(ran, r.Host)
			}
			if slices.Sort(ran); !slices.Equal(ran, hosts) {
				t.Errorf("%s, %s: on %q, want %q", c.API, l.Operation, ran, hosts)
			}
		}
	}
	if halves == 0 {
		t.Errorf("no case of 2 processes among %d", len(doc.Cases))
	}
}

// What variables name is visible in an image too, wherever it is: files, directories that do not exist yet,
// and paths relative to the directory in which sbatch was called.
func TestWhatVariablesNameIsSeen(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, p program) {
		dir, kept := place(t, site.scratch, "named "+p.String()), place(t, site.far, p.String())
		// Each is in a directory of its own: that of the text file is visible as a whole.
		password := filepath.Join(place(t, site.far, p.String()+" password"), "password")
		spool := filepath.Join(place(t, site.far, p.String()+" spool"), "new", "spool")
		if err := os.WriteFile(password, []byte("of nobody\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		env := append(p.env(), "H5PERF_DIR="+dir, "H5PERF_LABEL=named "+p.String(),
			"H5PERF_RESULTS=tree of "+p.String(),
			"H5PERF_PUSHGATEWAY=http://127.0.0.1:9", "H5PERF_PUSH_TIMEOUT=1s", "H5PERF_PUSHGATEWAY_USER=nobody",
			"H5PERF_PUSHGATEWAY_PASSWORD_FILE="+password, "H5PERF_SPOOL="+spool,
			"H5PERF_TEXTFILE="+filepath.Join(kept, "run.prom"))
		j := submit(t, env, "h5perf.sbatch", nil, append(quick, "-A", "posix"))
		j.ends("COMPLETED", "0:0")
		p.wantRan(t, document(t, filepath.Join(j.dir(), "run.json")))
		wantFiles(t, kept, "run.prom")
		for what, pattern := range map[string]string{
			"spool": filepath.Join(spool, "gateway-*", "*.json"),
			"tree":  filepath.Join(site.home, "tree of "+p.String(), "*", "*", "*", "*.json"),
		} {
			if found, _ := filepath.Glob(pattern); len(found) != 1 {
				t.Errorf("the %s has %q", what, found)
			}
		}
		if said := j.output(); strings.Contains(said, "WARNING") {
			t.Errorf("it says\n%s", said)
		}
	})
}

func TestSerial(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, p program) {
		dir := place(t, site.scratch, "serial "+p.String())
		j := submit(t, append(p.env(), "H5PERF_DIR="+dir), "h5perf-serial.sbatch", nil, quick)
		j.ends("COMPLETED", "0:0")
		doc := document(t, filepath.Join(j.dir(), "run.json"))
		p.wantRan(t, doc)
		if doc.Kind != "serial" {
			t.Errorf("a %s run", doc.Kind)
		}
		wantHosts(t, doc, j.id, 1, "n1")
		wantNothingLeft(t, "n1", dir)
	})
}

// There is one job for each number of nodes, and one plot of all.
func TestScaling(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, p program) {
		dir := place(t, site.scratch, "scaling "+p.String())
		j := submit(t, append(p.env(), "H5PERF_DIR="+dir, "H5PERF_DOCTOR=no"), "h5perf-scaling.sbatch", nil,
			append(quick, "-A", "posix", "-p", "1"))
		for id, nodes := range map[string]int{j.id + "_1": 1, j.id + "_2": 2} {
			job{t, id}.ends("COMPLETED", "0:0")
			doc := document(t, filepath.Join(j.dir(), id[len(id)-1:], "run.json"))
			p.wantRan(t, doc)
			if doc.Job.Nodes != nodes || doc.Job.Processes != 2*nodes {
				t.Errorf("%d processes on %d nodes, want 2 on each of %d", doc.Job.Processes, doc.Job.Nodes, nodes)
			}
		}
		page, err := os.ReadFile(filepath.Join(j.dir(), "scaling.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Scaling with processes", "2 : 1", "4 : 2"} {
			if !strings.Contains(string(page), text) {
				t.Errorf("%q is not on the page", text)
			}
		}
	})
}

func TestScalingOverMoreNodesThanThereAreIsRefused(t *testing.T) {
	t.Parallel()
	j := submit(
		t,
		[]string{"H5PERF_DIR=" + site.shared},
		"h5perf-scaling.sbatch",
		[]string{"--nodes=1", "--array=2"},
		nil,
	)
	job{t, j.id + "_2"}.ends("FAILED", "2:0")
}

// Two file systems are measured alternately in one job.
func TestCompare(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, p program) {
		a, b := place(t, site.scratch, "compare "+p.String()), place(t, site.shared, "compare "+p.String())
		env := append(p.env(), "H5PERF_DIR="+a, "H5PERF_DIR_B="+b, "H5PERF_ITERATIONS=6", "H5PERF_DOCTOR=no",
			"H5PERF_ARGS_B=--sync none", "H5PERF_ARGS=-A posix")
		j := submit(t, env, "h5perf-compare.sbatch", nil, append(quick, "-p", "4", "-x", "4M"))
		j.ends("COMPLETED", "0:0")
		one, other := document(t, filepath.Join(j.dir(), "a.json")), document(t, filepath.Join(j.dir(), "b.json"))
		p.wantRan(t, one)
		p.wantRan(t, other)
		if one.Pair == nil || one.Pair.PartnerRunID != other.RunID || !strings.HasPrefix(one.Target.Directory, a) ||
			!strings.HasPrefix(other.Target.Directory, b) {
			t.Errorf("pairs %+v and %+v of %s and %s", one.Pair, other.Pair, one.Target.Directory,
				other.Target.Directory)
		}
		if one.Parameters.Conditions.Sync != "close" || other.Parameters.Conditions.Sync != "none" {
			t.Errorf("A syncs %s and B %s", one.Parameters.Conditions.Sync, other.Parameters.Conditions.Sync)
		}
		wantHosts(t, one, j.id, 2, "n1", "n2")
		wantFiles(t, j.dir(), "report.txt", "report.html")
	})
}

// A search that is cut goes on when it is submitted again.
func TestASearchThatIsCutGoesOn(t *testing.T) {
	t.Parallel()
	for command, words := range map[string][]string{
		"vary": {"vary", "align=64K", "-i", "600"}, "tune": {"tune", "--try", "align=64K", "--runs", "600"},
	} {
		words = append(words, "--", "-e", "1M", "-p", "4", "-x", "1M", "-X", "1M", "-w")
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := place(t, site.shared, "cut "+command)
			tree := filepath.Join(site.home, "tree of "+command)
			env := []string{"H5PERF_DIR=" + dir, "H5PERF_RESULTS=" + tree, "H5PERF_DOCTOR=no", "H5PERF_DEADLINE=3m"}
			search := func() job { return submit(t, env, "h5perf-tune.sbatch", nil, words) }
			records := func() []history.Record {
				all, _, err := history.LoadTree(tree)
				if err != nil {
					t.Fatal(err)
				}
				return all
			}
			cut := search()
			until(t, "job "+cut.id+" has samples", patience, func() bool {
				if slices.Contains(ended, cut.field("JobState")) {
					t.Fatalf("job %s has ended\n%s", cut.id, cut.output())
				}
				all := records()
				return len(all) == 2 && len(all[0].Cases) > 0 && len(all[0].Cases[0].Samples) > 0
			})
			login(t, nil, "scancel", cut.id)
			cut.ends("CANCELLED", "")
			until(t, "the documents of job "+cut.id+" have an end", patience, func() bool {
				return !slices.ContainsFunc(records(), func(r history.Record) bool { return r.State == result.Running })
			})
			again := search()
			again.ends("COMPLETED", "0:0")
			wantFiles(t, again.dir(), "report.txt", "report.html")
			all := records()
			if began := all[0].TurnsID(); len(all) < 4 || !slices.ContainsFunc(all, func(r history.Record) bool {
				return slurm(r.Document, "SLURM_JOB_ID") == again.id && r.TurnsID() == began
			}) {
				t.Errorf("no run of %d goes on with %s\n%s", len(all), began, again.output())
			}
			wantNothingLeft(t, "n1", dir)
		})
	}
}

// By itself, Slurm does not pass on the environment of the batch script.
func TestWhatSlurmDoesNotPassOn(t *testing.T) {
	t.Parallel()
	dir := place(t, site.shared, "not passed on")
	j := submit(t, nil, "h5perf-scaling.sbatch", []string{"--export=H5PERF_DIR=" + dir, "--nodes=1", "--array=1"},
		append(quick, "-A", "posix"))
	job{t, j.id + "_1"}.ends("COMPLETED", "0:0")
	doc := document(t, filepath.Join(j.dir(), "1", "run.json"))
	if doc.Identity.Label != "scaling-1" {
		t.Errorf("label %q, want that of the script", doc.Identity.Label)
	}
}

// A launcher of the other MPI library would start many runs of one rank. This is refused.
func TestAWrongLaunchIsRefused(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, p program) {
		mpi := map[string]string{"mpich": "pmix", "openmpi": "pmi2"}[p.flavour]
		dir := place(t, site.shared, "wrong "+p.String())
		j := submit(t, append(p.env(), "H5PERF_MPI="+mpi, "H5PERF_DIR="+dir), "h5perf.sbatch", nil, quick)
		j.ends("FAILED", "3:0")
		if text := "4 processes were launched ("; !strings.Contains(j.output(), text) {
			t.Errorf("the job does not tell %q\n%s", text, j.output())
		}
		wantNothingLeft(t, "n1", dir)
	})
}

// The job prints what README.md quotes.
func TestWhatIsWrongIsTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ setting, exit, text string }{
		{"H5PERF_SIF=/nowhere.sif", "2:0", "h5perf: H5PERF_SIF=/nowhere.sif: no such file"},
		{
			"H5PERF_PROGRAM=/nowhere", "2:0",
			"h5perf: no program: /nowhere is not found; build it with 'make build', " +
				"or set H5PERF_PROGRAM or H5PERF_SIF",
		},
		{"H5PERF_DIR=" + site.dir, "1:0", "permission denied"},
		{"H5PERF_STRIPE=4", "1:0", "neither Lustre nor BeeGFS"},
	} {
		t.Run(c.setting, func(t *testing.T) {
			dir := place(t, site.shared, "wrong")
			j := submit(t, []string{"H5PERF_DIR=" + dir, c.setting}, "h5perf-serial.sbatch", nil, quick)
			j.ends("FAILED", c.exit)
			if !strings.Contains(j.output(), c.text) {
				t.Errorf("the job does not tell %q\n%s", c.text, j.output())
			}
		})
	}
}

// Each host of the rig has a /tmp of its own.
func TestADirectoryOfOneNodeIsRefused(t *testing.T) {
	t.Parallel()
	j := submit(t, []string{"H5PERF_DIR=/tmp"}, "h5perf.sbatch", nil, quick)
	j.ends("FAILED", "1:0")
	if text := "name a directory on a file system that all nodes share"; !strings.Contains(j.output(), text) {
		t.Errorf("the job does not tell that %s\n%s", text, j.output())
	}
	wantNothingLeft(t, "n1", "/tmp")
}

// The shell does not split or expand the values of variables and options.
func TestStrangeValues(t *testing.T) {
	t.Parallel()
	strange := `a "b" 'c' $(touch caught) ;touch caught; *`
	dir := place(t, site.shared, strange)
	env := []string{
		"H5PERF_DIR=" + dir, "H5PERF_OUT=out " + strange, "H5PERF_LABEL=" + strange,
		"H5PERF_RESULTS=" + filepath.Join(site.home, "tree "+strange),
		"H5PERF_ARGS=--preset quick -A posix --cluster=$(touch${IFS}caught)",
	}
	j := submit(t, env, "h5perf.sbatch", nil, []string{"--filesystem", strange})
	j.ends("COMPLETED", "0:0")
	doc := document(t, filepath.Join(site.home, "out "+strange, j.id, "run.json"))
	want := result.Identity{Cluster: "$(touch${IFS}caught)", Filesystem: strange, Label: strange}
	if doc.Identity != want || doc.Target.Directory != filepath.Join(dir, site.user) {
		t.Errorf("measured %+v in %s", doc.Identity, doc.Target.Directory)
	}
	if _, err := os.Stat(filepath.Join(site.home, "caught")); err == nil {
		t.Error("a value was run as a command")
	}
	wantNothingLeft(t, "n1", dir)
}
