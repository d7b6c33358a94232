package result_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/result"
)

func TestTheTableOfAPIsIsSound(t *testing.T) {
	names, pens := map[string]bool{}, map[int]bool{}
	for _, a := range result.APIs {
		if a.Name == "" || a.Label == "" || a.CLabel == "" || !strings.HasPrefix(a.Suffix, ".") {
			t.Errorf("%+v lacks a name", a)
		}
		if a.LowerAPI != "" && !names[a.LowerAPI] {
			t.Errorf("%s comes before %s, which lies below it", a.Name, a.LowerAPI)
		}
		if names[a.Name] || pens[a.PenIndex] {
			t.Errorf("%s, pen %d: there are two of them", a.Name, a.PenIndex)
		}
		if !a.Parallel && !a.Serial {
			t.Errorf("no tool measures %s", a.Name)
		}
		if a.HDF5 && a.PlainFiles || a.PlainFiles && a.Datasets {
			t.Errorf("%s has plain files, and datasets in them", a.Name)
		}
		names[a.Name], pens[a.PenIndex] = true, true
	}
	for _, tool := range []struct {
		measures func(result.API) bool
		want     []string
	}{
		{func(a result.API) bool { return a.Parallel }, []string{result.POSIX, result.MPIIO, result.PHDF5}},
		{func(a result.API) bool { return a.Serial }, []string{result.POSIX, result.HDF5}},
	} {
		if got := result.APINames(tool.measures); !slices.Equal(got, tool.want) {
			t.Errorf("a tool measures %v, want %v", got, tool.want)
		}
	}
}

func TestAPIsAreInTheOrderOfTheTable(t *testing.T) {
	names := []string{"zz", result.HDF5, "aa", result.POSIX, result.PHDF5, result.MPIIO}
	slices.SortFunc(names, result.CompareAPIs)
	if want := []string{result.POSIX, result.MPIIO, result.PHDF5, result.HDF5, "aa", "zz"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestACaseHasALabelForPeople(t *testing.T) {
	for want, got := range map[string]string{
		"MPI-IO, 1 process, transfers of 1 MiB":  result.Parameters{}.CaseLabel(result.MPIIO, 1, 1<<20, nil),
		"HDF5, 4 processes, transfers of 96 KiB": result.Parameters{}.CaseLabel(result.PHDF5, 4, 96<<10, nil),
		"HDF5, 2 processes, workload vpic": result.Parameters{Workload: &result.Workload{Name: "vpic"}}.CaseLabel(
			result.PHDF5, 2, 0, nil),
		"new, 2 processes, transfers of 100 B, align=1M": result.Parameters{}.CaseLabel("new", 2, 100,
			[]result.KeyValue{{Key: "align", Value: "1M"}}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
