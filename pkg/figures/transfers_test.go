package figures_test

import (
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

func TestTransfersTextSaysWhatHDF5Did(t *testing.T) {
	const (
		conversion = "H5D_MPIO_DATATYPE_CONVERSION"
		compact    = "H5D_MPIO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET"
		selection  = "H5D_MPIO_NO_SELECTION_IO"
	)
	for want, of := range map[string]*result.Collective{
		"":                          nil,
		"collective":                {Collective: 4, Optimization: []string{"H5D_MPIO_NO_CHUNK_OPTIMIZATION"}},
		"collective, linked chunks": {Collective: 4, Optimization: []string{"H5D_MPIO_LINK_CHUNK"}},
		"mixed (1 of 4 collective), chunk by chunk": {
			Collective: 1, Mixed: 2, Independent: 1, Optimization: []string{"H5D_MPIO_MULTI_CHUNK"},
		},
		"independent: no selection I/O, type conversion": {
			Independent: 4, Optimization: []string{"H5D_MPIO_LINK_CHUNK"},
			LocalCauses: []string{selection, conversion}, GlobalCauses: []string{selection, conversion},
		},
		"independent: type conversion on other processes": {Independent: 4, GlobalCauses: []string{conversion}},
		"independent: neither contiguous nor chunked; type conversion on other processes": {
			Independent: 4, LocalCauses: []string{compact}, GlobalCauses: []string{compact, conversion},
		},
		"independent: bit 12": {Independent: 4, LocalCauses: []string{"bit 12"}, GlobalCauses: []string{"bit 12"}},
	} {
		p := figures.Point{Operation: result.OperationRead}
		p.Case.Effective = &result.Effective{CollectiveReads: of}
		if got := p.TransfersText(); got != want {
			t.Errorf("%+v: %q, want %q", of, got, want)
		}
		p.Operation = result.OperationWrite
		if got := p.TransfersText(); got != "" {
			t.Errorf("of writes: %q", got)
		}
	}
	if figures.ShowTransfers([]figures.Point{{}}) {
		t.Error("a column without texts")
	}
}
