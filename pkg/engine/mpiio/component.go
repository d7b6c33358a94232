package mpiio

import (
	"fmt"
	"strings"

	"h5perf/pkg/engine"
)

// The implementations of MPI-IO that can be asked for.
const (
	OMPIO = "ompio"
	ROMIO = "romio"
)

// ComponentVariable is the environment variable that makes an MPI library use an implementation of MPI-IO, to be set
// before MPI is initialised; an empty key when there is nothing to set. library is the text of MPI_Get_library_version.
func ComponentVariable(component, library string) (key, value string, err error) {
	if component != OMPIO && component != ROMIO {
		return "", "", fmt.Errorf("MPI-IO component %q: allowed are %s and %s", component, OMPIO, ROMIO)
	}
	switch version, openMPI := strings.CutPrefix(library, "Open MPI v"); {
	case openMPI && component == OMPIO:
		return componentVariable, OMPIO, nil
	case openMPI && strings.HasPrefix(version, "4."):
		return componentVariable, "romio321", nil
	case openMPI:
		return componentVariable, "romio341", nil
	case strings.HasPrefix(library, "MPICH") && component == ROMIO:
		return "", "", nil
	}
	name, _, _ := strings.Cut(library, "\n")
	return "", "", fmt.Errorf("MPI-IO component %s with %q: %w", component, name, engine.ErrUnsupported)
}

const componentVariable = "OMPI_MCA_io"

// describe names the implementation of MPI-IO in words; parameter is the value of Open MPI's parameter io.
func describe(library, parameter string) string {
	switch {
	case strings.HasPrefix(library, "MPICH"):
		return "ROMIO"
	case !strings.HasPrefix(library, "Open MPI"):
		return ""
	case parameter == "":
		return "OMPIO (Open MPI's default; on Lustre it may take ROMIO)"
	case parameter == OMPIO:
		return "OMPIO"
	case strings.HasPrefix(parameter, ROMIO) && !strings.Contains(parameter, ","):
		return "ROMIO (" + parameter + ")"
	}
	return "Open MPI's choice by io=" + parameter
}
