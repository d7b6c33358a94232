package hdf5conf_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/engine/hdf5/hdf5conf"
)

func TestRowsHaveTheNamesOfTheirOptions(t *testing.T) {
	var names []string
	for _, row := range hdf5conf.Rows() {
		names = append(names, row.Name)
	}
	want := "sieve-buffer align threshold meta-block-size fill-time defer-metadata libver paged-allocation " +
		"collective-metadata chunk-cache"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
}

// What is set is what is read back, and nothing else is set.
func TestRowsAreSetByTheirTexts(t *testing.T) {
	valid := map[string]string{}
	for _, row := range hdf5conf.Rows() {
		text, want := "64K", "65536"
		if words := row.Words(); words != nil {
			text, want = words[1], words[1]
		}
		var s hdf5conf.Settings
		if row.Text(s) != "" {
			t.Errorf("%s is given in nothing: %q", row.Name, row.Text(s))
		}
		if err := row.Set(&s, text); err != nil {
			t.Errorf("%s %s: %v", row.Name, text, err)
		}
		for _, other := range hdf5conf.Rows() {
			if got := other.Text(s); (other.Name == row.Name) != (got == want) || other.Name != row.Name && got != "" {
				t.Errorf("with %s %s, %s is %q", row.Name, text, other.Name, got)
			}
		}
		if spelled := row.Spelled(want); spelled != text {
			t.Errorf("%s %s is spelled %s", row.Name, want, spelled)
		}
		valid[row.Name] = text
	}
	for name, wrong := range map[string][]string{
		"align":               {"0", "-1", "x", ""},
		"paged-allocation":    {"511", "2G", "page"},
		"defer-metadata":      {"yes", "true", ""},
		"libver":              {"v19", ""},
		"collective-metadata": {"on"},
	} {
		rows := hdf5conf.Rows()
		row := rows[slices.IndexFunc(rows, func(r hdf5conf.Row) bool { return r.Name == name })]
		for _, text := range wrong {
			var s hdf5conf.Settings
			if err := row.Set(&s, text); err == nil || s != (hdf5conf.Settings{}) {
				t.Errorf("%s %q is set to %q, error %v", name, text, row.Text(s), err)
			}
		}
	}
}

func TestWhatALibraryLacksIsNamed(t *testing.T) {
	l := hdf5conf.Library{Version: "1.10.8", Libvers: []hdf5conf.Libver{"latest"}, Filters: []string{"shuffle"}}
	all := hdf5conf.Library{
		Version: "1.14.5", Libvers: []hdf5conf.Libver{"v114"}, Together: true, Filters: []string{"szip"},
	}
	for _, c := range []struct {
		check func(hdf5conf.Library) error
		want  string
	}{
		{func(l hdf5conf.Library) error { return l.CheckLibver("v114") }, "HDF5 1.10.8 does not have this version"},
		{hdf5conf.Library.CheckTogether, "HDF5 1.10.8 cannot transfer several datasets in one call"},
		{
			func(l hdf5conf.Library) error { return l.CheckFilter("szip") },
			"HDF5 1.10.8 was built without writing with the filter szip; it has shuffle",
		},
	} {
		if err := c.check(l); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		for _, able := range []hdf5conf.Library{all, {}} {
			if err := c.check(able); err != nil {
				t.Errorf("%+v: %v", able, err)
			}
		}
	}
}
