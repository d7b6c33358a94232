package command

import "errors"

// Prune is the command prune.
type Prune struct{}

// Run runs it.
func (Prune) Run(Env) error { return errors.New("prune is not there yet") }
