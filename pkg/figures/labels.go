package figures

import (
	"fmt"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Label is a property by which programs distinguish points or runs. The value of a missing property is "".
type Label struct {
	Name  string
	Value any // a string, a bool, an int or a uint64
}

// Text returns the value as a string.
func (l Label) Text() string { return fmt.Sprint(l.Value) }

// LabelNames lists the names of the labels of a point, in their order.
var LabelNames = []string{
	"api", "operation", "pattern", "geometry", "mode", "layout", "transfer_bytes", "transfer", "workload", "processes",
	"sync", "cache", "variant",
}

// Labels returns the labels that identify a point. In serial runs pattern, geometry and mode are empty. transfer_bytes
// is the size of the whole transfer buffer, in any number of dimensions; transfer is the same size formatted for
// people, such as 16 MiB. For a workload, the label workload has its name, and pattern, geometry, mode, layout,
// transfer_bytes and transfer are empty. Conditions that change the meaning of a result are labels, so that a time
// series in a monitoring system never mixes such results: sync for writes (none, close, phase, each; workload: synced
// by its own steps), cache for reads (warm, cold, mixed, unknown). The label variant holds the settings that do not
// have their default.
func (p Point) Labels() []Label {
	q, sync := p.Run.Parameters, ""
	var bytes any = TransferBytes(p.Case)
	transfer := units.FormatBytes(float64(TransferBytes(p.Case)))
	workload, _ := p.Run.Workload()
	if !p.Run.HasTransferSize() {
		bytes, transfer = "", ""
	}
	if p.Operation == result.OperationWrite {
		sync = string(q.Conditions.Sync)
		if q.Conditions.Sync == option.SyncNone && p.HasSyncSteps() {
			sync = "workload"
		}
	}
	return newLabels(LabelNames, p.Case.API, string(p.Operation), string(q.Pattern), string(q.Geometry), string(q.Mode),
		p.Run.LayoutLabel(), bytes, transfer, workload, p.Case.Processes, sync, p.Cache, p.Run.VariantText())
}

// SyncLabel returns when the data of the run were made durable: the value of --sync, or "workload" if that is none and
// steps of the workload sync.
func (r *Run) SyncLabel() string {
	if sync := r.Parameters.Conditions.Sync; sync != option.SyncNone || !r.hasSyncSteps() {
		return string(sync)
	}
	return "workload"
}

// LayoutLabel returns the layout of the datasets. It returns "" for workloads, whose datasets have various layouts.
func (r *Run) LayoutLabel() string {
	if !r.HasTransferSize() {
		return ""
	}
	return string(r.Parameters.Layout)
}

func newLabels(names []string, values ...any) []Label {
	labels := make([]Label, len(names))
	for i, name := range names {
		labels[i] = Label{name, values[i]}
	}
	return labels
}

// InfoNames lists the names of the labels of a run, in their order.
var InfoNames = []string{
	"kind", "version", "flavour", "mpi", "hdf5", "file_system_type", "kernel", "image", "nodes", "processes",
	"sync", "direct", "cold", "shift", "spread", "data", "preset", "workload", "workload_sha256", "variant",
}

// InfoLabels returns the labels that describe the software and the conditions of a run.
func (r *Run) InfoLabels() []Label {
	c, workload, hash := r.Parameters.Conditions, "", ""
	if w := r.Parameters.Workload; w != nil {
		workload, hash = w.Name, ShortWorkloadHash(*w)
	}
	return newLabels(InfoNames,
		string(r.Kind), r.Software.Version, r.Software.Flavour, libraryName(r.Software.MPI), r.Software.HDF5,
		r.Target.Type, r.Machine.Kernel, r.Machine.Image.BuildID(), r.Job.Nodes, r.Job.Processes,
		r.SyncLabel(), c.Direct, c.Cold, option.ValueOrZero(c.Shift), string(c.Spread), string(c.Data),
		string(c.Preset),
		workload, hash, r.VariantText())
}

// libraryName returns the name and version from the text of MPI_Get_library_version: the text before the first comma,
// with single spaces.
func libraryName(text string) string {
	name, _, _ := strings.Cut(text, ",")
	return strings.Join(strings.Fields(name), " ")
}
