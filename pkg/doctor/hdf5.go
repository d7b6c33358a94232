package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// HDF5 describes the HDF5 library of the program.
type HDF5 struct {
	Version    string   `json:"version"`
	Library    string   `json:"library,omitempty"` // path of the shared object
	Drivers    []string `json:"drivers"`
	Parallel   bool     `json:"parallel"`
	Threadsafe bool     `json:"threadsafe"`
	Error      string   `json:"error,omitempty"` // why the library may not fit the program
}

// Check returns the check of the library. mpi says whether the program has MPI.
func (h *HDF5) Check(mpi bool) Check {
	c := Check{Name: "HDF5", Verdict: OK}
	if h == nil {
		c.Verdict = Warning
		c.Finding = "this program was built without HDF5 and cannot measure"
		c.Advice = "to measure, use a build with FLAVOUR=openmpi, mpich or serial"
		return c
	}
	c.Finding = fmt.Sprintf("HDF5 %s (%s), parallel %s, thread-safe %s, file drivers %s",
		h.Version, h.Library, yesNoText(h.Parallel), yesNoText(h.Threadsafe), strings.Join(h.Drivers, " "))
	var missing []string
	for _, d := range []string{"direct", "subfiling"} {
		if !slices.Contains(h.Drivers, d) && (mpi || d != "subfiling") {
			missing = append(missing, d)
		}
	}
	switch {
	case h.Error != "":
		c.Verdict = Problem
		c.Finding = h.Error
		c.Advice = "let the program load the library that it was built with (LD_LIBRARY_PATH), or rebuild it"
	case len(missing) > 0:
		c.Advice = "some file drivers are missing (" + strings.Join(missing, ", ") +
			"): to use them, run the container image, or an HDF5 that was configured with them"
	}
	return c
}

func yesNoText(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
