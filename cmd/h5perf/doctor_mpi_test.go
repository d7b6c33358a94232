//go:build cgo && !nompi

package main

import (
	"strings"
	"testing"

	"h5perf/pkg/doctor"
	"h5perf/pkg/result"
)

func TestTheDoctorOfAJob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := launch(t, 3, dir, nil, nil, "doctor", dir, "--json")
	if status := l.wait(startTime + endsWithin); status != result.ExitOK {
		t.Errorf("exit status %d", status)
	}
	e := examined(t, l.stdout.Bytes())
	if e.Launch.Processes != 3 || e.Launch.Nodes != 1 || e.Launch.Launcher == "" || e.Ring == nil ||
		e.SingleCopy == nil || !e.SingleCopy.Possible || e.SingleCopy.ApartProcesses != 0 ||
		e.Target.Shared != (doctor.SharedFileView{AskedProcesses: 1, LocksDenied: 1}) || !e.HDF5.Parallel ||
		e.Software.MPI == "" {
		t.Errorf("%+v", e)
	}
	for name, c := range verdicts(e) {
		if c.Verdict == doctor.Problem {
			t.Errorf("%s: %+v", name, c)
		}
	}
	l.cleaned()
}

// Containers may share no memory. Then Open MPI works if it has a network, and MPICH does not start.
func TestTheDoctorOfProcessesThatShareNoMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := rankScript(t, "1", `exec unshare -m sh -c 'mount -t tmpfs tmpfs /dev/shm && exec "$@"' sh "$@"`)
	l := launch(t, 3, dir, []string{"OMPI_MCA_btl=self,tcp", "OMPI_MCA_btl_tcp_if_include=lo"}, own, "doctor", dir,
		"--json")
	status := l.wait(startTime + endsWithin)
	if (status == result.ExitOK) != isOpenMPI() {
		t.Errorf("exit status %d", status)
	}
	if isOpenMPI() {
		e := examined(t, l.stdout.Bytes())
		c := verdicts(e)["single copy"]
		if e.SingleCopy == nil || e.SingleCopy.ApartProcesses != 1 || c.Verdict != doctor.Warning ||
			!strings.Contains(c.Advice, "share /dev/shm") {
			t.Errorf("%+v, %+v", e.SingleCopy, c)
		}
	}
	l.cleaned()
}

func TestTheDoctorUnderTheLauncherOfAnotherMPI(t *testing.T) {
	t.Parallel()
	other := "Open MPI"
	if isOpenMPI() {
		other = "MPICH"
	}
	dir := t.TempDir()
	l := launchBy(t, other, 2, dir, nil, nil, "doctor", dir, "--json")
	if status := l.wait(startTime + endsWithin); status != result.ExitLaunch {
		t.Errorf("exit status %d, want %d", status, result.ExitLaunch)
	}
	e := examined(t, l.stdout.Bytes()) // only one process prints
	found := verdicts(e)["launch"]
	if e.ExitStatus != result.ExitLaunch || found.Verdict != doctor.Problem ||
		!strings.Contains(found.Finding, "2 processes were launched") ||
		!strings.Contains(found.Finding, "start it with") {
		t.Errorf("%+v", found)
	}
	if !strings.Contains(l.stderr.String(), "process 1") {
		t.Error("the other process does not tell that it is in a world of its own")
	}
	l.cleaned()
}

func TestTheDoctorWaitsForNobodyForEver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	late := []string{"sh", "-c", `[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && exec sleep 300; exec "$@"`, "sh"}
	l := launch(t, 2, dir, nil, late, "doctor", dir, "--json", "--timeout", "3s")
	if status := l.wait(startTime + endsWithin); status == result.ExitOK {
		t.Error("exit status 0")
	}
	if c := verdicts(examined(t, l.stdout.Bytes()))[doctor.StepInit]; c.Verdict != doctor.Problem ||
		!strings.Contains(c.Finding, "not finished after 3s") {
		t.Errorf("%+v", c)
	}
	l.cleaned()
}
