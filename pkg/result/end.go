package result

import (
	"cmp"
	"slices"
	"time"
)

// Put puts a case in its place: the cases of a document are in the order of the sweep, processes downwards, transfer sizes
// upwards, APIs as in the parameters. One with the same of these three is replaced.
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

// End ends a document whose run was cut short by these errors, with all cases of it that are running. An error of phase
// signal alone makes it interrupted, any other failed.
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

// EndCases ends the cases that are running when the run ends, because of the last error.
func (d *Document) EndCases(state State) {
	d.endCases(state, d.Errors[max(0, len(d.Errors)-1):])
}

// endCases ends the cases that are running, because of the first of these errors.
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
