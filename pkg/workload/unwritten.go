package workload

import (
	"fmt"
	"strconv"
)

// UnwrittenRead is a read of datasets of which this process has written no element, in a file that all processes open.
// Other processes may have written them. The datasets have the numbers [From, To) in Place, which has the same name on
// all processes.
type UnwrittenRead struct {
	Place    string
	From, To uint64
	Line     int // line in the workload file; 0: not known

	object int
	member uint64 // the member with number From
}

// reasonText returns the error message of the read if no process has written the dataset with the given number.
func (r *UnwrittenRead) reasonText(p *Program, number uint64) string {
	return fmt.Sprintf("dataset %s is read, but no step has written to it: write it first, or leave the read out",
		p.PathOf(r.object, r.member+number-r.From))
}

// Fault returns the error of the read if no process has written the dataset with the given number.
func (r *UnwrittenRead) Fault(p *Program, number uint64) Fault {
	return Fault{r.Line, r.reasonText(p, number)}
}

// placeName returns the name of a place in a file. It is in ASCII, since it is encoded in JSON and names of objects may
// be any bytes.
func placeName(file string, p numberedPlace) string {
	return strconv.QuoteToASCII(string(p.appendPlace([]byte(file + ":"))))
}

// WrittenDatasets says to which datasets a process writes, by place.
type WrittenDatasets map[string]*rangeMap[objectState]

// UnwrittenReads returns the reads of datasets that only other processes may have written, and the datasets that this
// process writes. It returns the same error as Check.
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

// FirstUnwritten returns the number of the first dataset to which the process does not write, among the datasets with
// the numbers [from, to) in a place. It returns to if the process writes to all of them.
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
