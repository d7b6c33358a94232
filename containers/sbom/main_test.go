package main

import (
	"bytes"
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	spdx "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdxlib"
)

// readable is a copyright file of Debian's format.
const readable = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: HDF5

Files: *
Copyright: 2006 The HDF Group
License: BSD-3-Clause
 Redistribution and use.

Files: debian/*
 more/*
Copyright: 2010 somebody
License: GPL-2+ or Artistic

# A remark.
Files: own/*
Copyright: 2011 somebody
License: Own

License: Own
 Do as
 .
 you like.
`

// The reader and its checks come from SPDX's own library.
func TestABillIsADocumentOfSPDX(t *testing.T) {
	d := newDocument("h5perf:openmpi", "0123456789ab+cdef", time.Unix(1754697600, 0))
	d.copyrights = fstest.MapFS{"hdf5/copyright": &fstest.MapFile{Data: []byte(readable)}}
	if err := d.addPackages(strings.NewReader("libstdc++6\t14.2.0-19\tamd64\tgcc-14\t14.2.0-18\n")); err != nil {
		t.Fatal(err)
	}
	if err := d.addLocked("go go 1.26.8\nhdf5 hdf5 1.14.5+repack-3\n"); err != nil {
		t.Fatal(err)
	}
	d.addModules(&debug.BuildInfo{
		GoVersion: "go1.26.8", Deps: []*debug.Module{{Path: "github.com/alecthomas/kong", Version: "v1.17.0"}},
	}, map[string]string{"github.com/alecthomas/kong": "MIT"})
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}

	doc, err := spdx.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := spdxlib.ValidateDocument(doc); err != nil {
		t.Error(err)
	}
	if doc.DocumentNamespace != "urn:h5perf:image:h5perf:openmpi:0123456789ab+cdef" || doc.DataLicense != "CC0-1.0" {
		t.Errorf("namespace %q, licence of the document %q", doc.DocumentNamespace, doc.DataLicense)
	}
	if got := doc.CreationInfo.Created; got != "2025-08-09T00:00:00Z" {
		t.Errorf("created %s", got)
	}
	described, err := spdxlib.GetDescribedPackageIDs(doc)
	if err != nil || len(described) != 1 || described[0] != "h5perf-openmpi-0123456789ab-cdef" {
		t.Errorf("describes %v, %v", described, err)
	}
	locators, sources, licences := map[string]string{}, map[string]string{}, map[string]string{}
	for _, p := range doc.Packages {
		if p.PackageDownloadLocation == "" {
			t.Errorf("%s has no download location", p.PackageName)
		}
		sources[p.PackageName] = p.PackageSourceInfo
		licences[p.PackageName] = p.PackageLicenseDeclared
		for _, r := range p.PackageExternalReferences {
			locators[p.PackageName] = r.Locator
		}
	}
	for name, want := range map[string]string{
		"libstdc++6":                 "pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64",
		"hdf5":                       "pkg:deb/debian/hdf5@1.14.5%2Brepack-3?arch=source",
		"go":                         "pkg:golang/stdlib@1.26.8",
		"github.com/alecthomas/kong": "pkg:golang/github.com/alecthomas/kong@v1.17.0",
	} {
		if got := locators[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"libstdc++6": "NOASSERTION", "go": "BSD-3-Clause", "github.com/alecthomas/kong": "MIT",
		"hdf5": "BSD-3-Clause AND (GPL-2.0-or-later OR LicenseRef-hdf5-Artistic) AND LicenseRef-hdf5-Own",
	} {
		if got := licences[name]; got != want {
			t.Errorf("the licence of %s is %q, want %q", name, got, want)
		}
	}
	if len(doc.OtherLicenses) != 2 || doc.OtherLicenses[1].LicenseIdentifier != "LicenseRef-hdf5-Own" ||
		doc.OtherLicenses[1].ExtractedText != "Do as\n\nyou like." {
		t.Errorf("licences that SPDX does not know: %+v", doc.OtherLicenses)
	}
	if got := sources["libstdc++6"]; got != "built from the source package gcc-14 14.2.0-18" {
		t.Errorf("libstdc++6 is %s", got)
	}
}

func TestWhatIsNoListIsRefused(t *testing.T) {
	d := newDocument("h5perf:openmpi", "0", time.Unix(0, 0))
	d.copyrights = fstest.MapFS{}
	if err := d.addPackages(strings.NewReader("bash 5.2\n")); err == nil {
		t.Error("a line of other fields is a package")
	}
	if err := d.addLocked("go go 1.26.8\n"); err == nil {
		t.Error("a lock without HDF5 is one")
	}
}
