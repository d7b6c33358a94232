package main

import (
	"cmp"
	"io/fs"
	"regexp"
	"strings"
	"time"
)

// unknown is the SPDX value of a field that was not examined. The texts of the licences are in the image.
const unknown = "NOASSERTION"

// document is the part of an SPDX 2.3 document that a bill needs; see
// https://spdx.github.io/spdx-spec/v2.3/.
type document struct {
	Version       string         `json:"spdxVersion"`
	ID            string         `json:"SPDXID"`
	License       string         `json:"dataLicense"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []item         `json:"packages"`
	Relationships []relationship `json:"relationships"`
	Licences      []extracted    `json:"hasExtractedLicensingInfos,omitempty"`

	copyrights fs.FS // has the copyright file of each package as PACKAGE/copyright
}

type creation struct {
	Created  string   `json:"created"` // RFC 3339, UTC
	Creators []string `json:"creators"`
}

// item is a package in the sense of SPDX: the image, or a part of it.
type item struct {
	ID        string      `json:"SPDXID"`
	Name      string      `json:"name"`
	Version   string      `json:"versionInfo"`
	Location  string      `json:"downloadLocation"`
	Analyzed  bool        `json:"filesAnalyzed"`
	Concluded string      `json:"licenseConcluded"`
	Declared  string      `json:"licenseDeclared"`
	Copyright string      `json:"copyrightText"`
	Source    string      `json:"sourceInfo,omitempty"`
	External  []reference `json:"externalRefs,omitempty"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// newDocument returns the bill of an image without parts.
func newDocument(name, build string, created time.Time) *document {
	d := &document{
		Version: "SPDX-2.3", ID: "SPDXRef-DOCUMENT", License: "CC0-1.0", Name: name,
		Namespace: "urn:h5perf:image:" + name + ":" + build,
		Creation:  creation{Created: created.UTC().Format(time.RFC3339), Creators: []string{"Tool: h5perf-sbom"}},
	}
	d.add(item{Name: name, Version: build})
	return d
}

// add adds a part of the image. The first one is the image itself.
func (d *document) add(i item) {
	i.ID = "SPDXRef-" + identifier(i.Name+"-"+i.Version)
	i.Location, i.Concluded, i.Copyright = unknown, unknown, unknown
	i.Declared = cmp.Or(i.Declared, unknown)
	link := relationship{From: d.ID, Type: "DESCRIBES", To: i.ID}
	if len(d.Packages) > 0 {
		link.From, link.Type = d.Packages[0].ID, "CONTAINS"
	}
	d.Packages = append(d.Packages, i)
	d.Relationships = append(d.Relationships, link)
}

var foreign = regexp.MustCompile(`[^a-zA-Z0-9.]+`)

// identifier returns a name in which all characters that SPDX does not allow in an identifier are replaced.
func identifier(name string) string {
	return foreign.ReplaceAllString(name, "-")
}

// purl returns the package URL of a name and version of a type; see
// https://github.com/package-url/purl-spec.
func purl(kind, name, version string) []reference {
	return []reference{{
		Category: "PACKAGE-MANAGER", Type: "purl",
		Locator: "pkg:" + kind + "/" + strings.ReplaceAll(name, "+", "%2B") + "@" +
			strings.ReplaceAll(version, "+", "%2B"),
	}}
}
