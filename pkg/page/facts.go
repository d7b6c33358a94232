package page

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/placement"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// factRow is a row of the table about the system and the conditions of a run.
type factRow struct {
	Name, Text string
}

// runFacts returns the rows for a run. Unknown values are left out.
func runFacts(r *figures.Run) []factRow {
	p, s, m, t, j := r.Parameters, r.Software, r.Machine, r.Target, r.Job
	amount := func(n uint64) string { return formatNonzero(float64(n), units.FormatBytes) }
	var all []factRow
	add := func(name, text string) {
		if text != "" {
			all = append(all, factRow{name, text})
		}
	}
	add("Command", strings.Join(r.Command, " "))
	add("Run", r.RunID)
	add("Series", joinNonEmpty(" · ", r.Identity.Cluster, r.Identity.Filesystem, r.Identity.Label))
	add("Access", r.Access())
	add("Conditions", strings.Join(r.Conditions(), ", "))
	add("Throughput", r.ThroughputMeaning())
	add("Data per process and dataset", amount(p.BytesPerProcess))
	add("Block", amount(p.BlockSize))
	if w := p.Workload; w != nil {
		add("Workload", w.Name)
		add("Sizes", figures.KeyValuesText(w.Sizes))
		add("Choices", figures.KeyValuesText(w.Chosen))
		add("SHA-256 of the workload", w.Hash)
	} else {
		add("Files and datasets", fmt.Sprintf("%d × %d", p.Files, p.Datasets))
	}
	add("Iterations", iterationsText(r))
	add("File system", joinNonEmpty(", ", t.Type, t.Source, t.Options))
	add("Directory", t.Directory)
	add("Striping", t.Stripe.String())
	add("Size of the file system, and free space before the run",
		joinNonEmpty(", ", amount(t.SizeBytes), amount(t.FreeBytes)))
	add("Started with", joinNonEmpty(" ", processesText(j.Processes)+" on "+nodesText(j.Nodes), hostsText(j.Placement)))
	add("Launcher", j.Launcher)
	add("Slurm", figures.KeyValuesText(j.Slurm))
	add("MPI variables", figures.KeyValuesText(j.MPIVariables))
	add("Machine", joinNonEmpty(", ", m.Host, m.CPU, fmt.Sprintf("%d processors", m.CPUs), m.Arch))
	add("Memory", joinNonEmpty(", ", amount(m.MemoryBytes),
		withPrefix("memory copy ", formatNonzero(m.MemoryCopyRate, units.FormatRate))))
	add("System", joinNonEmpty(", ", m.OS, withPrefix("kernel ", m.Kernel), withPrefix("container ", m.Container),
		imageText(m.Image)))
	add("h5perf", joinNonEmpty(", ", s.Version, s.Flavour, s.Go))
	add("MPI",
		joinNonEmpty(", ", s.MPI, withPrefix("standard ", s.MPIStandard), withPrefix("MPI-IO by ", s.IOComponent)))
	add("HDF5", joinNonEmpty(", ", s.HDF5, s.HDF5Library))
	return all
}

// iterationsText returns the number of iterations that the cases have, with the number that was requested if they have
// fewer or more.
func iterationsText(r *figures.Run) string {
	wanted := r.Parameters.Iterations
	counts := mapSlice(pointsWithThroughput(r), func(p figures.Point) int { return len(p.Samples) })
	if len(counts) == 0 {
		return fmt.Sprint(wanted)
	}
	low, high := slices.Min(counts), slices.Max(counts)
	text := fmt.Sprint(low)
	switch {
	case low < high:
		text = fmt.Sprintf("%d to %d in each case", low, high)
	case low == wanted:
		return text
	}
	return text + "; requested: " + figures.RequestedIterations(r.Parameters)
}

// withoutCommonFacts divides the facts of several runs into those that all have and those of each run.
func withoutCommonFacts(runs [][]factRow) (common []factRow, own [][]factRow) {
	isCommon := func(f factRow) bool {
		return !slices.ContainsFunc(runs, func(of []factRow) bool { return !slices.Contains(of, f) })
	}
	for _, of := range runs {
		common = filterSlice(of, isCommon)
		own = append(own, filterSlice(of, func(f factRow) bool { return !isCommon(f) }))
	}
	return common, own
}

func imageText(i *result.Image) string {
	if i == nil {
		return ""
	}
	return joinNonEmpty(" ", withPrefix("image ", i.Build), i.Digest)
}

// joinNonEmpty joins the strings that are not empty.
func joinNonEmpty(separator string, all ...string) string {
	return strings.Join(filterSlice(all, func(s string) bool { return s != "" }), separator)
}

// withPrefix returns s with a prefix, or "" if s is empty.
func withPrefix(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// formatNonzero formats x, but returns "" for 0.
func formatNonzero(x float64, format func(float64) string) string {
	if x == 0 {
		return ""
	}
	return format(x)
}

// hostsText lists at most eight hosts, each with its ranks and the number of processors that they may use.
func hostsText(hosts []result.Host) string {
	const most = 8
	var all []string
	for h := range placement.EachNode(hosts) {
		if len(all) == most {
			all = append(all, fmt.Sprintf("and %d more", placement.NumNodes(hosts)-most))
			break
		}
		text := h.Host + ": ranks " + h.Ranks
		if h.CPUs > 0 {
			text += " on " + figures.FormatCPUs(h.CPUs) + " processors"
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return ""
	}
	return "(" + strings.Join(all, "; ") + ")"
}
