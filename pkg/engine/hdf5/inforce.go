//go:build cgo

package hdf5

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// requestedSetting is a setting that the user has requested. asked is its value.
type requestedSetting struct {
	h5.Setting
	row   option.HDF5Setting
	asked string
}

// requestedSettings returns the settings that the user has requested, without those that are the default of all
// libraries.
func requestedSettings(conf option.HDF5) (all []requestedSetting) {
	rows := option.AllHDF5Settings()
	for _, setting := range h5.Settings() {
		i := slices.IndexFunc(rows, func(r option.HDF5Setting) bool { return r.Name == setting.Name })
		if asked := rows[i].ValueText(conf); asked != "" && asked != rows[i].Default() {
			all = append(all, requestedSetting{setting, rows[i], asked})
		}
	}
	return all
}

// settingFilter reports whether a setting belongs in a property list.
type settingFilter = func(*requestedSetting) bool

// isForFiles returns the filter for access lists of files that one process opens alone, or of the other files.
func (s *session) isForFiles(alone bool) settingFilter {
	own := alone || !s.conf.Driver.IsParallel()
	return func(r *requestedSetting) bool {
		switch {
		case isAlignment(r) && s.conf.SplitsRawData(): // the files of the driver have it
			return false
		case r.List == h5.SharedFileAccess:
			return !own
		case r.List == h5.OwnFileAccess:
			return own
		}
		return r.List == h5.FileAccess
	}
}

func isAlignment(r *requestedSetting) bool { return r.Name == "align" || r.Name == "threshold" }

// isForFileCreation is the filter for creation lists of files, which are those of their root groups, too.
func isForFileCreation(r *requestedSetting) bool { return r.List == h5.FileCreation || isForGroup(r) }

func isForGroup(r *requestedSetting) bool {
	return r.List == h5.GroupCreation || r.List == h5.ObjectCreation
}

func isForTransfer(r *requestedSetting) bool { return r.List == h5.Transfer }

func isForCollectiveTransfer(r *requestedSetting) bool { return r.List == h5.CollectiveTransfer }

// isForDataset reports whether a setting belongs in the creation list of a family of datasets. The family's own values
// take precedence. HDF5 always fills what has a variable length, and always allocates compact datasets early.
func isForDataset(r *requestedSetting, o *workload.Object) bool {
	switch {
	case r.List == h5.ObjectCreation:
		return true
	case r.List != h5.DatasetCreation:
		return false
	case r.Name == "fill-time":
		return o.Fill.Time == "" && (r.asked != string(option.FillNever) || !o.Type.IsVariable())
	case r.Name == "object-times":
		return !o.Tracking.NoTimes
	case r.Name == "allocation-time":
		return o.Fill.Allocate == "" && !o.Compact
	}
	return true
}

func (s *session) requestsAny(filter settingFilter) bool {
	return slices.ContainsFunc(s.requested, func(r requestedSetting) bool { return filter(&r) })
}

// applySettings sets the requested settings that belong in a list.
func (s *session) applySettings(list *hdf5.PropList, filter settingFilter) error {
	for i := range s.requested {
		r := &s.requested[i]
		if !filter(r) {
			continue
		}
		if err := r.SetIn(list, r.asked); err != nil {
			return fmt.Errorf("%s: %w: %w", r.row.OptionText(r.asked), engine.ErrUnsupported, err)
		}
	}
	return nil
}

// checkedSettings holds the values of requested settings that the library has told.
type checkedSettings struct {
	files   [2][2]bool        // which files are checked: by operation, and by 0: all processes open it, 1: one does
	objects map[int]bool      // which families of datasets and groups are checked
	values  map[string]string // by the name of the setting; those of a file that all processes open, if there is one
}

// record records the value that the library has for a setting. It returns an error if this is not what was requested.
func (c *checkedSettings) record(r *requestedSetting, has, what string, replace bool) error {
	if !r.IsInForce(r.asked, has) {
		return fmt.Errorf("%s was asked for, but %s has %s", r.row.OptionText(r.asked), what, r.row.FormatValue(has))
	}
	if c.values == nil {
		c.values = map[string]string{}
	}
	if _, known := c.values[r.Name]; !known || replace {
		c.values[r.Name] = has
	}
	return nil
}

// settingsInForce returns the requested settings that the library has told, with their values.
func (s *session) settingsInForce() (all []units.KeyValue) {
	for _, r := range s.requested {
		if value, told := s.checked.values[r.Name]; told {
			all = append(all, units.KeyValue{Key: r.Name, Value: value})
		}
	}
	return all
}

// checkSettings returns an error if an open file, or its root group, does not have a requested setting. For each
// operation, it checks one file that all processes open together, and one that a process opens alone. It skips the
// check if no setting is requested, because reading the settings makes HDF5 duplicate the communicator of the file.
func (s *session) checkSettings(f *hdf5.File, b *workload.Batch) error {
	alone, at := s.isOpenedAlone(b.File), 0
	if alone {
		at = 1
	}
	looked := &s.checked.files[b.Op][at]
	isForFiles := s.isForFiles(alone)
	filter := func(r *requestedSetting) bool { return isForFiles(r) || r.List == h5.FileCreation }
	if *looked {
		return nil
	}
	*looked = true
	if s.requestsAny(filter) && s.conf.Driver != option.Subfiling { // HDF5 1.14.5 cannot return the access list then
		err := s.checkValues(filter, "the file", !alone, func(settings []h5.Setting) ([]string, error) {
			return h5.ReadFileSettings(f, settings)
		})
		if err != nil {
			return err
		}
	}
	if !s.requestsAny(isForGroup) {
		return nil
	}
	return s.checkValues(isForGroup, "the root group", false, func(settings []h5.Setting) (_ []string, err error) {
		root, err := f.OpenGroup("/")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, root.Close()) }()
		return h5.ReadObjectSettings(workload.GroupObject, root.ID(), settings)
	})
}

// checkObjectSettings returns an error if the first dataset or group of a batch does not have a requested setting. It
// checks each family once.
func (s *session) checkObjectSettings(b *workload.Batch) error {
	o := &s.program.Objects[b.Object]
	filter, what := isForGroup, "the group"
	if o.Kind == workload.DatasetObject {
		filter, what = func(r *requestedSetting) bool { return isForDataset(r, o) }, "the dataset"
	}
	if o.Kind == workload.LinkObject || b.Count == 0 || s.checked.objects[b.Object] || !s.requestsAny(filter) {
		return nil
	}
	if s.checked.objects == nil {
		s.checked.objects = map[int]bool{}
	}
	s.checked.objects[b.Object] = true
	return s.checkValues(filter, what, true, func(settings []h5.Setting) ([]string, error) {
		return h5.ReadObjectSettings(o.Kind, s.objects[b.Object].handles[b.First], settings)
	})
}

// checkTransferSettings returns an error if transfers were not made as requested.
func (s *session) checkTransferSettings() error {
	for i := range s.requested {
		r := &s.requested[i]
		has, err := "", error(nil)
		switch {
		case r.Name == "chunk-io":
			has = s.actualChunkIO()
		case isForTransfer(r) && s.independentList != nil:
			has, err = r.ReadList(s.independentList)
		}
		if err == nil && has != "" {
			err = s.checked.record(r, has, "the transfer", true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// actualChunkIO returns how the collective transfers moved chunks: "link", "multi", or both; "" if none moved chunks.
func (s *session) actualChunkIO() string {
	words := map[string]string{"H5D_MPIO_LINK_CHUNK": "link", "H5D_MPIO_MULTI_CHUNK": "multi"}
	var all []string
	for op := range s.collectiveAccounts {
		for _, mode := range h5.ReadCollective(unsafe.Pointer(&s.collectiveAccounts[op])).Optimizations {
			if word := words[mode]; word != "" && !slices.Contains(all, word) {
				all = append(all, word)
			}
		}
	}
	return strings.Join(all, " and ")
}

// checkValues reads the values of the settings that a filter selects, and checks them. what is the object that has
// them.
func (s *session) checkValues(
	filter settingFilter, what string, replace bool, read func([]h5.Setting) ([]string, error),
) error {
	var some []*requestedSetting
	var settings []h5.Setting
	for i := range s.requested {
		if r := &s.requested[i]; filter(r) && r.IsTold() {
			some, settings = append(some, r), append(settings, r.Setting)
		}
	}
	values, err := read(settings)
	if err != nil {
		return err
	}
	for i, r := range some {
		if err := s.checked.record(r, values[i], what, replace); err != nil {
			return err
		}
	}
	return nil
}
