package option

import (
	"cmp"
	"fmt"
	"slices"

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
	WriteOnly  bool
	Library    HDF5Library
	Transfers  TransferFacts
}

// TransferFacts says how a run transfers data. Some settings only have an effect on such transfers.
type TransferFacts struct {
	Collective bool // some transfers are collective
	Chunked    bool // some datasets are stored in chunks
	Filtered   bool // some datasets have filters
	Converting bool // in some transfers, elements have another type in memory than in the file
	OwnFiles   bool // some files are opened by one process alone
	External   bool // all datasets are in external files, none in the HDF5 file itself
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
	driver := s.completeParallel
	if r.Serial {
		driver = s.completeSerial
	}
	for _, step := range []func(HDF5RunFacts) error{
		driver, s.checkMPIPosix, s.completeValues, s.checkAllocation, s.checkLibvers, s.checkPages,
	} {
		if err := step(r); err != nil {
			return HDF5{}, nil, err
		}
	}
	s.AlignmentBytes = cmp.Or(s.AlignmentBytes, new(uint64(1)))
	s.ThresholdBytes = cmp.Or(s.ThresholdBytes, new(uint64(1)))
	return s, s.settingNotes(r), nil
}

// completeValues checks each setting by itself: its value, what it needs, and whether the library has it. It removes
// values that are the default of all libraries, so that runs with and without such a value can be compared.
func (s *HDF5) completeValues(r HDF5RunFacts) error {
	for _, row := range AllHDF5Settings() {
		value := row.ValueText(*s)
		if value == "" {
			continue
		}
		if _, err := row.ParseValue(value); err != nil {
			return usage.Errorf("%s: %v", row.OptionText(value), err)
		}
		if value == row.Default() {
			row.removeValue(s)
			continue
		}
		for _, need := range row.Needs() {
			if !need.isMet(s, r) {
				return usage.Errorf("%s needs %s: %s", row.OptionText(value), r.needText(need, row),
					row.field.Tag.Get("why"))
			}
		}
		if !r.UsesHDF5 {
			continue
		}
		if err := r.Library.CheckSetting(row, value); err != nil {
			return usage.Errorf("%s: %v", row.OptionText(value), err)
		}
	}
	return nil
}

// SettingNeed is what a run must have so that a setting has an effect.
type SettingNeed string

// The needs of settings. NeedOwnFiles: files that one process opens alone. NeedStored: datasets that are not in
// external files. NeedNewFormat: a lowest version of the file format above earliest. NeedChosenChunkIO: HDF5 decides
// how it moves chunks.
const (
	NeedSerial        SettingNeed = "serial"
	NeedParallel      SettingNeed = "parallel"
	NeedCollective    SettingNeed = "collective"
	NeedChunks        SettingNeed = "chunks"
	NeedConversion    SettingNeed = "conversion"
	NeedOwnFiles      SettingNeed = "own-files"
	NeedStored        SettingNeed = "stored"
	NeedNewFormat     SettingNeed = "new-format"
	NeedChosenChunkIO SettingNeed = "chosen-chunk-io"
)

// Text says for people what the need is, and what gives it to a sweep and to a workload.
func (n SettingNeed) Text() string {
	switch ofSweep, ofWorkload := n.sweepOptions(), n.workloadMeans("--layout"); {
	case ofSweep != "":
		return fmt.Sprintf("%s (%s; with run: %s)", n.phrase(), ofSweep, ofWorkload)
	case n == NeedConversion:
		return n.phrase() + " (of a workload)"
	}
	return n.phrase()
}

// phrase says what the need is.
func (n SettingNeed) phrase() string {
	return map[SettingNeed]string{
		NeedSerial: "h5perf serial", NeedParallel: "a file driver for several processes",
		NeedCollective: "collective transfers", NeedChunks: "datasets in chunks",
		NeedConversion: "transfers that convert elements", NeedOwnFiles: "files that one process opens alone",
		NeedStored:        "datasets in the HDF5 file itself, not in an external file",
		NeedNewFormat:     "--libver v18 or a later version of the file format",
		NeedChosenChunkIO: "a run without chunk-io",
	}[n]
}

// sweepOptions returns the options that give a sweep what is needed, or "".
func (n SettingNeed) sweepOptions() string {
	return map[SettingNeed]string{
		NeedCollective: "-C", NeedChunks: "-c", NeedOwnFiles: "h5perf serial, or --files-per-process",
	}[n]
}

// workloadMeans returns what gives a workload what is needed, or "". layout is the option for a layout that does.
func (n SettingNeed) workloadMeans(layout string) string {
	return map[SettingNeed]string{
		NeedCollective: layout + ", or collective transfers in the script",
		NeedChunks:     layout + ", or chunks in the script", NeedOwnFiles: "alone = True in the script",
	}[n]
}

// needText says what a setting needs, and what gives it to this run. A layout that it names has all that the setting
// needs, and keeps what the run has.
func (r HDF5RunFacts) needText(need SettingNeed, row HDF5Setting) string {
	if !r.Workload {
		if options := need.sweepOptions(); options != "" {
			return fmt.Sprintf("%s (%s)", need.phrase(), options)
		}
		return need.Text()
	}
	storage, mode := "contiguous", "independent"
	if r.Transfers.Chunked || slices.Contains(row.Needs(), NeedChunks) {
		storage = "chunked"
	}
	if r.Transfers.Collective || slices.Contains(row.Needs(), NeedCollective) {
		mode = "collective"
	}
	if means := need.workloadMeans(fmt.Sprintf("--layout given-%s-%s", storage, mode)); means != "" {
		return fmt.Sprintf("%s (%s)", need.phrase(), means)
	}
	return need.phrase()
}

// isMet reports whether a run with the settings s has what is needed.
func (n SettingNeed) isMet(s *HDF5, r HDF5RunFacts) bool {
	libver := cmp.Or(string(s.Libver), r.Library.DefaultValues["libver"], string(LibverEarliest))
	return map[SettingNeed]bool{
		NeedSerial: r.Serial, NeedParallel: !r.Serial && s.Driver != DriverMPIPosix,
		NeedCollective: r.Transfers.Collective, NeedChunks: r.Transfers.Chunked,
		NeedConversion: r.Transfers.Converting, NeedOwnFiles: r.Transfers.OwnFiles, NeedStored: !r.Transfers.External,
		NeedNewFormat: libver != string(LibverEarliest), NeedChosenChunkIO: s.ChunkIO == "",
	}[n]
}

// checkMPIPosix returns an error for settings of storage that the driver mpiposix sets by itself.
func (s *HDF5) checkMPIPosix(HDF5RunFacts) error {
	switch {
	case s.Driver != DriverMPIPosix:
		return nil
	case s.FillTime != "":
		return usage.Errorf("-m with --fill-time: the MPI-POSIX driver does not fill datasets; leave --fill-time out")
	case s.AllocationTime != "":
		return usage.Errorf("-m with --with allocation-time: the MPI-POSIX driver allocates datasets when they are " +
			"created; leave --with allocation-time out")
	}
	return nil
}

// checkAllocation returns an error if HDF5 allocates all datasets of the run when it creates them, but another time was
// asked for.
func (s *HDF5) checkAllocation(r HDF5RunFacts) error {
	switch s.AllocationTime {
	case "", AllocateEarly:
		return nil
	}
	if r.Serial || r.Transfers.OwnFiles || r.Transfers.Filtered {
		return nil
	}
	return usage.Errorf("--with allocation-time=%s: in a file that several processes open together, HDF5 allocates "+
		"datasets without filters when it creates them; leave it out", s.AllocationTime)
}

// checkLibvers returns an error if the lowest version of the file format is above the highest one.
func (s *HDF5) checkLibvers(HDF5RunFacts) error {
	all := allLibvers()
	if s.LibverHigh == "" || s.Libver == LibverLatest ||
		slices.Index(all, s.Libver) <= slices.Index(all, Libver(s.LibverHigh)) {
		return nil
	}
	return usage.Errorf("--libver %s with --with libver-high=%s: the lowest version must not be above the highest one",
		s.Libver, s.LibverHigh)
}

// checkPages returns an error for settings of pages that do not fit together, and for settings that have no effect on
// pages.
func (s *HDF5) checkPages(HDF5RunFacts) error {
	page, buffer := ValueOrZero(s.PageBytes), ValueOrZero(s.PageBufferBytes)
	pages := "--paged-allocation " + units.FormatSize(page)
	switch {
	case page > 0 && s.SplitsRawData():
		return usage.Errorf("%s with the file driver %s: HDF5 has no pages in files of this driver; leave one of them "+
			"out", pages, s.Driver)
	case page > 0 && s.SmallDataBlockBytes != nil:
		return usage.Errorf("%s with --with small-data-block: HDF5 places small datasets in pages; leave one of them "+
			"out", pages)
	case buffer > 0 && page == 0:
		return usage.Errorf("--with page-buffer=%s needs --paged-allocation: HDF5 buffers whole pages",
			units.FormatSize(buffer))
	case buffer > 0 && buffer < page:
		return usage.Errorf("--with page-buffer=%s with %s: the buffer must hold at least one page",
			units.FormatSize(buffer), pages)
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
