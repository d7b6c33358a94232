//go:build cgo

package hdf5

import (
	"fmt"
	"strconv"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// verifiedSettings holds, for each setting that the user has requested, the value that open files really have.
type verifiedSettings struct {
	isChecked [2][2]bool       // which files are checked: by operation, and by 0: all processes open it, 1: one does
	settings  []units.KeyValue // settings of a file that all processes open together, if there is one
}

// requestedSetting is a requested setting: the name of its option, the requested value, and the value of an open file.
type requestedSetting struct {
	name, requestedValue, actualValue string
	isInForce                         bool
}

// checkSettings returns an error if an open file does not have a requested setting. For each operation, it checks one
// file that all processes open together, and one that a process opens alone. It skips the check if no setting is
// requested, because reading the settings makes HDF5 duplicate the communicator of the file.
func (s *session) checkSettings(f *hdf5.File, b *workload.Batch) error {
	alone, at := s.isOpenedAlone(b.File), 0
	if alone {
		at = 1
	}
	looked := &s.checked.isChecked[b.Op][at]
	if *looked || len(s.requestedSettings(h5.FileSettings{}, alone)) == 0 {
		return nil
	}
	*looked = true
	has, err := h5.ReadFileSettings(f)
	if err != nil {
		return err
	}
	var settings []units.KeyValue
	for _, w := range s.requestedSettings(has, alone) {
		if !w.isInForce {
			return fmt.Errorf("--%s %s was asked for, but the file has %s", w.name, w.requestedValue, w.actualValue)
		}
		settings = append(settings, units.KeyValue{Key: w.name, Value: w.actualValue})
	}
	if s.checked.settings == nil || !alone {
		s.checked.settings = settings
	}
	return nil
}

// requestedSettings returns the settings that the user has requested, each with its value in has, the settings of an
// open file.
func (s *session) requestedSettings(has h5.FileSettings, alone bool) (all []requestedSetting) {
	c := &s.conf
	size := func(name string, asked *uint64, has uint64) {
		if asked != nil {
			all = append(all, requestedSetting{
				name, strconv.FormatUint(*asked, 10), strconv.FormatUint(has, 10), *asked == has,
			})
		}
	}
	word := func(name, asked, has string, met bool) {
		if asked != "" {
			all = append(all, requestedSetting{name, asked, has, met})
		}
	}
	if c.AlignmentBytes != nil && *c.AlignmentBytes > 1 && (alone || !c.SplitsRawData()) {
		size("align", c.AlignmentBytes, has.Alignment)
		size("threshold", c.ThresholdBytes, has.Threshold)
	}
	size("meta-block-size", c.MetaBlockBytes, has.MetaBlock)
	if c.DeferMetadata != nil && *c.DeferMetadata {
		word("defer-metadata", onOffText(true), onOffText(has.DeferredMetadata), has.DeferredMetadata)
	}
	word("libver", string(c.Libver), has.Libver, has.LibverAtLeast(string(c.Libver)))
	size("paged-allocation", c.PageBytes, has.PageBytes)
	if !alone && c.Driver.IsParallel() {
		metadata := option.CollectiveMetadataFor(has.CollectiveMetadataWrites, has.CollectiveMetadataReads)
		word("collective-metadata", string(c.CollectiveMetadata), string(metadata), metadata == c.CollectiveMetadata)
	}
	return all
}

func onOffText(is bool) string {
	if is {
		return "on"
	}
	return "off"
}
