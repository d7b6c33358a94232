package command

import "errors"

// Push is the command push.
type Push struct{}

// Run runs it.
func (Push) Run(Env) error { return errors.New("push is not there yet") }
