package report

import (
	"cmp"
	"strconv"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// serialHeader writes the parameters of a serial run. Its lines name no rank.
func (t *Text) serialHeader() {
	p := t.doc.Parameters
	t.line("HDF5 Library: Version %s", cmp.Or(t.doc.Software.HDF5, "none"))
	t.line("==== Parameters ====")
	t.line("IO API=%s", entries(p.APIs, strings.Clone))
	t.line("Number of iterations=%d", p.Iterations)
	t.line("Dataset size=%s", entries(p.DatasetExtent, units.FormatC))
	t.line("Transfer buffer size=%s", entries(p.BufferExtent, units.FormatC))
	t.line("Page Aggregation Disabled")
	t.line("Dimension access order=%s", entries(p.DimensionOrder, strconv.Itoa))
	if p.UsesHDF5() {
		t.line("HDF5 data storage method=%s", capital(p.Layout))
		if p.Layout == result.LayoutChunked {
			t.line("HDF5 chunk size=%s", entries(p.ChunkSize, units.FormatC))
			dimensions := "Fixed"
			if p.Extendible {
				dimensions = "Extendable"
			}
			t.line("HDF5 dataset dimensions=%s", dimensions)
		}
		t.line("HDF5 file driver=%s", p.Driver)
	}
	t.line("Env HDF5_PREFIX=%s", t.given("HDF5_PREFIX"))
	t.line("==== End of Parameters ====")
	t.line("")
	t.conditions()
	t.flush()
}

// entries returns a list as text, each entry followed by a blank.
func entries[T any](items []T, format func(T) string) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(format(item) + " ")
	}
	return b.String()
}

// serialTransfer writes the sizes of a serial run.
func (t *Text) serialTransfer(transfer uint64) {
	t.line("Transfer Buffer Size (bytes): %d", transfer)
	t.line("File Size(MB): %.2f", float64(t.doc.Parameters.Box().Sequence().DatasetBytes())/megabyte)
	t.flush()
}
