package result

import "time"

// End ends a document whose run was cut short: by these errors, and in the middle of a case if current is not nil. An error
// of phase signal alone makes it interrupted, any other failed.
func (d *Document) End(current *Case, errs []Error) {
	d.State = Interrupted
	for _, e := range errs {
		if e.Phase != PhaseSignal {
			d.State = Failed
		}
	}
	if current != nil {
		current.State = d.State
		if len(errs) > 0 {
			first := errs[0]
			current.Error = &first
		}
		d.Cases = append(d.Cases, *current)
	}
	d.Errors = append(d.Errors, errs...)
	now := time.Now().UTC()
	d.Finished = &now
}

// Phases of errors that not only the runner knows.
const (
	PhaseSignal = "signal" // a signal to end
	PhaseVerify = "verify" // other bytes were read than had been written
)
