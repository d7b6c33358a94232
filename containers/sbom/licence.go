package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// machineReadable is what the first field of a copyright file names if it follows Debian's format; see
// https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/.
var machineReadable = regexp.MustCompile(`(?i)^format[^:]*:.*(copyright-format|dep-?5)`)

// extracted is a licence of which SPDX's list does not know the name, with its text.
type extracted struct {
	ID   string `json:"licenseId"`
	Text string `json:"extractedText"`
	Name string `json:"name"`
}

// copyright is what a copyright file says of licences: the expression of each of its paragraphs of files, and the
// texts of licences by their names.
type copyright struct {
	expressions []string
	texts       map[string]string
}

// readCopyright reads a copyright file. It returns false if the file does not follow the format, or has files without
// a licence.
func readCopyright(file string) (copyright, bool) {
	c := copyright{texts: map[string]string{}}
	if !machineReadable.MatchString(file) {
		return c, false
	}
	for paragraph := range strings.SplitSeq(file, "\n\n") {
		f := fields(paragraph)
		pattern, files := f["files"]
		expression, text, _ := strings.Cut(f["license"], "\n")
		text = strings.TrimSpace(text)
		if expression = strings.Join(strings.Fields(expression), " "); expression == "" {
			switch {
			case files && text == "":
				return c, false
			case !files:
				continue
			}
			expression = "of " + pattern // its text alone is there
		}
		if text != "" {
			c.texts[expression] = text
		}
		if files && !slices.Contains(c.expressions, expression) {
			c.expressions = append(c.expressions, expression)
		}
	}
	slices.Sort(c.expressions)
	return c, len(c.expressions) > 0
}

// fields returns the fields of a paragraph by their names in lower case. Lines after a field's first begin with a
// blank, and a dot alone is an empty one.
func fields(paragraph string) map[string]string {
	all := map[string]string{}
	last := ""
	for line := range strings.Lines(paragraph) {
		line = strings.TrimRight(line, " \t\n")
		switch name, value, found := strings.Cut(line, ":"); {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " "), strings.HasPrefix(line, "\t"):
			if line = line[1:]; line == "." {
				line = ""
			}
			all[last] += "\n" + line
		case found:
			last = strings.ToLower(name)
			all[last] = strings.TrimSpace(value)
		}
	}
	return all
}

// declare returns the SPDX expression of all licences in the copyright file of a package, and adds to the document
// those that SPDX does not know. They are named after the source of the package.
func (d *document) declare(file, source, name string) string {
	c, ok := readCopyright(file)
	if !ok {
		return unknown
	}
	var all []string
	for _, e := range c.expressions {
		spdx := translate(e, func(licence string) string { return d.reference(c, licence, e, source, name) })
		if !slices.Contains(all, spdx) {
			all = append(all, spdx)
		}
	}
	return strings.Join(all, " AND ")
}

// operators are those of Debian's expressions, the one that binds least first.
var operators = []struct{ words, spdx string }{
	{", or ", " OR "}, {", and ", " AND "}, {" or ", " OR "}, {" and ", " AND "},
}

// translate returns the SPDX expression for one of Debian's. other names a licence that SPDX does not know.
func translate(expression string, other func(licence string) string) string {
	for _, o := range operators {
		parts := strings.Split(expression, o.words)
		if len(parts) == 1 {
			continue
		}
		for i, part := range parts {
			parts[i] = translate(part, other)
		}
		return "(" + strings.Join(parts, o.spdx) + ")"
	}
	if id := spdxID(expression); id != "" {
		return id
	}
	return other(expression)
}

// reference adds a licence that SPDX does not know to the document, and returns its id. Its text stands under its name,
// or under the whole expression, or under the name without an exception; at least the file has it.
func (d *document) reference(c copyright, licence, expression, source, name string) string {
	text := "see /usr/share/doc/" + name + "/copyright"
	plain, _, _ := strings.Cut(licence, " with ")
	for _, under := range []string{plain, expression, licence} {
		if t := c.texts[under]; t != "" {
			text = t
		}
	}
	base := "LicenseRef-" + identifier(source+"-"+licence)
	e := extracted{ID: base, Text: text, Name: licence}
	for n := 2; ; n++ {
		i := slices.IndexFunc(d.Licences, func(other extracted) bool { return other.ID == e.ID })
		switch {
		case i < 0:
			d.Licences = append(d.Licences, e)
			return e.ID
		case d.Licences[i] == e:
			return e.ID
		}
		e.ID = fmt.Sprintf("%s-%d", base, n) // files of one source may differ
	}
}

var gnu = regexp.MustCompile(`(?i)^(A?GPL|LGPL|GFDL(?:-NIV)?)-([123](?:\.[0-3])?)(?:\.0)?(\+|-or-later|-only)?$`)

// named are the ids of SPDX's list whose names Debian writes as SPDX does, but for their case, and others.
var named = map[string]string{
	"expat": "MIT", "apache-2": "Apache-2.0", "artistic-2": "Artistic-2.0", "cc0": "CC0-1.0",
	"gpl-2 with linux-syscall-note exception": "GPL-2.0-only WITH Linux-syscall-note",
}

func init() {
	for _, id := range []string{
		"0BSD", "Apache-2.0", "Artistic-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSD-4-Clause", "BSD-4-Clause-UC",
		"BSL-1.0", "CC-BY-3.0", "CC-BY-4.0", "CC0-1.0", "CPL-1.0", "FSFAP", "FSFUL", "FSFULLR", "ISC", "MPL-1.1",
		"MPL-2.0", "NCSA", "OFL-1.1", "Sleepycat", "Unicode-DFS-2016", "X11", "Zlib", "curl",
	} {
		named[strings.ToLower(id)] = id
	}
}

// spdxID returns the id in SPDX's list of a licence that Debian names, or "".
func spdxID(licence string) string {
	m := gnu.FindStringSubmatch(licence)
	if m == nil {
		return named[strings.ToLower(licence)]
	}
	family, version, suffix := strings.ToUpper(m[1]), m[2], "-only"
	if !strings.Contains(version, ".") {
		version += ".0"
	}
	if m[3] == "+" || strings.EqualFold(m[3], "-or-later") {
		suffix = "-or-later"
	}
	if document, found := strings.CutSuffix(family, "-NIV"); found {
		family, version = document, version+"-no-invariants"
	}
	return family + "-" + version + suffix
}

// noticed are the ids of the licences that NOTICE names.
var noticed = map[string]string{
	"Apache 2.0": "Apache-2.0", "BSD 3-Clause": "BSD-3-Clause", "CC BY 4.0": "CC-BY-4.0", "MIT": "MIT",
}

var moduleLine = regexp.MustCompile(`(?m)^  (\S+) .*?  +(\S.*)$`)

// readNotice returns the ids of the licences of modules in NOTICE, without those of which it says more than the name.
func readNotice(notice string) map[string]string {
	all := map[string]string{}
	for _, m := range moduleLine.FindAllStringSubmatch(notice, -1) {
		words := m[2][strings.LastIndex(m[2], "  ")+1:]
		if id := noticed[strings.TrimSpace(words)]; id != "" {
			all[m[1]] = id
		}
	}
	return all
}
