//go:build cgo

package hdf5

import (
	"fmt"
	"path/filepath"
	"strings"

	"h5perf/pkg/engine"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

const suffix = ".h5"

// pathStem returns a path without suffix. The names of all files that make up a data file begin with its stem:
// data_1-r.h5 belongs to data_1.h5.
func pathStem(path string) string { return strings.TrimSuffix(path, suffix) }

// memberNameFormat is the printf format of the part after the stem in the file names of the driver family. Members are
// numbered from 0.
const memberNameFormat = "-%05d" + suffix

// maxMultiName is the maximum length in bytes of a file name for the drivers multi and split. With a longer name, HDF5
// before 1.10.9 writes beyond the end of its buffer of 1024 bytes.
const maxMultiName = 1023

// libraryPath returns the name by which the library opens the data file at path. With drivers that use several files,
// the name differs from path.
func (s *session) libraryPath(path string) (string, error) {
	switch s.conf.Driver {
	case option.DriverFamily: // a format of printf
		return strings.ReplaceAll(pathStem(path), "%", "%%") + memberNameFormat, nil
	case option.DriverSplit, option.DriverMulti: // the driver appends a letter and the suffix
		if n := len(pathStem(path) + "-m" + suffix); n > maxMultiName {
			return "", fmt.Errorf("name of %d bytes: %w: the file driver %s accepts at most %d",
				n, engine.ErrUnsupported, s.conf.Driver, maxMultiName)
		}
		return pathStem(path), nil
	default:
		return path, nil
	}
}

// externalName returns the name of the file with the external data of a data file.
func externalName(name string) string { return name + workload.ExternalSuffix }

// externalNames returns the names of the files with external data of a data file, which are not a matter of the file
// driver.
func (s *session) externalNames(path string) []string {
	if !s.program.HasExternalData() {
		return nil
	}
	return []string{externalName(filepath.Base(path))}
}

// FileNames returns the names of the files that make up a data file. With the drivers family and subfiling, it returns
// the files that exist, and at least the first.
func (s *session) FileNames(path string) []string {
	name := filepath.Base(path)
	switch {
	case s.conf.IsInMemory():
		return nil
	case s.conf.Driver == option.Subfiling:
		return s.subfiles(path)
	case s.conf.Driver == option.DriverFamily:
		return s.familyFileNames(path)
	case s.conf.Driver == option.DriverSplit:
		return multiDriverFileNames(name, "mr")
	case s.conf.Driver == option.DriverMulti:
		return multiDriverFileNames(name, multiMapLetters[s.conf.DriverSettings.MultiMap][1:])
	default:
		return append([]string{name}, s.externalNames(path)...)
	}
}

// familyFileNames returns the names of the existing files of the driver family, and at least the first.
func (s *session) familyFileNames(path string) []string {
	all := []string{filepath.Base(pathStem(path)) + fmt.Sprintf(memberNameFormat, 0)}
	for {
		next := pathStem(path) + fmt.Sprintf(memberNameFormat, len(all))
		if _, err := s.env.Lstat(next); err != nil {
			return all
		}
		all = append(all, filepath.Base(next))
	}
}

// multiDriverFileNames returns a file name such as data_1-m.h5 for each distinct letter in letters.
func multiDriverFileNames(name, letters string) []string {
	var all []string
	for i, letter := range letters {
		if strings.IndexRune(letters, letter) == i {
			all = append(all, fmt.Sprintf("%s-%c%s", pathStem(name), letter, suffix))
		}
	}
	return all
}
