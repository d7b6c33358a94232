package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/rundir"
)

// Doctor holds options and arguments of the command doctor.
type Doctor struct {
	Directory string        `arg:"" optional:"" placeholder:"DIR" help:"Directory to examine (default: that of HDF5_PARAPREFIX or HDF5_PREFIX, else the current one)."`
	Timeout   time.Duration `default:"1m" placeholder:"DURATION" help:"Take a step that lasts longer for hanging, and end (default 1m)."`
	Serial    bool          `help:"Examine what 'h5perf serial' would rest on: one process, without MPI and its launcher."`
	JSON      bool          `name:"json" help:"Print one JSON document instead of text."`
}

const doctorAbout = `Tells, before anything is measured, what a run would rest on: MPI and its
launcher, one world of all processes or many of one, messages between processes,
the file system of DIR with its locks and O_DIRECT, HDF5, the container. Run it
as the run will be: alone, under mpiexec or srun, inside or outside of a
container. It removes what it makes.

Exit status: 0 fine, perhaps with warnings; 1 a problem; 2 wrong usage; 3 wrong launch.`

// doctorForm is the command line of doctor.
type doctorForm struct{}

func (doctorForm) page(c Command) (help.Page, error) {
	return help.OfGrammar(&Doctor{}, doctorOptions(c)...)
}

func (doctorForm) run(what Command, c call) (int, error) {
	d := Doctor{}
	asked, err := help.Parse(c.words[1:], c.out(), &d, doctorOptions(what)...)
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

func doctorOptions(c Command) []kong.Option {
	return []kong.Option{kong.Name(called(c.Name)), kong.Description(c.About)}
}
