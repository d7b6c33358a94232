package plan

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// workloadFit is a workload that is adapted to the HDF5 library in use, with its HDF5 settings. If the library lacks a
// feature, a workload file of the user is an error, but a profile runs without the feature. The profile then has
// another hash, so that comparisons show that it is another workload.
type workloadFit struct {
	*script.Script
	job      script.JobSize
	given    option.HDF5 // settings given by options
	library  option.HDF5Library
	usesHDF5 bool // HDF5 is one of the APIs
	profile  bool // the workload is a profile, not a file of the user

	layout       workload.Layout
	leftOutNames []string // as documents have it
	transfers    option.TransferFacts
	flushes      bool             // steps of rank 0 make written data durable
	variable     bool             // rank 0 writes datasets of variable length
	documented   *result.Workload // as documents have it
	settings     option.HDF5      // those given, then those of the workload
	notes        []string
	cautions     []plain.Caution
}

func (f *workloadFit) fitToLibrary(o WorkloadOptions) error {
	if err := f.applySettings(); err != nil || !f.HasFunction(workload.Write) {
		return err
	}
	p, err := f.Program(0, f.job)
	if err != nil {
		return err
	}
	for step := range p.Parts[workload.Write].Steps() {
		f.flushes = f.flushes || step.Class == workload.Sync
		f.variable = f.variable || step.Class == workload.Transfer && p.Objects[step.Object].Type.IsVariable()
	}
	if err := f.setTransferFacts(p); err != nil || !f.usesHDF5 {
		return err
	}
	if err := f.checkLayout(p, o); err != nil {
		return err
	}
	if err := f.checkMultiDataset(p, o); err != nil {
		return err
	}
	return checkFilters(f.Script, p, f.library)
}

// setTransferFacts records how the workload transfers data, in its layout. p is the program of rank 0, in the layout of
// the script.
func (f *workloadFit) setTransferFacts(p workload.Program) (err error) {
	if f.layout.Form != "" {
		if p, err = inLayout(f.layout, p, p); err != nil {
			return err
		}
	}
	t := &f.transfers
	for i := range p.Files {
		t.OwnFiles = t.OwnFiles || p.Files[i].Group != workload.All
	}
	t.External = p.HasExternalData() && !slices.ContainsFunc(p.Objects, func(o workload.Object) bool {
		return o.Kind == workload.DatasetObject && !o.External
	})
	for i := range p.Moves {
		m := &p.Moves[i]
		o := &p.Objects[m.Object]
		t.Collective = t.Collective ||
			m.Collective && !o.Compact && !o.External && p.Files[o.File].Group == workload.All
		t.Chunked, t.Filtered = t.Chunked || o.Chunk != nil, t.Filtered || len(o.Filters) > 0
		t.Converting = t.Converting || m.Member != "" || m.StructureType.Members != nil || o.Type.IsVariable()
	}
	return nil
}

// CheckLibrary returns an error if the HDF5 library lacks a feature that the script needs, or may fail with it. p is
// the program of one rank.
func CheckLibrary(s *script.Script, p workload.Program, library option.HDF5Library) error {
	f := workloadFit{Script: s, library: library, usesHDF5: true}
	if err := f.applySettings(); err != nil {
		return err
	}
	if err := library.CheckMultiDataset(); err != nil && findMultiDatasetStep(&p) != nil {
		return s.ErrorAtLine(findMultiDatasetStep(&p).Line, err)
	}
	return cmp.Or(checkFilters(s, p, library), checkUnshrunkChunks(s, p, library))
}

// applySettings adds the settings of the workload to the given ones, which take precedence.
func (f *workloadFit) applySettings() error {
	f.settings = f.given
	for _, row := range option.AllHDF5Settings() {
		i := slices.IndexFunc(f.Settings, func(x script.Setting) bool { return x.Name == row.Name })
		if i < 0 {
			continue
		}
		value, line := f.Settings[i].Value, f.Settings[i].Line
		if given := row.ValueText(f.given); given != "" {
			if given != value {
				f.addNote("Option %s takes precedence over the setting %s of the workload, %s.", row.OptionText(given),
					row.Name, row.FormatValue(value))
			}
			continue
		}
		var of option.HDF5
		if err := row.SetValue(&of, value); err != nil {
			return f.ErrorAtLine(line, err)
		}
		if err := f.library.CheckSetting(row, value); err != nil {
			err = fmt.Errorf("the setting %s %s: %w", row.Name, value, err)
			switch {
			case f.profile:
				if err := f.removeFeatures([]string{row.Name}); err != nil {
					return err
				}
				f.addCaution("without a setting", err, "without it, and is not compared with runs that have it")
				continue
			case f.usesHDF5:
				return f.ErrorAtLine(line, err)
			}
		}
		if err := row.SetValue(&f.settings, value); err != nil {
			return f.ErrorAtLine(line, err)
		}
	}
	return nil
}

// multiDatasetText stands for calls with several datasets in the list of features that are left out.
const multiDatasetText = "one call for several datasets"

// removeFeatures removes features from the workload: settings, and calls with several datasets.
func (f *workloadFit) removeFeatures(all []string) error {
	for _, what := range all {
		switch {
		case what == multiDatasetText:
			f.Script = f.WithSingleDatasetCalls()
		case slices.ContainsFunc(f.Settings, func(x script.Setting) bool { return x.Name == what }):
			f.Script = f.WithoutSetting(what)
		default:
			return usage.Errorf("the document says that the run went on without %s, which workload %s does not have",
				what, f.Name)
		}
	}
	f.leftOutNames = append(f.leftOutNames, all...)
	return nil
}

// findMultiDatasetStep returns the first step that transfers several datasets in one call, or nil.
func findMultiDatasetStep(p *workload.Program) *workload.Step {
	for op := range p.Parts {
		for s := range p.Parts[op].Steps() {
			if s.MultiMoves > 0 {
				return s
			}
		}
	}
	return nil
}

// checkMultiDataset handles transfers of several datasets in one call if the library does not support them. In a
// profile, it replaces them with one call per dataset. It refuses them if the user requested them, in a workload or
// with --set.
func (f *workloadFit) checkMultiDataset(p workload.Program, o WorkloadOptions) error {
	err := f.library.CheckMultiDataset()
	step := findMultiDatasetStep(&p)
	if err == nil || step == nil {
		return nil
	}
	if !f.profile {
		return f.ErrorAtLine(step.Line, err)
	}
	if f.userChoseMultiDataset(o) {
		return usage.Errorf("--set chooses transfers of several datasets together: %v", err)
	}
	f.addCaution("one call for each dataset", err,
		"with one call for each dataset, and is not compared with runs that "+
			"have one call for several")
	return f.removeFeatures([]string{multiDatasetText})
}

// userChoseMultiDataset reports whether the user requested transfers of several datasets in one call: --set gives a
// value for a choice of the script, and with another value of this choice no step has such transfers.
func (f *workloadFit) userChoseMultiDataset(o WorkloadOptions) bool {
	for _, p := range f.otherPrograms(o) {
		if findMultiDatasetStep(&p) == nil {
			return true
		}
	}
	return false
}

// otherPrograms returns the programs of rank 0 with the other words of each choice for which --set gives one, or gave
// one in the run of a document. It leaves out those that are not possible.
func (f *workloadFit) otherPrograms(o WorkloadOptions) iter.Seq2[script.Choice, workload.Program] {
	return func(yield func(script.Choice, workload.Program) bool) {
		for _, c := range f.Choices {
			_, given := o.Set[c.Name]
			given = given || o.Recorded != nil &&
				slices.ContainsFunc(o.Recorded.Requested, func(x result.KeyValue) bool { return x.Key == c.Name })
			for _, word := range c.Words {
				if !given || word == c.Word {
					continue
				}
				other := o
				other.Set = map[string]string{}
				maps.Copy(other.Set, o.Set)
				other.Set[c.Name] = word
				s, err := other.openScript(f.job)
				if err != nil {
					continue
				}
				if p, err := s.Program(0, f.job); err == nil && !yield(c, p) {
					return
				}
			}
		}
	}
}

// checkLayout returns an error if --set gives a word that has no effect in the layout, while another word of the choice
// says what the layout does: such as mode=independent in a layout with collective transfers. Documents that have both
// are repeated. p is the program of rank 0 in the layout of the script.
func (f *workloadFit) checkLayout(p workload.Program, o WorkloadOptions) error {
	again := o.Recorded != nil && o.Set == nil && f.layout.String() == o.Recorded.Layout
	if f.layout.Form == "" || again {
		return nil
	}
	for c, q := range f.otherPrograms(o) {
		if f.layout.Differences(&q) >= f.layout.Differences(&p) {
			continue
		}
		a, err := f.layout.ApplyTo(p, p)
		b, otherErr := f.layout.ApplyTo(q, q)
		if err == nil && otherErr == nil && reflect.DeepEqual(a, b) {
			return usage.Errorf("%s=%s and --layout %s contradict each other: the layout sets how data are stored and "+
				"transferred, whatever %[1]s is; leave one of them out, or give another layout", c.Name, c.Word,
				f.layout.Word())
		}
	}
	return nil
}

// checkUnshrunkChunks returns an error if the library may not be able to read back what ranks write together with the
// filter szip. A run tries it out before it makes files.
func checkUnshrunkChunks(s *script.Script, p workload.Program, library option.HDF5Library) error {
	is := func(f workload.Filter) bool { return f.Name == "szip" }
	for step, m := range p.Transfers(&p.Parts[workload.Write]) {
		o := &p.Objects[m.Object]
		if m.Collective && library.LosesUnfilteredChunks() && slices.ContainsFunc(o.Filters, is) {
			return s.ErrorAtLine(step.Line, fmt.Errorf("dataset %s of type %v with the filter szip: HDF5 %s cannot "+
				"read back what it wrote, if ranks write together and the filter does not make each chunk smaller, as "+
				"with integers: a run tries it before it makes files, and is refused then; give the dataset other "+
				"filters, such as compression = \"gzip\", or none", p.PathOf(m.Object, step.First), o.Type,
				library.Version))
		}
	}
	return nil
}

// checkFilters refuses filters that the library does not have.
func checkFilters(s *script.Script, p workload.Program, library option.HDF5Library) error {
	for step := range p.Parts[workload.Write].Steps() {
		if step.Class != workload.Create {
			continue
		}
		for _, filter := range p.Objects[step.Object].Filters {
			if filter.Name == "" { // the engine lets the library look for its plugin
				continue
			}
			if err := library.CheckFilter(filter.Name); err != nil {
				return s.ErrorAtLine(step.Line,
					fmt.Errorf("the dataset %s: %w", p.PathOf(step.Object, step.First), err))
			}
		}
	}
	return nil
}

// explainSettings adds the names of the settings of the workload to an error about the settings of a run, if the given
// settings alone are without it: the user may not know those of the workload.
func (f *workloadFit) explainSettings(err error, r option.HDF5RunFacts) error {
	if _, _, alone := f.given.Complete(r); alone != nil || len(f.Settings) == 0 {
		return err
	}
	var names []string
	for _, x := range f.Settings {
		names = append(names, x.Name)
	}
	return usage.Errorf("%v; the workload %s has settings, too: %s", err, f.Name, strings.Join(names, ", "))
}

func (f *workloadFit) addNote(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// variableCautions returns a caution if data of variable length are written to plain files.
func (f *workloadFit) variableCautions(apis []string) []plain.Caution {
	if !f.variable || !slices.ContainsFunc(apis, func(api string) bool { return result.APIOf(api).PlainFiles }) {
		return nil
	}
	return []plain.Caution{{
		Keyword: "mean lengths in plain files",
		Text: "The workload writes strings or sequences of variable length. In plain files each has the mean length, " +
			"at a fixed place, so that POSIX and MPI-IO do not show what an application would need for lengths.",
	}}
}

// addCaution adds a caution about an error that does not end the run. how says how the run continues.
func (f *workloadFit) addCaution(word string, err error, how string) {
	text := plain.Sentence(fmt.Sprintf("%v; the run goes on %s", err, how))
	f.cautions = append(f.cautions, plain.Caution{Keyword: word, Text: text})
}
