package plan

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// IsFromFile reports whether ReadFile must read the workload from a file.
func (o WorkloadOptions) IsFromFile() bool { return o.Recorded == nil && script.IsFile(o.Workload) }

// ReadFile reads the file of the workload, so that New does not have to.
func (o *WorkloadOptions) ReadFile() (err error) {
	o.Text, err = script.FileText(o.Workload)
	return err
}

// openScript returns the script of the workload with its sizes and choices, for a job size.
func (o WorkloadOptions) openScript(job script.JobSize) (s *script.Script, err error) {
	size, given := o.Size, map[string]string{}
	switch {
	case o.Recorded != nil:
		s, err = script.Read(o.Recorded.Name+".star", []byte(o.Recorded.Text))
		for _, x := range o.Recorded.Requested {
			if x.Key != sizeKey {
				given[x.Key] = x.Value
			} else if size == "" {
				size = x.Value
			}
		}
	case o.Text != nil:
		s, err = script.Read(o.Workload, o.Text)
	default:
		s, err = script.Open(o.Workload)
	}
	if err != nil {
		return nil, err
	}
	maps.Copy(given, o.Set)
	return s.Choose(size, given, job)
}

// Choices returns the choices of the workload in a job.
func (o WorkloadOptions) Choices(job JobFacts) ([]script.Choice, error) {
	s, err := o.openScript(scriptJob(uint64(max(1, job.Processes)), int64(job.Nodes)))
	if err != nil {
		return nil, err
	}
	return s.Choices, nil
}

// RecordedPrograms returns the programs of all ranks of a job that runs the workload of a document, as its file stores
// the data: in the layout given there.
func RecordedPrograms(recorded *result.Workload, ranks, nodes int) (all []workload.Program, err error) {
	job := scriptJob(uint64(max(1, ranks)), int64(nodes))
	s, err := WorkloadOptions{Recorded: recorded}.openScript(job)
	if err != nil {
		return nil, err
	}
	for rank := range job.Ranks {
		p, err := s.Program(rank, job)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Workload makes the programs of a workload.
type Workload interface {
	// Program returns the program of a rank in a job of that many ranks.
	Program(rank, ranks uint64) (workload.Program, error)
	// Amounts returns the work of all ranks of a job of that many ranks.
	Amounts(ranks int) (workload.Amounts, error)
}

// scriptWorkload is a workload with its sizes and choices, for a number of nodes and a layout.
type scriptWorkload struct {
	*script.Script
	nodes   int64
	layout  workload.Layout
	amounts *amountCache
}

// amountCache caches the amounts by the number of ranks, since a plan needs them repeatedly.
type amountCache struct {
	mu  sync.Mutex
	all map[int]workload.Amounts
}

func newScriptWorkload(s *script.Script, nodes int, layout workload.Layout) scriptWorkload {
	return scriptWorkload{s, int64(max(1, nodes)), layout, &amountCache{all: map[int]workload.Amounts{}}}
}

func (s scriptWorkload) Program(rank, ranks uint64) (workload.Program, error) {
	p, err := s.Script.Program(int64(rank), scriptJob(ranks, s.nodes))
	if err != nil || s.layout.Form == "" {
		return p, err
	}
	first, err := s.Script.Program(0, scriptJob(ranks, s.nodes))
	if err != nil {
		return p, err
	}
	return inLayout(s.layout, first, p)
}

// inLayout returns the program of a rank in a layout. Its error names the option.
func inLayout(l workload.Layout, first, given workload.Program) (workload.Program, error) {
	p, err := l.ApplyTo(first, given)
	if err != nil {
		err = fmt.Errorf("--layout %w", err)
	}
	return p, err
}

// scriptJob returns the size of a job. With fewer ranks than nodes, each rank has its own node.
func scriptJob(ranks uint64, nodes int64) script.JobSize {
	return script.JobSize{Ranks: int64(ranks), Nodes: max(1, min(nodes, int64(ranks)))}
}

func (s scriptWorkload) Amounts(ranks int) (workload.Amounts, error) {
	s.amounts.mu.Lock()
	defer s.amounts.mu.Unlock()
	if all, is := s.amounts.all[ranks]; is {
		return all, nil
	}
	all, err := workload.AmountsOf(uint64(ranks), func(rank uint64) (workload.Program, error) {
		return s.Program(rank, uint64(ranks))
	})
	if err == nil {
		s.amounts.all[ranks] = all
	}
	return all, err
}

// fitWorkload returns the workload of the options, adapted to the HDF5 library in use. measured says whether the run
// measures HDF5.
func fitWorkload(o Options, measured bool, job JobFacts) (*workloadFit, error) {
	of := scriptJob(uint64(max(1, job.Processes)), int64(max(1, job.Nodes)))
	s, err := o.Workload.openScript(of)
	if err != nil {
		return nil, err
	}
	old := o.Workload.Recorded
	f := workloadFit{
		Script: s, job: of, given: o.HDF5, library: job.HDF5, usesHDF5: measured,
		profile: old == nil && !script.IsFile(o.Workload.Workload),
	}
	if old != nil {
		if err := f.removeFeatures(old.LeftOut); err != nil {
			return nil, err
		}
		if old.Layout != "" {
			if f.layout, err = workload.ParseLayout(old.Layout); err != nil {
				return nil, usage.Errorf("the document has no such layout: %v", err)
			}
		}
		if again := len(o.Workload.Set) == 0 && o.Workload.Size == ""; again &&
			old.Hash != f.documentedWorkload().Hash {
			return nil, usage.Errorf("the workload %s in the document does not have the SHA-256 that is beside it: "+
				"the document was changed", old.Name)
		}
	}
	if text := o.Workload.Layout; text != "" {
		if f.layout, err = workload.ParseLayout(text); err != nil {
			return nil, usage.Errorf("--layout: %v", err)
		}
		other := func(api string) bool { return !strings.EqualFold(api, result.PHDF5) }
		if slices.ContainsFunc(o.Workload.APIs, other) {
			return nil, usage.Errorf("--layout %s: only HDF5 has layouts: give -A %s, or leave -A out", text,
				result.PHDF5)
		}
	}
	if err := f.fitToLibrary(*o.Workload); err != nil {
		return nil, err
	}
	f.documented = f.documentedWorkload()
	f.documented.Requested, err = o.Workload.givenScriptValues(s, of)
	return &f, err
}

// withWorkload adds a workload to a plan. All processes of the job run it.
func withWorkload(p Plan, w *workloadFit, job JobFacts) (Plan, error) {
	if err := usage.CheckPositive("-P", "processes", job.Processes); err != nil {
		return p, err
	}
	s := &p.Parameters
	s.MinProcesses, s.MaxProcesses, s.Files = job.Processes, job.Processes, 1
	s.Layout = result.LayoutContiguous // layout of plain files; HDF5 uses the layouts of the workload
	s.Workload = w.documented
	scripted := newScriptWorkload(w.Script, job.Nodes, w.layout)
	p.Workload = scripted
	p.ProcessSteps = []ProcessStep{{Processes: job.Processes, TransferSizes: []uint64{0}}}
	p.Notes, p.Cautions = append(p.Notes, w.notes...), slices.Concat(p.Cautions, w.cautions, w.variableCautions(s.APIs))
	if s.Conditions.Sync == option.SyncEach {
		return p, usage.Errorf(
			"--sync each: not all processes transfer the same number of times; give phase or close")
	}
	if !w.HasFunction(workload.Write) {
		return p, usage.Errorf("the workload %s has no function write: it cannot be run, since there is nothing to "+
			"read", w.Name)
	}
	scripted.shareAmounts(job)
	return p, nil
}

// shareAmounts caches the amounts that rank 0 computes. If rank 0 cannot compute them, all ranks find out why when they
// check the plan.
func (s scriptWorkload) shareAmounts(job JobFacts) {
	if job.ShareAmounts == nil {
		return
	}
	compute := func() (workload.Amounts, error) { return s.Amounts(job.Processes) }
	if all, known := job.ShareAmounts(compute); known {
		s.amounts.mu.Lock()
		defer s.amounts.mu.Unlock()
		s.amounts.all[job.Processes] = all
	}
}

// documentedWorkload returns the workload as it is stored in documents.
func (f *workloadFit) documentedWorkload() *result.Workload {
	w := &result.Workload{Name: f.Name, Text: f.Text(), LeftOut: f.leftOutNames, Flushes: f.flushes}
	hash := f.Hash()
	if f.layout.Form != "" {
		w.Layout = f.layout.String()
		hash = sha256.Sum256(fmt.Appendf(nil, "%x %s", hash, w.Layout))
	}
	w.Hash = fmt.Sprintf("%x", hash)
	for _, x := range f.Sizes {
		w.Sizes = append(w.Sizes, result.KeyValue{Key: x.Name, Value: strconv.FormatInt(x.Value, 10)})
	}
	for _, x := range f.Choices {
		w.Chosen = append(w.Chosen, result.KeyValue{Key: x.Name, Value: x.Word})
	}
	for _, x := range f.Settings {
		w.Settings = append(w.Settings, result.KeyValue{Key: x.Name, Value: x.Value})
	}
	for _, x := range f.Statements {
		s := result.Statement{Text: x.Text, Transfers: x.Transfers, Changed: x.Changed}
		for _, where := range x.Where {
			s.Where = append(s.Where, result.ChosenWords(where))
		}
		w.Statements = append(w.Statements, s)
	}
	return w
}

// sizeKey is the key of the set of sizes in result.Workload.Requested.
const sizeKey = "size"

// givenScriptValues returns what the user requested from a script: the name of the set of sizes, and the sizes and
// choices that --set changed. s is the script with these values.
func (o WorkloadOptions) givenScriptValues(s *script.Script, job script.JobSize) (all []result.KeyValue, err error) {
	without := o
	without.Set = nil
	plain, err := without.openScript(job)
	if err != nil {
		return nil, err
	}
	if o.Recorded != nil {
		all = slices.DeleteFunc(slices.Clone(o.Recorded.Requested), func(x result.KeyValue) bool {
			_, again := o.Set[x.Key]
			return again || o.Size != "" && x.Key == sizeKey
		})
	}
	if o.Size != "" {
		all = append([]result.KeyValue{{Key: sizeKey, Value: o.Size}}, all...)
	}
	one, err := without.openScript(script.JobSize{Ranks: 1, Nodes: 1})
	if err != nil {
		return nil, err
	}
	before, alone, now := plain.Values(), one.Values(), s.Values()
	for _, name := range slices.Sorted(maps.Keys(o.Set)) {
		if now[name] != before[name] || now[name] != alone[name] { // also if only other job sizes have another default
			all = append(all, result.KeyValue{Key: name, Value: now[name]})
		}
	}
	return all, nil
}

// unsupportedConditions holds the options for conditions that do not apply to workloads.
var unsupportedConditions = []struct {
	option, why string
	given       func(option.Conditions) bool
}{
	{
		"--read-only", "its data depend on the run that wrote them",
		func(c option.Conditions) bool { return c.ReadOnly != "" },
	},
	{
		"--data", "its data are numbers of the types of its datasets",
		func(c option.Conditions) bool {
			return c.DataChoice != "" && c.DataChoice != option.DataChoice(option.DataPosition)
		},
	},
	{
		"--memory-factor", "its sizes are its own: give --set",
		func(c option.Conditions) bool { return c.MemoryFactor != nil },
	},
}

// UnsupportedOptions returns the options for conditions that do not apply to workloads.
func UnsupportedOptions() (options []string) {
	for _, o := range unsupportedConditions {
		options = append(options, o.option)
	}
	return options
}

// checkUnsupported refuses conditions that do not apply to workloads.
func checkUnsupported(c option.Conditions) error {
	for _, o := range unsupportedConditions {
		if o.given(c) {
			return usage.Errorf("%s: a workload has no such condition: %s", o.option, o.why)
		}
	}
	return nil
}

// checkPrograms returns an error if a program of the workload cannot be made.
func checkPrograms(p Plan) error {
	_, err := p.Workload.Amounts(p.Parameters.MaxProcesses)
	return err
}

// checkLimitedObjects refuses a time limit for a workload whose reads expect names that later writes give or take away.
func checkLimitedObjects(p Plan) error {
	s := &p.Parameters
	all, err := p.Workload.Amounts(s.MaxProcesses)
	if err != nil || s.Conditions.TimeLimit == nil || s.WriteOnly {
		return err
	}
	for _, class := range []workload.StepClass{workload.CreateLink, workload.Rename, workload.Unlink} {
		if all.Ops[workload.Write].Objects[class] > 0 {
			return usage.Errorf("--time-limit with the workload %s: its reads expect all its steps of the kind %s, "+
				"and the limit may leave some out; give no limit, or give -w", s.Workload.Name, class)
		}
	}
	return nil
}

// checkObjectFiles refuses objects that are files with O_DIRECT, since they are not aligned, and reads of them with the
// strict preset: it is unknown whether the names of so many files are in memory.
func checkObjectFiles(p Plan) error {
	s := &p.Parameters
	i := slices.IndexFunc(s.APIs, func(api string) bool { return result.APIOf(api).ObjectFiles })
	all, err := p.Workload.Amounts(s.MaxProcesses)
	if err != nil || i < 0 {
		return err
	}
	has := func(op workload.Op) bool { return all.Ops[op].FileObjects != [workload.NumClasses]uint64{} }
	label := result.APIOf(s.APIs[i]).Label
	if s.Conditions.Direct && has(workload.Write) {
		return usage.Errorf("--direct: the objects of this workload are files with %s, and these are not aligned for "+
			"O_DIRECT; leave --direct out", label)
	}
	if preset := s.Conditions.Preset; preset == option.PresetStrict && !s.WriteOnly && has(workload.Read) {
		return usage.Errorf("--preset %s: the objects of this workload are files with %s, and it is unknown whether "+
			"they are read from memory; give other APIs (-A), or another preset", preset, label)
	}
	return nil
}

// FilteredData returns the amounts of data in datasets whose filters make data smaller. It returns nil if the API has
// no such datasets.
func (c Case) FilteredData() *result.Filtered {
	all, err := c.Iteration()
	if err != nil || all.Filtered.Bytes == 0 || !result.APIOf(c.API).Datasets { // the error was reported before
		return nil
	}
	return &result.Filtered{
		Bytes: all.Filtered.Bytes, RequestedBytes: all.Filtered.AfterFilters, NoRatioBytes: all.Filtered.NoRatio,
		OtherBytes: all.KeptSpace.Bytes - all.Filtered.Bytes, Files: all.Files,
	}
}
