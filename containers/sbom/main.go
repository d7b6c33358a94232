// Command sbom prints the bill of materials of an image as an SPDX 2.3 document in JSON. It lists the
// packages that dpkg-query prints to its standard input, the source package of HDF5 that the lock of the
// image names, and the Go modules in a binary, with the licences that their copyright files and NOTICE tell.
package main

import (
	"bufio"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	name := flag.String("name", "", "`name` of the image")
	build := flag.String("build", "", "build `id` of the image")
	lock := flag.String("lock", "", "`file` that says what the image is made of")
	copyrights := flag.String("copyrights", "/usr/share/doc", "`directory` of the copyright files of packages")
	notice := flag.String("notice", "NOTICE", "`file` that names the licences of modules")
	flag.Parse()
	if err := run(*name, *build, *lock, *copyrights, *notice, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run prints the bill of the image with a name and a build id. Its time is SOURCE_DATE_EPOCH, so that the
// same image has the same bill.
func run(name, build, lock, copyrights, notice, binary string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	d := newDocument(name, build, time.Unix(seconds, 0))
	d.copyrights = os.DirFS(copyrights)

	if err := d.addPackages(os.Stdin); err != nil {
		return fmt.Errorf("the list of packages: %w", err)
	}
	text, err := os.ReadFile(lock)
	if err != nil {
		return err
	}
	if err := d.addLocked(string(text)); err != nil {
		return fmt.Errorf("%s: %w", lock, err)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	text, err = os.ReadFile(notice)
	if err != nil {
		return err
	}
	d.addModules(info, readNotice(string(text)))

	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(d)
}

// standIn is the package that is none of Debian's; see ../install.
const standIn = "h5perf-stand-in"

// licence returns the licences of a package, or unknown if its copyright file does not tell them.
func (d *document) licence(name, source string) string {
	file, err := fs.ReadFile(d.copyrights, name+"/copyright")
	if err != nil {
		return unknown
	}
	return d.declare(string(file), source, name)
}

// addPackages adds Debian's packages, one per line: name, version, architecture, and the name and version
// of the source, separated by tabs.
func (d *document) addPackages(list io.Reader) error {
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 5 {
			return fmt.Errorf("%d fields instead of 5 in %q", len(f), lines.Text())
		}
		i := item{Name: f[0], Version: f[1], Declared: d.licence(f[0], f[3])}
		if f[0] == standIn {
			i.Source = "made with the image: an empty package in place of those that it provides"
		} else {
			i.Source = fmt.Sprintf("built from the source package %s %s", f[3], f[4])
			i.External = purl("deb/debian", f[0], f[1]+"?arch="+f[2])
		}
		d.add(i)
	}
	return lines.Err()
}

// addLocked adds what the image contains of the sources that a lock names: HDF5.
func (d *document) addLocked(lock string) error {
	for line := range strings.Lines(lock) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "hdf5" {
			d.add(item{
				Name: f[1], Version: f[2], Source: "built from Debian's source package of this version",
				Declared: d.licence(f[1], f[1]),
				External: purl("deb/debian", f[1], f[2]+"?arch=source"),
			})
			return nil
		}
	}
	return fmt.Errorf("no line `hdf5 NAME VERSION`")
}

// addModules adds the modules in a binary, with their licences, and the Go version that built it, as the binary
// contains its standard library.
func (d *document) addModules(info *buildinfo.BuildInfo, licences map[string]string) {
	d.add(item{
		Name: "go", Version: info.GoVersion, Declared: "BSD-3-Clause", Source: "the standard library within h5perf",
		External: purl("golang", "stdlib", strings.TrimPrefix(info.GoVersion, "go")),
	})
	for _, m := range info.Deps {
		d.add(item{
			Name: m.Path, Version: m.Version, Declared: licences[m.Path], Source: "a module within h5perf",
			External: purl("golang", m.Path, m.Version),
		})
	}
}
