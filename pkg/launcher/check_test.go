package launcher

import (
	"errors"
	"strings"
	"testing"
)

func environment(words ...string) Getenv {
	return func(name string) string {
		for _, w := range words {
			if k, v, _ := strings.Cut(w, "="); k == name {
				return v
			}
		}
		return ""
	}
}

func words(line string) Getenv { return environment(strings.Fields(line)...) }

const (
	openMPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"
	mpich   = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022"
)

// Environment variables that launchers set, as observed.
const (
	byOpenMPI4 = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 PMIX_RANK=1 PMIX_NAMESPACE=19070977 " +
		"PMIX_VERSION=4.2.2rc2"
	byOpenMPI5 = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 OMPI_VERSION=5.0.7 PMIX_RANK=1 " +
		"PMIX_NAMESPACE=prterun-vm-1903@1 PMIX_VERSION=5.0.7a1"
	byHydra = "PMI_SIZE=2 PMI_RANK=1 PMI_FD=12 MPI_LOCALNRANKS=2"
	step    = "SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_PROCID=3 "
	byPMI2  = step + "SLURM_MPI_TYPE=pmi2 PMI_SIZE=4 PMI_RANK=3 PMI_FD=13 PMI_JOBID=2.0"
	byPMIx  = step + "SLURM_MPI_TYPE=pmix PMIX_RANK=3 PMIX_NAMESPACE=slurm.pmix.3.0 PMIX_VERSION=4.2.2rc2"
)

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		env     string
		size    int
		library string
		want    []string // parts of the error; nil: no error
	}{
		"alone":      {"", 1, openMPI, nil},
		"Open MPI":   {byOpenMPI4, 2, openMPI, nil},
		"Open MPI 5": {byOpenMPI5, 2, openMPI, nil},
		"MPICH":      {byHydra, 2, mpich, nil},
		"Open MPI under hydra": {
			byHydra, 1, openMPI, []string{
				"2 processes", "PMI_SIZE", "Hydra mpiexec, which provides PMI-1 and PMI-2", "MPI sees 1",
				"Open MPI v4.1.4;", "mpiexec.openmpi",
			},
		},
		"MPICH under Open MPI 4": {
			byOpenMPI4, 1, mpich, []string{
				"2 processes", "OMPI_COMM_WORLD_SIZE", "Open MPI mpiexec, which provides PMIx 4.2.2rc2",
				"MPICH Version: 4.0.2;", "mpiexec.mpich",
			},
		},
		"MPICH under Open MPI 5": {byOpenMPI5, 1, mpich, []string{"2 processes", "PMIx 5.0.7a1"}},
		"PMIx only":              {"PMIX_RANK=3", 1, mpich, []string{"4 processes", "PMIX_RANK"}},
		"PMIx only, rank 0":      {"PMIX_RANK=0", 1, openMPI, nil},
		"batch script of Slurm":  {"SLURM_NTASKS=8 SLURM_PROCID=0 SLURM_JOB_ID=7", 1, openMPI, nil},
		"srun":                   {step, 4, openMPI, nil},
		"srun without, Open MPI": {
			step, 1, openMPI, []string{
				"4 processes", "SLURM_STEP_NUM_TASKS", "srun, which provides no PMI", "srun --mpi=pmix",
			},
		},
		"srun without, MPICH": {step, 1, mpich, []string{"srun, which provides no PMI", "srun --mpi=pmi2"}},
		"srun pmi2, MPICH":    {byPMI2, 4, mpich, nil},
		"srun pmi2, Open MPI": {
			byPMI2, 1, openMPI, []string{"4 processes", "srun, which provides PMI-2 of Slurm", "srun --mpi=pmix"},
		},
		"srun pmix, Open MPI": {byPMIx, 4, openMPI, nil},
		"srun pmix, MPICH": {
			byPMIx, 1, mpich, []string{"srun, which provides PMIx 4.2.2rc2", "srun --mpi=pmi2"},
		},
		"hydra in steps of Slurm":   {"PMI_SIZE=4 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2", 4, mpich, nil},
		"one process, more daemons": {"PMI_SIZE=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2", 1, mpich, nil},
		"mpiexec in mpiexec":        {"OMPI_COMM_WORLD_SIZE=4 PMI_SIZE=2", 2, mpich, nil},
		"another library": {
			"PMI_SIZE=2", 1, "Somebody's MPI 1.0", []string{"Somebody's MPI 1.0", "mpiexec of that library"},
		},
		"a variable that is no count": {"PMI_SIZE=many", 1, mpich, nil},
	} {
		t.Run(name, func(t *testing.T) {
			told(t, CheckWorldSize(LaunchEvidence{Getenv: words(c.env), OwnEnvironment: true}, c.size, c.library),
				c.want)
		})
	}
}

// told checks that the text of an error contains want. If want is nil, there must be no error.
func told(t *testing.T, err error, want []string) {
	t.Helper()
	var wrong *WorldError
	if (want != nil) != errors.As(err, &wrong) || (err == nil) != (want == nil) {
		t.Fatalf("error %v, want one with %q", err, want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q lacks %q", err, w)
		}
	}
}

func TestAnEnvironmentThatWasCleanedIsTold(t *testing.T) {
	told(t, CheckWorldSize(LaunchEvidence{Getenv: words(byOpenMPI4)}, 1, openMPI),
		[]string{"2 processes", "keep the environment"})
}

func TestProcessesBesideThisOneAreToldWhereNoEnvironmentTells(t *testing.T) {
	for name, c := range map[string]struct {
		env       string
		processes int
		size      int
		want      []string
	}{
		"two": {
			"", 2, 1, []string{
				"2 processes were launched (seen on this node) by hydra_pmi_proxy, but", "mpiexec.mpich",
				"keep the environment",
			},
		},
		"alone under a launcher": {"", 1, 1, nil},
		"no launcher":            {"", 0, 1, nil},
		"one world":              {"", 2, 2, nil},
		"one of its own":         {"PMI_SIZE=1", 0, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			from := LaunchEvidence{
				Getenv: words(c.env), OwnEnvironment: true, Ancestors: []string{"hydra_pmi_proxy", "mpiexec.mpich"},
				Siblings: Siblings{Processes: c.processes},
			}
			err := CheckWorldSize(from, c.size, mpich)
			told(t, err, c.want)
			if wrong, ok := errors.AsType[*WorldError](err); ok && wrong.ExitDelay() == 0 {
				t.Error("the process ends before others have seen it")
			}
		})
	}
}

func TestCheckBeforeMPIIsInitialised(t *testing.T) {
	for name, c := range map[string]struct {
		env  string
		own  bool
		want []string
	}{
		"alone":                 {"", true, nil},
		"PMIx waits":            {byPMIx, true, nil},
		"PMIx waits outside":    {byPMIx, false, []string{"4 processes", "keep the environment"}},
		"PMI-2 waits":           {byPMI2, true, []string{"4 processes", "PMI-2 of Slurm", "srun --mpi=pmix"}},
		"nothing waits":         {step, true, []string{"4 processes", "no PMI"}},
		"Hydra":                 {byHydra, true, []string{"2 processes"}},
		"one process of a step": {"SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			told(t, CheckBeforeInit(LaunchEvidence{Getenv: words(c.env), OwnEnvironment: c.own}, openMPI), c.want)
		})
	}
}
