package run

import (
	"context"
	"fmt"
	"os"

	"h5perf/pkg/metrics"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// openGateway returns, on rank 0, the Pushgateway of the command line. It returns nil on the other ranks, and if the
// command line names none. If its settings are wrong, all processes return an error. Collective.
func openGateway(world mpi.Comm, r Request) (g *metrics.Gateway, err error) {
	if r.Pushgateway == "" {
		return nil, nil
	}
	err = mpi.CheckOnRoot(world, func() (err error) {
		g, err = metrics.NewGateway(r.Pushgateway, os.LookupEnv)
		return err
	})
	return g, err
}

// writeTextfile writes the metrics of the final document to the textfile, if asked for.
func (o *armOutput) writeTextfile(doc result.Document) error {
	if o.request.Textfile == "" {
		return nil
	}
	return metrics.WriteTextfile(o.request.Textfile, o.request.Force, doc, o.request.Partial)
}

// pushMetrics pushes the metrics of the final document, if asked for. It prints an error, but the run does not fail
// because of it. A document that could not be pushed is kept in the spool directory.
func (o *armOutput) pushMetrics(doc result.Document) {
	if n := metrics.NumOmittedPoints(doc, o.request.Partial); n > 0 && (o.gateway != nil || o.request.Textfile != "") {
		o.printNote(fmt.Sprintf("the metrics lack %s of this run, because it is %s: use --partial to publish what it "+
			"measured", units.Count(n, "result", "results"), doc.State))
	}
	if o.gateway == nil {
		return
	}
	ctx := context.Background()
	if doc.State != result.Complete { // a run that did not complete must end soon
		short, cancel := context.WithTimeout(ctx, o.grace)
		defer cancel()
		ctx = short
	}
	err := o.gateway.Push(ctx, doc, o.request.Partial)
	if err == nil {
		return
	}
	o.printError(fmt.Errorf("the metrics were not pushed: %w", err))
	spool, err := metrics.SpoolOf(os.LookupEnv)
	path := ""
	if err == nil {
		path, err = spool.Add(o.gateway.Destination(), doc)
	}
	if err != nil {
		o.printError(fmt.Errorf("the document could not be kept for another push: %w", err))
		return
	}
	o.printNote("the document is kept in " + path + ": 'h5perf push --replay' pushes it to this gateway")
}
