package history

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/result"
)

// Setting is a condition of a point. Its name is that of the field of the document.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Conditions of a point are of three sorts. Those that say what is measured must be equal for figures to be compared: the
// place of the point in its run, the cluster and the file system, whether reads came from memory, and every parameter of the
// run that is not named here, so that a parameter that is added later is one of them until it is thought about.
var (
	// free are parameters that choose how much is measured, or that change no figure.
	free = []string{
		"apis", "min_processes", "max_processes", "min_transfer_bytes", "max_transfer_bytes", "iterations", "keep_files",
		"conditions.repeat_until_ratio", "conditions.min_case_seconds", "conditions.max_iterations", "conditions.seed",
		"conditions.profile", "conditions.timeout_seconds", "conditions.space_check",
	}
	// mentioned are parameters whose difference is told, as are those of software and machine: figures stay comparable, but
	// the difference may be in them.
	mentioned = []string{
		"write_only", "verify", "hints_set", "conditions.warmup_iterations", "conditions.order", "conditions.latency",
	}
)

// parameters is the field of a document that holds them.
const parameters = "parameters"

// settings are the conditions of a run that are those of all its points.
type settings struct {
	decisive []Setting // must be equal
	told     []Setting
}

func settingsOf(doc result.Document) settings {
	s := settings{
		decisive: []Setting{
			{"kind", string(doc.Kind)}, {"cluster", doc.Identity.Cluster}, {"filesystem", doc.Identity.Filesystem},
		},
		told: []Setting{
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
			{"mpi_variables", variables(doc.Job.MPIVariables)},
		},
	}
	told := mentioned
	if doc.Parameters.Conditions.MemoryFactor > 0 { // these follow from how much memory the kernel left
		told = append(slices.Clip(told), "bytes_per_process", "dataset_extent")
	}
	// What a file that is read was made for counts; which file it is does not.
	if doc.Parameters.Conditions.ReadOnly != "" {
		doc.Parameters.Conditions.ReadOnly = "yes"
	}
	values := map[string]string{}
	members(values, parameters, doc.Parameters)
	for _, path := range slices.Sorted(maps.Keys(values)) {
		name := strings.TrimPrefix(path, parameters+".")
		setting := Setting{strings.TrimPrefix(name, "conditions."), values[path]}
		switch {
		case slices.Contains(free, name):
		case slices.Contains(told, name):
			s.told = append(s.told, setting)
		default:
			s.decisive = append(s.decisive, setting)
		}
	}
	return s
}

func variables(all []result.KeyValue) string {
	var words []string
	for _, v := range all {
		words = append(words, v.Key+"="+v.Value)
	}
	return strings.Join(words, " ")
}

// Place tells the points of a run apart.
type Place struct {
	Operation     result.Operation `json:"operation"` // write or read
	API           string           `json:"api"`
	Processes     int              `json:"processes"`
	Nodes         int              `json:"nodes"`
	TransferBytes uint64           `json:"transfer_bytes"` // in 2D one side of the buffer
	BufferBytes   uint64           `json:"buffer_bytes"`   // the whole transfer buffer
}

func placeOf(c result.Case, operation result.Operation) Place {
	return Place{operation, c.API, c.Processes, c.Nodes, c.TransferBytes, c.BufferBytes}
}

// settings are those of the place.
func (p Place) settings() []Setting {
	return []Setting{
		{"operation", string(p.Operation)},
		{"api", p.API},
		{"processes", strconv.Itoa(p.Processes)},
		{"nodes", strconv.Itoa(p.Nodes)},
		{"transfer_bytes", strconv.FormatUint(p.TransferBytes, 10)},
		{"buffer_bytes", strconv.FormatUint(p.BufferBytes, 10)},
	}
}

// compare orders places as a sweep goes, writing first.
func (p Place) compare(o Place) int {
	return cmp.Or(
		cmp.Compare(p.Processes, o.Processes), cmp.Compare(p.TransferBytes, o.TransferBytes),
		strings.Compare(p.API, o.API), cmp.Compare(o.Operation, p.Operation),
	)
}

// asked is the case as a user asks for it: without the direction, and what follows from the machine and the parameters.
func (p Place) asked() Place {
	return Place{API: p.API, Processes: p.Processes, TransferBytes: p.TransferBytes}
}

// cacheOf tells whether any sample of a point that reads found its data in memory; it is empty for one that writes.
func cacheOf(p result.Point) string {
	switch {
	case p.Operation != result.OperationRead:
		return ""
	case slices.Contains(p.Marks(), result.Warm):
		return "warm"
	}
	return "not seen to be warm"
}

// collectives tell which part of the transfers HDF5 made collectively, where it was asked to.
func collectives(c result.Case) []Setting {
	if c.Effective == nil || c.Effective.Collective == nil {
		return nil
	}
	done := "some"
	switch n := c.Effective.Collective; {
	case n.Mixed == 0 && n.Independent == 0:
		done = "all"
	case n.Collective == 0 && n.Mixed == 0:
		done = "none"
	}
	return []Setting{{"hdf5_collective_transfers", done}}
}

// distinguishing are, of the settings of each point, those in which any two points differ and which its place does not tell.
func distinguishing(places []Place, settings [][]Setting) [][]Setting {
	count := map[Setting]int{}
	for _, of := range settings {
		for _, s := range of {
			count[s]++
		}
	}
	kept := make([][]Setting, len(settings))
	for i, of := range settings {
		for _, s := range of {
			if s.Value != "" && count[s] < len(settings) && !slices.Contains(places[i].settings(), s) {
				kept[i] = append(kept[i], s)
			}
		}
	}
	return kept
}
