package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"h5perf/pkg/rundir"
)

// doctorCommand is the command that examines what a run would rest on.
const doctorCommand = "doctor"

// Doctor is what that command is asked.
type Doctor struct {
	Directory string        `arg:"" optional:"" placeholder:"DIR" help:"Directory to examine (default: that of HDF5_PARAPREFIX or HDF5_PREFIX, else the current one)."`
	Timeout   time.Duration `default:"1m" placeholder:"DURATION" help:"Take a step that lasts longer for hanging, and end (default 1m)."`
	JSON      bool          `name:"json" help:"Print one JSON document instead of text."`
}

const doctorDescription = `Tells, before anything is measured, what a run would rest on: MPI and its launcher, one world of all processes or many of
one, messages between processes, the file system of DIR with its locks and O_DIRECT, HDF5, the container. Run it as the
run will be: alone, under mpiexec or srun, inside or outside of a container. It removes what it makes.

Exit status: 0 fine, perhaps with warnings; 1 a problem; 2 wrong usage; 3 wrong launch.`

// parseDoctor reads the words after the command. Where there is nothing to examine, for help was asked for or the words are
// wrong, it has told so, and returns nil and the exit status.
func parseDoctor(words []string, lookup func(string) (string, bool), stdout, stderr io.Writer) (*Doctor, int) {
	var d Doctor
	over := -1 // help was printed, and kong wants to exit with this
	parser, err := kong.New(&d, kong.Name("h5perf doctor"), kong.Description(doctorDescription), kong.Writers(stdout, stderr), kong.Exit(func(code int) { over = code }))
	if err == nil {
		_, err = parser.Parse(words)
	}
	switch {
	case over >= 0:
		return nil, over
	case err == nil && d.Timeout <= 0:
		err = fmt.Errorf("--timeout %v: must be more than 0", d.Timeout)
	}
	if err != nil {
		return nil, refuse(stderr, err, "h5perf doctor")
	}
	for _, variable := range []string{rundir.ParallelPrefix, rundir.SerialPrefix} {
		if value, _ := lookup(variable); d.Directory == "" {
			d.Directory = value
		}
	}
	if d.Directory == "" {
		d.Directory = "."
	}
	return &d, 0
}
