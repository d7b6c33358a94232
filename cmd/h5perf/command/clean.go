package command

import "errors"

// Clean is the command clean.
type Clean struct{}

// Run runs it.
func (Clean) Run(Env) error { return errors.New("clean is not there yet") }
