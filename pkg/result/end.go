package result

import (
	"cmp"
	"slices"
	"time"
)

// Put inserts a case. The cases of a document are sorted as in the sweep: by number of processes, largest first, then
// by transfer size, smallest first, then by API, in the order of the parameters. A case for which all three are the
// same is replaced.
func (d *Document) Put(c Case) {
	at, found := slices.BinarySearchFunc(d.Cases, c, func(a, b Case) int {
		return cmp.Or(
			cmp.Compare(b.Processes, a.Processes), cmp.Compare(a.TransferBytes, b.TransferBytes),
			cmp.Compare(slices.Index(d.Parameters.APIs, a.API), slices.Index(d.Parameters.APIs, b.API)),
		)
	})
	if found {
		d.Cases[at] = c
	} else {
		d.Cases = slices.Insert(d.Cases, at, c)
	}
}

// End ends the document of a run that was cut short by these errors, and all of its cases that are running. The state
// is Interrupted if all errors have the phase PhaseSignal, and Failed otherwise.
func (d *Document) End(errs []Error) {
	d.State = Interrupted
	for _, e := range errs {
		if e.Phase != PhaseSignal {
			d.State = Failed
		}
	}
	d.endCases(d.State, errs)
	d.Errors = append(d.Errors, errs...)
	now := time.Now().UTC()
	d.Finished = &now
}

// EndCases gives the state to all cases that are running. Their error is the last one of the document, if it has any.
func (d *Document) EndCases(state State) {
	d.endCases(state, d.Errors[max(0, len(d.Errors)-1):])
}

// endCases gives the state to all cases that are running. Their error is the first of errs, if there is any.
func (d *Document) endCases(state State, errs []Error) {
	for i := range d.Cases {
		c := &d.Cases[i]
		if c.State != Running {
			continue
		}
		c.State = state
		if len(errs) > 0 {
			first := errs[0]
			c.Error = &first
		}
	}
}
