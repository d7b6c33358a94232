package cli

import (
	"fmt"
	"slices"
	"time"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/rundir"
)

// Doctor holds options and arguments of the command doctor.
type Doctor struct {
	Directory string        `arg:"" optional:"" placeholder:"DIR" help:"Directory to check (default: the directory in HDF5_PARAPREFIX or HDF5_PREFIX, or else the current directory)."`
	Timeout   time.Duration `default:"1m" placeholder:"DURATION" help:"Stop if a check takes longer than this (default 1m)."`
	Serial    bool          `help:"Check for 'h5perf serial': one process, without MPI and its launcher."`
	JSON      bool          `name:"json" help:"Print JSON instead of text."`
}

const doctorAbout = `Check whether a run would work here. The checks cover MPI and its launcher, messages
between processes, the file system of DIR with its locks and O_DIRECT, HDF5, and the container. Start it in
the same way as the run: alone or under mpiexec or srun, inside or outside of a container. It removes the
files that it makes.

Exit status: 0 no problem, perhaps warnings; 1 a problem; 2 wrong usage; 3 wrong launch.`

type doctorHandler struct{}

func (doctorHandler) helpPage(c Command) (help.Page, error) {
	return help.PageOfGrammar(&Doctor{}, commandOptions(c)...)
}

func (doctorHandler) execute(what Command, c commandCall) (int, error) {
	d := Doctor{}
	asked, err := help.Parse(c.words[1:], c.outputWriter(), &d, commandOptions(what)...)
	switch {
	case asked || err != nil:
		return 0, err
	case d.Timeout <= 0:
		return 0, fmt.Errorf("--timeout %v: must be more than 0", d.Timeout)
	}
	variables := []string{rundir.ParallelPrefix, rundir.SerialPrefix}
	if d.Serial {
		slices.Reverse(variables)
	}
	for _, variable := range variables {
		if value, _ := c.lookup(variable); d.Directory == "" {
			d.Directory = value
		}
	}
	if d.Directory == "" {
		d.Directory = "."
	}
	return c.tools.Doctor(d), nil
}
