package figures

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/workload"
)

// compactCause is the cause for which transfers of compact datasets, and of those in external files, are independent.
const compactCause = "H5D_MPIO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET"

// causeWords says in words why HDF5 executed a transfer independently, by the constant of
// H5D_mpio_no_collective_cause_t.
var causeWords = map[string]string{
	"H5D_MPIO_SET_INDEPENDENT":                 "asked for as independent",
	"H5D_MPIO_DATATYPE_CONVERSION":             "type conversion",
	"H5D_MPIO_DATA_TRANSFORMS":                 "data transform",
	"H5D_MPIO_MPI_OPT_TYPES_ENV_VAR_DISABLED":  "HDF5_MPI_OPT_TYPES",
	"H5D_MPIO_NOT_SIMPLE_OR_SCALAR_DATASPACES": "dataspace neither simple nor scalar",
	compactCause: "neither contiguous nor chunked",
	"H5D_MPIO_PARALLEL_FILTERED_WRITES_DISABLED":        "no parallel filters in the library",
	"H5D_MPIO_ERROR_WHILE_CHECKING_COLLECTIVE_POSSIBLE": "error in the check",
	"H5D_MPIO_NO_SELECTION_IO":                          "no selection I/O",
}

// causesText says in words why transfers were not collective. A cause of a newer library stays as it is.
func causesText(causes []string) string {
	words := slices.Clone(causes)
	for i, cause := range causes {
		if known := causeWords[cause]; known != "" {
			words[i] = known
		}
	}
	return strings.Join(words, ", ")
}

// TransfersKind says how HDF5 executed the transfers of a point that were requested as collective: all collective, all
// independent, or mixed. It returns "" if HDF5 reports none, or if they had no data.
func (p Point) TransfersKind() string {
	n := p.Case.CollectiveTransfers(p.Operation)
	switch {
	case n == nil || n.Collective+n.Mixed+n.Independent == 0:
		return ""
	case n.Mixed+n.Independent == 0:
		return workload.CollectiveTransfers
	case n.Collective+n.Mixed == 0:
		return workload.IndependentTransfers
	}
	return workload.MixedTransfers
}

// TransfersText says how HDF5 executed the transfers of a point that were requested as collective, in which way it
// moved chunks, and why transfers were not collective, such as "collective, linked chunks" or "independent: type
// conversion". It returns "" if TransfersKind does.
func (p Point) TransfersText() string {
	kind := p.TransfersKind()
	if kind == "" {
		return ""
	}
	n := p.Case.CollectiveTransfers(p.Operation)
	text := kind
	if kind == workload.MixedTransfers {
		text += fmt.Sprintf(" (%d of %d collective)", n.Collective, n.Collective+n.Mixed+n.Independent)
	}
	text = strings.Join(append([]string{text}, p.chunkModes()...), ", ")
	some := slices.DeleteFunc(slices.Clone(n.GlobalCauses), func(cause string) bool {
		return slices.Contains(n.LocalCauses, cause)
	})
	separator := ": "
	if len(n.LocalCauses) > 0 {
		text, separator = text+separator+causesText(n.LocalCauses), "; "
	}
	if len(some) > 0 {
		text += separator + causesText(some) + " on other processes"
	}
	return text
}

// chunkModes returns in which ways HDF5 moved chunks in the transfers of a point that were not independent.
func (p Point) chunkModes() (all []string) {
	if p.TransfersKind() == workload.IndependentTransfers {
		return nil
	}
	for _, w := range []struct{ mode, words string }{
		{"H5D_MPIO_LINK_CHUNK", workload.LinkedChunks}, {"H5D_MPIO_MULTI_CHUNK", workload.ChunkByChunk},
	} {
		if n := p.Case.CollectiveTransfers(p.Operation); slices.Contains(n.Optimization, w.mode) {
			all = append(all, w.words)
		}
	}
	return all
}

// ShowTransfers reports whether outputs have a column with TransfersText: whether it has a text for one of the points.
func ShowTransfers(points []Point) bool {
	return slices.ContainsFunc(points, func(p Point) bool { return p.TransfersKind() != "" })
}

// TransfersSentences says in one sentence for each direction how HDF5 executed collective transfers, if there were any.
func (r *Run) TransfersSentences() (all []string) {
	for _, p := range r.Points() {
		if p.TransfersKind() != "" {
			all = append(all, fmt.Sprintf("Collective %ss of HDF5: %s.", p.Operation, p.TransfersText()))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
