package option

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// HDF5RunFacts holds the properties of a run on which defaults and checks of the HDF5 settings depend.
type HDF5RunFacts struct {
	Serial     bool // run of the serial tool: one process, without MPI
	MPIPosix   bool // -m is given
	UsesHDF5   bool // HDF5 is one of the APIs of the run
	Hints      bool // MPI-IO hints are given
	Collective bool
	Workload   bool // a workload is measured: it decides what is collective
	Chunked    bool
	WriteOnly  bool
	Library    HDF5Library
}

// collectiveText says what makes a run collective, for messages.
func (r HDF5RunFacts) collectiveText() string {
	if r.Workload {
		return "a workload, whose ranks may transfer collectively"
	}
	return "-C"
}

// remedyText says what a user can do if a driver has no collective transfers, for messages.
func (r HDF5RunFacts) remedyText() string {
	if r.Workload {
		return "leave the driver out"
	}
	return "leave one of them out"
}

// Complete returns the settings with the defaults that the document always shows, and notes on settings without effect.
// It returns a *usage.Error if HDF5 does not support the settings.
func (s HDF5) Complete(r HDF5RunFacts) (HDF5, []string, error) {
	s.AlignmentBytes = cmp.Or(s.AlignmentBytes, new(uint64(1)))
	s.ThresholdBytes = cmp.Or(s.ThresholdBytes, new(uint64(1)))
	driver := s.completeParallel
	if r.Serial {
		driver = s.completeSerial
	}
	for _, step := range []func(HDF5RunFacts) error{
		driver, s.completeSwitches, s.completeFillTime, s.completeMetadata, s.completeLibver, s.completePages,
		s.checkSizes,
	} {
		if err := step(r); err != nil {
			return HDF5{}, nil, err
		}
	}
	return s, s.settingNotes(r), nil
}

// completeSwitches removes switches that are off, which is their default. In the parallel tool it returns an error for
// settings that only the serial tool supports; the tag serial holds the reason.
func (s *HDF5) completeSwitches(r HDF5RunFacts) error {
	for _, row := range AllHDF5Settings() {
		text := row.ValueText(*s)
		if text == off {
			reflect.ValueOf(s).Elem().FieldByIndex(row.field.Index).SetZero()
			continue
		}
		if why, only := row.field.Tag.Lookup("serial"); only && !r.Serial && text != "" {
			return usage.Errorf("--%s: %s; leave it out, or use h5perf serial", row.Name, why)
		}
	}
	return nil
}

// completeFillTime checks the fill time. It replaces HDF5's default by "", so that runs with and without the option can
// be compared.
func (s *HDF5) completeFillTime(HDF5RunFacts) error {
	if s.Driver == DriverMPIPosix && s.FillTime != "" {
		return usage.Errorf("-m with --fill-time: the MPI-POSIX driver does not fill datasets; leave --fill-time out")
	}
	used, err := usage.ValidOrDefault("--fill-time", cmp.Or(s.FillTime, FillIfSet), allFillTimes()...)
	if used == FillIfSet {
		used = ""
	}
	s.FillTime = used
	return err
}

// completeMetadata checks the mode of metadata transfers. It replaces the default by "".
func (s *HDF5) completeMetadata(r HDF5RunFacts) error {
	used, err := usage.ValidOrDefault("--collective-metadata", cmp.Or(s.CollectiveMetadata, MetadataOff),
		allMetadataTransfers()...)
	if err != nil {
		return err
	}
	if s.CollectiveMetadata = used; used == MetadataOff {
		s.CollectiveMetadata = ""
		return nil
	}
	if r.Serial || s.Driver == DriverMPIPosix {
		return usage.Errorf("--collective-metadata %s with the file driver %s: in it, each process reads and writes "+
			"metadata by itself; leave --collective-metadata out", used, s.Driver)
	}
	return nil
}

// completeLibver checks the lowest version of the file format.
func (s *HDF5) completeLibver(r HDF5RunFacts) (err error) {
	if s.Libver == "" {
		return nil
	}
	if s.Libver, err = usage.ValidOrDefault("--libver", s.Libver, allLibvers()...); err != nil || !r.UsesHDF5 {
		return err
	}
	if err := r.Library.CheckLibver(s.Libver); err != nil {
		return usage.Errorf("--libver %s: %v", s.Libver, err)
	}
	return nil
}

// completePages checks the page size. It replaces 0, the default, by nil.
func (s *HDF5) completePages(HDF5RunFacts) error {
	if s.PageBytes == nil || *s.PageBytes == 0 {
		s.PageBytes = nil
		return nil
	}
	if err := checkPage(*s.PageBytes); err != nil {
		return usage.Errorf("--paged-allocation %s: %v", units.FormatSize(*s.PageBytes), err)
	}
	if s.SplitsRawData() {
		return usage.Errorf("--paged-allocation %s with the file driver %s: HDF5 has no pages in files of this "+
			"driver; leave one of them out", units.FormatSize(*s.PageBytes), s.Driver)
	}
	return nil
}

// The smallest and largest page size of HDF5, in bytes (H5F_FILE_SPACE_PAGE_SIZE_MIN and _MAX).
const minPage, maxPage = 512, 1 << 30

func checkPage(bytes uint64) error {
	if bytes > 0 && (bytes < minPage || bytes > maxPage) {
		return fmt.Errorf("the page size must be %s to %s; 0 means no pages", units.FormatSize(minPage),
			units.FormatSize(maxPage))
	}
	return nil
}

func checkAlignment(bytes uint64) error {
	if bytes == 0 {
		return errors.New("must be at least 1, which means no alignment")
	}
	return nil
}

// checkSizes returns an error for sizes that HDF5 refuses, and for a chunk cache without chunks.
func (s *HDF5) checkSizes(r HDF5RunFacts) error {
	if checkAlignment(*s.AlignmentBytes) != nil {
		return usage.Errorf("-a 0: the alignment must be at least 1; for no alignment, give -a 1")
	}
	if s.ChunkCacheBytes != nil && !r.Chunked {
		return usage.Errorf("--chunk-cache needs -c: datasets of contiguous layout have no chunks")
	}
	return nil
}

// settingNotes returns notes on settings without effect, and on effects of the file driver.
func (s *HDF5) settingNotes(r HDF5RunFacts) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if s.Driver == Subfiling {
		note("If a write with --driver %s fails, for example on a full file system, HDF5 never returns from the "+
			"transfer; --timeout then ends the run.", s.Driver)
		if r.Hints {
			note("The hints have no effect on HDF5: the file driver subfiling does not use MPI-IO.")
		}
	}
	if !r.Serial && s.SieveBufferBytes != nil && s.Driver != DriverMPIPosix {
		note("Option --sieve-buffer %s has no effect: HDF5 has no sieve buffer with the file driver %s.",
			units.FormatSize(*s.SieveBufferBytes), s.Driver)
	}
	if s.PageBytes != nil && (*s.AlignmentBytes > 1 || s.MetaBlockBytes != nil) {
		note("With --paged-allocation %s, alignment and metadata blocks have no effect: HDF5 places all data in pages.",
			units.FormatSize(*s.PageBytes))
	}
	return all
}
