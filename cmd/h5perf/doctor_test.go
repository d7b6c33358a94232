//go:build cgo

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"h5perf/pkg/doctor"
	"h5perf/pkg/result"
)

// examined parses the output of doctor, and validates it against its schema.
func examined(t *testing.T, stdout []byte) doctor.Examination {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../results/schema/examination-1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	// Hydra may append a message about the end of the job.
	stdout, _, _ = bytes.Cut(stdout, []byte("\n====="))
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(stdout))
	if err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if err := schema.Validate(tree); err != nil {
		t.Error(err)
	}
	var e doctor.Examination
	if err := json.Unmarshal(stdout, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// verdicts returns the checks of an examination by name.
func verdicts(e doctor.Examination) map[string]doctor.Check {
	all := map[string]doctor.Check{}
	for _, c := range e.Checks {
		all[c.Name] = c
	}
	return all
}

func TestTheDoctorAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := start(t, nil, dir, nil, []string{"doctor", dir, "--json"})
	if status := l.wait(startTime); status != result.ExitOK {
		t.Errorf("exit status %d", status)
	}
	e := examined(t, l.stdout.Bytes())
	if e.HDF5 == nil || e.HDF5.Version == "" || e.Target.Directory == "" ||
		e.Target.DirectAlignment+len(e.Target.DirectError) == 0 || e.Launch.Processes != 1 ||
		e.ExitStatus != result.ExitOK {
		t.Errorf("%+v", e)
	}
	for _, name := range []string{
		"MPI", "launch", "file system", "free space", "files", "shared", "locks", "O_DIRECT", "HDF5", "container",
	} {
		if c := verdicts(e)[name]; c.Finding == "" || c.Verdict == doctor.Problem {
			t.Errorf("%s: %+v", name, c)
		}
	}
	l.cleaned()
}

func TestTheDoctorSpeaks(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for dir, status := range map[string]int{
		t.TempDir(): result.ExitOK, "/no/such": result.ExitFailed,
		"--no-such": result.ExitUsage,
	} {
		cmd := exec.Command(exe, "doctor", dir)
		cmd.Env = append(os.Environ(), beTool+"=1")
		out, _ := cmd.CombinedOutput() // the exit status is checked below
		if got := cmd.ProcessState.ExitCode(); got != status ||
			(status != result.ExitUsage) != strings.Contains(string(out), "\nVerdict: ") {
			t.Errorf("%s: exit status %d, want %d:\n%s", dir, got, status, out)
		}
	}
}
