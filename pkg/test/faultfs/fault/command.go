package fault

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// Ready is the line that Main prints once the file system is mounted.
const Ready = "ready"

// command is the command line.
type command struct {
	Rule []string `help:"A fault: OP:ACTION, OP:ACTION:at=K or OP:ACTION:from=K. May be repeated." placeholder:"RULE"`

	Latency   time.Duration `help:"Time that each read and write takes, at least." default:"0"`
	Bandwidth float64       `help:"Bytes per second of all reads and writes together; 0 is no limit." default:"0"`
	Direct    bool          `help:"Let the kernel cache nothing."`
	UntilEOF  bool          `help:"End when standard input ends, too."`

	Directory  string `arg:"" help:"Directory to serve."`
	MountPoint string `arg:"" help:"Where to mount it."`
}

// Main serves a directory until a signal ends it, and returns an exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var c command
	over := -1
	parser, err := kong.New(&c, kong.Name("faultfs"), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { over = code }),
		kong.Description("Serve a directory as a file system with faults, for tests. Control it by attributes of the "+
			"mount point: "+
			"setfattr -n "+RulesAttr+" -v 'RULE...' DIR; getfattr --only-values -n "+StatsAttr+" DIR."))
	if err == nil {
		_, err = parser.Parse(args)
	}
	switch {
	case over >= 0:
		return over
	case err == nil:
		err = c.run(stdin, stdout)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "faultfs: %v\n", err)
		return 1
	}
	return 0
}

func (c command) run(stdin io.Reader, stdout io.Writer) error {
	o := Options{Latency: c.Latency, Bandwidth: c.Bandwidth, Direct: c.Direct}
	for _, text := range c.Rule {
		r, err := ParseRule(text)
		if err != nil {
			return err
		}
		o.Rules = append(o.Rules, r)
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	f, err := Mount(c.Directory, c.MountPoint, o)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(stdout, Ready); err != nil {
		return err
	}
	eof := make(chan struct{})
	if c.UntilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, stdin) // an error ends it, too
			close(eof)
		}()
	}
	select {
	case <-end:
	case <-eof:
	}
	return f.Detach()
}
