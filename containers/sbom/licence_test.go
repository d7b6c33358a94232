package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestLicencesOfDebianAreThoseOfSPDX(t *testing.T) {
	for debian, want := range map[string]string{
		"GPL-2":                       "GPL-2.0-only",
		"GPL-2+":                      "GPL-2.0-or-later",
		"GPL-3.0+":                    "GPL-3.0-or-later",
		"LGPL-2.1":                    "LGPL-2.1-only",
		"LGPL-2.0-or-later":           "LGPL-2.0-or-later",
		"GFDL-NIV-1.3+":               "GFDL-1.3-no-invariants-or-later",
		"Expat":                       "MIT",
		"BSD-3-clause":                "BSD-3-Clause",
		"GPL-1+ or Artistic":          "(GPL-1.0-or-later OR <Artistic>)",
		"GPL-1+ or Artistic, and ISC": "((GPL-1.0-or-later OR <Artistic>) AND ISC)",
		"ISC and Expat or zlib":       "((ISC AND MIT) OR Zlib)",
		"GPL-2+ with an exception":    "<GPL-2+ with an exception>",
		"GPL":                         "<GPL>",
		"MIT":                         "<MIT>", // Debian's word for many
		"public-domain":               "<public-domain>",
	} {
		if got := translate(debian, func(other string) string { return "<" + other + ">" }); got != want {
			t.Errorf("%s is %q, want %q", debian, got, want)
		}
	}
}

func TestALicenceThatIsNotToldIsNotGuessed(t *testing.T) {
	const format = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
	for name, file := range map[string]string{
		"no format":    "This is the GNU C library.\n\nFiles: *\nLicense: GPL-2\n",
		"no licence":   format + "Files: *\nCopyright: me\n\nFiles: b\nLicense: GPL-2\n",
		"no files":     format + "License: GPL-2\n text\n",
		"nothing":      "",
		"not the same": strings.Replace(format, "Format", "License", 1),
	} {
		d := newDocument("h5perf:openmpi", "0", time.Unix(0, 0))
		if got := d.declare(file, "source", "package"); got != unknown {
			t.Errorf("%s: %s", name, got)
		}
	}
	d := newDocument("h5perf:openmpi", "0", time.Unix(0, 0))
	d.copyrights = fstest.MapFS{}
	if got := d.licence("bash", "bash"); got != unknown {
		t.Errorf("without a file: %s", got)
	}
}

func TestDifferentTextsAreDifferentLicences(t *testing.T) {
	d := newDocument("h5perf:openmpi", "0", time.Unix(0, 0))
	for _, c := range []struct{ licence, want string }{
		{"Own\n one", "LicenseRef-s-Own"},
		{"Own\n two", "LicenseRef-s-Own-2"},
		{"Own\n one", "LicenseRef-s-Own"},
		{"Own\n three", "LicenseRef-s-Own-3"},
		{"Own\n two", "LicenseRef-s-Own-2"},
		{"\n without a name", "LicenseRef-s-of-a-b"},
	} {
		file := "Format: copyright-format/1.0\n\nFiles: a/b\nLicense: " + c.licence + "\n"
		if got := d.declare(file, "s", "p"); got != c.want {
			t.Errorf("%s is %s, want %s", c.licence, got, c.want)
		}
	}
}

func TestLicencesOfModulesComeFromNotice(t *testing.T) {
	text, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	all := readNotice(string(text))
	for module, want := range map[string]string{
		"github.com/alecthomas/kong":               "MIT",
		"gonum.org/v1/hdf5":                        "BSD-3-Clause",
		"github.com/moby/sys/mountinfo":            "Apache-2.0",
		"github.com/ajstarks/svgo":                 "CC-BY-4.0",
		"github.com/santhosh-tekuri/jsonschema/v6": "Apache-2.0",
		"github.com/sbromberger/gompi":             "", // with a limit
		"codeberg.org/go-fonts/liberation":         "",
		"github.com/klauspost/compress":            "",
	} {
		if all[module] != want {
			t.Errorf("%s is %q, want %q", module, all[module], want)
		}
	}
}
