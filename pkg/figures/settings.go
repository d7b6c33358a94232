package figures

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Setting is a choice or size of a workload, an option of HDF5 or MPI-IO, or a condition. Name is the name of the
// option. Value is formatted as on the command line.
type Setting struct{ Name, Value string }

func (s Setting) String() string { return s.Name + "=" + s.Value }

// VariantSettings returns the settings that distinguish the run from a run with defaults: the sizes and choices of a
// workload that the user set, and all other settings that define the measurement and do not have their default. It
// leaves out API, processes and transfer size, which distinguish the points of a run, and the number of iterations.
//
// With --sweep, it returns the settings that all cases have.
func VariantSettings(d result.Document) []Setting {
	var all []Setting
	if len(d.Swept) > 0 {
		var settings [][]Setting
		for _, part := range d.Parts() {
			settings = append(settings, VariantSettings(part))
		}
		return commonElements(settings)
	}
	for _, s := range settingsOf(d) {
		if s.Value != s.defaultValue {
			all = append(all, s.Setting)
		}
	}
	return all
}

// VariantText formats the variant of the run in one short line: "storage=gzip, dumps=2". It returns "" if all settings
// have their defaults.
func (r *Run) VariantText() string { return joinSettings(VariantSettings(r.Document)) }

func joinSettings(settings []Setting) string {
	words := make([]string, len(settings))
	for i, s := range settings {
		words[i] = s.String()
	}
	return strings.Join(words, ", ")
}

// Subject says what was measured, in one short line: the workload, if there is one, and the variant, or with --sweep
// what all cases have in common. It returns "" for a sweep with defaults.
func (r *Run) Subject() string {
	w, variant := r.Parameters.Workload, r.VariantText()
	switch {
	case len(r.Swept) > 0:
		return SubjectOf(r.Parts())
	case w == nil:
		return variant
	case variant == "":
		return "workload " + w.Name
	}
	return joinWithComma("workload "+w.Name, variant)
}

// settingWithDefault is a setting of a run together with the default value of this setting.
type settingWithDefault struct {
	Setting
	defaultValue string
	isDerived    bool // a size that follows from other settings
}

// settingList holds all settings of a run, including those that have their default value.
type settingList []settingWithDefault

func settingsOf(d result.Document) (all settingList) {
	p := d.Parameters
	k := kindTraitsOf(p)
	k.addMeasured(&all, d, k)
	all.addSetting("files-per-process", onOffText(p.FilesPerProcess), off)
	all.addSetting("create", string(p.Create), string(option.CreateAll))
	all.addSetting("selection", string(p.Selection), string(option.SelectionHyperslab))
	all.addHDF5Settings(d)
	all.addSetting("view", string(p.View), string(option.ViewAuto))
	for _, h := range p.Hints {
		all.addSetting("hint "+h.Key, h.Value, "none")
	}
	all.addSetting("io-component", string(p.IOComponent), "default")
	all.addConditions(p.Conditions)
	return all
}

// Values of settings that are switches.
const on, off = "on", "off"

func onOffText(is bool) string {
	if is {
		return on
	}
	return off
}

// addSetting adds a setting. An empty value stands for the default.
func (all *settingList) addSetting(name, value, usual string) {
	*all = append(*all, settingWithDefault{Setting: Setting{name, cmp.Or(value, usual)}, defaultValue: usual})
}

// addCount adds a setting that is a number.
func (all *settingList) addCount(name string, n, usual int) {
	all.addSetting(name, strconv.Itoa(n), strconv.Itoa(usual))
}

// addSizes adds a setting that is one size, or one size per dimension. Without sizes, the setting has its default.
func (all *settingList) addSizes(name, usual string, bytes ...uint64) {
	words := make([]string, len(bytes))
	for i, n := range bytes {
		words[i] = units.FormatSize(n)
	}
	all.addSetting(name, strings.Join(words, ","), usual)
}

// addWorkload adds the choices and sizes of a workload that the user set, then its other choices and sizes.
func (all *settingList) addWorkload(d result.Document, _ kindTraits) {
	w := *d.Parameters.Workload
	for _, kv := range w.Requested {
		all.addSetting(kv.Key, kv.Value, "")
	}
	for i, kv := range slices.Concat(w.Chosen, w.Sizes) {
		if _, is := all.findSetting(kv.Key); !is {
			all.addSetting(kv.Key, kv.Value, kv.Value)
			(*all)[len(*all)-1].isDerived = i >= len(w.Chosen)
		}
	}
	all.addSetting("form", w.Layout, "given")
}

// The default sizes of a sweep, in bytes.
const (
	defaultBytes1D     = 256 << 10 // per process and dataset
	defaultBytes2D     = 8 << 10   // the same, one side of its square
	defaultBytesSerial = 16 << 20  // of the dataset
)

// addSweep adds the settings of a sweep: sizes, files, datasets, access pattern and layout.
func (all *settingList) addSweep(d result.Document, k kindTraits) {
	p := d.Parameters
	if option.ValueOrZero(p.Conditions.MemoryFactor) == 0 { // a memory factor would choose the sizes
		k.addDatasetSizes(all, d)
	}
	all.addCount("num-files", p.Files, 1)
	all.addCount("num-dsets", p.Datasets, 1)
	all.addSetting("geometry", string(p.Geometry), string(result.Geometry1D))
	all.addSetting("interleaved", onOffText(p.Pattern == result.PatternInterleaved), off)
	all.addSetting("collective", onOffText(p.Mode == result.ModeCollective), off)
	if p.Layout == result.LayoutChunked && len(p.ChunkSize) == 0 {
		all.addSetting("chunk", on, off)
	} else {
		all.addSizes("chunk", off, p.ChunkSize...)
	}
	var order, given []string
	for i, dimension := range p.DimensionOrder {
		order, given = append(order, strconv.Itoa(dimension)), append(given, strconv.Itoa(i+1))
	}
	all.addSetting("order", strings.Join(order, ","), strings.Join(given, ","))
	all.addSetting("extendible", onOffText(p.Extendible), off)
}

// addSerialSizes adds the sizes of a serial run.
func (all *settingList) addSerialSizes(d result.Document) {
	p := d.Parameters
	all.addSizes("num-bytes", units.FormatSize(defaultBytesSerial), p.DatasetExtent...)
	if len(p.DatasetExtent) > 1 { // with one dimension, the transfer size shows it
		all.addSizes("min-xfer-size", "", p.BufferExtent...)
	}
}

// addParallelSizes adds the sizes of a parallel sweep.
func (all *settingList) addParallelSizes(d result.Document) {
	p, usual := d.Parameters, uint64(defaultBytes1D)
	if p.Geometry == result.Geometry2D {
		usual = defaultBytes2D
	}
	all.addSizes("num-bytes", units.FormatSize(usual), p.BytesPerProcess)
	if p.BlockSize != p.BytesPerProcess/2 && isSetByUser(d, "block-size") { // others follow from the transfer sizes
		all.addSizes("block-size", "", p.BlockSize)
	} else {
		all.addSetting("block-size", "default", "default")
	}
}

// isSetByUser reports whether the user set an option.
func isSetByUser(d result.Document, option string) bool {
	return slices.ContainsFunc(d.GivenParameters, func(g result.GivenParameter) bool { return g.Name == option })
}

// addHDF5Settings adds the settings of HDF5. If the workload itself gives a value for a setting, that value is its
// default.
func (all *settingList) addHDF5Settings(d result.Document) {
	p, usual := d.Parameters, map[string]string{}
	if w := p.Workload; w != nil { // settings of the workload are its defaults
		for _, kv := range w.Settings {
			usual[kv.Key] = kv.Value
		}
	}
	all.addSetting("driver", string(p.Driver), string(kindTraitsOf(p).driver))
	if p.DriverSettings != nil {
		for _, kv := range driverSettings(*p.DriverSettings) {
			if isSetByUser(d, kv.Name) {
				all.addSetting(kv.Name, kv.Value, "default")
			}
		}
	}
	for _, row := range option.AllHDF5Settings() {
		all.addSetting(row.Name, row.FormatValue(row.ValueText(p.HDF5Settings)),
			cmp.Or(usual[row.Name], row.Default(), "default"))
	}
}

// driverSettings returns the settings of a file driver, named like their options.
func driverSettings(s option.DriverSettings) (all []Setting) {
	of := reflect.ValueOf(s)
	for f := range result.JSONFields(of.Type()) {
		v := of.FieldByIndex(f.Index)
		if v.IsZero() {
			continue
		}
		text := fmt.Sprint(reflect.Indirect(v))
		if v.Type() == reflect.TypeFor[*uint64]() {
			text = units.FormatSize(v.Elem().Uint())
		}
		all = append(all, Setting{option.NameOfField(f), text})
	}
	return all
}

// addConditions adds the conditions that change the meaning of results.
func (all *settingList) addConditions(c option.Conditions) {
	all.addSetting("sync", string(c.Sync), string(option.SyncNone))
	all.addSetting("direct", onOffText(c.Direct), off)
	all.addSetting("cold", onOffText(c.Cold), off)
	all.addCount("shift", option.ValueOrZero(c.Shift), 0)
	all.addSetting("spread", string(c.Spread), string(option.SpreadRanks))
	data := string(c.Data)
	if c.Data == option.DataCompress {
		data += fmt.Sprintf("=%g", c.CompressRatio)
	}
	all.addSetting("data", data, string(option.DataPosition))
	all.addSetting("read-only", c.ReadOnly, "none")
	all.addSetting("memory-factor", fmt.Sprintf("%g", option.ValueOrZero(c.MemoryFactor)), "0")
	all.addSetting("time-limit", units.FormatSeconds(option.ValueOrZero(c.TimeLimit)), units.FormatSeconds(0))
	for f := range taggedConditions(c) {
		all.addSetting(option.NameOfField(f.StructField), f.text, "none")
	}
}

// findSetting returns the setting with this name. is reports whether the run has such a setting.
func (all settingList) findSetting(name string) (s settingWithDefault, is bool) {
	i := slices.IndexFunc(all, func(s settingWithDefault) bool { return s.Name == name })
	if i < 0 {
		return settingWithDefault{}, false
	}
	return all[i], true
}

// RunNames returns a short name for each run that distinguishes it from the other runs: the settings that differ and,
// if configurations were measured alternately, the letter of the arm. If this does not make all names unique, the start
// time follows.
func RunNames(runs []*Run) map[*Run]string {
	names := DifferingSettings(runs)
	count := map[string]int{}
	for _, r := range runs {
		if r.Pair != nil {
			names[r] = joinWithComma(names[r], string(r.Pair.Arm))
		}
		count[names[r]]++
	}
	for _, r := range runs {
		if name := names[r]; name == "" || count[name] > 1 {
			names[r] = joinWithComma(name, r.startText())
		}
	}
	return names
}

// DifferingSettings returns, for each run, a short line with the settings that differ between runs of the same
// workload, or between sweeps. If many settings differ, it lists only settings that do not have their default. For the
// only run of a workload among other runs, the line is the name of the workload; for the only sweep, it is the kind of
// the run.
func DifferingSettings(runs []*Run) map[*Run]string {
	alike := map[string][]*Run{}
	for _, r := range runs {
		workload := ""
		if w := r.Parameters.Workload; w != nil {
			workload = w.Name
		}
		alike[workload] = append(alike[workload], r)
	}
	words := map[*Run]string{}
	for workload, some := range alike {
		if len(some) == 1 && len(alike) > 1 {
			words[some[0]] = cmp.Or(workload, string(some[0].Kind))
			continue
		}
		for i, settings := range differingValues(some) {
			words[some[i]] = differingText(settings)
		}
	}
	return words
}

// SubjectOf says what the runs measured, in one short line: their workload, the settings that do not have their default
// and are equal in all runs, and the names of the settings that differ. It returns "" if the workloads differ.
func SubjectOf(runs []*Run) string {
	if len(runs) == 0 {
		return ""
	}
	same, words := VariantSettings(runs[0].Document), ""
	for _, r := range runs {
		if w, first := r.Parameters.Workload, runs[0].Parameters.Workload; (w == nil) != (first == nil) ||
			w != nil && w.Name != first.Name {
			return ""
		}
		own := VariantSettings(r.Document)
		same = slices.DeleteFunc(same, func(s Setting) bool { return !slices.Contains(own, s) })
	}
	if w := runs[0].Parameters.Workload; w != nil {
		words = "workload " + w.Name
	}
	if len(same) > 0 {
		words = joinWithComma(words, joinSettings(same))
	}
	if settings := differingValues(runs)[0]; len(settings) > 0 {
		names := make([]string, len(settings))
		for i, s := range settings {
			names[i] = s.Name
		}
		words = joinWithComma(words, "different "+strings.Join(names, ", "))
	}
	return words
}

func joinWithComma(words, more string) string {
	if words == "" {
		return more
	}
	return words + ", " + more
}

// differingValues returns, for each run, its values of the settings that differ between the runs. It leaves out sizes
// that follow from other settings.
func differingValues(runs []*Run) [][]settingWithDefault {
	all := make([]settingList, len(runs))
	var names []string
	usual := map[string]string{} // values for runs that do not have the setting
	for i, r := range runs {
		all[i] = settingsOf(r.Document)
		for _, s := range all[i] {
			if !s.isDerived && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
				usual[s.Name] = cmp.Or(s.defaultValue, "default")
			}
		}
	}
	out := make([][]settingWithDefault, len(runs))
	for _, name := range names {
		values := make([]settingWithDefault, len(runs))
		for i := range all {
			s, is := all[i].findSetting(name)
			if !is {
				s = settingWithDefault{Setting: Setting{name, usual[name]}, defaultValue: usual[name]}
			}
			values[i] = s
		}
		if !slices.ContainsFunc(values, func(s settingWithDefault) bool { return s.Value != values[0].Value }) {
			continue
		}
		for i, s := range values {
			out[i] = append(out[i], s)
		}
	}
	return out
}

// maxNamedSettings is the maximum number of differing settings that are all listed.
const maxNamedSettings = 3

// differingText formats the settings that differ, in one short line. If more than maxNamedSettings settings differ, it
// leaves out settings that have their default in this run.
func differingText(differ []settingWithDefault) string {
	var some []Setting
	for _, s := range differ {
		if len(differ) <= maxNamedSettings || s.Value != s.defaultValue {
			some = append(some, s.Setting)
		}
	}
	if len(some) == 0 && len(differ) > 0 {
		return "defaults"
	}
	return joinSettings(some)
}
