//go:build cgo

package hdf5

import (
	"fmt"
	"path/filepath"
	"strings"

	"h5perf/pkg/engine"
	"h5perf/pkg/option"
)

// suffix is the end of the names of all files.
const suffix = ".h5"

// stem returns a path without suffix. The names of the files that a data file consists of begin with it: data_1-r.h5
// belongs to data_1.h5.
func stem(path string) string { return strings.TrimSuffix(path, suffix) }

// member is the format of what follows the stem in the names of a family. Members are numbered from 0.
const member = "-%05d" + suffix

// multiName is the longest file name, in bytes, that the drivers multi and split take: with longer ones, HDF5 before
// 1.10.9 writes beyond the end of its buffer of 1024 bytes.
const multiName = 1023

// name returns the name of a data file as the library takes it. It differs from the path with some drivers.
func (s *session) name(path string) (string, error) {
	switch s.conf.Driver {
	case option.Family: // a format of printf
		return strings.ReplaceAll(stem(path), "%", "%%") + member, nil
	case option.Split, option.Multi: // they append letter and suffix
		if n := len(stem(path) + "-m" + suffix); n > multiName {
			return "", fmt.Errorf("name of %d bytes: %w: the file driver %s accepts at most %d",
				n, engine.ErrUnsupported, s.conf.Driver, multiName)
		}
		return stem(path), nil
	default:
		return path, nil
	}
}

// Names returns the names of the files that a data file consists of. Of a family, and with subfiling, it returns those
// that exist, and at least the first.
func (s *session) Names(path string) []string {
	name := filepath.Base(path)
	switch {
	case s.conf.InMemory():
		return nil
	case s.conf.Driver == option.Subfiling:
		return s.subfiles(path)
	case s.conf.Driver == option.Family:
		return s.members(path)
	case s.conf.Driver == option.Split:
		return lettered(name, "mr")
	case s.conf.Driver == option.Multi:
		return lettered(name, multiMaps[s.conf.DriverSettings.MultiMap][1:])
	default:
		return []string{name}
	}
}

// members returns the members of a family that exist, and at least the first.
func (s *session) members(path string) []string {
	all := []string{filepath.Base(stem(path)) + fmt.Sprintf(member, 0)}
	for {
		next := stem(path) + fmt.Sprintf(member, len(all))
		if _, err := s.env.Lstat(next); err != nil {
			return all
		}
		all = append(all, filepath.Base(next))
	}
}

// lettered returns a name for each different letter.
func lettered(name, letters string) []string {
	var all []string
	for i, letter := range letters {
		if strings.IndexRune(letters, letter) == i {
			all = append(all, fmt.Sprintf("%s-%c%s", stem(name), letter, suffix))
		}
	}
	return all
}
