package plan

import (
	"fmt"
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// findHintEffects returns which effect the hints of a plan, and its implementation of MPI-IO, are known to have.
func findHintEffects(p Plan, job JobFacts) (effects option.HintEffects) {
	s := p.Parameters.MPIIOSettings
	reason := p.WithoutMPIIO()
	if s.IOComponent != "" && reason != "" {
		effects.Cautions = append(effects.Cautions, plain.Caution{
			Keyword: "component without effect",
			Text:    fmt.Sprintf("Option --io-component %s has no effect: %s.", s.IOComponent, reason),
		})
	}
	switch {
	case len(s.Hints) == 0:
		return effects
	case reason != "":
		effects.Cautions = append(effects.Cautions, plain.Caution{
			Keyword: "hints without effect", Text: "The hints have no effect: " + reason + ".",
		})
		return effects
	}
	of := s.FindHintEffects(job.MPIIO, job.TargetType)
	of.Cautions = slices.Concat(effects.Cautions, of.Cautions)
	if other := p.otherDriver(); other != "" && p.Parameters.Driver != option.Subfiling { // whose settings have a note
		of.Notes = append(of.Notes, "The hints have no effect on HDF5: "+other+".")
	}
	return of
}

// WithoutMPIIO returns why nothing that is measured uses MPI-IO, so that hints have no effect; "" if something does.
func (p Plan) WithoutMPIIO() string {
	apis := p.Parameters.APIs
	switch {
	case slices.Contains(apis, result.MPIIO):
		return ""
	case !slices.Contains(apis, result.PHDF5):
		return "no API that is measured uses MPI-IO"
	}
	return p.otherDriver()
}

// otherDriver returns why parallel HDF5 does not use MPI-IO for any file; "" if it does, or if it is not measured.
func (p Plan) otherDriver() string {
	driver := p.Parameters.Driver
	switch {
	case !slices.Contains(p.Parameters.APIs, result.PHDF5):
		return ""
	case driver != option.DriverMPIO:
		return fmt.Sprintf("the file driver %s does not use MPI-IO", driver)
	case p.hasOnlyOwnFiles():
		return "HDF5 opens files of one process with its serial driver sec2"
	}
	return ""
}

// hasOnlyOwnFiles reports whether no file is opened by all processes together. Files of a workload that are, are in the
// programs of all processes.
func (p Plan) hasOnlyOwnFiles() bool {
	if p.Workload == nil {
		return p.Parameters.FilesPerProcess
	}
	program, err := p.firstProgram()
	return err == nil && len(program.Files) > 0 && // the checks of the plan report the error
		!slices.ContainsFunc(program.Files, func(f workload.File) bool { return f.Group == workload.All })
}
