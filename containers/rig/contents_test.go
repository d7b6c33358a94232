//go:build images

package rig_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdxlib"
)

func TestNothingIsThereThatBuilds(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		said := run(t, flavour, data(t), nil, "sh", "-c", `
			for tool in gcc cc c++ ld as make go git pkg-config strace; do command -v $tool; done
			dpkg-query -W -f '${Package}\n' | grep -E -e '-dev$'
			find /var/lib/apt/lists /var/cache /var/log /tmp -type f -size +0 \
				-not -path '/var/cache/debconf/*' 2>/dev/null
			find /usr/local -type f -not -path '/usr/local/bin/*' \
				-not -path '/usr/local/lib/lib*.so.*' -not -path '/usr/local/share/*'
			true`)
		if said != "" {
			t.Errorf("it has\n%s", said)
		}
	})
}

// largest is the size in bytes that no image exceeds.
const largest = 200e6

func TestImagesAreSmall(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		said, err := shell(source, "containers/engine size h5perf:"+flavour)
		if err != nil {
			t.Fatal(err)
		}
		if size, err := strconv.ParseFloat(strings.TrimSpace(said), 64); err != nil || size > largest {
			t.Errorf("%s bytes, %v", said, err)
		}
	})
}

// Everything that is linked dynamically finds its libraries, and dpkg all that packages depend on.
func TestNothingIsMissing(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		said := run(t, flavour, data(t), nil, "sh", "-c", `
			find /usr -type f \( -perm -100 -o -name '*.so*' \) | while read -r file; do
				ldd "$file" 2>/dev/null | sed -n "s|.*not found|$file: &|p"
			done
			dpkg --audit
			apt-get check -qq -o Debug::NoLocking=1 -o Dir::State::lists=/tmp -o Dir::Cache=/tmp 2>&1
			find /usr -name '*rocm*'
			true`)
		if said != "" {
			t.Error(said)
		}
	})
}

// No machine of the tests has InfiniBand, so that UCX lists no transport of it.
func TestInfiniBandIsThere(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		said := run(t, flavour, data(t), nil, "sh", "-c", `
			cd /usr/lib/*-linux-gnu
			for file in libibverbs.so.1 librdmacm.so.1 libibverbs/libmlx5-rdmav*.so libibverbs/libbnxt_re-rdmav*.so \
				libibverbs/libefa-rdmav*.so ucx/libuct_rdmacm.so.0; do
				[ -e "$file" ] || echo "no $file"
			done
			for transport in rc_verbs ud_verbs; do
				grep -q "$transport" ucx/libuct_ib.so.0 || echo "no $transport"
			done
			for transport in rc_mlx5 ud_mlx5 dc_mlx5; do
				grep -q "$transport" ucx/libuct_ib_mlx5.so.0 || echo "no $transport"
			done`)
		if said != "" {
			t.Error(said)
		}
	})
}

func TestNothingOfTheBuilderIsInside(t *testing.T) {
	images(t)
	for _, flavour := range flavours {
		said, err := shell("../..", `
			archive=.cache/images/h5perf-`+flavour+`.tar
			for layer in $(tar -xOf "$archive" manifest.json | grep -oE '[0-9a-f]{64}\.tar'); do
				tar -xOf "$archive" "$layer" | tar -tv |
					awk '$3 > 0 && $6 ~ "^etc/(hostname|hosts|resolv.conf|machine-id)$"'
			done`)
		if err != nil {
			t.Fatal(err)
		}
		if said != "" {
			t.Errorf("%s has\n%s", flavour, said)
		}
	}
}

func TestTheVersionNamesTheBuild(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		commit, err := shell(source, ".ci/version commit")
		if err != nil {
			t.Fatal(err)
		}
		_, build, _ := strings.Cut(run(t, flavour, data(t), nil, "cat", "/usr/share/h5perf/image"), "=")
		want := flavour + " (image build " + build[:len(build)-1] + ")\n"
		said := run(t, flavour, data(t), nil, "h5perf", "--version")
		if !strings.HasPrefix(build, strings.TrimSpace(commit)+"+") || !strings.HasSuffix(said, want) {
			t.Errorf("it says %q, want %q of %s", said, want, commit)
		}
	})
}

func TestTheBillNamesEverythingInside(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		bill := run(t, flavour, data(t), nil, "cat", "/usr/share/h5perf/sbom.spdx.json")
		doc, err := json.Read(strings.NewReader(bill))
		if err != nil {
			t.Fatal(err)
		}
		if err := spdxlib.ValidateDocument(doc); err != nil {
			t.Error(err)
		}
		named := map[string]string{}
		ids := map[string]bool{}
		for _, p := range doc.Packages {
			named[p.PackageName] = p.PackageVersion
			if id := string(p.PackageSPDXIdentifier); ids[id] {
				t.Errorf("two packages have the id %s", id)
			} else {
				ids[id] = true
			}
		}

		wanted := run(t, flavour, data(t), nil, "dpkg-query", "-W", "-f", "${Package} ${Version}\n") +
			modules(t, flavour)
		for line := range strings.Lines(wanted) {
			f := strings.Fields(line)
			if named[f[0]] != f[1] {
				t.Errorf("%s %s is inside, the bill has %q", f[0], f[1], named[f[0]])
			}
		}
		lock := run(t, flavour, data(t), nil, "cat", "/usr/share/h5perf/lock")
		told(t, doc)
		if named["hdf5"] == "" || !strings.Contains(lock, "\nhdf5 hdf5 "+named["hdf5"]+"\n") {
			t.Errorf("HDF5 is %q", named["hdf5"])
		}
	})
}

// told checks the licences that a bill declares: those of packages whose copyright file can be read, and texts of those
// that SPDX does not know.
func told(t *testing.T, doc *spdx.Document) {
	t.Helper()
	texts := map[string]bool{"NOASSERTION": true}
	for _, l := range doc.OtherLicenses {
		texts[l.LicenseIdentifier] = l.ExtractedText != ""
	}
	licences := map[string]string{}
	for _, p := range doc.Packages {
		licences[p.PackageName] = p.PackageLicenseDeclared
		for _, id := range regexp.MustCompile(`[^ ()]+`).FindAllString(p.PackageLicenseDeclared, -1) {
			if strings.HasPrefix(id, "LicenseRef-") && !texts[id] {
				t.Errorf("%s: no text of %s", p.PackageName, id)
			}
		}
	}
	for name, want := range map[string]string{
		"hdf5": "BSD-3-Clause", "libucx0": "BSD-3-Clause", "coreutils": "GPL-3.0-or-later", "libibverbs1": "MIT",
		"go": "BSD-3-Clause", "github.com/alecthomas/kong": "MIT", "h5perf-stand-in": "BSD-3-Clause",
		"gcc-14-base": "NOASSERTION",
	} {
		if !strings.Contains(licences[name], want) {
			t.Errorf("the licence of %s is %q, want %s", name, licences[name], want)
		}
	}
}

// modules returns the Go modules in h5perf, one line `PATH VERSION` each.
func modules(t *testing.T, flavour string) string {
	t.Helper()
	out, err := shell(".", `
		dir=$(mktemp -d)
		trap 'rm -rf "$dir"' EXIT
		podman run --rm --entrypoint=cat h5perf:`+flavour+` /usr/local/bin/h5perf >"$dir/h5perf"
		go version -m "$dir/h5perf" | awk '$1 == "dep" { print $2, $3 }'`)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "github.com/sbromberger/gompi v0.2.0\n") {
		t.Fatalf("the modules are\n%s", out)
	}
	return out
}

func TestLicencesOfEverythingAreInside(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		script := `
			for package in $(dpkg-query -W -f '${Package} '); do
				[ -s /usr/share/doc/$package/copyright ] || echo "no copyright of $package"
			done
			for module in "$@" go; do
				[ -n "$(ls /usr/local/share/doc/h5perf/licences/$module)" ] || echo "no licence of $module"
			done
			[ -s /usr/share/doc/hdf5/copyright ] || echo "no licence of HDF5"
			grep -q 'Redistribution in any' /usr/local/share/doc/h5perf/NOTICE || echo "no notice of gompi"`
		command := []string{"sh", "-c", script, "sh"}
		for line := range strings.Lines(modules(t, flavour)) {
			command = append(command, strings.Fields(line)[0])
		}
		if said := run(t, flavour, data(t), nil, command...); said != "" {
			t.Error(said)
		}
	})
}

// base is the image that base-images makes.
const base = "localhost/debian:trixie-slim"

func TestLabelsSayWhatItIs(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		out, err := shell(".", `podman image inspect --format `+
			`'{{range $k, $v := .Labels}}{{$k}}={{$v}}{{"\n"}}{{end}}' h5perf:`+flavour)
		if err != nil {
			t.Fatal(err)
		}
		labels := map[string]string{}
		for line := range strings.Lines(out) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			labels[strings.TrimPrefix(name, "org.opencontainers.image.")] = value
		}
		for _, want := range []string{"title", "description", "version", "revision", "created", "licenses"} {
			if labels[want] == "" || labels[want] == "unknown" {
				t.Errorf("no label %s in %v", want, labels)
			}
		}
		// What the build started from is on this machine, and was made here.
		digest, err := shell(source, "containers/engine digest "+base)
		if err != nil {
			t.Fatal(err)
		}
		if labels["base.name"] != base || labels["base.digest"] != strings.TrimSpace(digest) {
			t.Errorf("the labels are %v, the base is %s", labels, digest)
		}
	})
}
