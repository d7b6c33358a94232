package mpiio

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/engine"
	"h5perf/pkg/option"
)

// ComponentVariable returns the name and the value of the environment variable that makes an MPI library use the given
// implementation of MPI-IO (OMPIO or ROMIO). The variable must be set before MPI is initialised. The name is "" if
// nothing need be set. library is the string from MPI_Get_library_version. It returns an error if the library does not
// have the implementation.
func ComponentVariable(component option.Component, library string) (key, value string, err error) {
	if !slices.Contains(component.Values(), string(component)) {
		return "", "", fmt.Errorf("MPI-IO component %q: allowed are %s",
			component, strings.Join(component.Values(), " and "))
	}
	switch version, openMPI := strings.CutPrefix(library, "Open MPI v"); {
	case openMPI && component == option.OMPIO:
		return componentVariable, string(option.OMPIO), nil
	case openMPI && strings.HasPrefix(version, "4."):
		return componentVariable, "romio321", nil
	case openMPI:
		return componentVariable, "romio341", nil
	case strings.HasPrefix(library, "MPICH") && component == option.ROMIO:
		return "", "", nil
	}
	name, _, _ := strings.Cut(library, "\n")
	return "", "", fmt.Errorf("MPI-IO component %s with %q: %w", component, name, engine.ErrUnsupported)
}

// componentVariable is the environment variable that selects Open MPI's implementation of MPI-IO.
const componentVariable = "OMPI_MCA_io"

// parseLibrary returns the MPI library and its implementation of MPI-IO. Fields that parseLibrary cannot determine are
// zero. parameter is the value of Open MPI's MCA parameter io, which chooses the implementation.
func parseLibrary(library, parameter string) (l option.MPILibrary) {
	name, open := strings.CutPrefix(library, "Open MPI v")
	if open {
		_, _ = fmt.Sscanf(name, "%d.%d.%d", &l.OpenMPI[0], &l.OpenMPI[1], &l.OpenMPI[2])
	}
	switch {
	case strings.HasPrefix(library, "MPICH"), open && strings.HasPrefix(parameter, string(option.ROMIO)) &&
		!strings.Contains(parameter, ","):
		l.Component = option.ROMIO
	case open && (parameter == "" || parameter == string(option.OMPIO)):
		l.Component, l.ChosenByDefault = option.OMPIO, parameter == ""
	}
	return l
}

// componentName returns the name of the implementation of MPI-IO for messages; "" if it is unknown. parameter is the
// value of Open MPI's parameter io.
func componentName(library, parameter string) string {
	switch {
	case strings.HasPrefix(library, "MPICH"):
		return "ROMIO"
	case !strings.HasPrefix(library, "Open MPI"):
		return ""
	case parameter == "":
		return "OMPIO (Open MPI's default; on Lustre, Open MPI may use ROMIO)"
	case parameter == string(option.OMPIO):
		return "OMPIO"
	case strings.HasPrefix(parameter, string(option.ROMIO)) && !strings.Contains(parameter, ","):
		return "ROMIO (" + parameter + ")"
	}
	return "Open MPI with io=" + parameter
}
