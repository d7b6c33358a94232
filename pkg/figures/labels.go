package figures

import (
	"fmt"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Label is a property of a point or a run, for programs that tell points and runs apart by it. A property that is
// absent has the value "".
type Label struct {
	Name  string
	Value any // a string, a bool, an int or a uint64
}

// Text returns the value as text.
func (l Label) Text() string { return fmt.Sprint(l.Value) }

// LabelNames are the names of the labels of a point, in their order.
var LabelNames = []string{
	"api", "operation", "pattern", "geometry", "mode", "layout", "transfer_bytes", "transfer", "workload", "processes",
	"sync", "cache", "variant",
}

// Labels returns the labels that identify a point. In serial runs pattern, geometry and mode are empty. transfer_bytes
// is the size of the whole transfer buffer, in any number of dimensions, and transfer the same size for people, such as
// 16 MiB. A workload has its name as workload in place of pattern, geometry, mode, layout, transfer_bytes and transfer,
// which are empty. Conditions that affect the meaning of a
// figure are labels, so that figures of different meaning are never in one series: sync of a write (none, close,
// phase, each; workload: by its own steps), cache of a read (warm, cold, mixed, unknown). variant is that of the run.
func (p Point) Labels() []Label {
	q, sync := p.Run.Parameters, ""
	var bytes any = TransferBytes(p.Case)
	transfer := units.FormatBytes(float64(TransferBytes(p.Case)))
	workload, _ := p.Run.Workload()
	if !p.Run.Sized() {
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

// SyncLabel returns when the data of the run were made durable: its condition, or if it has none, workload where steps
// of the workload do it.
func (r *Run) SyncLabel() string {
	if sync := r.Parameters.Conditions.Sync; sync != option.SyncNone || !r.hasSyncSteps() {
		return string(sync)
	}
	return "workload"
}

// LayoutLabel returns the layout of the datasets. It returns "" for workloads, whose datasets differ.
func (r *Run) LayoutLabel() string {
	if !r.Sized() {
		return ""
	}
	return string(r.Parameters.Layout)
}

// newLabels returns labels with these names and values.
func newLabels(names []string, values ...any) []Label {
	labels := make([]Label, len(names))
	for i, name := range names {
		labels[i] = Label{name, values[i]}
	}
	return labels
}
