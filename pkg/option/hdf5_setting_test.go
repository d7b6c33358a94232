package option_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/option"
)

func TestRowsHaveTheNamesOfTheirOptions(t *testing.T) {
	var names []string
	for _, row := range option.AllHDF5Settings() {
		names = append(names, row.Name)
	}
	want := "sieve-buffer align threshold meta-block-size small-data-block fill-time allocation-time " +
		"object-times minimized-headers compact-attributes compact-links defer-metadata metadata-cache " +
		"evict-on-close libver libver-high paged-allocation page-buffer file-locking collective-metadata " +
		"chunk-cache chunk-io link-threshold multi-percent collective-io selection-io conversion-buffer"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
}

// Set sets the value that Text returns, and changes no other setting.
func TestRowsAreSetByTheirTexts(t *testing.T) {
	valid := map[string]string{}
	for _, row := range option.AllHDF5Settings() {
		text, want := "64K", "65536"
		if _, err := row.ParseValue(text); err != nil { // a smaller range
			text, want = "64", "64"
		}
		if words := row.ValidWords(); words != nil {
			text, want = words[1], words[1]
		}
		var s option.HDF5
		if row.ValueText(s) != "" {
			t.Errorf("%s is given in nothing: %q", row.Name, row.ValueText(s))
		}
		if err := row.SetValue(&s, text); err != nil {
			t.Errorf("%s %s: %v", row.Name, text, err)
		}
		for _, other := range option.AllHDF5Settings() {
			if got := other.ValueText(s); (other.Name == row.Name) != (got == want) || other.Name != row.Name &&
				got != "" {
				t.Errorf("with %s %s, %s is %q", row.Name, text, other.Name, got)
			}
		}
		if spelled := row.FormatValue(want); spelled != text {
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
		"metadata-cache":      {"1023", "129M"},
		"conversion-buffer":   {"0"},
	} {
		rows := option.AllHDF5Settings()
		row := rows[slices.IndexFunc(rows, func(r option.HDF5Setting) bool { return r.Name == name })]
		for _, text := range wrong {
			var s option.HDF5
			if err := row.SetValue(&s, text); err == nil || s != (option.HDF5{}) {
				t.Errorf("%s %q is set to %q, error %v", name, text, row.ValueText(s), err)
			}
		}
	}
}

func TestWhatALibraryLacksIsNamed(t *testing.T) {
	l := option.HDF5Library{Version: "1.10.8", Libvers: []option.Libver{"latest"}, Filters: []string{"shuffle"}}
	l.MissingForFilters = map[string]string{"zstd": "libzstd.so.1"}
	all := option.HDF5Library{
		Version: "1.14.5", Libvers: []option.Libver{"v114"}, MultiDataset: true, Filters: []string{"szip", "zstd"},
	}
	for _, c := range []struct {
		check func(option.HDF5Library) error
		want  string
	}{
		{func(l option.HDF5Library) error { return l.CheckLibver("v114") }, "HDF5 1.10.8 does not have this version"},
		{option.HDF5Library.CheckMultiDataset, "HDF5 1.10.8 cannot transfer several datasets in one call"},
		{
			func(l option.HDF5Library) error { return l.CheckFilter("szip") },
			"HDF5 1.10.8 was built without writing with the filter szip; it has shuffle",
		},
		{
			func(l option.HDF5Library) error { return l.CheckFilter("zstd") },
			"HDF5 1.10.8 has no plugin for the filter zstd: install one, or libzstd.so.1",
		},
	} {
		if err := c.check(l); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		for _, able := range []option.HDF5Library{all, {}} {
			if err := c.check(able); err != nil {
				t.Errorf("%+v: %v", able, err)
			}
		}
	}
}

func TestASettingIsAddedOnce(t *testing.T) {
	given := option.HDF5{AlignmentBytes: new(uint64(4096))}
	for text, want := range map[string]string{
		"align=4K":               "", // the same value
		"align=8K":               "align is given twice, as 4K and as 8K: give it once",
		"small-data-block=1M":    "",
		"small-data-block=1MB":   `small-data-block: "1MB" is not a size`,
		"small-data-bloc=1M":     `the setting "small-data-bloc": must be one of sieve-buffer, align,`,
		"libver":                 `"libver" is not a name and a value, such as meta-block-size=1M`,
		"=v18":                   `"=v18" is not a name and a value`,
		"libver=":                `"libver=" is not a name and a value`,
		"file-locking=sometimes": `file-locking: "sometimes" must be one of off, on, best-effort`,
	} {
		_, err := given.AddSetting(text)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	both, err := given.AddSetting("small-data-block=1M")
	if err != nil || both.SmallDataBlockBytes == nil || *both.SmallDataBlockBytes != 1<<20 ||
		given.SmallDataBlockBytes != nil {
		t.Errorf("%v of %v, %v", both.SmallDataBlockBytes, given.SmallDataBlockBytes, err)
	}
	if both, err = both.AddSetting("small-data-block=2M"); err == nil {
		t.Errorf("twice: %v", *both.SmallDataBlockBytes)
	}
}

// What settings needs and h5perf settings shows is complete: each need has a text, each setting a meaning.
func TestSettingsAreExplained(t *testing.T) {
	for _, row := range option.AllHDF5Settings() {
		if row.Meaning() == "" || strings.Contains(row.Meaning(), "$") || row.ValuesText() == "" {
			t.Errorf("%s: %q, values %q", row.Name, row.Meaning(), row.ValuesText())
		}
		for _, need := range row.Needs() {
			if need.Text() == "" {
				t.Errorf("%s needs %s, which has no text", row.Name, need)
			}
		}
		if _, err := row.ParseValue(row.Default()); row.Default() != "" && err != nil {
			t.Errorf("%s: its default %s: %v", row.Name, row.Default(), err)
		}
	}
	rows := option.AllHDF5Settings()
	i := slices.IndexFunc(rows, func(r option.HDF5Setting) bool { return r.Name == "libver" })
	l := option.HDF5Library{DefaultValues: map[string]string{"libver": "v18", "metadata-cache": "2097152"}}
	if got := rows[i].DefaultIn(l); got != "v18" {
		t.Errorf("default %s", got)
	}
}
