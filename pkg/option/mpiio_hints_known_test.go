package option_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/units"
)

func TestHintsWithoutEffectAreTold(t *testing.T) {
	ompio4 := option.MPILibrary{Component: option.OMPIO, ByDefault: true, OpenMPI: option.MPIVersion{4, 1, 4}}
	ompio5 := option.MPILibrary{Component: option.OMPIO, OpenMPI: option.MPIVersion{5, 0, 7}}
	ompio6 := option.MPILibrary{Component: option.OMPIO, OpenMPI: option.MPIVersion{6, 0, 0}}
	romio4 := option.MPILibrary{Component: option.ROMIO, OpenMPI: option.MPIVersion{4, 1, 4}}
	romio5 := option.MPILibrary{Component: option.ROMIO, OpenMPI: option.MPIVersion{5, 0, 7}}
	mpich := option.MPILibrary{Component: option.ROMIO}
	for _, c := range []struct {
		hint    string
		library option.MPILibrary
		on      string
		warning string
		note    string
		ignored bool
	}{
		{"cb_nods=1", ompio4, "ext4", "unknown hint cb_nods: did you mean cb_nodes?", "", true},
		{"cb_nods=1", option.MPILibrary{}, "ext4", "unknown hint cb_nods: did you mean cb_nodes?", "", false},
		{
			"vendor_key=1", mpich, "ext4",
			"unknown hint vendor_key: neither the MPI standard nor ROMIO nor OMPIO has it", "", true,
		},
		{
			"romio_cb_write=disable", ompio4, "ext4",
			"hint romio_cb_write: it is read by ROMIO; this run uses OMPIO, so it has no effect " +
				"(--io-component romio)", "", true,
		},
		{"romio_cb_write=disable", mpich, "ext4", "", "", false},
		{
			"collective_buffering=false", mpich, "ext4",
			"hint collective_buffering: it is read by OMPIO; this run uses ROMIO, so it has no effect", "", true,
		},
		{
			"access_style=random", mpich, "ext4", "hint access_style: ROMIO does not read it, so it has no effect", "",
			true,
		},
		{
			"striping_factor=8", mpich, "ext4",
			"hint striping_factor: ROMIO heeds it on lustre and pvfs2 only; on ext4 it has no effect", "", true,
		},
		{
			"striping_unit=1M", mpich, "ext4", "hint striping_unit: ROMIO heeds it on lustre and pvfs2 only; on " +
				"ext4 it only aligns the parts of a file that the aggregators write", "", false,
		},
		{"striping_factor=8", mpich, "lustre", "", "", false},
		{"striping_factor=8", mpich, "", "", "", false},
		{
			"striping_factor=8", ompio4, "ext4", "hint striping_factor: OMPIO does not read it, so it has no effect",
			"", true,
		},
		{
			"striping_factor=8", ompio5, "ext4",
			"hint striping_factor: OMPIO heeds it on lustre only; on ext4 it has no effect", "", true,
		},
		{
			"striping_factor=8", ompio5, "lustre", "", "hint striping_factor: accepted, effect not known: OMPIO " +
				"reads it, but MPI_File_get_info returns each hint as it was given", false,
		},
		{
			"striping_factor=8", ompio4, "lustre", "", "hint striping_factor: accepted, effect not known: it is " +
				"not known which implementation of MPI-IO opens the files", false,
		},
		{
			"cb_nodes=2", ompio4, "ext4", "", "hint cb_nodes: accepted, effect not known: OMPIO reads it, but " +
				"MPI_File_get_info returns each hint as it was given", false,
		},
		{"cb_nodes=2", ompio6, "ext4", "", "", false},
		{"cb_nodes=2", romio5, "ext4", "", "", false},
		{
			"cb_nodes=2", romio4, "ext4", "", "hint cb_nodes: accepted, effect not known: ROMIO reads it, but " +
				"MPI_File_get_info returns each hint as it was given", false,
		},
		{
			"gpfsByteRange=1",
			option.MPILibrary{},
			"ext4",
			"hint gpfsByteRange: neither ROMIO nor OMPIO heeds it on ext4, so it has no effect", "", true,
		},
	} {
		key, value, _ := strings.Cut(c.hint, "=")
		s := option.MPIIO{Hints: []units.KeyValue{{Key: key, Value: value}}}
		j := s.Judge(c.library, c.on)
		if got := strings.Join(j.Warnings, "|"); got != c.warning {
			t.Errorf("%s with %+v on %q: warning %q, want %q", c.hint, c.library, c.on, got, c.warning)
		}
		if got := strings.Join(j.Notes, "|"); got != c.note {
			t.Errorf("%s with %+v on %q: note %q, want %q", c.hint, c.library, c.on, got, c.note)
		}
		if slices.Contains(j.Ignored, key) != c.ignored {
			t.Errorf("%s with %+v on %q: ignored %v", c.hint, c.library, c.on, j.Ignored)
		}
	}
}
