package launcher

import "testing"

func TestRank(t *testing.T) {
	for env, want := range map[string]int{
		"OMPI_COMM_WORLD_RANK=3": 3, "PMIX_RANK=2": 2, "PMI_RANK=5": 5, "SLURM_PROCID=7": 7, "PMI_RANK=0": 0,
	} {
		if got := Rank(environment(env)); got != want {
			t.Errorf("%s: rank %d, want %d", env, got, want)
		}
	}
	for _, env := range []string{"", "PMI_RANK=x"} {
		if got := Rank(environment(env)); got != 0 {
			t.Errorf("%q: rank %d, want 0", env, got)
		}
	}
}

func TestWhoMadeATerminal(t *testing.T) {
	for env, want := range map[string]bool{
		"": false, byOpenMPI4: true, byOpenMPI5: true, byHydra: true, step: false, byPMIx: false, step +
			byOpenMPI4: true,
	} {
		if got := HasOwnTerminal(words(env)); got != want {
			t.Errorf("%s: of the launcher %t, want %t", env, got, want)
		}
	}
}

func TestLauncherAndItsProtocol(t *testing.T) {
	for _, c := range []struct{ env, name, version, pmi string }{
		{"", "", "", ""},
		{"SLURM_JOB_ID=1 SLURM_NTASKS=2", "", "", ""}, // a batch script
		{byOpenMPI4, "Open MPI mpiexec", "", "PMIx 4.2.2rc2"},
		{byOpenMPI5, "Open MPI mpiexec", "5.0.7", "PMIx 5.0.7a1"},
		{byHydra, "Hydra mpiexec", "", "PMI-1 and PMI-2 of Hydra"},
		{step, "srun", "", ""},
		{byPMI2, "srun", "", "PMI-2 of Slurm"},
		{byPMIx, "srun", "", "PMIx 4.2.2rc2"},
		{step + byOpenMPI4, "Open MPI mpiexec", "", "PMIx 4.2.2rc2"},
		{step + byHydra, "Hydra mpiexec", "", "PMI-1 and PMI-2 of Hydra"},
		{"PMIX_RANK=0", "PMIx", "", "PMIx"},
		{"PMI_RANK=0", "PMI", "", "PMI"},
		{"PALS_APID=x PMI_RANK=0", "PMI", "", "PMI of PALS"},
	} {
		e := words(c.env)
		if Name(e) != c.name || Version(e) != c.version || PMI(e) != c.pmi {
			t.Errorf("%s: %q %q, %q, want %q %q, %q", c.env, Name(e), Version(e), PMI(e), c.name, c.version, c.pmi)
		}
	}
}

// All processes of a job must get the same result, so that they do the same.
func TestSeveralProcesses(t *testing.T) {
	for env, want := range map[string]bool{
		"": false, "SLURM_JOB_ID=1 SLURM_NTASKS=2": false, byOpenMPI4: true, byHydra: true, byPMIx: true, step: true,
		"OMPI_COMM_WORLD_SIZE=1": false, "PMI_SIZE=1 PMI_RANK=0": false, "PMI_SIZE=1 OMPI_COMM_WORLD_SIZE=2": true,
		"PMIX_RANK=0": true, "PMIX_RANK=1": true, "PMI_RANK=0": true,
	} {
		if got := MayHaveSiblings(words(env)); got != want {
			t.Errorf("%s: %t, want %t", env, got, want)
		}
	}
}
