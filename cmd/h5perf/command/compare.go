package command

import "errors"

// Compare is the command compare.
type Compare struct{}

// Run runs it.
func (Compare) Run(Env) error { return errors.New("compare is not there yet") }
