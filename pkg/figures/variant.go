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

// Setting is a choice or a size of a workload, an option of HDF5 or MPI-IO, or a condition, by the name of its option.
// The value is as people write it.
type Setting struct{ Name, Value string }

func (s Setting) String() string { return s.Name + "=" + s.Value }

// Variant returns what tells the run from one with the defaults: what was asked of a workload, and all parameters that
// define the measurement and do not have their default. API, processes and transfer size, which tell the points of a
// run apart, are not among them, nor how often something is measured.
func Variant(d result.Document) []Setting {
	var all []Setting
	for _, s := range settingsOf(d) {
		if s.Value != s.usual {
			all = append(all, s.Setting)
		}
	}
	return all
}

// Variant returns the variant of the run in one short line: "storage=gzip, dumps=2". It is "" where nothing differs
// from the defaults.
func (r *Run) Variant() string { return joined(Variant(r.Document)) }

func joined(settings []Setting) string {
	words := make([]string, len(settings))
	for i, s := range settings {
		words[i] = s.String()
	}
	return strings.Join(words, ", ")
}

// Subject returns what was measured, in one short line: the workload, if there is one, and the variant. It is "" for a
// sweep with the defaults.
func (r *Run) Subject() string {
	w, variant := r.Parameters.Workload, r.Variant()
	switch {
	case w == nil:
		return variant
	case variant == "":
		return "workload " + w.Name
	}
	return also("workload "+w.Name, variant)
}

// setting is a setting with its default.
type setting struct {
	Setting
	usual   string
	follows bool // it is a size that was not asked for by itself
}

// settings are the settings of a run, also those that have their default.
type settings []setting

// settingsOf returns the settings of a run.
func settingsOf(d result.Document) (all settings) {
	p := d.Parameters
	k := kindOf(p)
	k.measure(&all, d, k)
	all.add("files-per-process", flag(p.FilesPerProcess), off)
	all.add("create", string(p.Create), string(option.CreateAll))
	all.ofHDF5(d)
	all.add("view", string(p.View), string(option.ViewAuto))
	for _, h := range p.Hints {
		all.add("hint "+h.Key, h.Value, "none")
	}
	all.add("io-component", string(p.IOComponent), "default")
	all.ofConditions(p.Conditions)
	return all
}

// Words of settings that are switches.
const on, off = "on", "off"

func flag(is bool) string {
	if is {
		return on
	}
	return off
}

// add adds a setting. An empty value stands for the default.
func (all *settings) add(name, value, usual string) {
	*all = append(*all, setting{Setting: Setting{name, cmp.Or(value, usual)}, usual: usual})
}

// count adds a setting that is a number, with its default.
func (all *settings) count(name string, n, usual int) {
	all.add(name, strconv.Itoa(n), strconv.Itoa(usual))
}

// sizes adds a setting that is a size, or one for each dimension. Without any, it has its default.
func (all *settings) sizes(name, usual string, bytes ...uint64) {
	words := make([]string, len(bytes))
	for i, n := range bytes {
		words[i] = units.FormatSize(n)
	}
	all.add(name, strings.Join(words, ","), usual)
}

// ofWorkload adds what was asked of a workload, then its other choices and sizes.
func (all *settings) ofWorkload(d result.Document, _ kind) {
	w := *d.Parameters.Workload
	for _, kv := range w.Asked {
		all.add(kv.Key, kv.Value, "")
	}
	for i, kv := range slices.Concat(w.Chosen, w.Sizes) {
		if _, is := all.of(kv.Key); !is {
			all.add(kv.Key, kv.Value, kv.Value)
			(*all)[len(*all)-1].follows = i >= len(w.Chosen)
		}
	}
	all.add("form", w.Variant, "given")
}

// The sizes that a sweep has without options, in bytes.
const (
	sweep1D     = 256 << 10 // of a process, in each dataset
	sweep2D     = 8 << 10   // the same, of one side of its square
	sweepSerial = 16 << 20  // of the dataset
)

// ofSweep adds what is measured in a sweep.
func (all *settings) ofSweep(d result.Document, k kind) {
	p := d.Parameters
	if option.Value(p.Conditions.MemoryFactor) == 0 { // which chooses the sizes otherwise
		k.sizes(all, d)
	}
	all.count("num-files", p.Files, 1)
	all.count("num-dsets", p.Datasets, 1)
	all.add("geometry", string(p.Geometry), string(result.Geometry1D))
	all.add("interleaved", flag(p.Pattern == result.PatternInterleaved), off)
	all.add("collective", flag(p.Mode == result.ModeCollective), off)
	if p.Layout == result.LayoutChunked && len(p.ChunkSize) == 0 {
		all.add("chunk", on, off)
	} else {
		all.sizes("chunk", off, p.ChunkSize...)
	}
	var order, given []string
	for i, dimension := range p.DimensionOrder {
		order, given = append(order, strconv.Itoa(dimension)), append(given, strconv.Itoa(i+1))
	}
	all.add("order", strings.Join(order, ","), strings.Join(given, ","))
	all.add("extendible", flag(p.Extendible), off)
}

// ofSerialSizes adds the sizes of the dataset of the serial tool.
func (all *settings) ofSerialSizes(d result.Document) {
	p := d.Parameters
	all.sizes("num-bytes", units.FormatSize(sweepSerial), p.DatasetExtent...)
	if len(p.DatasetExtent) > 1 { // of one dimension, the transfer size tells it
		all.sizes("min-xfer-size", "", p.BufferExtent...)
	}
}

// ofParallelSizes adds the sizes of the datasets of the parallel tool.
func (all *settings) ofParallelSizes(d result.Document) {
	p, usual := d.Parameters, uint64(sweep1D)
	if p.Geometry == result.Geometry2D {
		usual = sweep2D
	}
	all.sizes("num-bytes", units.FormatSize(usual), p.BytesPerProcess)
	if p.BlockSize != p.BytesPerProcess/2 && given(d, "block-size") { // others follow from the sizes of transfers
		all.sizes("block-size", "", p.BlockSize)
	} else {
		all.add("block-size", "default", "default")
	}
}

// given reports whether the user gave an option.
func given(d result.Document, option string) bool {
	return slices.ContainsFunc(d.Given, func(g result.Given) bool { return g.Name == option })
}

// ofHDF5 adds the settings of HDF5. The default is that of the workload, if it has the setting.
func (all *settings) ofHDF5(d result.Document) {
	p, usual := d.Parameters, map[string]string{
		"align": "1", "threshold": "1", "fill-time": string(option.FillIfSet), "defer-metadata": off,
		"paged-allocation": "0", "collective-metadata": string(option.MetadataOff),
	}
	if w := p.Workload; w != nil { // its settings are its own defaults
		for _, kv := range w.Settings {
			usual[kv.Key] = kv.Value
		}
	}
	all.add("driver", string(p.Driver), string(kindOf(p).driver))
	if p.DriverSettings != nil {
		for _, kv := range ofDriver(*p.DriverSettings) {
			if given(d, kv.Name) {
				all.add(kv.Name, kv.Value, "default")
			}
		}
	}
	for _, row := range option.HDF5Rows() {
		all.add(row.Name, row.Spelled(row.Text(p.HDF5Settings)), cmp.Or(usual[row.Name], "default"))
	}
}

// ofDriver returns the settings of a file driver, by the names of their options.
func ofDriver(s option.DriverSettings) (all []Setting) {
	of := reflect.ValueOf(s)
	for f := range result.Fields(of.Type()) {
		v := of.FieldByIndex(f.Index)
		if v.IsZero() {
			continue
		}
		text := fmt.Sprint(reflect.Indirect(v))
		if v.Type() == reflect.TypeFor[*uint64]() {
			text = units.FormatSize(v.Elem().Uint())
		}
		all = append(all, Setting{option.NameOf(f), text})
	}
	return all
}

// ofConditions adds the conditions that define the meaning of figures.
func (all *settings) ofConditions(c option.Conditions) {
	all.add("sync", string(c.Sync), string(option.SyncNone))
	all.add("direct", flag(c.Direct), off)
	all.add("cold", flag(c.Cold), off)
	all.count("shift", option.Value(c.Shift), 0)
	all.add("spread", string(c.Spread), string(option.SpreadRanks))
	data := string(c.Data)
	if c.Data == option.DataCompress {
		data += fmt.Sprintf("=%g", c.CompressRatio)
	}
	all.add("data", data, string(option.DataPosition))
	all.add("read-only", c.ReadOnly, "none")
	all.add("memory-factor", fmt.Sprintf("%g", option.Value(c.MemoryFactor)), "0")
	all.add("time-limit", units.FormatSeconds(option.Value(c.TimeLimit)), units.FormatSeconds(0))
	for f := range toldByTag(c) {
		all.add(option.NameOf(f.StructField), f.text, "none")
	}
}

// of returns a setting, and whether the run has it.
func (all settings) of(name string) (s setting, is bool) {
	i := slices.IndexFunc(all, func(s setting) bool { return s.Name == name })
	if i < 0 {
		return setting{}, false
	}
	return all[i], true
}

// Names returns a short name for each run, which tells it from the others: what differs, the arm of one of several
// configurations that were measured in turns, and the start where these are not enough.
func Names(runs []*Run) map[*Run]string {
	names := Differing(runs)
	count := map[string]int{}
	for _, r := range runs {
		if r.Pair != nil {
			names[r] = also(names[r], string(r.Pair.Arm))
		}
		count[names[r]]++
	}
	for _, r := range runs {
		if name := names[r]; name == "" || count[name] > 1 {
			names[r] = also(name, r.start())
		}
	}
	return names
}

// Differing returns, for each run, the settings in which it differs from other runs of the same workload, or from other
// sweeps, in one short line; if these are many, only those that do not have their default. The only run of a workload
// among others has the name of the workload, and the only sweep its kind.
func Differing(runs []*Run) map[*Run]string {
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
		for i, settings := range differing(some) {
			words[some[i]] = told(settings)
		}
	}
	return words
}

// SubjectOf returns what runs measured, in one short line: the workload, if they have one in common, the settings that
// all have besides the defaults, and the names of those that differ.
func SubjectOf(runs []*Run) string {
	if len(runs) == 0 {
		return ""
	}
	same, words := Variant(runs[0].Document), ""
	for _, r := range runs {
		if w, first := r.Parameters.Workload, runs[0].Parameters.Workload; (w == nil) != (first == nil) ||
			w != nil && w.Name != first.Name {
			return ""
		}
		own := Variant(r.Document)
		same = slices.DeleteFunc(same, func(s Setting) bool { return !slices.Contains(own, s) })
	}
	if w := runs[0].Parameters.Workload; w != nil {
		words = "workload " + w.Name
	}
	if len(same) > 0 {
		words = also(words, joined(same))
	}
	if settings := differing(runs)[0]; len(settings) > 0 {
		names := make([]string, len(settings))
		for i, s := range settings {
			names[i] = s.Name
		}
		words = also(words, "different "+strings.Join(names, ", "))
	}
	return words
}

func also(words, more string) string {
	if words == "" {
		return more
	}
	return words + ", " + more
}

// differing returns, for each run, its values of the settings that are not the same in all of them. Sizes that follow
// from others are not told.
func differing(runs []*Run) [][]setting {
	all := make([]settings, len(runs))
	var names []string
	usual := map[string]string{} // of runs that do not have the setting
	for i, r := range runs {
		all[i] = settingsOf(r.Document)
		for _, s := range all[i] {
			if !s.follows && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
				usual[s.Name] = cmp.Or(s.usual, "default")
			}
		}
	}
	out := make([][]setting, len(runs))
	for _, name := range names {
		values := make([]setting, len(runs))
		for i := range all {
			s, is := all[i].of(name)
			if !is {
				s = setting{Setting: Setting{name, usual[name]}, usual: usual[name]}
			}
			values[i] = s
		}
		if !slices.ContainsFunc(values, func(s setting) bool { return s.Value != values[0].Value }) {
			continue
		}
		for i, s := range values {
			out[i] = append(out[i], s)
		}
	}
	return out
}

// mostTold is the number of settings up to which a name tells all that differ.
const mostTold = 3

// told returns the settings that differ, in one short line. If there are many, it leaves out those that have their
// default in the run.
func told(differ []setting) string {
	var some []Setting
	for _, s := range differ {
		if len(differ) <= mostTold || s.Value != s.usual {
			some = append(some, s.Setting)
		}
	}
	if len(some) == 0 && len(differ) > 0 {
		return "defaults"
	}
	return joined(some)
}
