package result

import (
	"cmp"
	"slices"
	"time"
)

// PutCase inserts a case. The cases of a document are sorted as in the sweep: by number of processes, largest first,
// then by transfer size, smallest first, then by API, in the order of the parameters. A case for which all three are
// the same is replaced.
func (d *Document) PutCase(c Case) {
	at, found := slices.BinarySearchFunc(d.Cases, c, d.compareCases)
	if found {
		d.Cases[at] = c
	} else {
		d.Cases = slices.Insert(d.Cases, at, c)
	}
}

// compareCases compares the places of two cases in the sweep.
func (d *Document) compareCases(a, b Case) int {
	return cmp.Or(
		cmp.Compare(b.Processes, a.Processes), cmp.Compare(a.TransferSize, b.TransferSize),
		cmp.Compare(slices.Index(d.Parameters.APIs, a.API), slices.Index(d.Parameters.APIs, b.API)),
	)
}

// EndWithErrors ends the document of a run that was cut short by these errors, and all of its cases that are running.
// The state of the run is Interrupted if all errors have the phase PhaseSignal, and Failed otherwise. Cases are
// interrupted, except for the one that was at work, if an error has a phase of a case: it has failed. at is that case,
// or nil. Only that case gets an error, if there is one.
//
// The exit status is that of the state. It stays unknown if an error has the phase PhaseProcess: nobody knows how the
// process ended.
func (d *Document) EndWithErrors(errs []Error, at *Case) {
	d.State = Interrupted
	known := true
	for _, e := range errs {
		known = known && e.Phase != PhaseProcess
		if e.Phase != PhaseSignal {
			d.State = Failed
		}
		if !e.Phase.IsOfRun() {
			d.failCase(at, e)
		}
	}
	if status := d.State.ExitStatus(); known {
		d.ExitStatus = &status
	}
	d.interruptCases(errs, at)
	d.Errors = append(d.Errors, errs...)
	now := time.Now().UTC()
	d.Finished = &now
}

// failCase makes a case that is running one that failed because of an error.
func (d *Document) failCase(at *Case, e Error) {
	for i := range d.Cases {
		c := &d.Cases[i]
		if at != nil && c.State == Running && d.compareCases(*c, *at) == 0 {
			c.State, c.Error = Failed, &e
		}
	}
}

// notAtWork is the reason of a case that was interrupted between two of its iterations.
const notAtWork = "the run ended during an iteration of another case"

// InterruptCases ends all cases that are running. None of them was at work.
func (d *Document) InterruptCases() { d.interruptCases(nil, nil) }

// interruptCases ends all cases that are running. The one that was at work gets the first of errs, if there is any. If
// at is nil, it is not known which one was at work, and each gets the error.
func (d *Document) interruptCases(errs []Error, at *Case) {
	for i := range d.Cases {
		c := &d.Cases[i]
		if c.State != Running {
			continue
		}
		c.State = Interrupted
		c.MarkShort()
		switch {
		case len(errs) == 0 || at != nil && d.compareCases(*c, *at) != 0:
			c.Reason = notAtWork
		default:
			first := errs[0]
			c.Error = &first
		}
	}
}
