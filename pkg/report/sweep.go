package report

import (
	"fmt"
	"strconv"

	"h5perf/pkg/result"
)

// step begins a number of processes. A serial run has but one, which is not told.
func (t *Text) step(processes int) {
	if t.doc.Parameters.Serial() {
		return
	}
	t.line("Number of processors = %d", processes)
}

// transfer begins a transfer size.
func (t *Text) transfer(processes int, transfer uint64) {
	p := t.doc.Parameters
	if p.Serial() {
		t.serialTransfer(transfer)
		return
	}
	pattern := p.AccessPattern(processes, transfer)
	dataset := pattern.Sequence(0).DatasetBytes()
	file := float64(uint64(p.Datasets)*dataset) / megabyte
	buffer := strconv.FormatUint(transfer, 10)
	datasetSize := fmt.Sprintf("%.2f MB", float64(dataset)/megabyte)
	if t.twoD() {
		rows, columns := t.transferBuffer(transfer)
		buffer = fmt.Sprintf("%dx%d", rows, columns)
		side := float64(pattern.Side()) / kilobyte
		datasetSize = fmt.Sprintf("%.2fx%.2f KB", side, side)
	}
	t.line("Transfer Buffer Size: %s bytes, File size: %.2f MB", buffer, file)
	t.line("      # of files: %d, # of datasets: %d, dataset size: %s", p.Files, p.Datasets, datasetSize)
}

// Begin begins a case, and before it the number of processes and the transfer size, where they are others than before.
func (t *Text) Begin(c result.Case) {
	step := c.Processes != t.current.Processes
	if step {
		t.step(c.Processes)
	}
	if step || c.TransferBytes != t.current.TransferBytes {
		t.transfer(c.Processes, c.TransferBytes)
	}
	t.current, t.files = c, 0
	t.line("        IO API = %s", t.api(c.API))
	t.flush()
}

// api is the name of an API, and with parallel HDF5 the file driver.
func (t *Text) api(name string) string {
	api := result.APIOf(name)
	if api.HDF5 && !t.doc.Parameters.Serial() {
		return fmt.Sprintf("%s (w/%s driver)", api.CLabel, driver(t.doc.Parameters))
	}
	return api.CLabel
}

// File tells that a data file of the current case is about to be created; it is called for every file of every iteration.
// At level 1 and above every rank names it, at level 4 every rank tells its part. A serial run only names it.
func (t *Text) File(path string) {
	p, n := t.doc.Parameters, t.current.Processes
	if t.options.Level >= buffers && t.files%p.Files == 0 {
		t.line("Timer details:")
	}
	t.files++
	if p.Serial() {
		if t.options.Level >= allRanks {
			t.line("data filename=%s", path)
		}
		t.flush()
		return
	}
	if t.options.Level >= allRanks {
		for rank := range n {
			t.line("rank %d: data filename=%s", rank, path)
		}
	}
	if t.options.Level >= buffers {
		t.parts()
		if !p.WriteOnly {
			t.parts()
		}
	}
	t.flush()
}

// parts writes the part of every rank. The C tool calls it do_write when it reads, too.
func (t *Text) parts() {
	p := t.doc.Parameters
	pattern := p.AccessPattern(t.current.Processes, t.current.TransferBytes)
	for rank := range t.current.Processes {
		s := pattern.Sequence(uint64(rank))
		begin, count := s.Slab.Start, s.Transfers()*s.TransferBytes()
		if !t.twoD() {
			t.line("%d: Debug(do_write): buf_size=%d, bytes_begin=%d, bytes_count=%d", rank, s.TransferBytes(), begin[0], count)
			continue
		}
		// in a plain file the chunks to the left are stored before
		if p.Layout == result.LayoutChunked && result.APIOf(t.current.API).Plain {
			begin[1] *= p.BlockBytes
		}
		t.line("%d: Debug(do_write): linear buf_size=%d, bytes_begin=(%d,%d), bytes_count=%d",
			rank, s.TransferBytes(), begin[0], begin[1], count)
	}
}
