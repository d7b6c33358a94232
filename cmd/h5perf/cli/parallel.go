package cli

import (
	"io"
	"strings"

	"h5perf/pkg/plan"
)

// Parallel is what a command line asks of the parallel tool.
type Parallel struct {
	Request
	Options plan.Options
	Partner *Parallel // to be measured in turns with this one, or nil
}

// parseParallel reads a command line of the parallel tool. It returns nil when that asks for help or version, which are
// printed.
func parseParallel(args, words []string, lookup func(string) (string, bool), stdout io.Writer) (*Parallel, error) {
	var g grammar
	var v values
	if command, err := parse(words, &g, &g, &v, parallelHelp, stdout); command == "" {
		return nil, err
	}
	return &Parallel{
		Request: g.Parallel.request(args, v.given, lookup, "HDF5_PARAPREFIX", "HDF5_NOCLEANUP", "HDF5_MPI_INFO", "USER", "LOGIN"),
		Options: g.Parallel.options(lookup),
	}, nil
}

func (p parallel) options(lookup func(string) (string, bool)) plan.Options {
	o := plan.Options{
		APIs:            p.API,
		BytesPerProcess: p.NumBytes,
		Block:           p.BlockSize,
		MinTransfer:     p.MinXferSize,
		MaxTransfer:     p.MaxXferSize,
		MinProcesses:    p.MinNumProcesses,
		MaxProcesses:    p.MaxNumProcesses,
		Iterations:      p.NumIterations,
		Files:           p.NumFiles,
		Datasets:        p.NumDsets,
		TwoD:            p.Geometry,
		Interleaved:     p.Interleaved,
		Collective:      p.Collective,
		Chunked:         p.Chunk,
		ChunkSize:       p.ChunkSize,
		WriteOnly:       p.WriteOnly,
		Align:           p.Align,
		Threshold:       p.Threshold,
		MPIPosix:        p.MPIPosix,
		Driver:          p.Driver,
		Subfiling: plan.Subfiling{
			Stripe: p.SubfilingStripe, Files: p.SubfilingFiles, PerNode: p.SubfilingPerNode, Threads: p.SubfilingThreads,
		},
		View:        p.View,
		Conditions:  p.plan(p.CaseOrder, p.Shift),
		Verify:      p.Debug.verify,
		Hints:       p.Hint,
		IOComponent: p.IOComponent,
		FillTime:    p.FillTime,
		SieveBuffer: p.SieveBuffer,
		ChunkCache:  p.ChunkCache,
		KeepFiles:   p.keeps(lookup),
	}
	if info, set := lookup("HDF5_MPI_INFO"); set {
		o.MPIInfo = &info
	}
	return o
}

// Subfiling tells whether a configuration may use HDF5's file driver subfiling, which calls MPI in threads of its own: MPI must
// know before it starts.
func (p *Parallel) Subfiling() bool {
	return p != nil && (strings.EqualFold(p.Options.Driver, "subfiling") || p.Partner.Subfiling())
}
