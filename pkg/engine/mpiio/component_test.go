package mpiio

import (
	"strings"
	"testing"

	"h5perf/pkg/option"
)

const (
	openMPI4 = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"
	openMPI5 = "Open MPI v5.0.7, package: Debian OpenMPI, ident: 5.0.7"
	mpich    = "MPICH Version:\t4.0.2\nMPICH Release date:"
)

func TestComponentVariable(t *testing.T) {
	for _, c := range []struct {
		component                   option.Component
		library, key, value, reason string
	}{
		{"ompio", openMPI4, "OMPI_MCA_io", "ompio", ""},
		{"romio", openMPI4, "OMPI_MCA_io", "romio321", ""},
		{"ompio", openMPI5, "OMPI_MCA_io", "ompio", ""},
		{"romio", openMPI5, "OMPI_MCA_io", "romio341", ""},
		{"romio", mpich, "", "", ""},
		{"ompio", mpich, "", "", `ompio with "MPICH Version:\t4.0.2": not supported`},
		{"romio", "", "", "", `romio with "": not supported`},
		{"OMPIO", openMPI4, "", "", `"OMPIO": allowed are ompio and romio`},
	} {
		key, value, err := ComponentVariable(c.component, c.library)
		if key != c.key || value != c.value || (err == nil) != (c.reason == "") {
			t.Errorf("%s with %s: %s=%s, %v; want %s=%s", c.component, c.library, key, value, err, c.key, c.value)
		}
		if err != nil && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("error %q, want %q", err, c.reason)
		}
	}
}

func TestComponentInWords(t *testing.T) {
	for _, c := range []struct{ library, parameter, want string }{
		{mpich, "", "ROMIO"},
		{openMPI4, "", "OMPIO (Open MPI's default; on Lustre, Open MPI may use ROMIO)"},
		{openMPI4, "ompio", "OMPIO"},
		{openMPI4, "romio321", "ROMIO (romio321)"},
		{openMPI4, "^ompio", "Open MPI with io=^ompio"},
		{openMPI4, "romio321,ompio", "Open MPI with io=romio321,ompio"},
		{"Somebody's MPI", "", ""},
	} {
		if got := componentName(c.library, c.parameter); got != c.want {
			t.Errorf("%s, io=%s: %q, want %q", c.library, c.parameter, got, c.want)
		}
	}
}

func TestLibraryInUse(t *testing.T) {
	four := option.MPIVersion{4, 1, 4}
	for _, c := range []struct {
		library, parameter string
		want               option.MPILibrary
	}{
		{mpich, "", option.MPILibrary{Component: option.ROMIO}},
		{openMPI4, "", option.MPILibrary{Component: option.OMPIO, ChosenByDefault: true, OpenMPI: four}},
		{openMPI4, "ompio", option.MPILibrary{Component: option.OMPIO, OpenMPI: four}},
		{openMPI4, "romio321", option.MPILibrary{Component: option.ROMIO, OpenMPI: four}},
		{openMPI4, "^ompio", option.MPILibrary{OpenMPI: four}},
		{openMPI5, "romio341,ompio", option.MPILibrary{OpenMPI: option.MPIVersion{5, 0, 7}}},
		{"Somebody's MPI", "", option.MPILibrary{}},
	} {
		if got := parseLibrary(c.library, c.parameter); got != c.want {
			t.Errorf("%s, io=%s: %+v, want %+v", c.library, c.parameter, got, c.want)
		}
	}
}
