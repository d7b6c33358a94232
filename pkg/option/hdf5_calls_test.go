package option_test

import (
	"strings"
	"testing"

	"h5perf/pkg/option"
)

// variedSettings returns settings in which each setting has one of its values, for each of all values.
func variedSettings(t *testing.T) (all []option.HDF5, names []string) {
	t.Helper()
	for _, r := range option.AllHDF5Settings() {
		values := r.ValidWords()
		if values == nil {
			values = []string{"64"}
			if r.Name == "metadata-cache" || r.Name == "page-buffer" || r.Name == "paged-allocation" {
				values[0] = "4096"
			}
		}
		for _, value := range values {
			var s option.HDF5
			if err := r.SetValue(&s, value); err != nil {
				t.Fatalf("%s=%s: %v", r.Name, value, err)
			}
			all, names = append(all, s), append(names, r.Name)
		}
	}
	return all, names
}

// Each setting has a call in C, in which every name is replaced. Each has a call in Python, or is named as one without.
func TestAllSettingsHaveCalls(t *testing.T) {
	seen := map[string]string{}
	all, names := variedSettings(t)
	for i, s := range all {
		c, python, without := s.Calls(names[i : i+1])
		if len(c) != 1 || !strings.Contains(c[0], "H5Pset_") || len(python)+len(without) != 1 {
			t.Errorf("%s: %q, %q, %q", names[i], c, python, without)
			continue
		}
		for _, line := range append(c, python...) {
			if strings.Contains(line, "{"+names[i]) || strings.Contains(line, "(, ") || strings.Contains(line, "-2") {
				t.Errorf("%s: %s", names[i], line)
			}
		}
		if before := seen[c[0]]; before != "" && before != names[i] && !strings.Contains(c[0], "libver") {
			t.Errorf("%s has the call of %s: %s", names[i], before, c[0])
		}
		seen[c[0]] = names[i]
	}
}

func TestSettingsWithOneCallAreSetTogether(t *testing.T) {
	s := option.HDF5{
		AlignmentBytes: new(uint64(1 << 20)), ThresholdBytes: new(uint64(4096)), Libver: "v110",
		CollectiveMetadata: option.MetadataBoth,
	}
	c, python, without := s.Calls([]string{"align", "threshold", "libver", "collective-metadata"})
	got := strings.Join(c, "\n") + "\n" + strings.Join(python, "\n") + "\n" + strings.Join(without, "\n")
	want := `H5Pset_alignment(fapl, 4096, 1048576);
H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
H5Pset_coll_metadata_write(fapl, 1); H5Pset_all_coll_metadata_ops(fapl, 1);
h5py.File(..., alignment_threshold=4096, alignment_interval=1048576)
h5py.File(..., libver=('v110', 'latest'))
collective-metadata`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
