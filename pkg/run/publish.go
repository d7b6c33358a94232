package run

import (
	"context"
	"fmt"
	"os"

	"h5perf/pkg/metrics"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// openGateway is the Pushgateway that a command line names, on rank 0; nil on the others, and where it names none. All
// processes return an error if its settings are wrong. Collective.
func openGateway(world mpi.Comm, r Request) (g *metrics.Gateway, err error) {
	if r.Pushgateway == "" {
		return nil, nil
	}
	err = mpi.OnFirst(world, func() (err error) {
		g, err = metrics.NewGateway(r.Pushgateway, os.LookupEnv)
		return err
	})
	return g, err
}

// publish takes the metrics of the document of a run that has ended to where they were asked for. What goes wrong there
// is a warning and no failure of the run; what could not be pushed is kept in the spool.
func (o *output) publish(doc result.Document) {
	warn := func(err error) { _, _ = fmt.Fprintf(o.stderr, "h5perf: warning: %v\n", err) }
	if o.request.Textfile != "" {
		if err := metrics.WriteTextfile(o.request.Textfile, doc); err != nil {
			warn(err)
		}
	}
	if o.gateway == nil {
		return
	}
	ctx := context.Background()
	if doc.State != result.Complete { // whoever ended the run does not wait for long
		short, cancel := context.WithTimeout(ctx, o.grace)
		defer cancel()
		ctx = short
	}
	err := o.gateway.Push(ctx, doc)
	if err == nil {
		return
	}
	warn(fmt.Errorf("not pushed: %w", err))
	spool, err := metrics.SpoolOf(os.LookupEnv)
	path := ""
	if err == nil {
		path, err = spool.Add(doc)
	}
	if err != nil {
		warn(fmt.Errorf("not kept for another push: %w", err))
		return
	}
	warn(fmt.Errorf("the document is kept in %s: 'h5perf push --replay' pushes it", path))
}
