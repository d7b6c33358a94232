package workload

import (
	"fmt"
	"strconv"
)

// UnwrittenRead is a read of datasets in a file that all processes open, of which this process has written no element.
// Others may have. The datasets have the numbers From to To - 1 in the place Where, which all processes call the same.
type UnwrittenRead struct {
	Where    string
	From, To uint64
	Line     int // of the workload file; 0: not known

	object int
	member uint64 // that has the number From
}

// reasonText returns what is wrong if nobody has written the dataset that has a number.
func (r *UnwrittenRead) reasonText(p *Program, number uint64) string {
	return fmt.Sprintf("dataset %s is read, but no step has written to it: write it first, or leave the read out",
		p.PathOf(r.object, r.member+number-r.From))
}

// Fault returns the error of the read, if nobody has written the dataset that has a number.
func (r *UnwrittenRead) Fault(p *Program, number uint64) Fault {
	return Fault{r.Line, r.reasonText(p, number)}
}

// placeName returns the name of a place in a file, in ASCII: it goes through JSON, and names of objects may be any
// bytes.
func placeName(file string, p numberedPlace) string {
	return strconv.QuoteToASCII(string(p.appendPlace([]byte(file + ":"))))
}

// WrittenDatasets tells in which datasets a process writes.
type WrittenDatasets map[string]*rangeMap[objectState]

// UnwrittenReads returns the reads of datasets that only other processes may have written, and what this one writes.
// The error is that of Check.
func (p *Program) UnwrittenReads() ([]UnwrittenRead, WrittenDatasets, error) {
	c, err := p.checkSteps()
	written := WrittenDatasets{}
	for file, in := range c.files {
		for t, all := range in.states {
			if t.attribute == "" {
				written[placeName(file, t.place)] = all
			}
		}
	}
	return c.reads, written, err
}

// FirstUnwritten returns the first number of the datasets in a place, from a number on, of which the process writes
// nothing.
func (w WrittenDatasets) FirstUnwritten(where string, from, to uint64) uint64 {
	all := w[where]
	if all == nil {
		return from
	}
	for n := range all.rangesWithin(from, to) {
		if !n.value.written {
			return n.from
		}
	}
	return to
}
