package figures

import (
	"fmt"

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
