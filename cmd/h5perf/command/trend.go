package command

import "errors"

// Trend is the command trend.
type Trend struct{}

// Run runs it.
func (Trend) Run(Env) error { return errors.New("trend is not there yet") }
