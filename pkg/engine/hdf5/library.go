//go:build cgo

package hdf5

import (
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// Library returns the version and the features of the HDF5 library in use.
func Library() option.HDF5Library {
	l := option.HDF5Library{Version: h5.Version(), MultiDataset: h5.CheckMulti() == nil}
	l.MissingSettings, l.DefaultValues, l.MissingForFilters = map[string]string{}, map[string]string{},
		map[string]string{}
	for _, setting := range h5.Settings() {
		if use := setting.Missing(); use != "" {
			l.MissingSettings[setting.Name] = use
		}
		if value, err := setting.DefaultValue(); err == nil && value != "" {
			l.DefaultValues[setting.Name] = value
		}
		if setting.Name == "libver" {
			for _, word := range setting.Words() {
				l.Libvers = append(l.Libvers, option.Libver(word))
			}
		}
	}
	for _, name := range h5.Filters() {
		if h5.CheckFilter(name) == nil {
			l.Filters = append(l.Filters, name)
		} else if needed := (workload.Filter{Name: name}).Library(); needed != "" {
			l.MissingForFilters[name] = needed
		}
	}
	return l
}

// CheckSerialRun returns an error if the library or the environment does not allow to measure the settings of the
// serial tool. lookup is os.LookupEnv or does the same.
func CheckSerialRun(settings option.HDF5, lookup func(string) (string, bool)) error {
	if settings.Driver == option.DriverDirect {
		if err := h5.CheckDirect(); err != nil {
			return err
		}
	}
	return settings.CheckEnvironment(lookup)
}
