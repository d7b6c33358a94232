package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
)

// made returns the path of the document that the run of a command line would write.
func made(t *testing.T, kind result.Kind, env map[string]string, words ...string) string {
	t.Helper()
	doc := result.Document{SchemaVersion: result.Version, RunID: "old", Kind: kind}
	var out bytes.Buffer
	status := cli.Run(append([]string{"h5perf"}, words...), variables(env), &out, &out,
		cli.Tools{
			Parallel: func(p cli.Measurement) int { doc.GivenParameters = p.Given; return 0 },
			Serial:   func(s cli.Measurement) int { doc.GivenParameters = s.Given; return 0 },
		})
	if status != 0 {
		t.Fatalf("%v: %s", words, out.String())
	}
	path := filepath.Join(t.TempDir(), "old.json")
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestARerunAsksForTheSame(t *testing.T) {
	then := map[string]string{"HDF5_PARAPREFIX": "/then", "HDF5_MPI_INFO": "cb_nodes=1", "HDF5_NOCLEANUP": ""}
	path := made(t, "parallel", then, "-e", "1M", "-A", "mpiio,phdf5", "-Cw", "--hint", "a=b=c", "-D", "v,r", "--label",
		"nightly", "--spread", "nodes",
		"-o", "old.txt", "--json", "old.json", "--results", "old", "--textfile", "old.prom", "--pushgateway",
		"http://old:9091")
	var got cli.Measurement
	var out bytes.Buffer
	status := cli.Run([]string{"h5perf", "rerun", path, "--", "--json", "new.json", "-e", "2M"},
		variables(map[string]string{"HDF5_PARAPREFIX": "/now"}), &out, &out,
		cli.Tools{Parallel: func(p cli.Measurement) int { got = p; return 0 }})
	if status != 0 {
		t.Fatal(out.String())
	}
	o := got.Options
	if !slices.Equal(o.APIs, []string{"mpiio", "phdf5"}) || !o.Collective || !o.WriteOnly || !o.Verify ||
		!o.Keep || o.Spread != "nodes" || *o.BytesPerProcess != 2<<20 ||
		len(o.MPIIO.Hints) != 1 || o.MPIIO.Hints[0].Value != "b=c" || o.MPIInfo == nil || *o.MPIInfo != "cb_nodes=1" {
		t.Errorf("options %+v", o)
	}
	if _, set := got.Variables["HDF5_PARAPREFIX"]; set || got.Identity.Label != "nightly" ||
		got.RerunOf.RunID != "old" {
		t.Errorf("request %+v", got.Request)
	}
	if got.Output != "" || got.JSON != "new.json" || got.Results != "" || got.Textfile != "" || got.Pushgateway != "" {
		t.Errorf("outputs of the old run: %+v", got.Request)
	}
}

func TestAListOfTheNewRunReplacesThatOfTheOldOne(t *testing.T) {
	for kind, words := range map[result.Kind][]string{
		result.KindParallel: {"-A", "mpiio,phdf5", "--hint", "a=b"},
		result.KindSerial:   {"serial", "-A", "hdf5"},
	} {
		path := made(t, kind, nil, words...)
		var got plan.Options
		var out bytes.Buffer
		take := func(m cli.Measurement) int { got = m.Options; return 0 }
		if status := cli.Run([]string{"h5perf", "rerun", path, "--", "-A", "posix"}, variables(nil), &out, &out,
			cli.Tools{Parallel: take, Serial: take}); status != 0 {
			t.Fatal(out.String())
		}
		apis := got.APIs
		if got.Serial != nil {
			apis = got.Serial.APIs
		}
		if !slices.Equal(apis, []string{"posix"}) || kind == result.KindParallel && len(got.MPIIO.Hints) != 1 {
			t.Errorf("%q: APIs %q, hints %v", words, apis, got.MPIIO.Hints)
		}
	}
}

func TestARerunOfASerialRunIsOne(t *testing.T) {
	path := made(t, "serial", map[string]string{"HDF5_PREFIX": "/then"}, "serial", "-e", "16,16", "-x", "4,4", "-r",
		"2,1", "-c", "4,4", "-t")
	var got cli.Measurement
	var out bytes.Buffer
	if status := cli.Run([]string{"h5perf", "rerun", path}, variables(nil), &out, &out,
		cli.Tools{Serial: func(s cli.Measurement) int { got = s; return 0 }}); status != 0 {
		t.Fatal(out.String())
	}
	if o := got.Options; !slices.Equal(o.Serial.Order.Dimensions, []int{
		2,
		1,
	}) || !o.Serial.Extendible || got.Getenv("HDF5_PREFIX") != "/then" {
		t.Errorf("options %+v", o)
	}
}

// measured writes the document of a run of a workload file, and returns its path. It removes the workload file.
func measured(t *testing.T, words ...string) (string, result.Document) {
	t.Helper()
	s, err := script.ReadProfile("particles")
	file := filepath.Join(t.TempDir(), "mine.star")
	if err == nil {
		err = os.WriteFile(file, []byte(s.Text()), 0o600)
	}
	var out bytes.Buffer
	doc := result.Document{SchemaVersion: result.Version, RunID: "old", Kind: result.KindWorkload}
	status := cli.Run(append([]string{"h5perf", "run", file}, words...), variables(nil), &out, &out, cli.Tools{
		Parallel: func(p cli.Measurement) int {
			made, refused := plan.New(p.Options, plan.JobFacts{Processes: 4})
			doc.GivenParameters, doc.Parameters, err = p.Given, made.Parameters, errors.Join(err, refused)
			return 0
		},
	})
	path := filepath.Join(t.TempDir(), "old.json")
	if err = errors.Join(err, result.Write(path, doc), os.Remove(file)); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v, %s", status, err, &out)
	}
	return path, doc
}

func TestAWorkloadIsRepeatedWithoutItsFile(t *testing.T) {
	path, old := measured(t, "--size", "tiny", "--set", "dumps=3", "--set", "mode=independent", "-A", "phdf5", "-i",
		"2")
	parallel, _, said := rerunTogether(t, path)
	for rank, p := range parallel {
		made, err := plan.New(p.Options, plan.JobFacts{Processes: 4})
		if err != nil || said != "" {
			t.Fatalf("%v, printed: %s", err, said)
		}
		want := old.Parameters
		want.Iterations = 3
		if d := cmp.Diff(want, made.Parameters); d != "" {
			t.Errorf("rank %d: %s", rank, d)
		}
		if p.Options.Workload.IsFromFile() {
			t.Errorf("rank %d reads the file", rank)
		}
	}
}

func TestARerunOfAWorkloadIsRefused(t *testing.T) {
	_, doc := measured(t, "--size", "tiny")
	changed := func(change func(*result.Document)) string {
		d := doc
		d.Parameters.Workload = new(*doc.Parameters.Workload)
		change(&d)
		name := filepath.Join(t.TempDir(), "changed.json")
		if err := result.Write(name, d); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for want, words := range map[string][]string{
		"the document was changed": {changed(func(d *result.Document) {
			w := d.Parameters.Workload
			w.Text = strings.Replace(w.Text, "size(5,", "size(6,", 1)
		})},
		"only documents of kind workload contain a workload": {changed(func(d *result.Document) {
			d.Parameters.Workload = nil
		})},
		`does not know the parameter "workload"`: {changed(func(d *result.Document) {
			d.GivenParameters = []result.GivenParameter{{Name: "workload", Value: "--json=precious"}}
		})},
		"run needs a workload": {changed(func(d *result.Document) { d.GivenParameters = nil })},
	} {
		var out bytes.Buffer
		status := cli.Run(append([]string{"h5perf", "rerun"}, words...), variables(nil), &out, &out, cli.Tools{
			Parallel: func(p cli.Measurement) int {
				_, err := plan.New(p.Options, plan.JobFacts{Processes: 4})
				if err == nil {
					t.Errorf("%s: was run", want)
					return 0
				}
				return p.PrintUsageError(&out, err)
			},
		})
		if status != result.ExitUsage || !strings.Contains(out.String(), want) {
			t.Errorf("exit status %d, %s, want %s", status, &out, want)
		}
	}
}

// If a document has options that runs do not record, rerun refuses it before doing anything.
func TestADocumentIsNoCommandLine(t *testing.T) {
	for _, kind := range result.ValuesOf[result.Kind]() {
		for _, given := range []result.GivenParameter{
			{Name: "output=precious.txt"},
			{Name: "json=precious.json"},
			{Name: "textfile=precious.prom"},
			{Name: "results=precious", Value: "x"},
			{Name: "pushgateway=http://elsewhere:9091"},
			{Name: "o", Value: "x"},
			{Name: "H5PERF_PUSHGATEWAY", Value: "http://elsewhere:9091"},
			{Name: "H5PERF_PUSHGATEWAY_CA", Value: "ca.pem"},
			{Name: "H5PERF_SPOOL", Value: "/elsewhere"},
			{Name: "PATH", Value: "/elsewhere"},
			{Name: ""},
			{Name: "-json"},
			{Name: "Output", Value: "x"},
			{Name: "extendable"},
			{Name: "speed\x1b]0;x\a\n\u202e"},
			{Name: " json"},
			{Name: "\u200bjson", Value: "x"},
			{Name: "parallel"},
			{Name: "JSON", Value: "x"},
		} {
			doc := result.Document{SchemaVersion: result.Version, RunID: "old", Kind: kind}
			doc.GivenParameters = []result.GivenParameter{given}
			path := filepath.Join(t.TempDir(), "old.json")
			if err := result.Write(path, doc); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			status := cli.Run([]string{"h5perf", "rerun", path}, variables(nil), &stdout, &stderr, cli.Tools{
				Parallel: func(cli.Measurement) int { t.Errorf("%s %q: was run", kind, given.Name); return 0 },
				Serial:   func(cli.Measurement) int { t.Errorf("%s %q: was run", kind, given.Name); return 0 },
			})
			want := fmt.Sprintf("this h5perf does not know the parameter %q, so the run is not started", given.Name)
			if status != result.ExitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
				t.Errorf(
					"%s: exit status %d, %q, want %d and %q",
					kind,
					status,
					stderr.String(),
					result.ExitUsage,
					want,
				)
			}
		}
	}
}

// Rerun ignores the paths of results in a document, even if the document names the options correctly.
func TestADocumentDoesNotSayWhereResultsGo(t *testing.T) {
	doc := result.Document{SchemaVersion: result.Version, RunID: "old", Kind: result.KindParallel}
	for _, name := range []string{"output", "json", "results", "pushgateway", "textfile", "help", "version"} {
		doc.GivenParameters = append(doc.GivenParameters,
			result.GivenParameter{Name: name, Value: "http://elsewhere.prom"})
	}
	path := filepath.Join(t.TempDir(), "old.json")
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	var got *cli.Measurement
	var out bytes.Buffer
	status := cli.Run([]string{"h5perf", "rerun", path}, variables(nil), &out, &out,
		cli.Tools{Parallel: func(p cli.Measurement) int { got = &p; return 0 }})
	if status != 0 || got == nil {
		t.Fatalf("exit status %d: %s", status, out.String())
	}
	if got.Output+got.JSON+got.Results+got.Pushgateway+got.Textfile != "" || len(got.Given) > 0 {
		t.Errorf("request %+v", got.Request)
	}
}

func TestARerunIsRefused(t *testing.T) {
	path := made(t, "parallel", nil, "-e", "1M")
	forged := filepath.Join(t.TempDir(), "forged.json")
	doc := result.Document{SchemaVersion: result.Version, RunID: "old\nh5perf: forged", Kind: result.KindSerial}
	if err := result.Write(forged, doc); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"rerun " + forged:               `run_id "old\nh5perf: forged" has characters that cannot be seen`,
		"rerun":                         "needs the document",
		"rerun none.json":               "none.json: no such file",
		"rerun " + path + " -i 3":       `"-i": write the options of the new run after --`,
		"rerun " + path + " -- --speed": "unknown option",
		"rerun rerun_test.go":           "rerun_test.go: is not a JSON object",
	} {
		var stdout, stderr bytes.Buffer
		status := cli.Run(append([]string{"h5perf"}, strings.Fields(line)...), variables(nil), &stdout, &stderr,
			cli.Tools{})
		if status != result.ExitUsage || !strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%s: exit status %d, %q, want %d and %q", line, status, stderr.String(), result.ExitUsage, want)
		}
	}
	var help bytes.Buffer
	if status := cli.Run([]string{"h5perf", "rerun", "--help"}, variables(nil), &help, &help,
		cli.Tools{}); status != 0 || !strings.Contains(help.String(), "Usage: h5perf rerun") {
		t.Errorf("exit status %d\n%s", status, help.String())
	}
}

// jobOf returns the environment variables of a rank in a job.
func jobOf(size, rank int) map[string]string {
	return map[string]string{"OMPI_COMM_WORLD_SIZE": strconv.Itoa(size), "OMPI_COMM_WORLD_RANK": strconv.Itoa(rank)}
}

// No process reads the document before the processes of a job can communicate.
func TestAJobStartsARerunWithoutTheDocument(t *testing.T) {
	for line, want := range map[string]struct {
		component option.Component
		threads   bool
	}{
		"":                             {},
		"-- --io-component romio -i 2": {component: option.ROMIO},
		"-- --driver SUBFILING":        {threads: true},
		"-- --speed":                   {},
		"-- -r 2,1":                    {}, // an option of the serial tool
		"-- --help":                    {},
	} {
		for size, started := range map[int]int{1: 0, 2: 1} {
			var out bytes.Buffer
			got := 0
			words := append([]string{"h5perf", "rerun", "none.json"}, strings.Fields(line)...)
			status := cli.Run(words, variables(jobOf(size, 0)), &out, &out, cli.Tools{Rerun: func(r cli.Rerun) int {
				got++
				own := r.OwnMeasurement()
				if own.Options.MPIIO.IOComponent != want.component || own.UsesThreads() != want.threads {
					t.Errorf("%s: %+v", line, own.Options)
				}
				return result.ExitOK
			}})
			if got != started || (status == result.ExitOK) != (size > 1) || (out.Len() > 0) != (size == 1) {
				t.Errorf("%s, %d processes: started %d times, exit status %d, %s", line, size, got, status, &out)
			}
		}
	}
}

// rerunTogether repeats a run in a job of 3 ranks, and returns the requests and the output.
func rerunTogether(t *testing.T, path string) (parallel [3]cli.Measurement, serial [3]cli.Measurement, said string) {
	t.Helper()
	var texts [3]bytes.Buffer
	var wg sync.WaitGroup
	for rank, world := range mpi.MemoryWorld(3) {
		wg.Go(func() {
			tools := cli.Tools{Rerun: func(r cli.Rerun) int {
				return r.Run(world, func(p cli.Measurement) int {
					parallel[rank] = p
					return result.ExitOK
				}, func(s cli.Measurement) int {
					serial[rank] = s
					return result.ExitOK
				})
			}}
			words := []string{"h5perf", "rerun", path, "--", "-i", "3"}
			status := cli.Run(words, variables(jobOf(3, rank)), &texts[rank], &texts[rank], tools)
			want := parallel[rank].Command == nil && serial[rank].Command == nil
			if (status == result.ExitUsage) != want {
				t.Errorf("rank %d: exit status %d", rank, status)
			}
		})
	}
	wg.Wait()
	return parallel, serial, texts[0].String() + texts[1].String() + texts[2].String()
}

func TestTheRanksOfAJobGetTheRequestFromRank0(t *testing.T) {
	then := map[string]string{"HDF5_PARAPREFIX": "/then", "HDF5_PREFIX": "/then"}
	parallel, _, said := rerunTogether(t, made(t, "parallel", then, "-e", "1M", "-A", "mpiio"))
	for rank, p := range parallel {
		if *p.Options.BytesPerProcess != 1<<20 || *p.Options.Iterations != 3 ||
			p.Variables["HDF5_PARAPREFIX"] != "/then" || (p.RerunOf != nil) != (rank == 0) {
			t.Errorf("rank %d: %+v", rank, p)
		}
	}
	_, serial, more := rerunTogether(t, made(t, "serial", then, "serial", "-e", "16"))
	for rank, s := range serial { // each rank has its own document
		if *s.Options.Iterations != 3 || s.Variables["HDF5_PREFIX"] != "/then" || s.RerunOf == nil ||
			s.RerunOf.RunID != "old" {
			t.Errorf("rank %d: %+v", rank, s)
		}
	}
	if said+more != "" {
		t.Errorf("printed: %s%s", said, more)
	}
	if _, _, said := rerunTogether(t, "none.json"); strings.Count(said, "none.json: no such file") != 1 {
		t.Errorf("printed: %s", said)
	}
}

func TestALateOptionIsNamedWithTheCommandThatWorks(t *testing.T) {
	var out bytes.Buffer
	cli.Run([]string{"/usr/bin/h5perf", "rerun", "my run.json", "--", "-i", "2"}, variables(jobOf(2, 0)), &out, &out,
		cli.Tools{Rerun: func(r cli.Rerun) int {
			return r.PrintUsageError(&out, r.StartupOptionsError([]string{"--io-component", "ompio"}))
		}})
	const why = "h5perf: the run of my run.json used --io-component ompio. MPI needs this before"
	const command = ": h5perf rerun 'my run.json' -- --io-component ompio -i 2\nSee 'h5perf rerun -h'.\n"
	if said := out.String(); !strings.HasPrefix(said, why) || !strings.HasSuffix(said, command) {
		t.Error(said)
	}
}
