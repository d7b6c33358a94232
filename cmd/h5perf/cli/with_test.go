package cli_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// runWithTools runs a command line, and returns the options of the run that it asks for, its exit status and output.
func runWithTools(words string) (options plan.Options, status int, text string) {
	var out bytes.Buffer
	take := func(m cli.Measurement) int { options = m.Options; return 0 }
	status = cli.Run(strings.Fields(words), variables(nil), &out, &out, cli.Tools{Parallel: take, Serial: take})
	return options, status, out.String()
}

func TestEveryToolTakesSettings(t *testing.T) {
	for _, tool := range []string{
		"h5perf", "h5perf serial", "h5perf run particles", "h5perf vary libver=latest -- particles",
	} {
		got, status, text := runWithTools(tool +
			" --with small-data-block=1M --align 4K --with align=4096 --with libver-high=v18")
		if s := got.HDF5; status != 0 || *s.SmallDataBlockBytes != 1<<20 || *s.AlignmentBytes != 4096 ||
			s.LibverHigh != "v18" {
			t.Errorf("%s: exit status %d, %+v\n%s", tool, status, s, text)
		}
		for words, want := range map[string]string{
			"--with align=8K --align 4K":                     "--with align=8K: align is given twice, as 4K and as 8K",
			"--with libver-high=v18 --with libver-high=v110": "--with libver-high=v110: libver-high is given twice",
			"--with align": `--with: "align" is not a name and a value, such as meta-block-size=1M`,
			"--with collective-metadata=reads --collective-metadata both": "--with collective-metadata=reads: ",
		} {
			if _, status, text := runWithTools(tool + " " + words); status != result.ExitUsage ||
				!strings.HasPrefix(text, "h5perf: "+want) {
				t.Errorf("%s %s: exit status %d, %s", tool, words, status, text)
			}
		}
	}
	if _, status, text := runWithTools("h5perf plan --with align=8K --align 4K"); status != result.ExitUsage {
		t.Errorf("plan: exit status %d, %s", status, text)
	}
}

// A rerun has the settings of the old run, unless they are given anew in either form.
func TestARerunHasTheSettingsOfTheOldRun(t *testing.T) {
	path := made(t, "parallel", nil, "--with", "small-data-block=1M", "--with", "align=4K", "--libver", "v18")
	for words, want := range map[string][3]string{
		"":                                {"1048576", "4096", "v18"},
		"-- --with small-data-block=2M":   {"2097152", "4096", "v18"},
		"-- --align 8K":                   {"1048576", "8192", "v18"},
		"-- --with libver=latest":         {"1048576", "4096", "latest"},
		"-- --with align=8K --libver v18": {"1048576", "8192", "v18"},
	} {
		got, status, text := runWithTools("h5perf rerun " + path + " " + words)
		var values [3]string
		for _, row := range option.AllHDF5Settings() {
			if i := slices.Index([]string{"small-data-block", "align", "libver"}, row.Name); i >= 0 {
				values[i] = row.ValueText(got.HDF5)
			}
		}
		if status != 0 || values != want {
			t.Errorf("rerun %s: exit status %d, %v, want %v\n%s", words, status, values, want, text)
		}
	}
}
