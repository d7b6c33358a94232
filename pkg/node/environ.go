package node

import (
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// slurmNames lists the environment variables that describe a Slurm job and its step (sbatch(1), srun(1)). None is
// secret.
var slurmNames = []string{
	"SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_CLUSTER_NAME", "SLURM_CPUS_PER_TASK", "SLURM_CPU_BIND",
	"SLURM_DISTRIBUTION", "SLURM_HINT", "SLURM_JOB_CONSTRAINTS", "SLURM_JOB_CPUS_PER_NODE", "SLURM_JOB_ID",
	"SLURM_JOB_NAME",
	"SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES", "SLURM_JOB_PARTITION", "SLURM_JOB_QOS", "SLURM_JOB_RESERVATION",
	"SLURM_MEM_PER_CPU", "SLURM_MEM_PER_NODE", "SLURM_MPI_TYPE", "SLURM_NNODES", "SLURM_NTASKS",
	"SLURM_NTASKS_PER_NODE",
	"SLURM_RESTART_COUNT", "SLURM_STEP_ID", "SLURM_STEP_NODELIST", "SLURM_STEP_NUM_NODES", "SLURM_STEP_NUM_TASKS",
	"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE",
}

// SlurmVariables returns the variables in environ that describe a Slurm job, sorted by name.
func SlurmVariables(environ []string) []result.KeyValue {
	return chooseVariables(environ, func(name string) bool { return slices.Contains(slurmNames, name) })
}

// tuningPrefixes lists the prefixes of variables that change the behaviour of MPI, its transports and HDF5.
var tuningPrefixes = []string{
	"OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "MPICH_", "MPIR_CVAR_", "ROMIO_", "UCX_", "FI_", "HDF5_", "H5FD_",
}

// launcherPrefixes lists the prefixes of variables that launchers set for their own use: addresses and numbers of one
// job.
var launcherPrefixes = []string{
	"OMPI_MCA_ess", "OMPI_MCA_initial_wdir", "OMPI_MCA_orte_", "OMPI_MCA_pmix", "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
	"MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "PRTE_MCA_ess", "PRTE_MCA_prte_",
}

// MPIVariables returns the variables in environ that change the behaviour of MPI and HDF5, sorted by name. It hides
// secrets.
func MPIVariables(environ []string) []result.KeyValue {
	list := chooseVariables(environ, func(name string) bool {
		return hasAnyPrefix(name, tuningPrefixes) && !hasAnyPrefix(name, launcherPrefixes)
	})
	for i, v := range list {
		list[i].Value = plain.HideSecretsInVariable(v.Key, v.Value)
	}
	return list
}

func hasAnyPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// chooseVariables returns the variables in environ whose names the function chosen accepts, sorted by name.
func chooseVariables(environ []string, chosen func(name string) bool) []result.KeyValue {
	var list []result.KeyValue
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); chosen(name) {
			list = append(list, result.KeyValue{Key: name, Value: value})
		}
	}
	slices.SortFunc(list, func(a, b result.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return list
}
