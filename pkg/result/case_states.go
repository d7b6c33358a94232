package result

import (
	"cmp"
	"slices"
	"time"
)

// PutCase inserts a case, or replaces the case with the same values of --sweep, number of processes, transfer size and
// API. The cases of a document are sorted as they are measured: by values in the order of Swept, by number of
// processes, largest first, then by transfer size, smallest first, then by API, in the order of the parameters.
func (d *Document) PutCase(c Case) {
	at, found := slices.BinarySearchFunc(d.Cases, c, d.compareCases)
	if found {
		d.Cases[at] = c
	} else {
		d.Cases = slices.Insert(d.Cases, at, c)
	}
}

// compareCases compares the positions of two cases in the order of the sweep. The result is like that of cmp.Compare.
func (d *Document) compareCases(a, b Case) int {
	return cmp.Or(
		cmp.Compare(d.sweptIndex(a), d.sweptIndex(b)),
		cmp.Compare(b.Processes, a.Processes), cmp.Compare(a.TransferSize, b.TransferSize),
		cmp.Compare(slices.Index(d.Parameters.APIs, a.API), slices.Index(d.Parameters.APIs, b.API)),
	)
}

// EndWithErrors ends the document of a run that ended early because of errs. The state of the run becomes Interrupted
// if all errors have the phase PhaseSignal, and Failed otherwise. Running cases become Interrupted. The case at, which
// was in an iteration, becomes Failed instead if an error has a phase of a case. Only at gets an error. at is nil if it
// is not known; then all running cases get the error.
//
// The exit status follows from the state. It stays unknown if an error has the phase PhaseProcess, because then it is
// not known how the process ended.
func (d *Document) EndWithErrors(errs []Error, at *Case) {
	d.State = Interrupted
	known := true
	for _, e := range errs {
		known = known && e.Phase != PhaseProcess
		if e.Phase != PhaseSignal {
			d.State = Failed
		}
		if !e.Phase.BelongsToRun() {
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

// failCase changes the state of the case at to Failed and stores the error in it, but only if the case is running.
func (d *Document) failCase(at *Case, e Error) {
	for i := range d.Cases {
		c := &d.Cases[i]
		if at != nil && c.State == Running && d.compareCases(*c, *at) == 0 {
			c.State, c.Error = Failed, &e
		}
	}
}

// betweenIterationsReason is the reason in a case that was interrupted between two of its iterations.
const betweenIterationsReason = "the run ended during an iteration of another case"

// InterruptCases changes the state of all running cases to Interrupted, with the reason that they were between two
// iterations.
func (d *Document) InterruptCases() { d.interruptCases(nil, nil) }

// interruptCases changes the state of all running cases to Interrupted. The case at, which was in an iteration, gets
// the first of errs, if there is an error. at is nil if it is not known which case was in an iteration; then every
// running case gets the error.
func (d *Document) interruptCases(errs []Error, at *Case) {
	for i := range d.Cases {
		c := &d.Cases[i]
		if c.State != Running {
			continue
		}
		c.State = Interrupted
		c.UpdateShortMarks()
		switch {
		case len(errs) == 0 || at != nil && d.compareCases(*c, *at) != 0:
			c.Reason = betweenIterationsReason
		default:
			first := errs[0]
			c.Error = &first
		}
	}
}
