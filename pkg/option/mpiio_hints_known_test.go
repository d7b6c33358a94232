package option_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/units"
)

func TestHintsWithoutEffectAreTold(t *testing.T) {
	ompio4 := option.MPILibrary{Component: option.OMPIO, ChosenByDefault: true, OpenMPI: option.MPIVersion{4, 1, 4}}
	ompio5 := option.MPILibrary{Component: option.OMPIO, OpenMPI: option.MPIVersion{5, 0, 7}}
	ompio6 := option.MPILibrary{Component: option.OMPIO, OpenMPI: option.MPIVersion{6, 0, 0}}
	romio4 := option.MPILibrary{Component: option.ROMIO, OpenMPI: option.MPIVersion{4, 1, 4}}
	romio5 := option.MPILibrary{Component: option.ROMIO, OpenMPI: option.MPIVersion{5, 0, 7}}
	mpich := option.MPILibrary{Component: option.ROMIO}
	const unknown = "The hint cb_nods is unknown: neither the MPI standard nor ROMIO nor OMPIO has it. Use the hint " +
		"cb_nodes."
	for _, c := range []struct {
		hint    string
		library option.MPILibrary
		on      string
		caution string
		note    string
		ignored bool
	}{
		{"cb_nods=1", ompio4, "ext4", unknown, "", true},
		{"cb_nods=1", option.MPILibrary{}, "ext4", unknown, "", false},
		{
			"vendor_key=1", mpich, "ext4",
			"The hint vendor_key is unknown: neither the MPI standard nor ROMIO nor OMPIO has it.", "", true,
		},
		{
			"romio_cb_write=disable", ompio4, "ext4",
			"ROMIO reads the hint romio_cb_write, but this run uses OMPIO, so it has no effect. " +
				"Use --io-component romio.", "", true,
		},
		{"romio_cb_write=disable", mpich, "ext4", "", "", false},
		{
			"collective_buffering=false", mpich, "ext4",
			"OMPIO reads the hint collective_buffering, but this run uses ROMIO, so it has no effect.", "", true,
		},
		{
			"access_style=random", mpich, "ext4", "ROMIO does not read the hint access_style, so it has no effect.", "",
			true,
		},
		{
			"striping_factor=8", mpich, "ext4",
			"ROMIO heeds the hint striping_factor on lustre and pvfs2 only; on ext4 it has no effect.", "", true,
		},
		{
			"striping_unit=1M", mpich, "ext4", "ROMIO heeds the hint striping_unit on lustre and pvfs2 only; on " +
				"ext4 it only aligns the parts of a file that the aggregators write.", "", false,
		},
		{"striping_factor=8", mpich, "lustre", "", "", false},
		{"striping_factor=8", mpich, "", "", "", false},
		{
			"striping_factor=8", ompio4, "ext4", "OMPIO does not read the hint striping_factor, so it has no effect.",
			"", true,
		},
		{
			"striping_factor=8", ompio5, "ext4",
			"OMPIO heeds the hint striping_factor on lustre only; on ext4 it has no effect.", "", true,
		},
		{
			"striping_factor=8", ompio5, "lustre", "", "The effect of the hint striping_factor is not known: OMPIO " +
				"reads it, but MPI_File_get_info returns each hint as it was given.", false,
		},
		{
			"striping_factor=8", ompio4, "lustre", "", "The effect of the hint striping_factor is not known: it is " +
				"not known which implementation of MPI-IO opens the files.", false,
		},
		{
			"cb_nodes=2", ompio4, "ext4", "", "The effect of the hint cb_nodes is not known: OMPIO reads it, but " +
				"MPI_File_get_info returns each hint as it was given.", false,
		},
		{"cb_nodes=2", ompio6, "ext4", "", "", false},
		{"cb_nodes=2", romio5, "ext4", "", "", false},
		{
			"cb_nodes=2", romio4, "ext4", "", "The effect of the hint cb_nodes is not known: ROMIO reads it, but " +
				"MPI_File_get_info returns each hint as it was given.", false,
		},
		{
			"gpfsByteRange=1",
			option.MPILibrary{},
			"ext4",
			"Neither ROMIO nor OMPIO heeds the hint gpfsByteRange on ext4, so it has no effect.", "", true,
		},
	} {
		key, value, _ := strings.Cut(c.hint, "=")
		s := option.MPIIO{Hints: []units.KeyValue{{Key: key, Value: value}}}
		j := s.FindHintEffects(c.library, c.on)
		if got := strings.Trim(fmt.Sprint(j.Cautions), "[]"); got != c.caution {
			t.Errorf("%s with %+v on %q: caution %q, want %q", c.hint, c.library, c.on, got, c.caution)
		}
		if got := strings.Join(j.Notes, "|"); got != c.note {
			t.Errorf("%s with %+v on %q: note %q, want %q", c.hint, c.library, c.on, got, c.note)
		}
		if slices.Contains(j.Ignored, key) != c.ignored {
			t.Errorf("%s with %+v on %q: ignored %v", c.hint, c.library, c.on, j.Ignored)
		}
	}
}
