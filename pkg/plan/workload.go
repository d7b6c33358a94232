package plan

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// FromFile reports whether the workload is in a file that ReadFile reads.
func (o WorkloadOptions) FromFile() bool {
	return o.Recorded == nil && script.IsWorkloadFile(o.Workload)
}

// ReadFile reads the text of the file, so that New does not.
func (o *WorkloadOptions) ReadFile() (err error) {
	o.Text, err = script.FileText(o.Workload)
	return err
}

// read returns the workload, of whose sizes that of an earlier run has none.
func (o WorkloadOptions) read() (script.Workload, error) {
	switch {
	case o.Recorded != nil:
		return script.Read("workload of the document", []byte(o.Recorded.Text))
	case o.Text != nil:
		return script.Read(o.Workload, o.Text)
	}
	return script.OpenWorkload(o.Workload)
}

// Workload makes the programs of a workload.
type Workload interface {
	// Program returns what a rank does, in a job of so many.
	Program(rank, ranks uint64) (workload.Program, error)
	// Amounts returns what all ranks of a job do.
	Amounts(ranks int) (script.Amounts, error)
}

// resolved is a workload with its sizes and choices, for a number of nodes, in a layout.
type resolved struct {
	script.Resolved
	nodes  int64
	layout workload.Layout
	known  *amounts
}

// amounts keeps the amounts that were computed, by number of ranks: a plan asks for them again and again.
type amounts struct {
	mu  sync.Mutex
	all map[int]script.Amounts
}

func (r resolved) Program(rank, ranks uint64) (workload.Program, error) {
	return r.programs(ranks)(rank)
}

// programs returns a function that returns what a rank does, in a job of so many.
func (r resolved) programs(ranks uint64) func(rank uint64) (workload.Program, error) {
	job := r.job(ranks)
	first := sync.OnceValues(func() (workload.Program, error) { return r.Compile(0, job) })
	return func(rank uint64) (workload.Program, error) {
		p, err := r.Compile(int64(rank), job)
		if err != nil || r.layout.Form == "" {
			return p, err
		}
		one, err := first()
		if err != nil {
			return p, err
		}
		return r.layout.Program(one, p)
	}
}

// job returns the job of so many ranks. A job of fewer ranks than nodes has a node for each.
func (r resolved) job(ranks uint64) script.Job {
	return script.Job{Ranks: int64(ranks), Nodes: max(1, min(r.nodes, int64(ranks)))}
}

func (r resolved) Amounts(ranks int) (script.Amounts, error) {
	r.known.mu.Lock()
	defer r.known.mu.Unlock()
	if all, is := r.known.all[ranks]; is {
		return all, nil
	}
	all, err := r.Amount(r.job(uint64(ranks)))
	if err == nil && r.layout.Form != "" {
		err = r.store(&all, uint64(ranks))
	}
	if err == nil {
		r.known.all[ranks] = all
	}
	return all, err
}

// store sets those amounts that the layout makes others: it transfers the same, from and to other datasets.
func (r resolved) store(all *script.Amounts, ranks uint64) error {
	made, err := workload.AmountsOf(ranks, r.programs(ranks))
	if err != nil {
		return err
	}
	all.DiskBytes, all.Filtered = made.DiskBytes, made.Filtered
	for op, from := range made.Ops {
		to := &all.Ops[op]
		to.Groups, to.Datasets, to.Attributes, to.Steps = from.Groups, from.Datasets, from.Attributes, from.Steps
	}
	return nil
}

// resolvedWorkload returns the workload of the options for the HDF5 library in use. measured says that HDF5 is one of
// the APIs.
func resolvedWorkload(o Options, measured bool, job Job) (*fit, error) {
	text, err := o.Workload.read()
	if err != nil {
		return nil, err
	}
	r, err := script.Resolve(text, o.Workload.Size, o.Workload.Set, script.Job{})
	if err != nil {
		return nil, err
	}
	f := fit{
		Resolved: r, given: o.HDF5, library: job.HDF5, measured: measured,
		profile: o.Workload.Recorded == nil && !script.IsWorkloadFile(o.Workload.Workload),
	}
	if err := f.fit(); err != nil {
		return nil, err
	}
	if old := o.Workload.Recorded; old != nil && old.Layout != "" {
		if f.layout, err = workload.ParseLayout(old.Layout); err != nil {
			return nil, usage.Errorf("the document has no such layout: %v", err)
		}
	}
	if f.documented, err = documented(f.Resolved, f.layout); err != nil {
		return nil, err
	}
	if f.documented.Asked, err = asked(text, *o.Workload, f.Resolved); err != nil {
		return nil, err
	}
	return &f, recordedAs(f.documented, o.Workload.Recorded)
}

// recordedAs gives a workload the sizes and choices that the document of an earlier run says it has.
func recordedAs(w, old *result.Workload) error {
	if old == nil {
		return nil
	}
	if old.Name != w.Name || old.Hash != w.Hash {
		return usage.Errorf("the workload %s in the document does not have the name and the SHA-256 that "+
			"are beside it: the document was changed", w.Name)
	}
	w.Sizes, w.Chosen, w.Asked, w.Variant = old.Sizes, old.Chosen, old.Asked, old.Variant
	return nil
}

// withWorkload returns a plan with a workload, which all processes of the job run.
func withWorkload(p Plan, w *fit, job Job) (Plan, error) {
	if err := usage.Positive("-P", "processes", job.Processes); err != nil {
		return p, err
	}
	s := &p.Parameters
	s.MinProcesses, s.MaxProcesses, s.Files = job.Processes, job.Processes, 1
	s.Layout = result.LayoutContiguous // that of plain files; HDF5 has what the workload says
	s.WriteOnly = s.WriteOnly || w.Read == nil
	s.Workload = w.documented
	p.Workload = resolved{w.Resolved, int64(max(1, job.Nodes)), w.layout, &amounts{all: map[int]script.Amounts{}}}
	p.Steps = []Step{{Processes: job.Processes, TransferSizes: []uint64{0}}}
	p.Notes, p.Cautions = append(p.Notes, w.notes...), slices.Concat(p.Cautions, w.cautions)
	if s.Conditions.Sync == option.SyncEach {
		return p, usage.Errorf(
			"--sync each: not all processes transfer the same number of times; give phase or close")
	}
	if w.Write == nil {
		return p, usage.Errorf("the workload %s has no part write: it cannot be run, since there is nothing to read",
			w.Name)
	}
	return p, nil
}

// documented returns the workload in a layout as documents have it.
func documented(r script.Resolved, layout workload.Layout) (*result.Workload, error) {
	text, err := r.JSON()
	if err != nil {
		return nil, err
	}
	hash, err := r.Hash()
	if err != nil {
		return nil, err
	}
	w := &result.Workload{Name: r.Name.String(), Hash: fmt.Sprintf("%x", hash), Text: string(text)}
	if layout.Form != "" {
		w.Layout = layout.String()
		w.Hash = fmt.Sprintf("%x", sha256.Sum256([]byte(w.Hash+w.Layout)))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Sizes)) {
		w.Sizes = append(w.Sizes, result.KeyValue{Key: name, Value: strconv.FormatInt(r.Sizes[name], 10)})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Choices)) {
		w.Chosen = append(w.Chosen, result.KeyValue{Key: name, Value: r.Choices[name]})
	}
	for _, row := range option.HDF5Rows() {
		if value, is := r.Setting(row.Name); is {
			w.Settings = append(w.Settings, result.KeyValue{Key: row.Name, Value: row.Spelled(value)})
		}
	}
	return w, nil
}

// asked returns what the options ask of the workload in a text: the name of the set of sizes, and the sizes and choices
// that --set gave other values. r is the workload as it is run.
func asked(text script.Workload, o WorkloadOptions, r script.Resolved) (all []result.KeyValue, err error) {
	plain, err := script.Resolve(text, o.Size, nil, script.Job{})
	if err != nil {
		return nil, err
	}
	if o.Size != "" {
		all = append(all, result.KeyValue{Key: "size", Value: o.Size})
	}
	for _, name := range slices.Sorted(maps.Keys(o.Set)) {
		if value := valueOf(r, name); value != valueOf(plain, name) {
			all = append(all, result.KeyValue{Key: name, Value: value})
		}
	}
	return all, nil
}

// valueOf returns the word of a choice or the value of a size: a number, or an expression of ranks and nodes.
func valueOf(r script.Resolved, name string) string {
	if word, is := r.Choices[name]; is {
		return word
	}
	if n, is := r.Sizes[name]; is {
		return strconv.FormatInt(n, 10)
	}
	return r.Workload.Sizes[name].String()
}

// notOfWorkloads holds the options for conditions that a run of a workload does not have.
var notOfWorkloads = []struct {
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
	{
		"--preset", "its sizes are its own: give the conditions one by one",
		func(c option.Conditions) bool { return c.Preset != "" },
	},
}

// NotOfWorkloads returns the options for conditions that a run of a workload does not have.
func NotOfWorkloads() (options []string) {
	for _, o := range notOfWorkloads {
		options = append(options, o.option)
	}
	return options
}

// checkNotOfWorkloads refuses conditions that a run of a workload does not have.
func checkNotOfWorkloads(c option.Conditions) error {
	for _, o := range notOfWorkloads {
		if o.given(c) {
			return usage.Errorf("%s: a workload has no such condition: %s", o.option, o.why)
		}
	}
	return nil
}

// checkPrograms refuses a workload whose programs cannot be made.
func checkPrograms(p Plan) error {
	ranks := p.Parameters.MaxProcesses
	if _, err := p.Workload.Amounts(ranks); err != nil {
		return err
	}
	for _, rank := range []int{0, ranks - 1} {
		if _, err := p.Workload.Program(uint64(rank), uint64(ranks)); err != nil {
			return err
		}
	}
	return nil
}

// Filtered returns what is stored in datasets with filters that make data smaller; nil if the API has no such datasets.
func (c Case) Filtered() *result.Filtered {
	all, err := c.Iteration()
	if err != nil || all.Filtered.Bytes == 0 || !result.APIOf(c.API).Datasets { // an error was found before
		return nil
	}
	return &result.Filtered{
		Bytes: all.Filtered.Bytes, AskedBytes: all.Filtered.Asked, NoRatioBytes: all.Filtered.NoRatio,
		OtherBytes: all.Kept.Bytes - all.Filtered.Bytes, Files: all.Files,
	}
}
