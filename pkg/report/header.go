package report

import (
	"cmp"
	"fmt"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// WriteHeader writes the parameters. In a parallel run it writes them for rank 0, and at level 1 and above for every
// rank.
func (t *CReport) WriteHeader() {
	if t.serial {
		t.writeSerialHeader()
		return
	}
	ranks := 1
	if t.options.Level >= levelAllRanks {
		ranks = max(1, t.doc.Job.Processes)
	}
	for rank := range ranks {
		t.writeParameters(rank)
	}
	if t.doc.Parameters.FilesPerProcess {
		t.addLine("Files: each process has its own, with its part of the datasets")
	}
	if t.doc.Parameters.Create == option.CreateFirst {
		t.addLine("Files: the first process creates them with their datasets, then all open them")
	}
	switch t.doc.Parameters.Selection {
	case option.SelectionOr:
		t.addLine("Selections: HDF5 unites the blocks of a transfer (H5S_SELECT_OR)")
	case option.SelectionPoints:
		t.addLine("Selections: HDF5 selects the bytes of a transfer as points (H5Sselect_elements)")
	}
	t.writeConditions()
	t.flush()
}

func (t *CReport) writeParameters(rank int) {
	p := t.doc.Parameters
	line := func(format string, args ...any) {
		t.addLine("rank %d: %s", rank, fmt.Sprintf(format, args...))
	}
	t.addLine("HDF5 Library: Version %s", cmp.Or(t.doc.Software.HDF5, "none"))
	line("==== Parameters ====")
	line("IO API=%s ", strings.Join(p.APIs, " "))
	line("Number of files=%d", p.Files)
	line("Number of datasets=%d", p.Datasets)
	line("Number of iterations=%d", p.Iterations)
	line("Number of processes=%d:%d", p.MinProcesses, p.MaxProcesses)
	t.writeSizes(line)
	line("Block Pattern in Dataset=%s", capitalize(p.Pattern))
	line("I/O Method for MPI and HDF5=%s", capitalize(p.Mode))
	line("Geometry=%s", p.Geometry)
	line("VFL used for HDF5 I/O=%s driver", driverName(p))
	line("Data storage method in HDF5=%s", capitalize(p.Layout))
	line("Env HDF5_PARAPREFIX=%s", t.variableSetByUser("HDF5_PARAPREFIX"))
	line("Dumping MPI Info Object (up to %d bytes per item):", t.options.InfoBytes)
	t.writeHints()
	line("==== End of Parameters ====")
	t.addLine("")
}

// writeSizes writes those parameters (sizes) whose format differs between one and two dimensions.
func (t *CReport) writeSizes(line func(format string, args ...any)) {
	p := t.doc.Parameters
	e, b, datasets := p.BytesPerProcess, p.BlockSize, uint64(p.Datasets)
	least, most := uint64(p.MinProcesses), uint64(p.MaxProcesses)
	if p.FilesPerProcess { // number of processes that share a file
		least, most = 1, 1
	}
	if !t.isTwoDimensional() {
		line("Number of bytes per process per dataset=%s", units.FormatLikeCTools(e))
		line("Size of dataset(s)=%s", rangeText(units.FormatLikeCTools(e*least), units.FormatLikeCTools(e*most)))
		line("File size=%s",
			rangeText(units.FormatLikeCTools(e*least*datasets), units.FormatLikeCTools(e*most*datasets)))
		line("Transfer buffer size=%s",
			rangeText(units.FormatLikeCTools(p.MinTransferSize), units.FormatLikeCTools(p.MaxTransferSize)))
		line("Block size=%s", units.FormatLikeCTools(b))
		return
	}
	first, last := e*least, e*most // side lengths of the dataset
	line("Number of bytes per process per dataset=%s",
		rangeText(units.FormatLikeCTools(e*first), units.FormatLikeCTools(e*last)))
	line("Size of dataset(s)=%s", rangeText(extentText(first, first), extentText(last, last)))
	line("File size=%s",
		rangeText(units.FormatLikeCTools(first*first*datasets), units.FormatLikeCTools(last*last*datasets)))
	minRows, minColumns := t.bufferExtent(p.MinTransferSize)
	maxRows, maxColumns := t.bufferExtent(p.MaxTransferSize)
	line("Transfer buffer size=%s", rangeText(extentText(minRows, minColumns), extentText(maxRows, maxColumns)))
	line("Block size=%s", extentText(b, b))
}

// bufferExtent returns the extent of the transfer buffer in two dimensions, in bytes.
func (t *CReport) bufferExtent(transfer uint64) (rows, columns uint64) {
	p := t.doc.Parameters
	shape := p.AccessPattern(p.MinProcesses, transfer).Sequence(0).BufferShape()
	return shape[0], shape[1]
}

// variableSetByUser returns the value to which the user set an environment variable, or "not set".
func (t *CReport) variableSetByUser(variable string) string {
	for _, g := range t.doc.GivenParameters {
		if g.Name == variable {
			return g.Value
		}
	}
	return "not set"
}

// writeHints writes the MPI-IO hints that the user set.
func (t *CReport) writeHints() {
	p := t.doc.Parameters
	if !p.HintsSet {
		t.addLine("object is MPI_INFO_NULL")
		return
	}
	t.addLine("object has %d items", len(p.Hints))
	for _, h := range p.Hints {
		t.addLine("%s=%s", h.Key, h.Value)
	}
}

// driverName returns the name of the HDF5 file driver.
func driverName(p result.Parameters) string {
	switch {
	case p.FilesPerProcess:
		return string(option.DriverSec2)
	case p.Driver == option.DriverMPIPosix:
		return "MPI-posix"
	case p.Driver == option.Subfiling:
		return "subfiling"
	}
	return "MPI-IO"
}

func capitalize[T ~string](word T) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(string(word[:1])) + string(word[1:])
}

// extentText formats the two sides of a rectangle.
func extentText(rows, columns uint64) string {
	return units.FormatLikeCTools(rows) + "x" + units.FormatLikeCTools(columns)
}

// rangeText formats the smallest and the largest value of a sweep.
func rangeText(from, to string) string { return from + ":" + to }

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)

// writeConditions writes the conditions, which the C tool does not have, and what they mean for the results.
func (t *CReport) writeConditions() {
	c := t.doc.Parameters.Conditions
	run := figures.Run{Document: t.doc}
	t.addWrappedText(plain.ConditionsLine(run.Conditions()))
	if variant := run.VariantText(); variant != "" {
		t.addWrappedText(plain.ConditionsLine([]string{"not the defaults: " + variant}))
	}
	if c.Sync == option.SyncNone && c.ReadOnly == "" {
		t.addWrappedText(figures.NotSynced.Line(""))
	}
	if !t.doc.Parameters.WriteOnly {
		t.addWrappedText(plain.NoteLine("", "Only the page caches of clients are measured, not the caches of servers."))
	}
}
