package cli_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/exit"
	"h5perf/pkg/result"
)

// made returns the path of the document that a run of a command line would write.
func made(t *testing.T, kind result.Kind, env map[string]string, words ...string) string {
	t.Helper()
	doc := result.Document{SchemaVersion: result.Version, RunID: "old", Kind: kind}
	var out bytes.Buffer
	status := cli.Run(append([]string{"h5perf"}, words...), variables(env), &out, &out,
		cli.Tools{
			Parallel: func(p cli.Parallel) int { doc.Given = p.Given; return 0 },
			Serial:   func(s cli.Serial) int { doc.Given = s.Given; return 0 },
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
	var got cli.Parallel
	var out bytes.Buffer
	status := cli.Run([]string{"h5perf", "rerun", path, "--", "--json", "new.json", "-e", "2M"},
		variables(map[string]string{"HDF5_PARAPREFIX": "/now"}), &out, &out,
		cli.Tools{Parallel: func(p cli.Parallel) int { got = p; return 0 }})
	if status != 0 {
		t.Fatal(out.String())
	}
	o := got.Options
	if !slices.Equal(o.APIs, []string{"mpiio", "phdf5"}) || !o.Collective || !o.WriteOnly || !o.Verify ||
		!o.Conditions.Keep || o.Conditions.Spread != "nodes" || *o.BytesPerProcess != 2<<20 ||
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

func TestARerunOfASerialRunIsOne(t *testing.T) {
	path := made(t, "serial", map[string]string{"HDF5_PREFIX": "/then"}, "serial", "-e", "16,16", "-x", "4,4", "-r",
		"2,1", "-c", "4,4", "-t")
	var got cli.Serial
	var out bytes.Buffer
	if status := cli.Run([]string{"h5perf", "rerun", path}, variables(nil), &out, &out,
		cli.Tools{Serial: func(s cli.Serial) int { got = s; return 0 }}); status != 0 {
		t.Fatal(out.String())
	}
	if o := got.Options; !slices.Equal(o.Order, []int{2, 1}) || !o.Extendible || got.Getenv("HDF5_PREFIX") != "/then" {
		t.Errorf("options %+v", o)
	}
}

// A document that asks for more than a run records is refused as a whole, before anything is done.
func TestADocumentIsNoCommandLine(t *testing.T) {
	for _, kind := range result.All[result.Kind]() {
		for _, given := range []result.Given{
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
			doc.Given = []result.Given{given}
			path := filepath.Join(t.TempDir(), "old.json")
			if err := result.Write(path, doc); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			status := cli.Run([]string{"h5perf", "rerun", path}, variables(nil), &stdout, &stderr, cli.Tools{
				Parallel: func(cli.Parallel) int { t.Errorf("%s %q: was run", kind, given.Name); return 0 },
				Serial:   func(cli.Serial) int { t.Errorf("%s %q: was run", kind, given.Name); return 0 },
			})
			want := fmt.Sprintf("this h5perf does not know the parameter %q, so the run is not started", given.Name)
			if status != exit.Usage || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
				t.Errorf("%s: exit status %d, %q, want %d and %q", kind, status, stderr.String(), exit.Usage, want)
			}
		}
	}
}

// Where results go is no matter of the document, also when it names the options correctly.
func TestADocumentDoesNotSayWhereResultsGo(t *testing.T) {
	doc := result.Document{SchemaVersion: result.Version, RunID: "old", Kind: result.KindParallel}
	for _, name := range []string{"output", "json", "results", "pushgateway", "textfile", "help", "version"} {
		doc.Given = append(doc.Given, result.Given{Name: name, Value: "http://elsewhere.prom"})
	}
	path := filepath.Join(t.TempDir(), "old.json")
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	var got *cli.Parallel
	var out bytes.Buffer
	status := cli.Run([]string{"h5perf", "rerun", path}, variables(nil), &out, &out,
		cli.Tools{Parallel: func(p cli.Parallel) int { got = &p; return 0 }})
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
		if status != exit.Usage || !strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%s: exit status %d, %q, want %d and %q", line, status, stderr.String(), exit.Usage, want)
		}
	}
	var help bytes.Buffer
	if status := cli.Run([]string{"h5perf", "rerun", "--help"}, variables(nil), &help, &help,
		cli.Tools{}); status != 0 || !strings.Contains(help.String(), "Usage: h5perf rerun") {
		t.Errorf("exit status %d\n%s", status, help.String())
	}
}
