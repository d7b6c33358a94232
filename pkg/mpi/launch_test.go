package mpi

import (
	"errors"
	"strings"
	"testing"
)

func environment(words ...string) func(string) string {
	return func(name string) string {
		for _, w := range words {
			if k, v, _ := strings.Cut(w, "="); k == name {
				return v
			}
		}
		return ""
	}
}

const (
	openMPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"
	mpich   = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022"
)

func TestCheckLaunch(t *testing.T) {
	for name, c := range map[string]struct {
		env     []string
		size    int
		library string
		want    []string // in the error; nil: none
	}{
		"alone":                       {nil, 1, openMPI, nil},
		"Open MPI":                    {[]string{"OMPI_COMM_WORLD_SIZE=4"}, 4, openMPI, nil},
		"Open MPI under hydra":        {[]string{"PMI_SIZE=4"}, 1, openMPI, []string{"4 processes", "PMI_SIZE", "MPI sees 1", "Open MPI v4.1.4", "mpiexec.openmpi"}},
		"MPICH under Open MPI":        {[]string{"OMPI_COMM_WORLD_SIZE=2"}, 1, mpich, []string{"2 processes", "OMPI_COMM_WORLD_SIZE", "MPICH Version: 4.0.2;", "mpiexec.mpich"}},
		"PMIx only":                   {[]string{"PMIX_RANK=3"}, 1, mpich, []string{"4 processes", "PMIX_RANK"}},
		"PMIx only, rank 0":           {[]string{"PMIX_RANK=0"}, 1, openMPI, nil},
		"batch script of Slurm":       {[]string{"SLURM_NTASKS=8", "SLURM_PROCID=0", "SLURM_JOB_ID=7"}, 1, openMPI, nil},
		"srun":                        {[]string{"SLURM_NTASKS=8", "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=8"}, 8, openMPI, nil},
		"srun, wrong PMI, Open MPI":   {[]string{"SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=8"}, 1, openMPI, []string{"8 processes", "SLURM_STEP_NUM_TASKS", "srun --mpi=pmix"}},
		"srun, wrong PMI, MPICH":      {[]string{"SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=8"}, 1, mpich, []string{"srun --mpi=pmi2"}},
		"hydra in steps of Slurm":     {[]string{"PMI_SIZE=4", "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=2"}, 4, mpich, nil},
		"one process, more daemons":   {[]string{"PMI_SIZE=1", "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=2"}, 1, mpich, nil},
		"mpiexec in mpiexec":          {[]string{"OMPI_COMM_WORLD_SIZE=4", "PMI_SIZE=2"}, 2, mpich, nil},
		"another library":             {[]string{"PMI_SIZE=2"}, 1, "Somebody's MPI 1.0", []string{"Somebody's MPI 1.0", "mpiexec of that library"}},
		"a variable that is no count": {[]string{"PMI_SIZE=many"}, 1, mpich, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckLaunch(environment(c.env...), c.size, c.library)
			var wrong *LaunchError
			if (c.want != nil) != errors.As(err, &wrong) || (err == nil) != (c.want == nil) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q lacks %q", err, w)
				}
			}
		})
	}
}

func TestLaunchRank(t *testing.T) {
	for env, want := range map[string]int{
		"": 0, "OMPI_COMM_WORLD_RANK=3": 3, "PMIX_RANK=2": 2, "PMI_RANK=5": 5, "SLURM_PROCID=7": 7, "PMI_RANK=x": 0,
	} {
		if got := LaunchRank(environment(env)); got != want {
			t.Errorf("%s: rank %d, want %d", env, got, want)
		}
	}
}
