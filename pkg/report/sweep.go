package report

import (
	"fmt"
	"strconv"
	"strings"

	"h5perf/pkg/result"
)

// writeProcessesHeading writes the heading for a number of processes. The report of a serial run has no such heading.
func (t *CReport) writeProcessesHeading(processes int) {
	if t.serial {
		return
	}
	t.addLine("Number of processors = %d", processes)
}

// writeTransferHeading writes the heading for a transfer size.
func (t *CReport) writeTransferHeading(processes int, transfer uint64) {
	p := t.doc.Parameters
	if t.serial {
		t.writeSerialTransfer(transfer)
		return
	}
	pattern := p.AccessPattern(processes, transfer)
	dataset := pattern.Sequence(0).DatasetBytes()
	file := float64(uint64(p.Datasets)*dataset) / megabyte
	buffer := strconv.FormatUint(transfer, 10)
	datasetSize := fmt.Sprintf("%.2f MB", float64(dataset)/megabyte)
	if t.isTwoDimensional() {
		rows, columns := t.bufferExtent(transfer)
		buffer = fmt.Sprintf("%dx%d", rows, columns)
		side := float64(pattern.DatasetSide()) / kilobyte
		datasetSize = fmt.Sprintf("%.2fx%.2f KB", side, side)
	}
	t.addLine("Transfer Buffer Size: %s bytes, File size: %.2f MB", buffer, file)
	t.addLine("      # of files: %d, # of datasets: %d, dataset size: %s", p.Files, p.Datasets, datasetSize)
}

// BeginCase writes the heading of a case. If the number of processes or the transfer size is not the same as in the
// previous case, it writes the headings for these first.
func (t *CReport) BeginCase(c result.Case) {
	step := c.Processes != t.current.Processes
	if step {
		t.writeProcessesHeading(c.Processes)
	}
	if step || c.TransferSize != t.current.TransferSize {
		t.writeTransferHeading(c.Processes, c.TransferSize)
	}
	t.current, t.files = c, 0
	t.addLine("        IO API = %s", t.apiName(c.API))
	t.flush()
}

// apiName returns the name of an API in the report. For parallel HDF5 it includes the file driver.
func (t *CReport) apiName(name string) string {
	api := result.APIOf(name)
	if api.HDF5 && !t.serial {
		return fmt.Sprintf("%s (w/%s driver)", api.CLabel, driverName(t.doc.Parameters))
	}
	return api.CLabel
}

// BeginFile must be called before each data file of the current case is created, in every iteration. At level 1 and
// above it writes the file name for every rank. At level 4 it also writes which part of the file each rank transfers.
// In a serial run it writes only the name.
func (t *CReport) BeginFile(path string) {
	p, n := t.doc.Parameters, t.current.Processes
	if t.options.Level >= levelBuffers && t.files%p.Files == 0 {
		t.addLine("Timer details:")
	}
	t.files++
	if t.serial {
		if t.options.Level >= levelAllRanks {
			t.addLine("data filename=%s", path)
		}
		t.flush()
		return
	}
	if t.options.Level >= levelAllRanks {
		for rank := range n {
			t.addLine("rank %d: data filename=%s", rank, t.fileOfRank(path, rank))
		}
	}
	if t.options.Level >= levelBuffers {
		t.writeRankParts()
		if !p.WriteOnly {
			t.writeRankParts()
		}
	}
	t.flush()
}

// fileOfRank returns the file name for a rank. path is the file of rank 0.
func (t *CReport) fileOfRank(path string, rank int) string {
	if !t.doc.Parameters.FilesPerProcess {
		return path
	}
	suffix := result.APIOf(t.current.API).Suffix
	return strings.TrimSuffix(path, "0"+suffix) + strconv.Itoa(rank) + suffix
}

// writeRankParts writes, for each rank, which part of the file this rank transfers. The text says do_write for reads
// too, as in the C tool.
func (t *CReport) writeRankParts() {
	p := t.doc.Parameters
	pattern := p.AccessPattern(t.current.Processes, t.current.TransferSize)
	for rank := range t.current.Processes {
		s := pattern.Sequence(uint64(rank) % pattern.Processes)
		begin, count := s.Slab.Start, s.NumTransfers()*s.TransferBytes()
		if !t.isTwoDimensional() {
			t.addLine("%d: Debug(do_write): buf_size=%d, bytes_begin=%d, bytes_count=%d", rank, s.TransferBytes(),
				begin[0], count)
			continue
		}
		// in a plain file, the chunks to the left of this part are stored before it
		if p.Layout == result.LayoutChunked && result.APIOf(t.current.API).PlainFiles {
			begin[1] *= p.BlockSize
		}
		t.addLine("%d: Debug(do_write): linear buf_size=%d, bytes_begin=(%d,%d), bytes_count=%d",
			rank, s.TransferBytes(), begin[0], begin[1], count)
	}
}
