package history

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// Condition is a condition under which a point was measured. Its name is the name of the field in the document.
type Condition struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// There are three kinds of conditions.
//
//   - Decisive conditions define what is measured. Points are compared only if these are equal: the place of a point
//     in its run, the cluster, the file system, the interval from which throughput is computed, whether reads came
//     from memory, and each parameter of the run that is not in a list below. So a new parameter is decisive until it
//     is added to a list.
//   - Reported conditions may explain a difference. Points remain comparable if these differ, and the difference is
//     reported. They are software, machine, and the parameters in reportedParameters.
//   - Free parameters are ignored. They select how much is measured, or do not affect the results.
var (
	// freeParameters lists the parameters that a comparison ignores.
	freeParameters = []string{
		"apis", "min_processes", "max_processes", "min_transfer_bytes", "max_transfer_bytes",
		"iterations", "keep_files",
		"conditions.repeat_until_ratio", "conditions.min_case_seconds", "conditions.max_iterations", "conditions.seed",
		"conditions.preset", "conditions.timeout_seconds", "conditions.space_check",
		"workload.name", // part of the place; the hash of the workload is decisive
	}
	// reportedParameters lists the parameters that are reported if they differ.
	reportedParameters = []string{
		"write_only", "verify", "hints_set", "conditions.warmup_iterations", "conditions.order", "conditions.latency",
		"conditions.count_calls",
		"workload.variant", // the hash differs, too
	}
)

// parametersField is the field of a document that contains the parameters of a run.
const parametersField = "parameters"

// runConditions holds the conditions that all points of a run share.
type runConditions struct {
	decisive []Condition // conditions that must be equal for points to be compared
	reported []Condition // conditions that are reported if they differ
}

// conditionsOfRun returns the conditions that all points of a run share.
func conditionsOfRun(doc result.Document) runConditions {
	s := runConditions{
		decisive: []Condition{
			{"kind", string(doc.Kind)}, {"cluster", doc.Identity.Cluster}, {"filesystem", doc.Identity.Filesystem},
		},
		reported: []Condition{
			{"h5perf_version", doc.Software.Version},
			{"flavour", doc.Software.Flavour},
			{"mpi_library", doc.Software.MPI},
			{"mpi_io_component", doc.Software.IOComponent},
			{"mpi_thread_level", string(doc.Software.ThreadLevel)},
			{"hdf5_version", doc.Software.HDF5},
			{"kernel", doc.Machine.Kernel},
			{"architecture", doc.Machine.Arch},
			{"cpu_model", doc.Machine.CPU},
			{"cpus", strconv.Itoa(doc.Machine.CPUs)},
			{"operating_system", doc.Machine.OS},
			{"container", doc.Machine.Container},
			{"image", doc.Machine.Image.BuildID()},
			{"file_system_type", doc.Target.Type},
			{"mount_source", doc.Target.Source},
			{"mount_options", doc.Target.Options},
			{"stripe", doc.Target.Stripe.String()},
			{"launcher", doc.Job.Launcher},
			{"job_processes", strconv.Itoa(doc.Job.Processes)},
		},
	}
	if len(doc.Cases) > 0 && len(doc.Cases[0].Values) > 0 { // a part of a run, whose cases have the same values
		s.decisive = append(s.decisive, Condition{SweptCondition, sortedValues(doc.Cases[0].Values)})
	}
	for _, v := range doc.Job.MPIVariables {
		s.reported = append(s.reported, Condition{"mpi_variables." + v.Key, v.Value})
	}
	reported := reportedParameters
	if option.ValueOrZero(doc.Parameters.Conditions.MemoryFactor) > 0 { // these depend on the amount of free memory
		reported = append(slices.Clip(reported), "bytes_per_process", "dataset_extent")
	}
	// It is decisive that an existing file is read, but not which one.
	if doc.Parameters.Conditions.ReadOnly != "" {
		doc.Parameters.Conditions.ReadOnly = "yes"
	}
	values := map[string]string{}
	addMembers(values, parametersField, doc.Parameters)
	for _, path := range slices.Sorted(maps.Keys(values)) {
		name := strings.TrimPrefix(path, parametersField+".")
		setting := Condition{strings.TrimPrefix(name, "conditions."), values[path]}
		switch {
		case slices.Contains(freeParameters, name):
		case slices.Contains(reported, name):
			s.reported = append(s.reported, setting)
		default:
			s.decisive = append(s.decisive, setting)
		}
	}
	return s
}

// Place identifies a point within a run: by operation, API, number of processes and nodes, and transfer size or
// workload.
type Place struct {
	Operation     result.Operation `json:"operation"` // write or read
	API           string           `json:"api"`
	Processes     int              `json:"processes"`
	Nodes         int              `json:"nodes"`
	TransferBytes uint64           `json:"transfer_bytes"` // in 2D, the length of one dimension of the buffer
	BufferBytes   uint64           `json:"buffer_bytes"`   // the whole transfer buffer
	// Name of the workload, which has no transfer size. Workloads with the same name but other differences have
	// different conditions.
	Workload string `json:"workload,omitempty"`
	// The values of --sweep, sorted by name: "mode=collective, x=64".
	Values string `json:"values,omitempty"`
	// Class of steps whose objects per second are the value of the point; "": the value is its throughput.
	Class result.Class `json:"class,omitempty"`
}

// UnitSuffix returns the unit of values of the point, as in names of columns.
func (p Place) UnitSuffix() string { return p.unit().Suffix }

func (p Place) unit() figures.Unit {
	if p.Class != "" {
		return figures.ObjectsRate
	}
	return figures.BytesPerSecond
}

// FormatValue formats a value of the point for people, with its unit.
func (p Place) FormatValue(v float64) string {
	text := p.unit().Format(v)
	if p.Class != "" {
		text += "/s"
	}
	return text
}

// PlaceOf returns the Place that identifies a point, from the parameters of the run, the case and the operation.
func PlaceOf(p result.Parameters, c result.Case, operation result.Operation) Place {
	place := Place{
		Operation: operation, API: c.API, Processes: c.Processes, Nodes: c.Nodes, TransferBytes: c.TransferSize,
		BufferBytes: c.BufferBytes, Values: sortedValues(c.Values),
	}
	if w := p.Workload; w != nil {
		place.Workload = w.Name
	}
	return place
}

// sortedValues formats values of --sweep, sorted by name.
func sortedValues(values []result.KeyValue) string {
	byName := func(a, b result.KeyValue) int { return strings.Compare(a.Key, b.Key) }
	return result.ValuesText(slices.SortedFunc(slices.Values(values), byName))
}

// SweptCondition is the name of the condition that holds the values of --sweep.
const SweptCondition = "values"

// placeConditions returns the fields of the Place as conditions, except for the values of --sweep, which all points of
// a part of a run share.
func (p Place) placeConditions() []Condition {
	all := []Condition{
		{"operation", string(p.Operation)},
		{"api", p.API},
		{"processes", strconv.Itoa(p.Processes)},
		{"nodes", strconv.Itoa(p.Nodes)},
	}
	if p.Class != "" {
		all = append(all, Condition{"class", string(p.Class)})
	}
	if p.Workload != "" {
		return append(all, Condition{"workload.name", p.Workload})
	}
	return append(all,
		Condition{"transfer_bytes", strconv.FormatUint(p.TransferBytes, 10)},
		Condition{"buffer_bytes", strconv.FormatUint(p.BufferBytes, 10)})
}

// compareTo orders points in the order in which a sweep measures them, writes before reads. The result is negative,
// zero or positive, as for cmp.Compare.
func (p Place) compareTo(o Place) int {
	return cmp.Or(
		strings.Compare(p.Workload, o.Workload), strings.Compare(p.Values, o.Values),
		cmp.Compare(p.Processes, o.Processes),
		cmp.Compare(p.TransferBytes, o.TransferBytes),
		result.CompareAPIs(p.API, o.API), cmp.Compare(o.Operation, p.Operation), cmp.Compare(p.Class, o.Class),
	)
}

// caseKey returns a Place in which only API, processes, transfer size, workload and values are set. This identifies a
// case.
func (p Place) caseKey() Place {
	return Place{
		API: p.API, Processes: p.Processes, TransferBytes: p.TransferBytes, Workload: p.Workload, Values: p.Values,
	}
}

// directionKey returns a Place that identifies what is measured in one direction of a case: caseKey with the operation
// and the class.
func (p Place) directionKey() Place {
	direction := p.caseKey()
	direction.Operation, direction.Class = p.Operation, p.Class
	return direction
}

// WarmCache is the value of the condition page_cache if at least one sample of a point read its data from memory.
const WarmCache = "warm"

// pageCacheText returns the value of the condition page_cache for a point. It says whether at least one sample read its
// data from memory. The value is "" for writes.
func pageCacheText(p result.Point) string {
	switch {
	case p.Operation != result.OperationRead:
		return ""
	case slices.Contains(p.Marks(), result.MarkWarm):
		return WarmCache
	}
	return "not known to be warm"
}

// collectiveConditions returns a condition that says how many of the requested collective transfers of a point HDF5
// performed collectively: all, some or none. It returns nil if HDF5 reported no requested collective transfers.
func collectiveConditions(p result.Point) []Condition {
	n := p.Case.CollectiveTransfers(p.Operation)
	if n == nil {
		return nil
	}
	done := "some"
	switch {
	case n.Mixed == 0 && n.Independent == 0:
		done = "all"
	case n.Collective == 0 && n.Mixed == 0:
		done = "all independent"
	}
	return []Condition{{"hdf5_collective_transfers", done}}
}

// distinguishingConditions returns, for each point, those conditions that not all points have with the same value. It
// leaves out conditions that its Place contains, and those that follow from the values of --sweep.
func distinguishingConditions(places []Place, settings [][]Condition) [][]Condition {
	count := map[Condition]int{}
	withSwept := map[[2]string]string{} // value of a condition, by its name and the values of --sweep
	varies := map[string]bool{}         // names of conditions that differ between points with equal values of --sweep
	for _, of := range settings {
		swept := conditionValue(of, SweptCondition)
		for _, s := range of {
			count[s]++
			key := [2]string{s.Name, swept}
			if before, seen := withSwept[key]; seen && before != s.Value {
				varies[s.Name] = true
			}
			withSwept[key] = s.Value
		}
	}
	kept := make([][]Condition, len(settings))
	for i, of := range settings {
		swept := conditionValue(of, SweptCondition)
		for _, s := range of {
			follows := swept != "" && s.Name != SweptCondition && !varies[s.Name]
			if s.Value != "" && count[s] < len(settings) && !follows &&
				!slices.Contains(places[i].placeConditions(), s) {
				kept[i] = append(kept[i], s)
			}
		}
	}
	return kept
}

// conditionValue returns the value of the condition with a name, or "".
func conditionValue(all []Condition, name string) string {
	i := slices.IndexFunc(all, func(s Condition) bool { return s.Name == name })
	if i < 0 {
		return ""
	}
	return all[i].Value
}
