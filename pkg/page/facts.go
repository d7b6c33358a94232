package page

import (
	"fmt"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/placement"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// fact is a row of the table with the system and the conditions of a run.
type fact struct {
	Name, Text string
}

// facts returns the rows of a run. What is not known is left out.
func facts(r *figures.Run) []fact {
	p, s, m, t, j := r.Parameters, r.Software, r.Machine, r.Target, r.Job
	amount := func(n uint64) string { return nonzero(float64(n), units.FormatBytes) }
	var all []fact
	add := func(name, text string) {
		if text != "" {
			all = append(all, fact{name, text})
		}
	}
	add("Command", strings.Join(r.Command, " "))
	add("Run", r.RunID)
	add("Series", words(" · ", r.Identity.Cluster, r.Identity.Filesystem, r.Identity.Label))
	add("Access", r.Access())
	add("Conditions", strings.Join(r.Conditions(), ", "))
	add("Throughput", r.RateMeaning())
	add("Data per process and dataset", amount(p.BytesPerProcess))
	add("Block", amount(p.BlockSize))
	if w := p.Workload; w != nil {
		add("Workload", w.Name)
		add("Sizes", figures.Pairs(w.Sizes))
		add("Choices", figures.Pairs(w.Chosen))
		add("SHA-256 of the workload", w.Hash)
	} else {
		add("Files and datasets", fmt.Sprintf("%d × %d", p.Files, p.Datasets))
	}
	add("Iterations", fmt.Sprint(p.Iterations))
	add("File system", words(", ", t.Type, t.Source, t.Options))
	add("Directory", t.Directory)
	add("Striping", t.Stripe.String())
	add("Size of the file system, and free space before the run", words(", ", amount(t.SizeBytes), amount(t.FreeBytes)))
	add("Started with", words(" ", processes(j.Processes)+" on "+nodes(j.Nodes), onHosts(j.Placement)))
	add("Launcher", j.Launcher)
	add("Slurm", figures.Pairs(j.Slurm))
	add("MPI variables", figures.Pairs(j.MPIVariables))
	add("Machine", words(", ", m.Host, m.CPU, fmt.Sprintf("%d processors", m.CPUs), m.Arch))
	add("Memory", words(", ", amount(m.MemoryBytes), prefixed("memory copy ", nonzero(m.MemoryCopy, units.FormatRate))))
	add("System", words(", ", m.OS, prefixed("kernel ", m.Kernel), prefixed("container ", m.Container), image(m.Image)))
	add("h5perf", words(", ", s.Version, s.Flavour, s.Go))
	add("MPI", words(", ", s.MPI, prefixed("standard ", s.MPIStandard), prefixed("MPI-IO by ", s.IOComponent)))
	add("HDF5", words(", ", s.HDF5, s.HDF5Library))
	return all
}

func image(i *result.Image) string {
	if i == nil {
		return ""
	}
	return words(" ", prefixed("image ", i.Build), i.Digest)
}

// words joins the texts that are not empty.
func words(separator string, all ...string) string {
	return strings.Join(only(all, func(s string) bool { return s != "" }), separator)
}

// prefixed returns s with a prefix, or "" if s is empty.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// nonzero formats x. It returns "" for 0.
func nonzero(x float64, format func(float64) string) string {
	if x == 0 {
		return ""
	}
	return format(x)
}

// onHosts returns hosts with their ranks and the processors that these may use, at most eight of them.
func onHosts(hosts []result.Host) string {
	const most = 8
	var all []string
	for h := range placement.Each(hosts) {
		if len(all) == most {
			all = append(all, fmt.Sprintf("and %d more", placement.Count(hosts)-most))
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
