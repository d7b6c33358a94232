package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// fit is a workload that is made to fit the HDF5 library in use, and the settings of HDF5 that it is run with. What the
// library cannot do is refused, or, of a profile, left out of the workload: its hash, and with it all comparisons, then
// tell that another workload was run.
type fit struct {
	script.Resolved
	given    option.HDF5 // by options
	library  option.HDF5Library
	measured bool // HDF5 is one of the APIs
	profile  bool // the workload is not of the user

	layout     workload.Layout
	documented *result.Workload // as documents have it
	settings   option.HDF5      // those given, and those of the workload where none are given
	notes      []string
	cautions   []plain.Caution
}

func (f *fit) fit() error {
	f.settings = f.given
	for _, part := range []func() error{f.applySettings, f.checkTogether, f.checkFilters} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// CheckLibrary returns an error if an HDF5 library cannot do what a workload asks for.
func CheckLibrary(r script.Resolved, library option.HDF5Library) error {
	r.TogetherChosen = false // the error names its place in the workload
	f := fit{Resolved: r, library: library, measured: true}
	if err := f.applySettings(); err != nil {
		return err
	}
	if place, together := f.Together(); together {
		if err := library.CheckTogether(); err != nil {
			return place(fmt.Errorf("together: %w", err))
		}
	}
	return f.checkFilters()
}

// applySettings adds the settings of the workload to those that are given, which take precedence.
func (f *fit) applySettings() error {
	for _, row := range option.HDF5Rows() {
		value, is := f.Setting(row.Name)
		if !is {
			continue
		}
		if given := row.Text(f.given); given != "" {
			if given != value {
				f.note("Option --%s %s takes precedence over the setting %s of the workload, %s.", row.Name,
					row.Spelled(given), row.Name, row.Spelled(value))
			}
			continue
		}
		var of option.HDF5
		if err := row.Set(&of, value); err != nil {
			return f.At(row.Name, err)
		}
		if err := f.library.CheckLibver(of.Libver); of.Libver != "" && err != nil {
			err = fmt.Errorf("the setting %s %s: %w", row.Name, value, err)
			switch {
			case f.profile:
				f.Resolved = f.Without(row.Name)
				f.caution("without a setting", err, "without it, and is not compared with runs that have it")
				continue
			case f.measured:
				return f.At(row.Name, err)
			}
		}
		if err := row.Set(&f.settings, value); err != nil {
			return f.At(row.Name, err)
		}
	}
	return nil
}

// checkTogether replaces transfers of several datasets in one call, if the library has none, by one call for each. It
// refuses them if the user asked for them.
func (f *fit) checkTogether() error {
	err := f.library.CheckTogether()
	place, together := f.Together()
	switch {
	case err == nil || !together:
	case f.profile && !f.TogetherChosen:
		f.Resolved = f.OneByOne()
		f.caution("one call for each dataset", err, "with one call for each dataset, and is not compared with runs "+
			"that have one call for several")
	case f.measured && f.TogetherChosen:
		return usage.Errorf("--set chooses transfers of several datasets together: %v", err)
	case f.measured:
		return place(fmt.Errorf("together: %w", err))
	}
	return nil
}

// checkFilters refuses filters that the library does not have.
func (f *fit) checkFilters() error {
	if !f.measured {
		return nil
	}
	return f.CheckFilters(f.library.CheckFilter)
}

// explained adds to the error of settings those of the workload, which the user did not give.
func (f *fit) explained(err error) error {
	if len(f.Settings) == 0 {
		return err
	}
	return usage.Errorf("%v; the workload %s has settings, too: %s", err, f.Name,
		strings.Join(slices.Sorted(maps.Keys(f.Settings)), ", "))
}

func (f *fit) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// caution adds a caution about an error that does not end the run. how says how it goes on.
func (f *fit) caution(word string, err error, how string) {
	text := plain.Sentence(fmt.Sprintf("%v; the run goes on %s", err, how))
	f.cautions = append(f.cautions, plain.Caution{Word: word, Text: text})
}
