package cli_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
)

func TestAllSettingsAreListed(t *testing.T) {
	library := option.HDF5Library{
		Version:         "1.10.8",
		MissingSettings: map[string]string{"selection-io": "HDF5 1.14.1 or newer"},
		DefaultValues:   map[string]string{"metadata-cache": "2097152", "libver": "earliest"},
	}
	list := func(rank string, words ...string) string {
		t.Helper()
		var out bytes.Buffer
		if status := cli.Run(append([]string{"h5perf", "settings"}, words...),
			variables(map[string]string{"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": "2"}), &out, &out,
			cli.Tools{Library: func() option.HDF5Library { return library }}); status != 0 {
			t.Fatalf("exit status %d, %s", status, &out)
		}
		return out.String()
	}
	var got struct {
		HDF5     string
		Settings []map[string]any
	}
	if err := json.Unmarshal([]byte(list("0", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if n := len(option.AllHDF5Settings()); got.HDF5 != "1.10.8" || len(got.Settings) != n {
		t.Errorf("HDF5 %s, %d settings of %d", got.HDF5, len(got.Settings), n)
	}
	find := func(name string) map[string]any {
		i := slices.IndexFunc(got.Settings, func(s map[string]any) bool { return s["name"] == name })
		return got.Settings[i]
	}
	selection, cache, align := find("selection-io"), find("metadata-cache"), find("align")
	if selection["available"] != false || selection["use_instead"] != "HDF5 1.14.1 or newer" ||
		selection["since"] != "1.14.1" || selection["default"] != "default" || len(selection["words"].([]any)) != 3 {
		t.Errorf("selection-io: %v", selection)
	}
	if cache["available"] != true || cache["default"] != "2M" || cache["sizes"] != "1K to 128M" ||
		cache["option"] != nil {
		t.Errorf("metadata-cache: %v", cache)
	}
	if align["option"] != "--align" || align["default"] != "1" || align["sizes"] != "at least 1" {
		t.Errorf("align: %v", align)
	}
	text := strings.Join(strings.Fields(list("0")), " ")
	for _, want := range []string{
		"Settings of HDF5 1.10.8: sieve-buffer",
		"Values: default|on|off. Default: default. Since HDF5 1.14.1. Not in this library: use HDF5 1.14.1 or newer.",
		"Default: 2M.",
		"Needs collective transfers (-C; with run: --layout, or collective transfers in the script) and datasets " +
			"in chunks (-c; with run: --layout, or chunks in the script).",
		"Option: --libver.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, list("0"))
		}
	}
	if other := list("1"); other != "" {
		t.Errorf("the second process prints %q", other)
	}
}
