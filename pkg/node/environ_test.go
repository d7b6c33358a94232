package node

import (
	"runtime/debug"
	"testing"

	"h5perf/pkg/result"

	"github.com/google/go-cmp/cmp"
)

func TestSlurmListsWhatDescribesTheJob(t *testing.T) {
	got := SlurmVariables([]string{
		"SLURM_NTASKS=4", "SLURM_JOB_ID=17", "SLURM_JWT=eyJ", "SLURM_JOB_NODELIST=n[1-2]",
		"MY_SLURM_JOB_ID=1", "HOME=/root",
	})
	want := []result.KeyValue{
		{Key: "SLURM_JOB_ID", Value: "17"},
		{Key: "SLURM_JOB_NODELIST", Value: "n[1-2]"},
		{Key: "SLURM_NTASKS", Value: "4"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestMPIVariables(t *testing.T) {
	got := MPIVariables([]string{
		"UCX_TLS=rc,self", "OMPI_MCA_io=^romio321", "OMPI_MCA_orte_hnp_uri=1.0;tcp://10.0.0.1:5",
		"OMPI_MCA_ess_base_vpid=0",
		"PRTE_MCA_prte_base_help_aggregate=0", "PRTE_MCA_rmaps_base_oversubscribe=1", "ROMIO_HINTS=/h=1",
		"HDF5_PARAPREFIX=/scratch",
		"MPICH_MPIIO_HINTS=*:cb_nodes=2", "MPIR_CVAR_ENABLE_GPU=0", "FI_PROVIDER=tcp", "FI_CXI_AUTH_KEY=17",
		"H5FD_SUBFILING_STRIPE_SIZE=1", "UCX_SECRETS=x", "UCX_PROXY=http://me:hush@proxy",
		"PMIX_MCA_psec_token=abc",
		"OMPI_COMM_WORLD_SIZE=2", "PATH=/bin",
	})
	want := []result.KeyValue{
		{Key: "FI_CXI_AUTH_KEY", Value: "(hidden)"},
		{Key: "FI_PROVIDER", Value: "tcp"},
		{Key: "H5FD_SUBFILING_STRIPE_SIZE", Value: "1"},
		{Key: "HDF5_PARAPREFIX", Value: "/scratch"},
		{Key: "MPICH_MPIIO_HINTS", Value: "*:cb_nodes=2"},
		{Key: "MPIR_CVAR_ENABLE_GPU", Value: "0"},
		{Key: "OMPI_MCA_io", Value: "^romio321"},
		{Key: "PMIX_MCA_psec_token", Value: "(hidden)"},
		{Key: "PRTE_MCA_rmaps_base_oversubscribe", Value: "1"},
		{Key: "ROMIO_HINTS", Value: "/h=1"},
		{Key: "UCX_PROXY", Value: "http://(hidden)@proxy"},
		{Key: "UCX_SECRETS", Value: "(hidden)"},
		{Key: "UCX_TLS", Value: "rc,self"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestRevision(t *testing.T) {
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{{Key: "vcs.modified", Value: "true"}}, ""},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}}, "abc"},
		{
			[]debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}},
			"abc+changes",
		},
	} {
		if got := sourceRevision(c.settings); got != c.want {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}

func TestBuildAlwaysHasAVersion(t *testing.T) {
	if release, _, _ := BuildInfo(); release == "" {
		t.Error("no version")
	}
}
