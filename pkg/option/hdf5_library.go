package option

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"h5perf/pkg/usage"
)

// HDF5Library describes the features of the HDF5 library in use that depend on its version or build. The zero value
// stands for an unknown library; all checks then succeed.
type HDF5Library struct {
	Version      string   // such as 1.14.5
	Libvers      []Libver // versions of the file format that it accepts as bounds
	MultiDataset bool     // transfers of several datasets in one call (H5Dwrite_multi, H5Dread_multi)
	Filters      []string // names of the filters that it can write with
	// Libraries that filters need, by the name of the filter, if neither they nor plugins of HDF5 are installed.
	MissingForFilters map[string]string
	// Settings that it does not have, by name, with the library to use instead.
	MissingSettings map[string]string
	DefaultValues   map[string]string // values of settings that nobody has set, by name
}

func (l HDF5Library) isKnown() bool { return l.Version != "" }

// LosesUnfilteredChunks reports whether collective writes lose the mark of chunks that a filter has not made smaller,
// and that are therefore stored as they are. Such chunks cannot be read.
func (l HDF5Library) LosesUnfilteredChunks() bool { return strings.HasPrefix(l.Version, "1.10.") }

// CheckSetting returns an error if the library does not have a setting or a value of it.
func (l HDF5Library) CheckSetting(row HDF5Setting, value string) error {
	if use, lacks := l.MissingSettings[row.Name]; lacks {
		return fmt.Errorf("HDF5 %s, as it was built, does not have this setting: use %s", l.Version, use)
	}
	switch reflect.Zero(row.field.Type).Interface().(type) {
	case Libver, HighLibver:
		return l.CheckLibver(Libver(value))
	}
	return nil
}

// CheckLibver returns an error if the library does not accept v as a bound of the file format.
func (l HDF5Library) CheckLibver(v Libver) error {
	if !l.isKnown() || slices.Contains(l.Libvers, v) {
		return nil
	}
	return fmt.Errorf("HDF5 %s does not have this version of the file format, but %s", l.Version,
		usage.JoinWords(usage.Strings(l.Libvers)))
}

// CheckMultiDataset returns an error if the library cannot transfer several datasets in one call.
func (l HDF5Library) CheckMultiDataset() error {
	if !l.isKnown() || l.MultiDataset {
		return nil
	}
	return fmt.Errorf("HDF5 %s cannot transfer several datasets in one call (H5Dwrite_multi, H5Dread_multi): that "+
		"needs 1.14.0 or newer", l.Version)
}

// CheckFilter returns an error if the library cannot write with a filter.
func (l HDF5Library) CheckFilter(name string) error {
	if !l.isKnown() || slices.Contains(l.Filters, name) {
		return nil
	}
	if needed := l.MissingForFilters[name]; needed != "" {
		return fmt.Errorf("HDF5 %s has no plugin for the filter %s: install one, or %s", l.Version, name, needed)
	}
	return fmt.Errorf("HDF5 %s was built without writing with the filter %s; it has %s", l.Version, name,
		cmp.Or(usage.JoinWords(l.Filters), "none"))
}
