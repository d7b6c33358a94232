package report

import (
	"cmp"
	"strconv"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// writeSerialHeader writes the parameters of a serial run. Its lines have no rank.
func (t *CReport) writeSerialHeader() {
	p := t.doc.Parameters
	t.addLine("HDF5 Library: Version %s", cmp.Or(t.doc.Software.HDF5, "none"))
	t.addLine("==== Parameters ====")
	t.addLine("IO API=%s", joinEntries(p.APIs, strings.Clone))
	t.addLine("Number of iterations=%d", p.Iterations)
	t.addLine("Dataset size=%s", joinEntries(p.DatasetExtent, units.FormatLikeCTools))
	t.addLine("Transfer buffer size=%s", joinEntries(p.BufferExtent, units.FormatLikeCTools))
	t.addLine("Page Aggregation Disabled")
	t.addLine("Dimension access order=%s", joinEntries(p.DimensionOrder, strconv.Itoa))
	if p.UsesHDF5() {
		t.addLine("HDF5 data storage method=%s", capitalize(p.Layout))
		if p.Layout == result.LayoutChunked {
			t.addLine("HDF5 chunk size=%s", joinEntries(p.ChunkSize, units.FormatLikeCTools))
			dimensions := "Fixed"
			if p.Extendible {
				dimensions = "Extendable"
			}
			t.addLine("HDF5 dataset dimensions=%s", dimensions)
		}
		t.addLine("HDF5 file driver=%s", p.Driver)
	}
	t.addLine("Env HDF5_PREFIX=%s", t.variableSetByUser("HDF5_PREFIX"))
	t.addLine("==== End of Parameters ====")
	t.addLine("")
	t.writeConditions()
	t.flush()
}

// joinEntries formats the entries of a list, each followed by a blank.
func joinEntries[T any](items []T, format func(T) string) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(format(item) + " ")
	}
	return b.String()
}

// writeSerialTransfer writes the sizes of a serial run.
func (t *CReport) writeSerialTransfer(transfer uint64) {
	t.addLine("Transfer Buffer Size (bytes): %d", transfer)
	t.addLine("File Size(MB): %.2f", float64(t.doc.Parameters.SerialPattern().Sequence().DatasetBytes())/megabyte)
	t.flush()
}
