package command

import "errors"

// Report is the command report.
type Report struct{}

// Run runs it.
func (Report) Run(Env) error { return errors.New("report is not there yet") }
